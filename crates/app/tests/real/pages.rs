//! The pages that `up` serves, as a browser sees them, and as somebody who means harm does.

use reqwest::header;
use threadlore_testkit::not_run;

use super::accounts::{PASSWORD, person};
use super::browser::{Browser, link_on, said};
use super::desk::{DESK, ISO, desk};
use super::interop::{packages, run};
use super::model::a_failed_look;
use super::published::publish;
use super::readers::open;
use super::support::{Place, Running, look_until};

/// A process with pages, and the link to sign in that it printed.
pub(crate) fn up(place: &Place) -> (Running, String) {
    let mut owner = place.start(&mut place.command(&["up", "--listen", "127.0.0.1:0"]));
    assert!(owner.wait_for("sign-in?link="), "{}", owner.said());
    let said = owner.said();
    let link = said
        .split_whitespace()
        .find(|word| word.contains("/sign-in?link="));
    (owner, link.expect("a link").to_owned())
}

/// A statement without whose words in the chats nothing is known.
const HOSTILE: &str =
    "<script>alert(1)</script> \"><img src=x onerror=alert(2)> teapot on the moon?";

#[test]
fn two_cases_are_merged_and_apart_again_in_the_browser() {
    let place = desk();
    let (owner, link) = up(&place);
    let browser = Browser::signed_in(&link);
    let listed = browser.page("/s/default/cases");
    let first = link_on(&listed, "/s/default/cases/");
    let rest = listed.replace(&first, "");
    let second = link_on(&rest, "/s/default/cases/");
    let merge = format!("{second}/merge");
    // The nearest are offered, and never the case itself.
    let offered = browser.page("/s/default/cases?q=mount+an+iso+image");
    let iso = link_on(&offered, "/s/default/cases/");
    let own = iso.rsplit('/').next().expect("an id").to_owned();
    let page = browser.page(&iso);
    let (_, list) = page.split_once("<datalist").expect("a list");
    let (list, _) = list.split_once("</datalist>").expect("its end");
    assert!(
        list.contains("<option value=") && !list.contains(&own),
        "{list}"
    );
    let refused = |into: &str| {
        let form = browser.form(&merge, &[("into", into)]);
        let form = form.header(header::ORIGIN, &browser.base);
        let answer = form.send().expect("an answer");
        assert_eq!(answer.status(), 400);
        answer.text().expect("text")
    };
    assert!(refused("the other one").contains("There is no such case in this space"));
    assert!(refused(&second).contains("A case cannot be merged into itself"));
    let into = format!("{}{first}", browser.base);
    assert_eq!(browser.send(&merge, &[("into", &into)]), second);
    let shown = browser.page(&second);
    assert!(shown.contains("Let it stand by itself"), "{shown}");
    assert!(!shown.contains("Merge it"), "{shown}");
    assert!(browser.page(&first).contains("of a case merged into it"));
    assert_eq!(browser.send(&format!("{second}/split"), &[]), second);
    assert!(browser.page(&second).contains("Merge it"));
    owner.stop();
}

