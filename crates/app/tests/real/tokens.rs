//! Tokens of programs: made, listed and revoked by a program, in the browser and in the terminal.

use reqwest::{Method, header};
use serde_json::{Value, json};

use super::api::{Served, problem, with};
use super::browser::Browser;
use super::desk::desk;
use super::support::look_until;

const TOKENS: &str = "/spaces/default/tokens";
const CASES: &str = "/spaces/default/cases";

/// The line of a token in a list.
fn line<'a>(list: &'a Value, id: &Value) -> &'a Value {
    let lines = list["tokens"].as_array().expect("a list");
    let found = lines.iter().find(|one| one["id"] == *id);
    found.expect("it is there")
}

fn counts_no_more(served: &Served, token: &Value) {
    look_until(|| served.get(CASES, token).status() == 401);
    problem(401, "revoked", served.get(CASES, token));
}

#[test]
fn a_program_gives_another_one_a_token_and_revokes_it() {
    let served = Served::on(desk(), &[]);
    let admin = served.token("default", "read,admin");
    let post = |token: &Value, body: Value| served.send(Method::POST, TOKENS, token, &body);
    let made = with(
        201,
        post(
            &admin,
            json!({ "name": "widget", "may": ["read"], "days": 7 }),
        ),
    );
    assert_eq!(
        (&made["may"], &made["space"]),
        (&json!(["read"]), &json!("default"))
    );
    let known = with(200, served.get(TOKENS, &admin));
    let unused = line(&known, &made["id"]);
    assert_eq!(
        (&unused["made_by"], &unused["counts"]),
        (&json!("token:a program"), &json!(true))
    );
    assert!(
        unused.get("used_at").is_none() && unused.get("token").is_none(),
        "{unused}"
    );
    with(200, served.get(CASES, &made));
    let known = with(200, served.get(TOKENS, &admin));
    assert!(line(&known, &made["id"])["used_at"].is_string(), "{known}");

    let longer = with(
        201,
        post(
            &admin,
            json!({ "name": "longer", "may": ["read"], "days": 3650 }),
        ),
    );
    assert_eq!(longer["until"], admin["until"], "no longer than its own");

    // No right that its maker lacks, no other space, no end that never comes.
    problem(
        403,
        "`ingest`",
        post(&admin, json!({ "name": "x", "may": ["read", "ingest"] })),
    );
    problem(
        403,
        "`admin`",
        post(&made, json!({ "name": "x", "may": ["read"] })),
    );
    let there = served.send(
        Method::POST,
        "/spaces/board/tokens",
        &admin,
        &json!({ "name": "x", "may": ["read"] }),
    );
    problem(404, "no space", there);
    for (body, why) in [
        (
            json!({ "name": " ", "may": ["read"] }),
            "1 to 100 characters",
        ),
        (
            json!({ "name": "x".repeat(101), "may": ["read"] }),
            "1 to 100 characters",
        ),
        (json!({ "name": "a\u{1b}[2J", "may": ["read"] }), "control"),
        (json!({ "name": "x", "may": [] }), "at least one"),
        (json!({ "name": "x", "may": ["read"], "days": 0 }), "3,650"),
        (
            json!({ "name": "x", "may": ["read"], "days": 3651 }),
            "3,650",
        ),
        (json!({ "name": "x", "may": ["fly"] }), "fly"),
        (
            json!({ "name": "x", "may": ["read"], "space": "board" }),
            "space",
        ),
    ] {
        problem(400, why, post(&admin, body));
    }

    // Also where nothing is yet.
    let fresh = served.token("acme", "admin");
    let there = with(200, served.get("/spaces/acme/tokens", &fresh));
    assert_eq!(line(&there, &fresh["id"])["counts"], true);

    let revoke = |id: &str| {
        let path = format!("{TOKENS}/{id}");
        served.send(Method::DELETE, &path, &admin, &json!({}))
    };
    let id = made["id"].as_str().expect("an id");
    let left = with(200, revoke(id));
    let revoked = line(&left, &made["id"]);
    assert_eq!(
        (&revoked["revoked_by"], &revoked["counts"]),
        (&json!("token:a program"), &json!(false))
    );
    counts_no_more(&served, &made);
    // Once more it is as it was.
    let again = with(200, revoke(id));
    assert_eq!(line(&again, &made["id"]), revoked);
    problem(404, "no such token", revoke("none"));

    // One that says more than it was given, and one that the database does not have.
    let mut changed = admin.clone();
    let token = admin["token"].as_str().expect("a token");
    changed["token"] = token.replacen("tl_e", "tl_f", 1).into();
    problem(401, "token", served.get(CASES, &changed));
    let other = with(
        201,
        post(&admin, json!({ "name": "other", "may": ["read"] })),
    );
    let forget = format!(
        "DELETE FROM lore_state.tokens WHERE id = '{}'",
        other["id"].as_str().expect("an id")
    );
    served.place.sql(&forget).expect("it runs");
    problem(401, "token", served.get(CASES, &other));
}

