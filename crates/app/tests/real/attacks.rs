//! Attacks that docs/security.md names, each tried on a process that runs.

use std::collections::{BTreeSet, VecDeque};

use reqwest::blocking::Response;
use reqwest::{Method, header};
use serde_json::{Value, json};

use super::accounts::{PASSWORD, invited, person, tried};
use super::api::{Served, problem, with};
use super::browser::{Browser, said};
use super::desk::{ISO, desk};
use super::model::a_failed_look;
use super::pages::up;
use super::published::publish;
use super::readers::open;

/// What must never be more than text.
const SCRIPT: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>";
/// Parts of it that are markup where they are no text.
const MARKUP: [&str; 2] = ["<script>alert", "<img src=x"];

/// Whoever plants a session in somebody's browser does not get into what they sign in to.
#[test]
fn a_session_that_somebody_planted_is_replaced_when_its_browser_signs_in() {
    let place = desk();
    let (owner, link) = up(&place);
    let mallory = person(&place, "mallory", "read", "default");
    for planted in [mallory.cookie.as_str(), "threadlore-session=planted"] {
        let other = place.json(&["sign-in"]);
        let other = other["sign_in"].as_str().expect("a link");
        let mut victim = Browser::new(&link);
        planted.clone_into(&mut victim.cookie);
        let begun = victim.client.get(other).header(header::COOKIE, planted);
        let begun = begun.send().expect("an answer");
        assert_eq!(begun.status(), 303);
        let cookie = said(&begun, header::SET_COOKIE);
        assert!(!cookie.starts_with(planted), "{cookie}");
        // The planted one may no more than before.
        assert_ne!(
            victim.ask("/health").send().expect("an answer").status(),
            200
        );
    }
    owner.stop();
}

