//! People, and channels that programs set up: what a moderator or a gateway of one's own does without a terminal.

use reqwest::{Method, header};
use serde_json::{Value, json};

use super::api::{Served, problem, with};
use super::browser::Browser;
use super::desk::{DESK, ISO, desk};
use super::pages::up;

fn send(browser: &Browser, path: &str, form: &[(&str, &str)]) -> u16 {
    let form = browser
        .form(path, form)
        .header(header::ORIGIN, &browser.base);
    form.send().expect("an answer").status().as_u16()
}

#[test]
fn a_program_forgets_a_person() {
    let served = Served::new();
    let token = served.token("default", "read,admin");
    let find = "/spaces/default/people?platform=chat&id=bob";
    let bob = with(200, served.get(find, &token));
    assert_eq!(
        (&bob["name"], &bob["mentioned_by_others"]),
        (&json!("bob"), &json!(0))
    );
    assert_eq!(bob["channels"], json!([{ "channel": DESK, "messages": 2 }]));
    let case = bob["cases"][0].as_str().expect("a case").to_owned();
    let person = bob["person"].as_str().expect("a person");
    let path = format!("/spaces/default/people/{person}");
    assert_eq!(with(200, served.get(&path, &token)), bob);

    for path in [
        "/spaces/default/people?platform=irc&id=bob".to_owned(),
        "/spaces/default/people/bob".to_owned(),
        format!("/spaces/default/people/{case}"),
    ] {
        problem(404, "Nobody of that id", served.get(&path, &token));
    }
    problem(
        400,
        "missing field",
        served.get("/spaces/default/people?id=bob", &token),
    );
    // Of another space the same person is another one.
    let board = served.token("board", "read,admin");
    let there = format!("/spaces/board/people/{person}");
    problem(
        404,
        "Nobody of that id",
        served.send(Method::DELETE, &there, &board, &json!({})),
    );
    let reader = served.token("default", "read");
    problem(
        403,
        "admin",
        served.send(Method::DELETE, &path, &reader, &json!({})),
    );

    let left = with(200, served.send(Method::DELETE, &path, &token, &json!({})));
    assert_eq!(left["channels"][0]["messages"], 0, "{left}");
    assert_eq!((&left["name"], &left["cases"]), (&Value::Null, &json!([])));
    let erased = with(
        200,
        served.get(&format!("/spaces/default/cases/{case}"), &token),
    );
    assert_eq!(erased["status"], "erased", "{erased}");
    let said = format!("/spaces/default/messages?channel={DESK}");
    let said = with(200, served.get(&said, &token)).to_string();
    assert!(
        said.contains(ISO) && !said.contains("mount -o loop"),
        "{said}"
    );
    // Again there is nothing to do.
    let again = with(200, served.send(Method::DELETE, &path, &token, &json!({})));
    assert_eq!(again, left);
}

#[test]
fn a_moderator_forgets_a_person_on_a_page() {
    let place = desk();
    let (owner, link) = up(&place);
    let browser = Browser::signed_in(&link);
    let said = browser.page("/s/default/messages?channel=chat%3Adesk");
    assert_eq!(
        said.matches("href=\"/s/default/people/").count(),
        8,
        "{said}"
    );
    let none = browser.page("/s/default/people?platform=chat&id=zed");
    assert!(
        none.contains("Nobody of the id") && none.contains("zed"),
        "{none}"
    );
    let found = browser
        .ask("/s/default/people?platform=chat&id=%20bob")
        .send();
    let found = found.expect("an answer");
    assert_eq!(found.status(), 303);
    let person = found.headers()[header::LOCATION]
        .to_str()
        .expect("text")
        .to_owned();
    let page = browser.page(&person);
    assert!(
        page.contains("<bdi>bob</bdi>") && page.contains("2 messages"),
        "{page}"
    );
    let forget = format!("{person}/forget");
    assert_eq!(send(&browser, &forget, &[]), 400);
    assert_eq!(send(&browser, &forget, &[("sure", "yes")]), 303);
    let page = browser.page(&person);
    assert!(
        page.contains("Nothing of them is left.") && !page.contains("bob"),
        "{page}"
    );
    assert_eq!(
        send(&browser, "/s/default/people/x/forget", &[("sure", "yes")]),
        404
    );
    owner.stop();
    place.verified();
}

#[test]
fn a_program_sets_up_a_channel_before_it_sends_anything() {
    let served = Served::on(desk(), &[]);
    let token = served.token("forum", "read,admin,ingest");
    let path = "/spaces/forum/channels?channel=forum:help";
    let set = |change: &Value| served.send(Method::PATCH, path, &token, change);
    let first = with(
        200,
        set(&json!({ "admins": ["u1", "u2"], "audience": "public" })),
    );
    assert_eq!(
        (&first["admins"], &first["audience"]),
        (&json!(2), &json!("public"))
    );
    assert_eq!(first["configured_by"], "token:a program");
    // What is not said stays.
    let docs = json!(["https://wiki.example.org/start"]);
    let next = with(200, set(&json!({ "docs": docs, "published": true })));
    assert_eq!(
        (&next["admins"], &next["docs"], &next["published"]),
        (&json!(2), &docs, &json!(true))
    );
    // Where fewer can read it, it is published no more; who asks for both is refused.
    problem(
        400,
        "not everybody can read it",
        set(&json!({ "audience": "members", "published": true })),
    );
    let fewer = with(
        200,
        set(&json!({ "audience": "members", "mode": "mentions" })),
    );
    assert_eq!(
        (&fewer["published"], &fewer["mode"]),
        (&json!(false), &json!("mentions"))
    );
    let listed = with(200, served.get("/spaces/forum/channels", &token));
    assert_eq!(listed["channels"], json!([fewer]));
    for (change, says) in [
        (json!({ "mode": "loud" }), "`mode` is \"loud\", and can be"),
        (json!({ "audience": 1 }), "audience"),
        (json!({ "admins": [""] }), "1 to 256 bytes"),
        (json!({ "docs": ["ftp://x"] }), "ftp://x"),
        (json!({ "admin": ["x"] }), "unknown field"),
    ] {
        problem(400, says, set(&change));
    }
    let nameless = "/spaces/forum/channels?channel=help";
    problem(
        400,
        "`channel` cannot be used",
        served.send(Method::PATCH, nameless, &token, &json!({})),
    );
    let reader = served.token("forum", "read,ingest");
    problem(
        403,
        "admin",
        served.send(Method::PATCH, path, &reader, &json!({ "mode": "off" })),
    );
}
