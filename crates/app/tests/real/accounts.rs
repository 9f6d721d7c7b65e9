//! People who sign in to the pages with a name and a password.

use reqwest::header;
use serde_json::Value;

use super::browser::{Browser, link_on, said};
use super::desk::desk;
use super::pages::up;
use super::support::Place;

/// Gives somebody an account: the password.
fn add(place: &Place, name: &str, may: &str, space: &str) -> String {
    let made = place.json(&["user", "add", name, "--may", may, "--space", space]);
    made["password"].as_str().expect("a password").to_owned()
}

/// What becomes of a try to sign in: the status, and the session if one began.
pub(crate) fn tried(base: &str, name: &str, password: &str) -> (u16, Option<Browser>) {
    let mut browser = Browser::new(&format!("{base}/sign-in"));
    let form = browser.form("/sign-in", &[("name", name), ("password", password)]);
    let response = form.header(header::ORIGIN, base).send().expect("an answer");
    let status = response.status().as_u16();
    if status != 303 {
        assert!(response.headers().get(header::SET_COOKIE).is_none());
        return (status, None);
    }
    let cookie = said(&response, header::SET_COOKIE);
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
    let cookie = cookie.split(';').next().expect("a cookie");
    cookie.clone_into(&mut browser.cookie);
    (status, Some(browser))
}

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

    // The process that runs knows them at once.
    let reader = add(&place, "rita", "read,ask", "default");
    let admin = add(&place, "anna", "ask,read,admin", "default");
    let other = add(&place, "otto", "ask,read,admin", "elsewhere");
    assert!(nobody.page("/sign-in").contains("type=\"password\""));
    for (name, password) in [
        ("rita", "wrong"),
        ("nobody", "wrong"),
        ("rita", admin.as_str()),
    ] {
        assert_eq!(tried(&base, name, password).0, 401, "{name}");
    }
    let no_origin = nobody.form("/sign-in", &[("name", "rita"), ("password", &reader)]);
    assert_eq!(no_origin.send().expect("an answer").status(), 403);

    let signed_in = |name, password: &str| tried(&base, name, password).1.expect("let in");
    let (rita, anna, otto) = (
        signed_in(" Rita", &reader),
        signed_in("anna", &admin),
        signed_in("otto", &other),
    );
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

    // Other rights count with the next request, another password and no account end the session.
    let more = place.json(&["user", "add", "rita", "--may", "ask,read,admin"]);
    assert_eq!(more["password"], Value::Null);
    assert_eq!(correct(&rita), 303);
    let new = place.json(&["user", "password", "rita"]);
    assert_eq!(status(&rita, "/s/default"), 401);
    assert_eq!(tried(&base, "rita", &reader).0, 401);
    let rita = signed_in("rita", new["password"].as_str().expect("a password"));
    // She has one of her own, for which she has to know the other.
    let change = |current: &str, password: &str| {
        let form = [("current", current), ("password", password)];
        let form = rita.form("/account", &form).header(header::ORIGIN, &base);
        let response = form.send().expect("an answer");
        let status = response.status().as_u16();
        (status, response.headers().contains_key(header::SET_COOKIE))
    };
    let current = new["password"].as_str().expect("a password");
    assert!(
        rita.page("/account")
            .contains("signed in as <b><bdi>rita</bdi></b>")
    );
    assert_eq!(status(&operator, "/account"), 403);
    assert_eq!(change("wrong", "four small horses"), (401, false));
    assert_eq!(change(current, "short"), (400, false));
    assert_eq!(change(current, "four small horses"), (303, true));
    assert_eq!(status(&rita, "/s/default"), 401, "her other sessions end");
    let rita = signed_in("rita", "four small horses");
    place.json(&["user", "remove", "rita"]);
    assert_eq!(status(&rita, "/s/default"), 401);
    assert_eq!(status(&anna, "/s/default"), 200);
    let listed = place.json(&["user", "list"]);
    assert_eq!(listed["accounts"][0]["name"], "anna", "{listed}");

    // Whoever guesses is stopped, and nobody else.
    let guesses: Vec<u16> = (0..11).map(|_| tried(&base, "anna", "guess").0).collect();
    assert_eq!(guesses.last(), Some(&429), "{guesses:?}");
    assert_eq!(tried(&base, "otto", &other).0, 303);
    owner.stop();
}

#[test]
fn passwords_of_ones_own_and_bad_input() {
    let place = Place::new();
    fn run(place: &Place, args: &[&str], line: &str) -> (Option<i32>, String) {
        let ran = place.run_with(args, &[line]);
        (ran.code, ran.err)
    }
    let add = ["user", "add", "anna", "--password-stdin"];
    let (code, said) = run(&place, &add, "correct horse battery");
    assert_eq!(code, Some(3), "{said}");
    assert!(
        said.contains("the first start of threadlore makes"),
        "{said}"
    );
    place.file("accounts.toml", "");
    place.file(
        "threadlore.toml",
        "[api]\naccounts_file = \"accounts.toml\"\n",
    );
    let (code, said) = run(&place, &add, "correct horse battery");
    assert_eq!(code, Some(0), "{said}");
    for (args, line, words) in [
        (add.as_slice(), "short", "10 to 1000 bytes"),
        (&["user", "add", "An na"], "", "no name of an account"),
        (&["user", "add", "bob", "--may", "ingest"], "", "ingest"),
        (&["user", "password", "bob"], "", "there is no account bob"),
        (&["user", "remove", "bob"], "", "there is no account bob"),
    ] {
        let (code, said) = run(&place, args, line);
        assert_eq!(code, Some(3), "{args:?}: {said}");
        assert!(said.contains(words), "{args:?}: {said}");
    }
    place.file("accounts.toml", "[accounts.anna]\npassword = \"x\"\n");
    let (code, said) = run(&place, &["user", "list"], "");
    assert_eq!(code, Some(3), "{said}");
    assert!(
        said.contains("accounts.toml is no file of accounts"),
        "{said}"
    );
}
