//! People who sign in to the pages with a name and a password that they chose by a link.

use reqwest::header;
use serde_json::{Value, json};

use super::api::{Served, problem, with};
use super::browser::{Browser, link_on};
use super::desk::desk;
use super::pages::up;
use super::support::{Place, look_until};

/// Gives somebody an account: the link to choose a password.
pub(crate) fn invited(place: &Place, name: &str, may: &str, space: &str) -> String {
    let made = place.json(&["user", "add", name, "--may", may, "--space", space]);
    made["link"]["link"].as_str().expect("a link").to_owned()
}

/// What becomes of a form that begins a session: the status, and the session if one began.
fn sent(base: &str, path: &str, fields: &[(&str, &str)]) -> (u16, Option<Browser>) {
    let mut browser = Browser::new(&format!("{base}/sign-in"));
    let form = browser.form(path, fields);
    let response = form.header(header::ORIGIN, base).send().expect("an answer");
    let status = response.status().as_u16();
    if status != 303 {
        assert!(response.headers().get(header::SET_COOKIE).is_none());
        return (status, None);
    }
    let cookie = browser.keep(&response);
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
    (status, Some(browser))
}

/// What becomes of a try to sign in.
pub(crate) fn tried(base: &str, name: &str, password: &str) -> (u16, Option<Browser>) {
    sent(base, "/sign-in", &[("name", name), ("password", password)])
}

/// What becomes of a password that somebody chooses by a link.
pub(crate) fn chosen(link: &str, password: &str) -> (u16, Option<Browser>) {
    let (base, link) = link.split_once("/join?link=").expect("a link");
    sent(base, "/join", &[("link", link), ("password", password)])
}

/// Somebody with an account, signed in.
pub(crate) fn person(place: &Place, name: &str, may: &str, space: &str) -> Browser {
    let link = invited(place, name, may, space);
    chosen(&link, PASSWORD).1.expect("let in")
}

/// What everybody here chooses.
pub(crate) const PASSWORD: &str = "four small horses";

pub(crate) fn status(browser: &Browser, path: &str) -> u16 {
    let response = browser.ask(path).send().expect("an answer");
    response.status().as_u16()
}

