//! People who ask on a website: a program asks for them, shows them what the bot says, and tells whether that helped.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use reqwest::Method;
use reqwest::blocking::{Client, Response};
use reqwest::header::{self, HeaderMap, HeaderValue};
use serde_json::{Value, json};

use super::api::{Served, problem, with};
use super::browser::Browser;
use super::desk::{DESK, ISO, desk};
use super::support::look_until;

const QUESTIONS: &str = "/spaces/default/questions";
const CHANNEL: &str = "web:help";

/// A desk whose cases the visitors of a website may read, and the website's token.
fn website() -> (Served, Value) {
    let place = desk();
    place.json(&["channel", "set", "--channel", DESK, "--audience", "public"]);
    let served = Served::on(place, &[]);
    let token = served.token("default", "ingest,ask");
    (served, token)
}

fn set_up(served: &Served) -> Value {
    let admin = served.token("default", "read,admin");
    let settings = json!({ "admins": ["ops"] });
    let channel = format!("/spaces/default/channels?channel={CHANNEL}");
    with(200, served.send(Method::PATCH, &channel, &admin, &settings));
    admin
}

fn ask(served: &Served, token: &Value, question: &Value) -> Response {
    let mut question = question.clone();
    question["channel"] = CHANNEL.into();
    served.send(Method::POST, QUESTIONS, token, &question)
}

fn rate(served: &Served, token: &Value, turn: &str, rating: &Value) -> Response {
    let path = format!("{QUESTIONS}/{turn}/rating");
    served.send(Method::PUT, &path, token, rating)
}

#[test]
fn a_website_asks_for_its_visitors_and_tells_what_the_answers_were_worth() {
    let (served, token) = website();
    // In a channel without an admin the bot is silent, and the reason is said.
    let early = json!({ "author": "v0", "question": ISO });
    let early = with(200, ask(&served, &token, &early));
    assert_eq!(early["outcome"], "not_configured", "{early}");
    assert_eq!(early["answer"], Value::Null, "{early}");
    let unsaid = early["turn"].as_str().expect("an id");
    let helped = json!({ "author": "v0", "rating": "helped" });
    problem(
        400,
        "no answer to rate",
        rate(&served, &token, unsaid, &helped),
    );

    let admin = set_up(&served);
    let question = json!({ "author": "v1", "name": "Zoe", "id": "q1", "question": ISO });
    let told = with(200, ask(&served, &token, &question));
    assert_eq!(told["outcome"], "answered", "{told}");
    let answer = told["answer"].as_str().expect("an answer");
    assert_eq!(answer, "sudo mount -o loop image.iso /mnt", "{told}");
    let evidence = &told["citations"][0]["evidence"];
    assert!(evidence.to_string().contains("sudo mount"), "{told}");
    // Sent again it is the same question.
    assert_eq!(with(200, ask(&served, &token, &question)), told);
    let turn = told["turn"].as_str().expect("an id");

    // Of each person the last word counts.
    for (author, rating, helped, failed) in [
        ("v1", json!("helped"), 1, 0),
        ("v1", json!("helped"), 1, 0),
        ("v2", json!("helped"), 2, 0),
        ("v2", json!("failed"), 1, 1),
        ("v2", Value::Null, 1, 0),
    ] {
        let said = json!({ "author": author, "rating": rating });
        let now = with(200, rate(&served, &token, turn, &said));
        let counted = json!({ "turn": turn, "helped": helped, "failed": failed });
        assert_eq!(now, counted, "{said}");
    }
    let why = format!("{QUESTIONS}/{turn}/why");
    let worth = || with(200, served.get(&why, &admin))["answer"]["outcome"].clone();
    look_until(|| worth() == "worked");
    let place = &served.place;
    let requests = "SELECT count(*)::text FROM lore.turn_ratings WHERE rating = 'helped'";
    assert_eq!(place.sql(requests).as_deref(), Some("1"));

    // A question without an answer is on the list of the moderators, and one of them answers it.
    let moon = json!({ "author": "v3", "question": "how do I brew coffee on the moon?" });
    let moon = with(200, ask(&served, &token, &moon));
    assert_eq!(moon["outcome"], "unknown", "{moon}");
    let listed = with(
        200,
        served.get(&format!("{QUESTIONS}?only=unanswered"), &admin),
    );
    assert_eq!(listed["questions"][0]["turn"], moon["turn"], "{listed}");
    let moon = moon["turn"].as_str().expect("an id");
    let lesson = json!({ "solution": "Take a thermos flask." });
    let path = format!("{QUESTIONS}/{moon}/answer");
    with(200, served.send(Method::PUT, &path, &admin, &lesson));
    let again = json!({ "author": "v4", "question": "How to brew coffee on the moon?" });
    look_until(|| {
        let told = with(200, ask(&served, &token, &again));
        told["answer"].to_string().contains("thermos")
    });
}