#[test]
fn a_moderator_teaches_corrects_and_erases_in_the_browser() {
    let place = desk();
    let said = format!("bob: @lore {HOSTILE}");
    let ran = place.run_with(&["chat"], &["good morning", &said]);
    assert!(ran.out.contains("I know nothing"), "{}", ran.out);
    let (owner, link) = up(&place);
    let browser = Browser::signed_in(&link);
    assert_eq!(
        browser.ask("/").send().expect("an answer").status(),
        303,
        "to the only space"
    );

    // The question that nobody could answer is on the first page, as text.
    let home = browser.page("/s/default");
    assert!(home.contains("&lt;script&gt;alert(1)"), "{home}");
    let question = link_on(&home, "/s/default/questions/");
    let page = browser.page(&question);
    for shown in [&home, &page] {
        assert!(
            !shown.contains("<script") && !shown.contains("<img"),
            "{shown}"
        );
    }
    // So it is where it belongs among what people ask about.
    let subject = browser.page("/s/default/graph?about=teapot+on+the+moon");
    assert!(
        subject.contains("What nobody could answer of it"),
        "{subject}"
    );
    assert!(
        subject.contains(&question) && !subject.contains("<script"),
        "{subject}"
    );
    let all = browser.page("/s/default/graph");
    assert!(all.contains("about=teapot"), "{all}");
    let form = "<input type=\"hidden\" name=\"form\" value=\"";
    let now = page
        .split(form)
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let now = now.expect("the form");
    let lesson = "Use an <b>electric</b> kettle:\r\nthere is no air.";
    let teach = format!("{question}/answer");
    let case = browser.send(&teach, &[("solution", lesson), ("form", now)]);
    // The same form again is the same lesson.
    assert_eq!(
        browser.send(&teach, &[("solution", lesson), ("form", now)]),
        case
    );
    let shown = browser.page(&case);
    assert!(
        shown.contains("Use an &lt;b&gt;electric&lt;/b&gt; kettle:\nthere"),
        "{shown}"
    );
    assert!(shown.contains("an admin's word"), "{shown}");
    // It is told once the index has it.
    let asked = || browser.page("/s/default/ask?q=teapot+on+the+moon");
    look_until(|| asked().contains("electric&lt;/b&gt; kettle"));

    let to = browser.send(
        &format!("{case}/correct"),
        &[("solution", "Take a thermos.")],
    );
    assert_eq!(to, case);
    look_until(|| asked().contains("Take a thermos."));
    assert!(!asked().contains("kettle"), "{}", asked());

    let unsure = browser
        .form(&format!("{case}/erase"), &[])
        .header(header::ORIGIN, &browser.base);
    assert_eq!(unsure.send().expect("an answer").status(), 400);
    assert_eq!(
        browser.send(&format!("{case}/erase"), &[("sure", "yes")]),
        case
    );
    let shown = browser.page(&case);
    assert!(
        shown.contains("(erased)") && !shown.contains("thermos"),
        "{shown}"
    );

    // What is remembered, from the list to the answer and away again.
    let to = browser.send(
        "/s/default/memories",
        &[
            ("text", "the wiki moved to wiki.example.org"),
            ("channel", "console:room"),
        ],
    );
    let listed = browser.page(&to);
    assert!(listed.contains("wiki.example.org"), "{listed}");
    let secret = "my token is ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    let refused = browser
        .form(
            "/s/default/memories",
            &[("text", secret), ("channel", "console:room")],
        )
        .header(header::ORIGIN, &browser.base)
        .send()
        .expect("an answer");
    assert_eq!(refused.status(), 400);
    assert!(refused.text().expect("text").contains("a key or a token"));
    let forget = listed.split("action=\"").find_map(|rest| {
        let to = rest.split('"').next()?;
        to.ends_with("/forget").then(|| to.to_owned())
    });
    browser.send(&forget.expect("a form"), &[]);
    assert!(
        !browser
            .page("/s/default/memories")
            .contains("wiki.example.org")
    );

    // Search, browse, and a case with its conversation.
    let found = browser.page("/s/default/cases?q=mount+an+iso");
    let iso = browser.page(&link_on(&found, "/s/default/cases/"));
    assert!(iso.contains(ISO) && iso.contains("mount -o loop"), "{iso}");
    assert!(
        browser
            .page("/s/default/cases?state=open")
            .contains("wifi card")
    );
    assert!(
        browser
            .page("/s/default/questions?only=unknown")
            .contains("teapot")
    );
    assert!(browser.page("/style.css").contains("prefers-color-scheme"));

    // A restart ends no session, and the link of before is used up or run out.
    owner.stop();
    let (owner, other) = up(&place);
    let again = Browser {
        base: Browser::new(&other).base,
        ..browser
    };
    assert!(
        again
            .page("/s/default")
            .contains("What nobody could answer")
    );
    owner.stop();
    place.verified();
}