#[test]
fn people_with_an_account_see_and_do_what_it_says_until_it_is_gone() {
    let place = desk();
    let (owner, link) = up(&place);
    let operator = Browser::signed_in(&link);
    let base = operator.base.clone();
    let nobody = Browser::new(&link);
    let form = nobody.page("/sign-in");
    assert!(form.contains("threadlore user add"), "{form}");

    // The process that runs knows them at once, and nobody without a password is let in.
    let link = invited(&place, "rita", "read,ask", "default");
    assert_eq!(tried(&base, "rita", "").0, 401);
    assert!(!nobody.page("/sign-in").contains("type=\"password\""));
    // What only looks at the link, such as the preview of a chat, does not use it up.
    let address = link.strip_prefix(&base).expect("an address of these pages");
    for _ in 0..2 {
        assert!(nobody.page(address).contains("<bdi>rita</bdi>"));
    }
    assert_eq!(chosen(&link, "short").0, 400);
    assert_eq!(chosen(&link[..link.len() - 1], PASSWORD).0, 400);
    let first = chosen(&link, "a password of rita").1.expect("let in");
    assert_eq!(status(&first, "/s/default"), 200);
    assert_eq!(chosen(&link, PASSWORD).0, 400, "it is for one time");
    assert_eq!(status(&nobody, address), 400);
    let anna = person(&place, "anna", "ask,read,admin", "default");
    let otto = person(&place, "otto", "ask,read,admin", "elsewhere");
    assert!(nobody.page("/sign-in").contains("type=\"password\""));
    for (name, password) in [("rita", "wrong"), ("nobody", "wrong"), ("rita", PASSWORD)] {
        assert_eq!(tried(&base, name, password).0, 401, "{name}");
    }
    let right = [("name", "rita"), ("password", "a password of rita")];
    let no_origin = nobody.form("/sign-in", &right);
    assert_eq!(no_origin.send().expect("an answer").status(), 403);

    let signed_in = |name, password: &str| tried(&base, name, password).1.expect("let in");
    let rita = signed_in(" Rita", "a password of rita");
    let home = rita.page("/s/default");
    assert!(
        home.contains("rita") && !home.contains("/memories"),
        "{home}"
    );
    // Of another space not even that it is there.
    assert_eq!(status(&otto, "/s/default"), 404);
    assert_eq!(status(&otto, "/s/never-was"), 404);
    assert_eq!(status(&rita, "/health"), 403);
    assert_eq!(status(&rita, "/dead-letters"), 403);
    assert_eq!(status(&operator, "/health"), 200);

    let case = link_on(
        &rita.page("/s/default/cases?state=solved"),
        "/s/default/cases/",
    );
    assert!(!rita.page(&case).contains("Correct it"));
    assert!(anna.page(&case).contains("Correct it"));
    let id = case.rsplit('/').next().expect("an id");
    assert_eq!(status(&rita, &format!("/case/{id}")), 303);
    assert_eq!(status(&otto, &format!("/case/{id}")), 404);
    let correct = |browser: &Browser| {
        let form = browser.form(
            &format!("{case}/correct"),
            &[("solution", "run lsblk first")],
        );
        let sent = form.header(header::ORIGIN, &base).send();
        sent.expect("an answer").status().as_u16()
    };
    assert_eq!(
        [correct(&otto), correct(&rita), correct(&anna)],
        [404, 403, 303]
    );
    let shown = rita.page(&case);
    assert!(shown.contains("run lsblk first"), "{shown}");
    assert!(shown.contains("solved by the word of anna"), "{shown}");
    // Every route that changes something wants the right for it.
    for path in ["memories", "channel", "questions/0/answer"] {
        let form = rita.form(&format!("/s/default/{path}"), &[("text", "x")]);
        let sent = form
            .header(header::ORIGIN, &base)
            .send()
            .expect("an answer");
        assert!(
            [403, 404].contains(&sent.status().as_u16()),
            "{path}: {sent:?}"
        );
    }

    // Other rights count within seconds, another password and no account end the session.
    let more = place.json(&["user", "add", "rita", "--may", "ask,read,admin"]);
    assert_eq!(more["link"], Value::Null, "she has a password");
    look_until(|| correct(&rita) == 303);
    let link = place.json(&["user", "link", "rita"]);
    let link = link["link"].as_str().expect("a link");
    assert_eq!(
        status(&rita, "/s/default"),
        200,
        "until she chooses another"
    );
    let current = "another one of rita";
    assert_eq!(chosen(link, current).0, 303);
    look_until(|| status(&rita, "/s/default") == 401);
    assert_eq!(tried(&base, "rita", "a password of rita").0, 401);
    let rita = signed_in("rita", current);
    // She has one of her own, for which she has to know the other.
    let change = |current: &str, password: &str| {
        let form = [("current", current), ("password", password)];
        let form = rita.form("/account", &form).header(header::ORIGIN, &base);
        let response = form.send().expect("an answer");
        let status = response.status().as_u16();
        (status, response.headers().contains_key(header::SET_COOKIE))
    };
    assert!(
        rita.page("/account")
            .contains("signed in as <b><bdi>rita</bdi></b>")
    );
    assert_eq!(status(&operator, "/account"), 403);
    assert_eq!(change("wrong", PASSWORD), (401, false));
    assert_eq!(change(current, "short"), (400, false));
    assert_eq!(change(current, PASSWORD), (303, true));
    assert_eq!(status(&rita, "/s/default"), 401, "her other sessions end");
    let rita = signed_in("rita", PASSWORD);
    place.json(&["user", "remove", "rita"]);
    look_until(|| status(&rita, "/s/default") == 401);
    assert_eq!(status(&anna, "/s/default"), 200);
    let listed = place.json(&["user", "list"]);
    assert_eq!(listed["accounts"][0]["name"], "anna", "{listed}");

    // Whoever guesses is stopped, and nobody else.
    let guesses: Vec<u16> = (0..11).map(|_| tried(&base, "anna", "guess").0).collect();
    assert_eq!(guesses.last(), Some(&429), "{guesses:?}");
    assert_eq!(tried(&base, "otto", PASSWORD).0, 303);
    owner.stop();
}