/// On the page of the question, and by the command line.
#[test]
fn who_looks_after_a_space_says_what_an_answer_was_worth() {
    let (served, token) = website();
    set_up(&served);
    let question = json!({ "author": "v1", "question": ISO });
    let told = with(200, ask(&served, &token, &question));
    let turn = told["turn"].as_str().expect("an id");
    let browser = Browser::signed_in(&served.link);
    let page = format!("/s/default/questions/{turn}");
    let rating = format!("{page}/rating");
    assert!(browser.page(&page).contains("What do you say of it?"));
    assert_eq!(
        browser.send(&rating, &[("rating", "failed")]),
        format!("{page}#answer")
    );
    let after = browser.page(&page);
    assert!(
        after.contains("You say that it is wrong, or did not help."),
        "{after}"
    );
    assert!(
        after.contains("0 say that it helped, 1 that it failed"),
        "{after}"
    );
    browser.send(&rating, &[("rating", "")]);
    assert!(browser.page(&page).contains("What do you say of it?"));
    let wrong = browser.form(&rating, &[("rating", "good")]);
    let wrong = wrong.header(header::ORIGIN, served.base.trim_end_matches("/api/v1"));
    let wrong = wrong.send().expect("an answer");
    assert_eq!(wrong.status(), 400);
    let foreign = browser.form(&rating, &[("rating", "helped")]);
    let foreign = foreign.header(header::ORIGIN, "https://evil.example");
    assert_eq!(foreign.send().expect("an answer").status(), 403);

    let place = &served.place;
    let rate = |turn: &str, rating| place.run(&["answers", "rate", turn, "--rating", rating]);
    for (rating, said) in [
        ("helped", "1 say that it helped, 0 that it failed"),
        ("helped", "1 say that it helped, 0 that it failed"),
        ("failed", "0 say that it helped, 1 that it failed"),
        ("none", "0 say that it helped, 0 that it failed"),
    ] {
        let ran = rate(turn, rating);
        assert_eq!((ran.code, ran.out.trim()), (Some(0), said), "{}", ran.err);
    }
    let silent = json!({ "author": "v1", "question": ISO, "channel": "web:other" });
    let silent = served.send(Method::POST, QUESTIONS, &token, &silent);
    let silent = with(200, silent);
    let ran = rate(silent["turn"].as_str().expect("an id"), "helped");
    assert_eq!(ran.code, Some(3), "{}", ran.err);
    assert!(ran.err.contains("no answer to rate"), "{}", ran.err);
}

/// A chat has six answers a minute, so that a bot does not flood it. Only who asked sees these.
#[test]
fn many_visitors_ask_at_once_and_none_sees_what_others_ask() {
    let (served, token) = website();
    set_up(&served);
    for visitor in 1..=8 {
        let question = json!({ "author": format!("v{visitor}"), "question": ISO });
        let told = with(200, ask(&served, &token, &question));
        assert_eq!(told["outcome"], "answered", "{visitor}: {told}");
    }
    // "And …" goes on about what its writer asked before, and about nothing that others did.
    let (floppy, and) = ("How do I mount a floppy disk?", "and on fedora?");
    let asks = |author: &str, question: &str| {
        let question = json!({ "author": author, "question": question });
        let told = with(200, ask(&served, &token, &question));
        let turn = told["turn"].as_str().expect("an id").to_owned();
        let context = "SELECT cardinality(context)::text FROM lore.turns WHERE turn = ";
        let context = format!("{context}'{turn}'");
        served.place.sql(&context).expect("a turn")
    };
    asks("v9", floppy);
    assert_eq!(asks("v10", and), "0");
    assert_eq!(asks("v9", and), "1");
}

