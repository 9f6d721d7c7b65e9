//! Chats that people upload in the browser, and programs by the HTTP API.

use reqwest::blocking::{RequestBuilder, Response};
use reqwest::{Method, header};
use serde_json::Value;

use super::api::{Served, events, problem, with};
use super::browser::{Browser, said};
use super::desk;
use super::pages::up;
use super::support::{Place, look_until};

const WHATSAPP: &str = "\
01/05/2024, 12:00 - Ann: How do I mount an iso image so that I can read its files?
01/05/2024, 12:01 - Bob: sudo mount -o loop image.iso /mnt
01/05/2024, 12:02 - Ann: thanks Bob, that works!
";

/// A form with fields, and with a file of a name.
fn form(browser: &Browser, fields: &[(&str, &str)], file: Option<(&str, &[u8])>) -> RequestBuilder {
    let mut body = Vec::new();
    for (name, value) in fields {
        let head = format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
        body.extend([head.as_bytes(), value.as_bytes(), b"\r\n"].concat());
    }
    if let Some((name, bytes)) = file {
        let head = format!(
            "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n"
        );
        body.extend([head.as_bytes(), bytes, b"\r\n"].concat());
    }
    body.extend(b"--x--\r\n");
    let request = browser
        .client
        .post(format!("{}/s/default/imports", browser.base));
    request
        .header(header::COOKIE, &browser.cookie)
        .header(header::CONTENT_TYPE, "multipart/form-data; boundary=x")
        .body(body)
}

/// The same, sent by a page of ours.
fn sent(browser: &Browser, fields: &[(&str, &str)], file: Option<(&str, &[u8])>) -> Response {
    let form = form(browser, fields, file).header(header::ORIGIN, &browser.base);
    form.send().expect("an answer")
}

/// Imports a file: what the page says of it once it is taken or refused.
fn imported(browser: &Browser, fields: &[(&str, &str)], file: (&str, &[u8])) -> String {
    let answer = sent(browser, fields, Some(file));
    assert_eq!(answer.status(), 303, "{}", answer.text().expect("text"));
    assert_eq!(said(&answer, header::LOCATION), "/s/default/imports");
    let goes_on = |page: &str| page.contains("Waiting, or") || page.contains("<progress");
    look_until(|| !goes_on(&browser.page("/s/default/imports")));
    let page = browser.page("/s/default/imports");
    let (_, list) = page.split_once("Imports since").expect("a list");
    let (first, _) = list.split_once("</li>").expect("a line");
    first.to_owned()
}

#[test]
fn a_chat_is_imported_in_the_browser_and_its_cases_are_there() {
    let place = Place::new();
    let (owner, link) = up(&place);
    let browser = Browser::signed_in(&link);
    assert!(browser.page("/s/default").contains("/s/default/imports"));
    let whatsapp = ("../WhatsApp Chat with Help <b>.txt", WHATSAPP.as_bytes());
    let first = imported(&browser, &[], whatsapp);
    assert!(first.contains("3 messages: "), "{first}");
    assert!(
        first.contains("Help &lt;b&gt;.txt") && first.contains("an operator"),
        "{first}"
    );
    assert!(first.contains("channel?name=whatsapp"), "{first}");
    look_until(|| {
        browser
            .page("/s/default/cases?state=solved")
            .contains("mount an iso image")
    });
    let home = browser.page("/s/default");
    assert!(!home.contains("class=\"button\""), "{home}");
    // The same file adds nothing.
    imported(&browser, &[], whatsapp);
    look_until(|| browser.page("/health").contains("Nothing waits"));
    assert!(browser.page("/s/default/channels").contains("3 messages<"));
    // A log says which channel it goes to.
    let (name, log) = ("desk.jsonl", desk::chat());
    let refused = imported(&browser, &[], (name, log.as_bytes()));
    assert!(
        refused.contains("say which channel it belongs to"),
        "{refused}"
    );
    let channel = ("channel", desk::DESK);
    let taken = imported(&browser, &[channel], (name, log.as_bytes()));
    assert!(
        taken.contains("8 messages: ") && taken.contains("chat:desk"),
        "{taken}"
    );
    owner.stop();
    place.verified();
}

#[test]
fn an_import_that_is_cut_off_is_whole_when_it_is_done_again() {
    let place = Place::new();
    let (owner, link) = up(&place);
    let browser = Browser::signed_in(&link);
    let line = |n: u32| {
        let (minute, second) = (n / 60 % 60, n % 60);
        let at = format!("2024-05-01T{:02}:{minute:02}:{second:02}Z", n / 3600);
        serde_json::json!({
            "type": "message", "id": n.to_string(), "author": "ann", "text": format!("line {n}"), "at": at,
        })
        .to_string()
    };
    let lines: Vec<String> = (0..5000).map(line).collect();
    let log = lines.join("\n");
    let (channel, file) = ([("channel", "chat:log")], ("log.jsonl", log.as_bytes()));
    let answer = sent(&browser, &channel, Some(file));
    assert_eq!(answer.status(), 303);
    // Wherever it is: the process stops as always.
    owner.stop();
    let (owner, link) = up(&place);
    let browser = Browser::signed_in(&link);
    let page = browser.page("/s/default/imports");
    assert!(!page.contains("Imports since"), "{page}");
    imported(&browser, &channel, file);
    look_until(|| {
        browser
            .page("/s/default/channels")
            .contains("5000 messages<")
    });
    owner.stop();
    place.verified();
}