#[test]
fn what_cannot_be_an_account_is_said() {
    let place = desk();
    for (args, words) in [
        (["user", "add", "An na"].as_slice(), "a-z"),
        (&["user", "add", "bob", "--may", "ingest"], "ingest"),
        (&["user", "remove", "bob"], "there is no account"),
        (&["user", "link", "bob"], "serves no pages"),
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(3), "{args:?}: {}", ran.err);
        assert!(ran.err.contains(words), "{args:?}: {}", ran.err);
    }
    // Before pages are served there is an account, and no link yet.
    let made = place.json(&["user", "add", "bob"]);
    assert_eq!(made, json!({ "name": "bob", "link": null }));
    let listed = place.run(&["user", "list", "--space", "default"]);
    assert!(listed.out.contains("no password yet"), "{}", listed.out);
    assert_eq!(place.run(&["user", "list", "--space", "b"]).out, "");
}

/// A moderator gives others rights in the browser, and takes them away.
#[test]
fn a_moderator_lets_others_in_and_puts_them_out() {
    let place = desk();
    let (owner, link) = up(&place);
    let operator = Browser::signed_in(&link);
    let anna = person(&place, "anna", "ask,read,admin", "default");
    let page = "/s/default/accounts";
    assert!(anna.page("/s/default/channels").contains(page));
    let post = |browser: &Browser, path: &str, fields: &[(&str, &str)]| {
        let form = browser.form(path, fields);
        let response = form.header(header::ORIGIN, &browser.base).send();
        let response = response.expect("an answer");
        (response.status().as_u16(), response.text().expect("text"))
    };
    let rita = [
        ("name", " Rita@Example.org "),
        ("ask", "yes"),
        ("read", "yes"),
    ];
    let (status_of, shown) = post(&anna, page, &rita);
    assert_eq!(status_of, 200, "{shown}");
    assert!(shown.contains("no password yet"), "{shown}");
    let listed = place.json(&["user", "list", "--space", "default"]);
    assert_eq!(
        listed["accounts"][1]["name"], "rita@example.org",
        "{listed}"
    );
    assert_eq!(listed["accounts"][1]["given_by"], "account:anna");
    let link = |shown: &str| {
        let (_, link) = shown.split_once("<code>").expect("a link");
        link.split_once("</code>").expect("its end").0.to_owned()
    };
    let rita = chosen(&link(&shown), PASSWORD).1.expect("let in");
    assert_eq!(status(&rita, "/s/default"), 200);
    assert_eq!(status(&rita, page), 403);
    assert!(!rita.page("/s/default/channels").contains(page));
    let of_rita = format!("{page}/rita@example.org");
    for (what, fields) in [("", [].as_slice()), ("/link", &[]), ("/remove", &[])] {
        let path = if what.is_empty() {
            page.to_owned()
        } else {
            format!("{of_rita}{what}")
        };
        assert_eq!(post(&rita, &path, fields).0, 403, "{path}");
    }
    // Another link leaves her password until it is used.
    let (_, shown) = post(&anna, &format!("{of_rita}/link"), &[]);
    assert!(shown.contains("signed in last"), "{shown}");
    let again = link(&shown);
    assert_eq!(status(&rita, "/s/default"), 200);
    // Once she may more, the link is not good enough.
    place.json(&["user", "add", "rita@example.org", "--space", "elsewhere"]);
    assert_eq!(chosen(&again, PASSWORD).0, 400);
    place.json(&["user", "remove", "rita@example.org", "--space", "elsewhere"]);
    // Rights that she does not have, or none at all, she gives nobody; nor does she replace the password of who
    // may more than she.
    place.json(&["user", "add", "anna", "--may", "read,admin"]);
    look_until(|| post(&anna, page, &[("name", "bob"), ("ask", "yes")]).0 == 403);
    assert_eq!(post(&anna, page, &[("name", "bob")]).0, 400);
    assert_eq!(
        post(&anna, page, &[("name", "B b"), ("read", "yes")]).0,
        400
    );
    assert_eq!(post(&anna, &format!("{of_rita}/link"), &[]).0, 400);
    assert_eq!(
        post(&anna, &format!("{page}/anna/link"), &[]).0,
        400,
        "one's own"
    );
    assert_eq!(post(&anna, &format!("{page}/nobody/link"), &[]).0, 404);
    // Nor of who may something elsewhere: they keep the password that they have.
    invited(&place, "otto", "read", "elsewhere");
    assert_eq!(post(&anna, &format!("{page}/otto/link"), &[]).0, 404);
    let (status_of, shown) = post(&anna, page, &[("name", "otto"), ("read", "yes")]);
    assert!(
        status_of == 200 && !shown.contains("/join?link="),
        "{shown}"
    );
    assert!(!shown.contains("elsewhere"), "{shown}");
    assert_eq!(post(&anna, &format!("{page}/otto/link"), &[]).0, 400);
    assert_eq!(post(&anna, &format!("{page}/otto/remove"), &[]).0, 303);
    assert_eq!(post(&anna, &format!("{page}/otto/remove"), &[]).0, 404);
    let listed = place.json(&["user", "list"]);
    let of_otto = |one: &&Value| one["name"] == "otto";
    let of_otto: Vec<&Value> = listed["accounts"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(of_otto)
        .collect();
    assert_eq!(of_otto.len(), 1, "{listed}");
    assert_eq!(of_otto[0]["space"], "elsewhere");
    // Who is put out is out, with every link.
    assert_eq!(post(&anna, &format!("{of_rita}/remove"), &[]).0, 303);
    assert_eq!(status(&rita, "/s/default"), 401);
    assert_eq!(chosen(&again, PASSWORD).0, 400);
    // Who looks after the installation lets in others who do.
    let (_, shown) = post(
        &operator,
        "/s/system/accounts",
        &[("name", "root"), ("admin", "yes")],
    );
    let root = chosen(&link(&shown), PASSWORD).1.expect("let in");
    assert_eq!(status(&root, "/health"), 200);
    owner.stop();
}

/// A program does the same, within what its token may.
#[test]
fn a_program_looks_after_accounts() {
    let served = Served::new();
    let admin = served.token("default", "read,admin");
    let at = "/spaces/default/accounts";
    let put = |name: &str, may: Value| {
        let path = format!("{at}/{name}");
        served.send(reqwest::Method::PUT, &path, &admin, &json!({ "may": may }))
    };
    let rita = with(200, put("rita", json!(["admin", "read"])));
    assert_eq!(rita["may"], json!(["read", "admin"]));
    assert_eq!(rita["has_password"], false);
    assert_eq!(rita["given_by"], "token:a program", "{rita}");
    for (status, words, name, may) in [
        (403, "ask", "bob", json!(["ask"])),
        (400, "at least one", "bob", json!([])),
        (403, "ingest", "bob", json!(["ingest"])),
        (400, "reed", "bob", json!(["reed"])),
        (400, "a-z", "B", json!(["read"])),
    ] {
        problem(status, words, put(name, may));
    }
    let post = |path: &str| served.send(reqwest::Method::POST, path, &admin, &json!({}));
    let made = with(200, post(&format!("{at}/rita/link")));
    let link = made["link"].as_str().expect("a link");
    let rita = chosen(link, PASSWORD).1.expect("let in");
    assert_eq!(status(&rita, "/s/default"), 200);
    let listed = with(200, served.get(at, &admin));
    assert_eq!(listed["accounts"][0]["has_password"], true, "{listed}");
    assert!(
        listed["accounts"][0]["signed_in_at"].is_string(),
        "{listed}"
    );
    problem(404, "of that name", post(&format!("{at}/bob/link")));
    let delete = || {
        served.send(
            reqwest::Method::DELETE,
            &format!("{at}/rita"),
            &admin,
            &json!({}),
        )
    };
    assert_eq!(with(200, delete()), json!({ "accounts": [] }));
    assert_eq!(status(&rita, "/s/default"), 401);
    problem(404, "of that name", delete());
    let reader = served.token("default", "read");
    problem(403, "admin", served.get(at, &reader));
}