#[test]
fn a_channel_is_set_up_in_the_browser() {
    let place = desk();
    let (owner, link) = up(&place);
    let browser = Browser::signed_in(&link);
    let listed = browser.page("/s/default/channels");
    assert!(listed.contains("silent: no admin"), "{listed}");
    let channel = link_on(&listed, "/s/default/channel?name=");
    let page = browser.page(&channel);
    // Those who write there are offered as admins, by their names.
    let bob = page.split("value=\"").find_map(|rest| {
        let (value, rest) = rest.split_once('"')?;
        let name = rest.split("<bdi>").nth(1)?.split('<').next()?;
        (name == "bob").then(|| value.to_owned())
    });
    let bob = bob.expect("bob wrote there");
    let docs = "https://wiki.example.org/a\r\n\r\nhttps://wiki.example.org/b";
    let fields = |docs| {
        [
            ("channel", DESK),
            ("mode", "mentions"),
            ("audience", "space"),
            ("admin", bob.as_str()),
            ("native", "ann"),
            ("docs", docs),
        ]
    };
    assert_eq!(browser.send("/s/default/channel", &fields(docs)), channel);
    let page = browser.page(&channel);
    assert!(page.contains("answers who asks it by name"), "{page}");
    let shown = place.json(&["channel", "show", "--channel", DESK]);
    let shown = &shown["channels"][0];
    assert_eq!(
        (
            &shown["mode"],
            &shown["audience"],
            shown["admins"].as_array().map(Vec::len)
        ),
        (&"mentions".into(), &"space".into(), Some(2)),
        "{shown}"
    );
    assert_eq!(shown["docs"].as_array().map(Vec::len), Some(2), "{shown}");
    let wrong = browser
        .form("/s/default/channel", &fields("javascript:alert(1)"))
        .header(header::ORIGIN, &browser.base)
        .send()
        .expect("an answer");
    assert_eq!(wrong.status(), 400);
    // Without what a form of ours has, nothing is changed.
    for fields in [
        vec![("channel", DESK)],
        vec![
            ("channel", "chat:nowhere"),
            ("mode", "off"),
            ("audience", "space"),
        ],
        vec![
            ("channel", DESK),
            ("mode", "off"),
            ("audience", "space"),
            ("admin", "x"),
        ],
    ] {
        let form = browser.form("/s/default/channel", &fields);
        let status = form.header(header::ORIGIN, &browser.base).send();
        assert!(status.expect("an answer").status().is_client_error());
    }
    assert_eq!(
        &place.json(&["channel", "show", "--channel", DESK])["channels"][0],
        shown
    );

    let health = browser.page("/health");
    assert!(health.contains("projector.cases.g1"), "{health}");
    assert!(health.contains("There are none."), "{health}");
    look_until(|| browser.page("/health").contains("Nothing waits"));
    owner.stop();
    place.verified();
}

#[test]
fn who_is_not_let_in_sees_and_changes_nothing() {
    let place = desk();
    let (owner, link) = up(&place);
    let stranger = Browser::new(&link);
    for path in [
        "/",
        "/s/default",
        "/s/default/cases",
        "/s/default/questions",
        "/s/default/memories",
        "/s/default/channels",
        "/s/default/tokens",
        "/s/default/ask?q=iso",
        "/s/other",
        "/health",
        "/dead-letters",
        "/replays",
        "/settings",
        "/dead-letters/chat.turns.dlq/0/0",
    ] {
        let response = stranger.ask(path).send().expect("an answer");
        assert_eq!(response.status(), 401, "{path}");
        let csp = said(&response, header::CONTENT_SECURITY_POLICY);
        assert!(csp.contains("default-src 'none'"), "{csp}");
        let text = response.text().expect("text");
        assert!(
            text.contains("threadlore sign-in") && !text.contains("iso"),
            "{text}"
        );
    }
    let browser = Browser::signed_in(&link);
    // A link is for one sign-in.
    let used = stranger.client.get(&link).send().expect("an answer");
    assert_eq!(used.status(), 400);
    assert!(used.headers().get(header::SET_COOKIE).is_none());
    let changed = link.replace("link=1", "link=2");
    let changed = stranger.client.get(changed).send().expect("an answer");
    assert_eq!(changed.status(), 400);
    // Another one is printed for who has the data directory.
    let other = place.json(&["sign-in"]);
    let second = Browser::signed_in(other["sign_in"].as_str().expect("a link"));
    second.page("/s/default");

    let found = browser.page("/s/default/cases?state=solved");
    let case = link_on(&found, "/s/default/cases/");
    let erase = format!("{case}/erase");
    let attacks = [
        ("no origin", browser.form(&erase, &[("sure", "yes")])),
        (
            "a page of somebody else",
            browser
                .form(&erase, &[("sure", "yes")])
                .header(header::ORIGIN, "https://evil.example"),
        ),
        (
            "a page that may not say who it is",
            browser
                .form(&erase, &[("sure", "yes")])
                .header(header::ORIGIN, "null"),
        ),
        (
            "a name of somebody else that was turned to this address",
            browser.ask(&case).header(header::HOST, "evil.example"),
        ),
        (
            "the same, and it says so",
            browser
                .form(&erase, &[("sure", "yes")])
                .header(header::HOST, "evil.example")
                .header(header::ORIGIN, "http://evil.example"),
        ),
    ];
    for (what, attack) in attacks {
        let status = attack.send().expect("an answer").status();
        assert_eq!(status, 403, "{what}");
    }
    let nobody = stranger.form(&erase, &[("sure", "yes")]);
    let nobody = nobody.header(header::ORIGIN, &stranger.base);
    assert_eq!(nobody.send().expect("an answer").status(), 401);
    let by_link = browser.ask(&erase).send().expect("an answer");
    assert_eq!(by_link.status(), 405, "a link changes nothing");
    assert!(!browser.page(&case).contains("(erased)"));

    for (path, status) in [
        ("/s/default/cases/00000000-0000-0000-0000-000000000000", 404),
        ("/s/default/cases/..%2f..%2fetc%2fpasswd", 404),
        ("/s/default/questions/x", 404),
        ("/s/nowhere", 404),
        ("/s/%00", 404),
        ("/s/default/questions?only=nonsense", 404),
        ("/s/default/questions?after=many", 400),
        ("/s/default/cases?channel=%0d%0aSet-Cookie:%20a=b", 404),
        ("/s/default/cases?state=%3Cscript%3E", 404),
        ("/metrics", 404),
        ("/nowhere", 404),
    ] {
        let response = browser.ask(path).send().expect("an answer");
        assert_eq!(response.status(), status, "{path}");
        assert!(response.headers().get(header::SET_COOKIE).is_none());
        // A page of ours, which has none of it as anything but text.
        let text = response.text().expect("text");
        assert!(
            text.contains("<main") && !text.contains("<script"),
            "{path}: {text}"
        );
    }
    let long = "x".repeat(9000);
    let huge = "x".repeat(1024 * 1024);
    for (solution, status) in [(long.as_str(), 400), ("  ", 400), (huge.as_str(), 413)] {
        let form = browser.form(&format!("{case}/correct"), &[("solution", solution)]);
        let response = form.header(header::ORIGIN, &browser.base).send();
        assert_eq!(response.expect("an answer").status(), status);
    }
    owner.stop();
    place.verified();
}