#[test]
fn an_admin_gives_tokens_in_the_browser() {
    let served = Served::on(desk(), &[]);
    let browser = Browser::signed_in(&served.link);
    let page = "/s/default/tokens";
    assert!(browser.page("/s/default/channels").contains(page));
    assert!(browser.page(page).contains("There are none yet"));
    let send = |path: &str, fields: &[(&str, &str)]| {
        let form = browser
            .form(path, fields)
            .header(header::ORIGIN, &browser.base);
        form.send().expect("an answer")
    };
    let hostile = "<script>alert(1)</script>";
    let made = send(page, &[("name", hostile), ("days", "7"), ("read", "yes")]);
    assert_eq!(made.status(), 200);
    let shown = made.text().expect("text");
    assert!(!shown.contains("<script"), "{shown}");
    let (_, token) = shown.split_once("<code>tl_").expect("the token");
    let (token, _) = token.split_once('<').expect("its end");
    let token = json!({ "token": format!("tl_{token}") });
    with(200, served.get(CASES, &token));
    let again = browser.page(page);
    assert!(
        !again.contains("tl_") && again.contains("last used"),
        "{again}"
    );
    for fields in [
        vec![("name", "x"), ("days", "7")],
        vec![("name", "x"), ("days", "many"), ("read", "yes")],
        vec![("name", ""), ("days", "7"), ("read", "yes")],
    ] {
        assert!(send(page, &fields).status().is_client_error(), "{fields:?}");
    }
    // Without the page that it comes from.
    let forged = browser.form(page, &[("name", "x"), ("days", "7"), ("read", "yes")]);
    assert_eq!(forged.send().expect("an answer").status(), 403);

    let (_, revoke) = again
        .split_once("action=\"/s/default/tokens/")
        .expect("a button");
    let (id, _) = revoke.split_once('/').expect("an id");
    let revoked = send(&format!("{page}/{id}/revoke"), &[]);
    assert_eq!(revoked.status(), 303);
    let again = browser.page(page);
    assert!(
        again.contains(">revoked <") && !again.contains("/revoke\""),
        "{again}"
    );
    counts_no_more(&served, &token);
    assert_eq!(send(&format!("{page}/none/revoke"), &[]).status(), 404);
}

#[test]
fn an_operator_lists_and_revokes_tokens() {
    let place = desk();
    let none = place.run(&["token", "list"]);
    assert!(none.err.contains("has no tokens"), "{}", none.err);
    let made = place.json(&["token", "create", "old", "--may", "read"]);
    let id = made["id"].as_str().expect("an id").to_owned();
    let wrong = place.run(&["token", "revoke", &id, "--space", "board"]);
    assert_eq!(wrong.code, Some(3), "{}", wrong.err);
    assert!(
        wrong.err.contains("token list --space board"),
        "{}",
        wrong.err
    );
    let said = place.run(&["token", "revoke", &id]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    let list = place.run(&["token", "list"]);
    assert!(
        list.out.contains(&id) && list.out.contains("revoked 20"),
        "{}",
        list.out
    );
    let nameless = place.run(&["token", "create", "", "--may", "read"]);
    assert_eq!(nameless.code, Some(3), "{}", nameless.err);
    assert!(nameless.err.contains("1 to 100"), "{}", nameless.err);
    let unknown = place.run(&["token", "create", "x", "--may", "fly"]);
    assert_eq!(unknown.code, Some(2), "{}", unknown.err);
    assert!(unknown.err.contains("admin"), "{}", unknown.err);
    let served = Served::on(place, &[]);
    problem(401, "revoked", served.get(CASES, &made));
}
