//! Builds of the tables and replays, for who looks after them without a terminal.

use reqwest::blocking::Response;
use reqwest::{Method, header};
use serde_json::{Value, json};

use super::api::{Served, events, problem, with};
use super::browser::Browser;
use super::desk::desk;
use super::pages::up;
use super::replays::{REPLAY, filled, killed_at};
use super::support::look_until;

/// The builds of a projection in an answer that lists them.
fn of(listed: &Value, projection: &str) -> Vec<Value> {
    let builds = listed["builds"].as_array().expect("builds").iter();
    let builds = builds.filter(|build| build["projection"] == projection);
    builds.cloned().collect()
}

/// The last event of an answer.
fn last(response: Response) -> (String, Value) {
    events(response).pop().expect("an event")
}

#[test]
fn a_program_replays_compares_and_goes_back() {
    let served = Served::new();
    let token = served.token("system", "admin");
    let post = |path: &str, body: &Value| served.send(Method::POST, path, &token, body);
    let health = with(200, served.get("/health", &token));
    assert_eq!(health["dead_letters"]["chat.inbox.dlq"], 0, "{health}");
    assert!(health["lag"]["projector.cases.g1"].is_u64(), "{health}");

    let said = events(post("/replays/cases", &json!({})));
    let (name, done) = said.last().expect("an event");
    assert_eq!(name, "compared", "{said:?}");
    assert_eq!(
        (&done["number"], &done["live"], &done["equal"]),
        (&json!(2), &json!(true), &json!(true))
    );
    let tables = done["digests"].as_array().expect("digests");
    assert!(
        tables.iter().all(|table| table["live"] == table["rebuilt"]),
        "{done}"
    );
    let builds = of(&with(200, served.get("/builds", &token)), "cases");
    assert_eq!(builds.len(), 2, "{builds:?}");
    assert_eq!(
        (&builds[0]["live"], &builds[1]["live"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(builds[1]["compared"]["with"], 1, "{builds:?}");

    let live = |listed: Value| {
        let builds = of(&listed, "cases");
        let live = builds.iter().filter(|build| build["live"] == true);
        live.map(|build| build["number"].clone())
            .collect::<Vec<_>>()
    };
    let none = json!({});
    assert_eq!(
        live(with(200, post("/builds/cases/rollback", &none))),
        [json!(1)]
    );
    problem(
        400,
        "the oldest build",
        post("/builds/cases/rollback", &none),
    );
    assert_eq!(
        live(with(200, post("/builds/cases/2/live", &none))),
        [json!(2)]
    );
    problem(400, "is live already", post("/builds/cases/2/live", &none));
    let delete = |path: &str| served.send(Method::DELETE, path, &token, &none);
    problem(400, "is live", delete("/builds/cases/2"));
    assert_eq!(of(&with(200, delete("/builds/cases/1")), "cases").len(), 1);
    problem(400, "does not exist", delete("/builds/cases/1"));

    // One that is only compared is kept; one up to a time never goes live.
    let (name, done) = last(post("/replays/cases", &json!({ "compare_only": true })));
    assert_eq!(
        (name.as_str(), &done["live"]),
        ("compared", &json!(false)),
        "{done}"
    );
    let (name, done) = last(post(
        "/replays/cases",
        &json!({ "until": "2020-01-01T00:00:00Z" }),
    ));
    assert_eq!(
        (name.as_str(), &done["events"]),
        ("built", &json!(0)),
        "{done}"
    );
    problem(400, "never goes live", post("/builds/cases/4/live", &none));

    for (path, body, status, says) in [
        ("/replays/houses", json!({}), 404, "no such projection"),
        ("/builds/cases/x/live", json!({}), 404, "no build"),
        (
            "/replays/cases",
            json!({ "until": "noon" }),
            400,
            "such as 2026",
        ),
        ("/replays/cases", json!({ "til": 1 }), 400, "unknown field"),
        ("/replays/cases/pause", json!({}), 400, "no replay of cases"),
    ] {
        problem(status, says, post(path, &body));
    }
    let (name, done) = last(post("/replays/cases/resume", &none));
    assert_eq!(name, "not-done", "{done}");
    let why = done["why"].as_str().expect("a reason");
    assert!(why.contains("no replay of cases"), "{why}");
    // It is not for who has one space alone.
    let board = served.token("board", "read,admin");
    problem(403, "`system`", served.get("/builds", &board));
    problem(
        403,
        "`system`",
        served.send(Method::POST, "/replays/cases", &board, &none),
    );
    let reader = served.token("system", "read");
    problem(403, "`system`", served.get("/health", &reader));
}

#[test]
fn a_replay_that_was_cut_off_is_resumed_and_paused_from_elsewhere() {
    let place = filled();
    let process = place.start(&mut place.command(&REPLAY));
    assert!(killed_at(&place, process, 1), "it was done before");
    let served = Served::on(place, &[]);
    let token = served.token("system", "admin");
    let none = json!({});
    let post = |path: &str| served.send(Method::POST, path, &token, &none);
    let state = || {
        let builds = of(&with(200, served.get("/builds", &token)), "messages");
        builds[1]["replay"].clone()
    };
    assert_eq!(state(), "cut-off");

    // While its tables take nothing, it is asked to pause.
    let locked = served.place.locked("messages_g2.messages");
    let resume = served.request(Method::POST, "/replays/messages/resume", &token);
    let going = std::thread::spawn(move || last(resume.send().expect("an answer")));
    look_until(|| state() == "under-way");
    problem(409, "goes on already", post("/replays/messages"));
    with(200, post("/replays/messages/pause"));
    assert_eq!(state(), "paused");
    drop(locked);
    let (name, done) = going.join().expect("it ends");
    assert_eq!(
        (name.as_str(), &done["number"]),
        ("paused", &json!(2)),
        "{done}"
    );
    assert_eq!(state(), "paused");
    let (name, done) = last(post("/replays/messages/resume"));
    assert_eq!(
        (name.as_str(), &done["equal"]),
        ("compared", &json!(true)),
        "{done}"
    );
    assert_eq!(state(), Value::Null);
}

#[test]
fn replays_are_begun_and_gone_back_from_on_a_page() {
    let place = desk();
    let (owner, link) = up(&place);
    let browser = Browser::signed_in(&link);
    let send = |path: &str, form: &[(&str, &str)]| {
        let form = browser
            .form(path, form)
            .header(header::ORIGIN, &browser.base);
        form.send().expect("an answer").status().as_u16()
    };
    // All of them, one after the other.
    assert_eq!(send("/replays", &[("projection", "")]), 303);
    let page = || browser.page("/replays");
    // A page is loaded again while something goes on: what is equal is made live then.
    let is_done = || {
        let response = browser.ask("/replays").send().expect("an answer");
        let goes_on = response.headers().get("refresh").is_some();
        let text = response.text().expect("text");
        !goes_on && text.matches("Equal to g1").count() == 8
    };
    look_until(is_done);
    let text = page();
    let (_, cases) = text.split_once("<h2 id=\"cases\">").expect("a section");
    let (kept, live) = cases.split_once("cases g2").expect("a build");
    assert!(kept.contains("kept to go back to"), "{text}");
    assert!(
        live.contains(">live<") && live.contains("Digest of the live one"),
        "{text}"
    );

    assert_eq!(send("/replays/cases/1/live", &[]), 303);
    let listed = place.run(&["replay", "list"]).out;
    assert!(listed.contains("cases g1  live\n"), "{listed}");
    assert_eq!(send("/replays/cases/2/drop", &[]), 303);
    assert!(!page().contains("cases g2"));
    for (path, form, status) in [
        ("/replays/cases/1/drop", &[][..], 400),
        ("/replays/cases/resume", &[], 303),
        ("/replays/cases/pause", &[], 400),
        ("/replays/houses/pause", &[], 404),
        ("/replays", &[("projection", "houses")], 404),
        ("/replays", &[("until", "noon")], 400),
    ] {
        assert_eq!(send(path, form), status, "{path}");
    }
    // What could not be done is on the page.
    look_until(|| page().contains("no replay of cases is under way"));
    owner.stop();
    place.verified();
}