/// Every page that can be reached by links, from what hostile people wrote in every field that a chat has.
#[test]
fn what_chats_and_forms_say_is_text_on_every_page() {
    let place = desk();
    let line = |id: &str, author: &str, text: &str, more: Value| {
        let mut line = json!({
            "type": "message", "id": format!("{id}{SCRIPT}"), "author": format!("{author}{SCRIPT}"),
            "name": format!("{author}{SCRIPT}"), "text": format!("{text} {SCRIPT}"),
            "thread": SCRIPT, "at": format!("2024-05-05T10:{id}:00Z"),
        });
        for (name, value) in more.as_object().expect("fields") {
            line[name] = value.clone();
        }
        line
    };
    let first = format!("10{SCRIPT}");
    let lines = [
        line("10", "ann", "How do I boil water with a kettle?", json!({})),
        line(
            "11",
            "bob",
            "fill it and switch it on",
            json!({ "reply_to": first }),
        ),
        line(
            "12",
            "ann",
            "thanks bob, that works!",
            json!({ "reply_to": format!("11{SCRIPT}") }),
        ),
        json!({
            "type": "reaction", "target": format!("11{SCRIPT}"), "emoji": "👍",
            "author": format!("ann{SCRIPT}"), "at": "2024-05-05T10:13:00Z",
        }),
        json!({
            "type": "reaction", "target": format!("11{SCRIPT}"), "emoji": SCRIPT,
            "author": "cid", "at": "2024-05-05T10:14:00Z",
        }),
    ];
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    place.file("hostile.jsonl", lines.join("\n"));
    let channel = format!("chat:{}", SCRIPT.replace(['/', ' '], ""));
    place.json(&["import", "hostile.jsonl", "--channel", &channel]);
    let set = ["channel", "set", "--channel", &channel, "--admin", SCRIPT];
    place.json(&[&set[..], &["--audience", "public", "--published", "yes"]].concat());
    publish(&place, "yes");
    open(&place, "yes");
    a_failed_look(&place, "default");
    let asked = format!("bob: @lore where is the kettle {SCRIPT}?");
    let ran = place.run_with(&["chat"], &["good morning", &asked]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    place.json(&["memory", "add", SCRIPT, "--channel", &channel]);
    let (owner, link) = up(&place);
    let browser = Browser::signed_in(&link);
    let token = [("name", SCRIPT), ("days", "7"), ("read", "yes")];
    assert_eq!(browser.answer("/s/default/tokens", &token).status(), 200);

    // What an address says, which the page says back.
    let script = percent_encoding::utf8_percent_encode(SCRIPT, percent_encoding::NON_ALPHANUMERIC);
    let mut waiting: VecDeque<String> = [
        "/s/default/cases?q=",
        "/s/default/cases?channel=chat:",
        "/s/default/cases?state=",
        "/s/default/cases?after=",
        "/s/default/questions?only=",
        "/s/default/questions?channel=chat:",
        "/s/default/graph?about=",
        "/s/default/people?platform=chat&id=",
        "/s/default/ask?q=",
        "/s/default/channel?name=chat:",
        "/s/default/messages?channel=chat:",
        "/s/default/accounts?name=",
        "/settings?table=",
        "/dead-letters?topic=",
        "/join?link=",
        "/sign-in?link=",
        "/s/",
        "/case/",
        "/knowledge/",
        "/knowledge/default/asked/",
        "/",
    ]
    .iter()
    .map(|path| format!("{path}{script}"))
    .collect();
    waiting.push_back("/s/default".to_owned());
    waiting.push_back("/knowledge/default".to_owned());
    let mut seen: BTreeSet<String> = waiting.iter().cloned().collect();
    let (mut pages, mut written) = (0, 0);
    while let Some(path) = waiting.pop_front() {
        let response = browser.ask(&path).send().expect("an answer");
        let status = response.status().as_u16();
        assert!(status < 500, "{path}: {status}");
        let csp = said(&response, header::CONTENT_SECURITY_POLICY);
        assert!(
            csp.contains("default-src 'none'") && !csp.contains("unsafe"),
            "{csp}"
        );
        let page = response.text().expect("text");
        for markup in MARKUP {
            assert!(!page.contains(markup), "{path}: {page}");
        }
        pages += 1;
        written += usize::from(page.contains("&lt;script&gt;alert"));
        for to in page.split("href=\"").skip(1) {
            let to = to
                .split(['"', '#'])
                .next()
                .expect("an address")
                .replace("&amp;", "&");
            // A link leads to a page of ours.
            assert!(
                to.is_empty() || to.starts_with('/') && !to.starts_with("//"),
                "{path}: {to}"
            );
            if !to.is_empty() && seen.insert(to.clone()) {
                waiting.push_back(to);
            }
        }
    }
    println!("{pages} pages, {written} of them with the script as text");
    assert!(
        pages >= 60 && written >= 20,
        "{pages} pages, {written} with the script"
    );
    owner.stop();
}

/// No part of a request is a header of its answer.
#[test]
fn no_request_writes_a_header_of_its_answer() {
    let place = desk();
    open(&place, "yes");
    let served = Served::on(place, &[]);
    let browser = Browser::signed_in(&served.link);
    let split = "%0d%0aSet-Cookie:%20planted=1%0d%0a%0d%0a";
    let plain = "\r\nSet-Cookie: planted=1\r\n\r\n";
    let of_form = [
        ("/language", vec![("code", plain)]),
        ("/sign-in", vec![("name", plain), ("password", plain)]),
        ("/join", vec![("link", plain), ("password", plain)]),
        (
            "/knowledge/default/ask",
            vec![("id", plain), ("question", plain)],
        ),
        (
            "/s/default/tokens",
            vec![("name", plain), ("days", "7"), ("read", "yes")],
        ),
        (
            "/s/default/accounts",
            vec![("name", plain), ("read", "yes")],
        ),
    ];
    let mut answers: Vec<Response> = of_form
        .iter()
        .map(|(path, fields)| browser.answer(path, fields))
        .collect();
    for path in [
        "/s/",
        "/case/",
        "/knowledge/",
        "/sign-in?link=",
        "/s/default/cases?q=",
        "/sign-in/provider?",
    ] {
        answers.push(
            browser
                .ask(&format!("{path}{split}"))
                .send()
                .expect("an answer"),
        );
    }
    // A page that leads back to where somebody came from.
    let from = format!("{}//evil.example/{split}", browser.base);
    let choose = browser.form("/language", &[("code", "de")]);
    let choose = choose.header(header::ORIGIN, &browser.base);
    let chosen = choose
        .header(header::REFERER, from)
        .send()
        .expect("an answer");
    let to = said(&chosen, header::LOCATION);
    assert!(to.starts_with('/') && !to.starts_with("//"), "{to}");
    answers.push(chosen);
    let token = served.token("default", "read,ask");
    answers.push(served.get(&format!("/spaces/{split}/cases"), &token));
    answers.push(served.get(&format!("/spaces/default/cases?after={split}"), &token));
    for answer in answers {
        let mut cookies = answer.headers().get_all(header::SET_COOKIE).into_iter();
        assert!(
            !cookies.any(|cookie| cookie
                .to_str()
                .is_ok_and(|cookie| cookie.contains("planted"))),
            "{answer:?}"
        );
        assert!(answer.status().as_u16() < 500, "{answer:?}");
    }
}

/// Other fields change nothing: the HTTP API refuses them, and forms do not read them.
#[test]
fn fields_that_a_form_does_not_have_give_no_rights() {
    let served = Served::on(desk(), &[]);
    let admin = served.token("default", "ingest,read,ask,admin");
    let document = served.client.get(format!("{}/openapi.json", served.base));
    let document = with(200, document.send().expect("an answer"));
    let mut tried_at = 0;
    for (template, methods) in document["paths"].as_object().expect("paths") {
        for (method, route) in methods.as_object().expect("methods") {
            let body = &route["requestBody"]["content"]["application/json"]["schema"];
            let is_of_space = template.contains("{space}");
            if !is_of_space || body.is_null() || template.ends_with("/messages") {
                continue;
            }
            let mut path = template.replace("{space}", "default");
            for name in ["case", "question", "memory", "person", "token", "account"] {
                path = path.replace(
                    &format!("{{{name}}}"),
                    "00000000-0000-0000-0000-000000000000",
                );
            }
            let path = path.replace("{topic}/{partition}/{offset}", "chat.turns.dlq/0/0");
            let path = format!("{path}?channel=chat:desk");
            let method: Method = method.to_uppercase().parse().expect("a method");
            let more = json!({ "actor": "operator", "space": "system", "rights": ["admin"], "admin": true });
            let refused = served.send(method, &path, &admin, &more);
            let status = refused.status().as_u16();
            assert!((400..500).contains(&status), "{template}: {status}");
            tried_at += 1;
        }
    }
    assert!(tried_at >= 10, "{tried_at}");

    // Who signs in, or chooses a password, gets what the account has, whatever else the form says.
    let (place, base) = (&served.place, served.base.trim_end_matches("/api/v1"));
    let link = invited(place, "mallory", "read", "default");
    let (_, link) = link.split_once("/join?link=").expect("a link");
    let mut mallory = Browser::new(&served.link);
    let more = [
        ("link", link),
        ("password", PASSWORD),
        ("name", "operator"),
        ("space", "system"),
        ("admin", "yes"),
    ];
    let joined = mallory.answer("/join", &more);
    assert_eq!(joined.status(), 303);
    mallory.keep(&joined);
    for path in [
        "/health",
        "/settings",
        "/s/default/tokens",
        "/s/default/memories",
    ] {
        assert_eq!(
            mallory.ask(path).send().expect("an answer").status(),
            403,
            "{path}"
        );
    }
    let own = [("name", "mallory"), ("read", "yes"), ("admin", "yes")];
    assert_eq!(mallory.answer("/s/default/accounts", &own).status(), 403);
    assert!(tried(base, "mallory", "another long word").1.is_none());
    // A token that may read makes none that may more.
    let reader = served.token("default", "read");
    let wish = json!({ "name": "mine", "may": ["admin"], "days": 1 });
    let refused = served.send(Method::POST, "/spaces/default/tokens", &reader, &wish);
    problem(403, "it needs the right", refused);
}

/// With all that a process can say of itself, no secret is among it.
#[test]
fn no_secret_is_said_in_the_log() {
    let place = desk();
    open(&place, "yes");
    let mut command = place.command(&["up", "--listen", "127.0.0.1:0"]);
    command.env("THREADLORE__TELEMETRY__LEVEL", "trace");
    let mut owner = place.start(&mut command);
    assert!(owner.wait_for("sign-in?link="), "{}", owner.said());
    let log = owner.said();
    let link = log
        .split_whitespace()
        .find(|word| word.contains("/sign-in?link="));
    // It prints its own link once, for who starts it; that one is not looked for.
    let link = link.expect("a link").to_owned();
    let browser = Browser::signed_in(&link);
    let anna = person(&place, "anna", "read", "default");
    let token = place.json(&["token", "create", "a program", "--may", "read,ask"]);
    let token = token["token"].as_str().expect("a token");
    let api = format!("{}/api/v1/spaces/default/cases", browser.base);
    let asked = browser.client.get(api).bearer_auth(token).send();
    assert_eq!(asked.expect("an answer").status(), 200);
    let mut reader = Browser::new(&link);
    let opened = reader
        .ask("/knowledge/default/ask")
        .send()
        .expect("an answer");
    reader.keep(&opened);
    reader.send("/knowledge/default/ask", &[("id", "1"), ("question", ISO)]);
    let wrong = tried(&browser.base, "anna", "a wrong long password");
    assert_eq!(wrong.0, 401);
    assert_eq!(
        browser
            .ask("/s/default")
            .send()
            .expect("an answer")
            .status(),
        200
    );
    owner.signal("TERM");
    let ended = owner.end();
    let value = |cookie: &str| cookie.split('=').nth(1).expect("a value").to_owned();
    for (what, secret) in [
        ("a token", token.to_owned()),
        ("the operator's session", value(&browser.cookie)),
        ("a session", value(&anna.cookie)),
        ("the number of a reader", value(&reader.cookie)),
        ("a password", PASSWORD.to_owned()),
        ("a wrong password", "a wrong long password".to_owned()),
        ("what somebody wrote", ISO.to_owned()),
    ] {
        assert!(!ended.err.contains(&secret), "{what} is in the log");
    }
    assert!(ended.err.contains("TRACE"), "{}", ended.err);
}