#[test]
fn what_a_website_sends_wrongly_is_named() {
    let (served, token) = website();
    set_up(&served);
    let first = json!({ "author": "v1", "id": "q1", "question": ISO });
    let told = with(200, ask(&served, &token, &first));
    let turn = told["turn"].as_str().expect("an id").to_owned();
    let long = "x".repeat(257);
    for (words, body) in [
        (
            "`id` is “q1”",
            json!({ "author": "v1", "id": "q1", "question": "why?" }),
        ),
        (
            "`id` is “q1”",
            json!({ "author": "v1", "id": "q1", "question": format!("{ISO} And on a phone?") }),
        ),
        (
            "`id` is “q1”",
            json!({ "author": "v2", "id": "q1", "question": ISO }),
        ),
        ("`author`", json!({ "author": "", "question": ISO })),
        ("`author`", json!({ "author": long, "question": ISO })),
        (
            "`id`",
            json!({ "author": "v1", "id": "a\u{0}b", "question": ISO }),
        ),
        ("empty", json!({ "author": "v1", "question": " " })),
        (
            "2000 are allowed",
            json!({ "author": "v1", "question": "x".repeat(2001) }),
        ),
        ("author", json!({ "question": ISO })),
        (
            "unknown field",
            json!({ "author": "v1", "question": ISO, "at": "now" }),
        ),
    ] {
        problem(400, words, ask(&served, &token, &body));
    }
    for (channel, words) in [("help", "forum:help"), ("console:help", "own terminal")] {
        let elsewhere = json!({ "author": "v1", "question": ISO, "channel": channel });
        let refused = served.send(Method::POST, QUESTIONS, &token, &elsewhere);
        problem(400, words, refused);
    }
    for (words, body) in [
        ("helped", json!({ "author": "v1", "rating": "good" })),
        ("`author`", json!({ "author": "", "rating": "helped" })),
    ] {
        problem(400, words, rate(&served, &token, &turn, &body));
    }
    let said = json!({ "author": "v1", "rating": "helped" });
    problem(404, "no such question", rate(&served, &token, "1", &said));
    for (may, right) in [("ingest", "`ask`"), ("ask", "`ingest`")] {
        let token = served.token("default", may);
        problem(403, right, ask(&served, &token, &first));
    }
    // Who is forgotten is kept nowhere, and hears nothing.
    let admin = served.token("default", "admin");
    let person = "/spaces/default/people?platform=web&id=v1";
    let person = with(200, served.get(person, &admin));
    let person = person["person"].as_str().expect("a person");
    let path = format!("/spaces/default/people/{person}");
    with(200, served.send(Method::DELETE, &path, &admin, &json!({})));
    let after = json!({ "author": "v1", "question": ISO });
    let after = with(200, ask(&served, &token, &after));
    assert_eq!(after["outcome"], "withdrawn", "{after}");
}

/// The website of `docs/examples`.
struct Website(Child, String);

impl Website {
    fn start(served: &Served, token: &Value) -> Self {
        let script = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/examples/website.py"
        );
        let api = served.base.trim_end_matches("/api/v1");
        let mut command = Command::new("python3");
        command
            .arg(script)
            .env("THREADLORE_URL", api)
            .env(
                "THREADLORE_TOKEN",
                token["token"].as_str().expect("a token"),
            )
            .env("PORT", "0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("python3, as ./dev installs");
        let mut line = String::new();
        let out = child.stdout.take().expect("piped");
        BufReader::new(out)
            .read_line(&mut line)
            .expect("its address");
        Self(child, line.trim().to_owned())
    }

    /// What it answers to a visitor's form.
    fn post(&self, client: &Client, to: &str, form: &[(&str, &str)]) -> String {
        let page = client.post(format!("{}{to}", self.1)).form(form).send();
        page.expect("an answer").text().expect("a page")
    }
}

impl Drop for Website {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

#[test]
fn the_website_of_the_examples_answers_and_hears_whether_it_helped() {
    let (served, token) = website();
    set_up(&served);
    let website = Website::start(&served, &token);
    // A browser, which sends its cookie.
    let cookie = HeaderValue::from_static("visitor=0123456789abcdef0123456789abcdef");
    let cookies = HeaderMap::from_iter([(header::COOKIE, cookie)]);
    let visitor = Client::builder()
        .no_proxy()
        .default_headers(cookies)
        .build();
    let visitor = visitor.expect("a client");
    let page = website.post(&visitor, "ask", &[("question", ISO)]);
    assert!(page.contains("mount -o loop"), "{page}");
    let turn = page.split("name=turn value=").nth(1).expect("a form");
    let turn = turn.split('>').next().expect("an id");
    let helped = [("turn", turn), ("rating", "helped")];
    let page = website.post(&visitor, "rate", &helped);
    assert!(page.contains("Thank you"), "{page}");
    let ratings = "SELECT string_agg(rating, ' ') FROM lore.turn_ratings";
    assert_eq!(served.place.sql(ratings).as_deref(), Some("helped"));
    let page = website.post(&visitor, "ask", &[("question", "<b>what?</b>")]);
    assert!(!page.contains("<b>what"), "{page}");
    let page = website.post(&visitor, "ask", &[("question", "")]);
    assert!(page.contains("the question is empty"), "{page}");
}
