//! Dead letters, for who looks after them without a terminal.

use reqwest::{Method, header};
use serde_json::{Value, json};

use super::accounts::{person, status};
use super::api::{Served, problem, with};
use super::browser::{Browser, said};
use super::desk::desk;
use super::model::a_failed_look;
use super::pages::up;
use super::support::{Place, look_until};

/// What a model failed at is tried again by a program, with the rules, and its case is there.
#[test]
fn a_program_redrives_what_is_mended() {
    let place = Place::new();
    a_failed_look(&place, "one");
    let served = Served::on(place, &[]);
    let one = served.token("one", "read,admin");
    let listed = with(200, served.get("/spaces/one/dead-letters", &one));
    let letter = &listed["letters"][0];
    assert_eq!(letter["space"], "one", "{listed}");
    assert_eq!(letter["redriven"], Value::Null);
    let name = letter["letter"].as_str().expect("an address");
    let path = format!("/spaces/one/dead-letters/{name}");

    // No other space has it; a wrong address or filter is refused in a sentence.
    let system = served.token("system", "read,admin");
    let all = with(200, served.get("/spaces/system/dead-letters", &system));
    assert_eq!(all["letters"], json!([]));
    let here = format!("/spaces/system/dead-letters/{name}");
    problem(404, "no such dead letter", served.get(&here, &system));
    for (path, says) in [
        ("dead-letters?after=17", "`after` names nothing"),
        ("dead-letters?topic=inbox", "no topic is named"),
        ("dead-letters?limit=0", "1 to 1000"),
    ] {
        problem(400, says, served.get(&format!("/spaces/one/{path}"), &one));
    }
    for name in [
        "chat.turns.dlq/0/77",
        "chat.turns.dlq/9/0",
        "chat.turns/0/0",
        "x/y/z",
    ] {
        let path = format!("/spaces/one/dead-letters/{name}");
        problem(404, "no such dead letter", served.get(&path, &one));
        problem(404, "", served.send(Method::POST, &path, &one, &json!({})));
    }

    let would = json!({ "topic": "chat.turns", "reason": "no JSON", "dry_run": true });
    let to = "/spaces/one/dead-letters/redrive";
    let forecast = with(200, served.send(Method::POST, to, &one, &would));
    assert_eq!(
        (&forecast["redriven"], &forecast["dry_run"]),
        (&json!(1), &json!(true))
    );
    let shown = with(200, served.get(&path, &one));
    assert_eq!(shown["redriven"], Value::Null, "{shown}");
    assert_eq!(shown["source_is"], "WindowReady, which can be read");

    let tried = with(200, served.send(Method::POST, &path, &one, &json!({})));
    let event = tried["redriven"].as_str().expect("an address");
    assert!(event.starts_with("knowledge.requests/"), "{tried}");
    look_until(|| {
        let cases = with(200, served.get("/spaces/one/cases", &one));
        cases["cases"]
            .as_array()
            .is_some_and(|cases| cases.len() == 1)
    });
    // Once is enough.
    let again = with(200, served.send(Method::POST, &path, &one, &json!({})));
    assert_eq!(again["redriven"], tried["redriven"]);
    let rest = json!({ "topic": "chat.turns" });
    let rest = with(200, served.send(Method::POST, to, &one, &rest));
    assert_eq!(
        (&rest["redriven"], &rest["already"]),
        (&json!(0), &json!(1))
    );
}

/// The same on the pages: of all spaces, for who looks after all of them.
#[test]
fn the_operator_redrives_on_a_page() {
    let place = desk();
    a_failed_look(&place, "one");
    a_failed_look(&place, "two");
    let (owner, link) = up(&place);
    let browser = Browser::signed_in(&link);
    let all = browser.page("/dead-letters");
    let letters = all.matches("href=\"/dead-letters/chat.turns.dlq/").count();
    assert_eq!(letters, 2, "{all}");
    assert!(all.contains("it is no JSON"), "{all}");
    assert!(
        browser
            .page("/dead-letters?topic=chat.inbox.dlq")
            .contains("There are none.")
    );
    for path in [
        "/dead-letters?topic=x",
        "/dead-letters?after=x",
        "/dead-letters/x/0/0",
    ] {
        let response = browser.ask(path).send().expect("an answer");
        assert_eq!(response.status(), 404, "{path}");
    }
    let send = |path: &str, form: &[(&str, &str)]| {
        let form = browser
            .form(path, form)
            .header(header::ORIGIN, &browser.base);
        form.send().expect("an answer")
    };
    let (_, rest) = all.split_once("href=\"/dead-letters/").expect("a letter");
    let one = format!(
        "/dead-letters/{}",
        rest.split('"').next().expect("an address")
    );
    let page = browser.page(&one);
    assert!(page.contains("WindowReady, which can be read"), "{page}");
    let sent = send(&one, &[]);
    assert_eq!(
        (sent.status().as_u16(), said(&sent, header::LOCATION)),
        (303, one.clone())
    );
    let page = browser.page(&one);
    assert!(
        page.contains("knowledge.requests/") && !page.contains("Try it again"),
        "{page}"
    );
    let sent = send(
        "/dead-letters/redrive",
        &[("topic", "chat.turns.dlq"), ("reason", "JSON")],
    );
    let text = sent.text().expect("text");
    assert!(
        text.contains("1 tried again, 1 were before, 0 cannot be."),
        "{text}"
    );
    look_until(|| {
        ["one", "two"].iter().all(|space| {
            browser
                .page(&format!("/s/{space}/cases"))
                .contains("sound is gone")
        })
    });
    // So does whoever is admin of the space `system`, and nobody who is that of another.
    let admins = |name: &str, space: &str| person(&place, name, "admin", space);
    assert_eq!(status(&admins("root", "system"), &one), 200);
    assert_eq!(status(&admins("anna", "one"), &one), 403);
    owner.stop();
    place.verified();
}