#[test]
fn every_page_works_in_a_browser_without_scripts() {
    let (Some(packages), Some(browser)) = (packages(), installed_browser()) else {
        return;
    };
    let place = desk();
    a_failed_look(&place, "default");
    publish(&place, "yes");
    open(&place, "yes");
    let question = "teapot on the moon?";
    let ran = place.run_with(
        &["chat"],
        &["good morning", &format!("bob: @lore {question}")],
    );
    assert!(ran.out.contains("I know nothing"), "{}", ran.out);
    let (owner, link) = up(&place);
    person(&place, "anna", "ask,read,admin", "default");
    let pictures = place.path().join("pictures");
    let pictures = pictures.to_str().expect("UTF-8");
    let options = [
        ("--link", &*link),
        ("--question", question),
        ("--name", "anna"),
        ("--password", PASSWORD),
        ("--pictures", pictures),
        ("--browser", &browser),
    ];
    let options: Vec<&str> = options
        .iter()
        .flat_map(|(name, value)| [*name, *value])
        .collect();
    let seen = run(&packages, "pages.py", &options);
    println!("{seen:?}");
    assert_eq!(seen[0]["looks"], 296, "{seen:?}");
    owner.stop();
    place.verified();
}

/// Where a browser is; `./dev test --all` installs one.
#[expect(
    clippy::disallowed_methods,
    reason = "as ./dev sets it; it is not a setting of what is tested"
)]
pub(crate) fn installed_browser() -> Option<String> {
    let found = std::env::var("THREADLORE_BROWSER").ok();
    if found.is_none() {
        not_run("THREADLORE_BROWSER names no browser; `./dev test --all` installs one");
    }
    found
}

#[test]
fn pages_are_for_this_machine_alone() {
    let place = desk();
    for (address, why) in [
        ("0.0.0.0:0", "others could read along"),
        ("192.0.2.1:80", "others could read along"),
        ("nowhere", "invalid"),
    ] {
        let refused = place.run(&["up", "--listen", address]);
        assert!(refused.code.is_some_and(|code| code > 0), "{}", refused.err);
        assert!(refused.err.contains(why), "{}", refused.err);
    }
    let alone = place.run(&["sign-in"]);
    assert_eq!(alone.code, Some(3), "{}", alone.err);
    assert!(alone.err.contains("threadlore up"), "{}", alone.err);
    let owner = place.standalone();
    let none = place.run(&["sign-in"]);
    assert_eq!(none.code, Some(3), "{}", none.err);
    assert!(none.err.contains("api.listen"), "{}", none.err);
    owner.stop();

    let (owner, link) = up(&place);
    let address = link.trim_start_matches("http://").split('/').next();
    let other = Place::beside(&place);
    let taken = other.run(&["up", "--listen", address.expect("an address")]);
    assert_eq!(taken.code, Some(3), "{}", taken.err);
    assert!(taken.err.contains("api.listen"), "{}", taken.err);
    let is_refused = || reqwest::blocking::get(&link).is_err();
    owner.stop();
    look_until(is_refused);
}