#[test]
fn what_cannot_be_imported_is_refused_in_words() {
    let place = Place::new();
    let (owner, link) = up(&place);
    let browser = Browser::signed_in(&link);
    let refused = |fields: &[(&str, &str)], file: Option<(&str, &[u8])>, words: &str| {
        let answer = sent(&browser, fields, file);
        assert_eq!(answer.status(), 400, "{words}");
        let page = answer.text().expect("text");
        assert!(page.contains(words), "{page}");
    };
    refused(&[], None, "There is no file");
    refused(&[], Some(("chat.txt", b"")), "There is no file");
    refused(&[("file", "text")], None, "There is no file");
    // A text of another field that is too long, and a channel that is none.
    let long = "x".repeat(2000);
    let answer = sent(&browser, &[("channel", &long)], None);
    assert_eq!(answer.status(), 413);
    let unknown = [("channel", "no channel")];
    let answer = sent(&browser, &unknown, Some(("a", b"b")));
    assert_eq!(answer.status(), 404);
    let whatsapp = |fields: &[(&str, &str)], bytes: &[u8]| {
        imported(&browser, fields, ("WhatsApp Chat with Help.txt", bytes))
    };
    let said = whatsapp(&[("timezone", "Nowhere/Land")], WHATSAPP.as_bytes());
    assert!(
        said.contains("Nothing was taken") && said.contains("Nowhere/Land"),
        "{said}"
    );
    let zip = [b"PK\x03\x04".as_slice(), &[0; 200]].concat();
    let said = imported(&browser, &[("channel", "chat:a")], ("a.zip", &zip));
    assert!(
        said.contains("Nothing was taken: ") && said.contains("a.zip"),
        "{said}"
    );
    let tmp = std::env::temp_dir();
    assert!(!said.contains(tmp.to_str().expect("UTF-8")), "{said}");
    // A form of somebody else's page, no form, and nobody.
    let file = Some(("chat.txt", WHATSAPP.as_bytes()));
    let other = form(&browser, &[], file).header(header::ORIGIN, "https://evil.example");
    assert_eq!(other.send().expect("an answer").status(), 403);
    let plain = browser.form("/s/default/imports", &[("file", "x")]);
    let plain = plain.header(header::ORIGIN, &browser.base);
    assert_eq!(plain.send().expect("an answer").status(), 400);
    let nobody = Browser {
        client: browser.client.clone(),
        base: browser.base.clone(),
        cookie: String::new(),
    };
    assert_eq!(sent(&nobody, &[], file).status(), 401);
    owner.stop();
}

#[test]
fn a_program_imports_a_chat_and_is_told_how_far_it_is() {
    let served = Served::on(Place::new(), &[]);
    let token = served.token("default", "ingest,read");
    let import = |query: &str, body: &[u8]| {
        let path = format!("/spaces/default/imports?{query}");
        let request = served.request(Method::POST, &path, &token);
        request.body(body.to_owned()).send().expect("an answer")
    };
    let last = |told: &[(String, Value)]| told.last().expect("an event").clone();
    let named = "name=WhatsApp+Chat+with+Help.txt";
    let told = events(import(named, WHATSAPP.as_bytes()));
    let (name, taken) = last(&told);
    assert_eq!(
        (name.as_str(), &taken["messages"]),
        ("taken", &3.into()),
        "{told:?}"
    );
    assert_eq!(taken["skipped_lines"], 0, "{taken}");
    let channel = taken["channels"][0].as_str().expect("a channel");
    assert!(channel.starts_with("whatsapp:"), "{taken}");
    // Of what is long one hears how far it is.
    let lines: Vec<String> = (0..3000)
        .map(|n| format!("[{:02}:{:02}] <ann> line {n}", n / 60 % 24, n % 60))
        .collect();
    let log = format!("=== 2024-05-01\n{}\n", lines.join("\n"));
    let told = events(import("channel=irc:%23log&date=2024-05-01", log.as_bytes()));
    let (name, taken) = last(&told);
    assert_eq!(name, "taken", "{told:?}");
    assert_eq!(
        taken["channels"],
        serde_json::json!(["irc:#log"]),
        "{taken}"
    );
    let far: Vec<u64> = told
        .iter()
        .filter(|(name, _)| name == "taking")
        .map(|(_, at)| at["bytes"].as_u64().expect("a number"))
        .collect();
    assert!(
        !far.is_empty() && far.len() <= 101 && far.is_sorted(),
        "{far:?}"
    );
    assert!(
        told.iter()
            .all(|(name, at)| name != "taking" || at["of"] == log.len()),
        "{told:?}"
    );
    look_until(|| {
        let cases = with(
            200,
            served.get("/spaces/default/cases?state=solved", &token),
        );
        cases["cases"]
            .as_array()
            .is_some_and(|cases| cases.len() == 1)
    });
    // What cannot be imported, and what is no file.
    for (query, body, why) in [
        ("", WIRES, "say which channel"),
        (
            "channel=irc:%23log&timezone=Nowhere/Land",
            WIRES,
            "Nowhere/Land",
        ),
        ("channel=irc:%23log&date=May", WIRES, "YYYY-MM-DD"),
    ] {
        let (name, told) = last(&events(import(query, body)));
        assert_eq!(name, "not-taken", "{query}");
        assert!(
            told["why"].as_str().is_some_and(|said| said.contains(why)),
            "{told}"
        );
    }
    problem(400, "it is empty", import("channel=irc:%23log", b""));
    problem(404, "no channel", import("channel=log", WIRES));
    problem(400, "colour", import("colour=red", WIRES));
    let form = served.request(Method::POST, "/spaces/default/imports", &token);
    let form = form.header(header::CONTENT_TYPE, "multipart/form-data; boundary=x");
    problem(
        400,
        "not a form",
        form.body("--x--").send().expect("an answer"),
    );
}

/// A log without a day.
const WIRES: &[u8] = b"[10:00] <ann> hello\n[10:01] <bob> hello\n";
