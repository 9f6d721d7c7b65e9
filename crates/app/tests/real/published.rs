//! Pages of published cases, as anybody sees them.

use reqwest::blocking::Response;
use reqwest::header;
use serde_json::Value;

use super::browser::{Browser, link_on, said};
use super::desk::{DESK, ISO, PRINTER, WIFI, desk};
use super::pages::up;
use super::support::{Place, look_until};

/// A question and its answer with everything in them that a page must not have.
const HOSTILE: [(&str, &str, &str); 3] = [
    (
        "mallory-m",
        "41",
        "How do I boil water on the moon </script><img src=x onerror=alert(1)> with a kettle?",
    ),
    (
        "bob",
        "42",
        "mallory-m: take an electric one, or ask carol@example.org and @dave:example.org",
    ),
    ("mallory-m", "43", "thanks bob, that works!"),
];

fn hostile() -> String {
    let mut last = "";
    let lines = HOSTILE.iter().map(|(author, id, text)| {
        let line = serde_json::json!({
            "type": "message", "id": id, "author": author, "name": author, "text": text,
            "at": format!("2024-05-05T10:{id}:00Z"), "reply_to": if last.is_empty() { Value::Null } else { last.into() },
        });
        last = id;
        line.to_string()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn got(browser: &Browser, path: &str) -> Response {
    let request = browser.client.get(format!("{}{path}", browser.base));
    request.send().expect("an answer")
}

fn page(browser: &Browser, path: &str) -> String {
    let response = got(browser, path);
    assert_eq!(response.status(), 200, "{path}");
    response.text().expect("text")
}

/// The page of the case that is nearest to some words.
fn case_of(browser: &Browser, words: &str) -> String {
    let found = browser.page(&format!("/s/default/cases?q={}", words.replace(' ', "+")));
    let inside = link_on(&found, "/s/default/cases/");
    let id = inside.rsplit('/').next().expect("an id");
    format!("/case/{id}")
}

pub(crate) fn publish(place: &Place, published: &str) {
    place.json(&[
        "channel",
        "set",
        "--channel",
        DESK,
        "--audience",
        "public",
        "--published",
        published,
    ]);
}

#[test]
fn anybody_reads_the_solved_cases_of_a_published_channel_and_no_others() {
    let place = desk();
    place.file("more.jsonl", hostile());
    place.json(&["import", "more.jsonl", "--channel", DESK]);
    // It is published where everybody can read it, and by whoever says so.
    let refused = place.run(&["channel", "set", "--channel", DESK, "--published", "yes"]);
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(refused.err.contains("--audience public"), "{}", refused.err);
    {
        let (owner, link) = up(&place);
        let inside = Browser::signed_in(&link);
        let anybody = Browser::new(&link);
        for path in [
            case_of(&inside, "mount an iso"),
            "/knowledge/default".to_owned(),
        ] {
            assert_eq!(got(&anybody, &path).status(), 404, "{path}");
        }
        owner.stop();
    }
    publish(&place, "yes");

    let (_owner, link) = up(&place);
    let inside = Browser::signed_in(&link);
    let anybody = Browser::new(&link);
    let iso = case_of(&inside, "mount an iso");
    let shown = page(&anybody, &iso);
    assert!(shown.contains(ISO), "{shown}");
    assert!(shown.contains("sudo mount -o loop"), "{shown}");
    assert!(shown.contains("thanks Person 2, that works!"), "{shown}");
    assert!(!shown.contains("noindex"), "{shown}");
    for name in ["ann", "bob"] {
        let words = shown.split(|sign: char| !sign.is_alphanumeric());
        assert_eq!(words.filter(|word| *word == name).count(), 0, "{name}");
    }
    let kept = said(&got(&anybody, &iso), header::CACHE_CONTROL);
    assert_eq!(kept, "public, max-age=30");

    // What people wrote is text, also in what search engines read.
    let moon = case_of(&inside, "boil water on the moon");
    let shown = page(&anybody, &moon);
    let data = shown
        .split("<script type=\"application/ld+json\">")
        .nth(1)
        .and_then(|rest| rest.split("</script>").next());
    let data: Value = serde_json::from_str(data.expect("data")).expect("JSON");
    let question = &data["mainEntity"];
    assert_eq!(data["@type"], "QAPage");
    let problem = question["text"].as_str().expect("a text");
    assert!(problem.contains("</script><img src=x"), "{problem}");
    let answer = question["acceptedAnswer"]["text"].as_str();
    assert!(
        answer.is_some_and(|text| text.contains("an electric one")),
        "{data}"
    );
    assert_eq!(shown.matches("<script").count(), 1, "{shown}");
    assert!(!shown.contains("<img"), "{shown}");
    for hidden in ["mallory", "carol@", "dave", "bob"] {
        assert!(!shown.contains(hidden), "{hidden}: {shown}");
    }

    // The list, and what search engines are told.
    let listed = page(&anybody, "/knowledge/default");
    for title in [ISO, PRINTER] {
        assert!(listed.contains(title), "{listed}");
    }
    assert!(
        !listed.contains(WIFI) && !listed.contains("mallory"),
        "{listed}"
    );
    let rules = page(&anybody, "/robots.txt");
    assert!(
        rules.contains("Allow: /case/\n") && rules.contains("Disallow: /\n"),
        "{rules}"
    );
    assert_eq!(
        got(&anybody, "/sitemap.xml").status(),
        404,
        "it has no address"
    );
    assert_eq!(got(&anybody, "/knowledge/nothing").status(), 404);

    // What is not published is not there, whether or not it exists; who is signed in is led to it.
    let wifi = case_of(&inside, "wifi card");
    let nobodys = "/case/00000000-0000-4000-8000-000000000000";
    let unknown = got(&anybody, nobodys).text().expect("text");
    for path in [wifi.as_str(), nobodys, "/case/x"] {
        let response = got(&anybody, path);
        assert_eq!(response.status(), 404, "{path}");
        assert_eq!(response.text().expect("text"), unknown, "{path}");
    }
    let led = inside.ask(&wifi).send().expect("an answer");
    assert_eq!(led.status(), 303);
    assert!(said(&led, header::LOCATION).starts_with("/s/default/cases/"));

    // Where a message of the conversation is redacted, whoever wrote it could not be hidden any more.
    place.file(
        "redacted.jsonl",
        r#"{"type":"redaction","id":"3","at":"2024-05-06T12:00:00Z"}"#,
    );
    place.json(&["import", "redacted.jsonl", "--channel", DESK]);
    look_until(|| got(&anybody, &iso).status() == 404);

    // Erased, it is gone.
    let printer = case_of(&inside, "printer prints stripes");
    assert!(page(&anybody, &printer).contains(PRINTER));
    let erase = printer.replace("/case/", "/s/default/cases/") + "/erase";
    inside.send(&erase, &[("sure", "yes")]);
    look_until(|| got(&anybody, &printer).status() == 404);
    let listed = page(&anybody, "/knowledge/default");
    assert!(
        !listed.contains(ISO) && !listed.contains(PRINTER),
        "{listed}"
    );

    // A channel is published no more, in the browser, and one that not everybody can read never.
    let name = DESK.replace(':', "%3A");
    let channel = inside.page(&format!("/s/default/channel?name={name}"));
    assert!(channel.contains("value=\"yes\" checked"), "{channel}");
    let fields = [("channel", DESK), ("mode", "questions")];
    let narrow = [&fields[..], &[("audience", "space"), ("published", "yes")]].concat();
    let form = inside.form("/s/default/channel", &narrow);
    let form = form.header(header::ORIGIN, &inside.base);
    let refused = form.send().expect("an answer");
    assert_eq!(refused.status(), 400);
    let no_more = [&fields[..], &[("audience", "public")]].concat();
    inside.send("/s/default/channel", &no_more);
    assert_eq!(got(&anybody, &moon).status(), 404);
    assert_eq!(got(&anybody, "/knowledge/default").status(), 404);
}
