//! Readers of the published pages ask there, without an account and without a chat.

use reqwest::header;

use super::accounts::person;
use super::browser::{Browser, link_on};
use super::desk::{DESK, ISO, desk};
use super::pages::up;
use super::published::publish;
use super::support::{Place, look_until};

const ASK: &str = "/knowledge/default/ask";
const CHANNEL: &str = "site:help";

/// Takes questions of readers, or takes them no more.
pub(crate) fn open(place: &Place, published: &str) {
    let set = ["channel", "set", "--channel", CHANNEL, "--admin", "ops"];
    let to = ["--audience", "public", "--published", published];
    place.json(&[&set[..], &to].concat());
}

/// A browser of somebody who opened the question box.
fn reader(link: &str) -> Browser {
    let mut browser = Browser::new(link);
    let opened = browser.ask(ASK).send().expect("an answer");
    assert_eq!(opened.status(), 200);
    let cookie = browser.keep(&opened);
    for says in ["Path=/knowledge;", "HttpOnly", "SameSite=Lax"] {
        assert!(cookie.contains(says), "{cookie}");
    }
    // It is given one number, and keeps it.
    let again = browser.ask(ASK).send().expect("an answer");
    assert!(again.headers().get(header::SET_COOKIE).is_none());
    browser
}

/// Where a question is shown to who asked it.
fn asks(browser: &Browser, question: &str) -> String {
    let form = browser.page(ASK);
    let id = form.split("name=\"id\" value=\"").nth(1).expect("an id");
    let id = id.split('"').next().expect("an id");
    let fields = [("id", id), ("question", question)];
    let shown = browser.send(ASK, &fields);
    // The same form sent again is the same question.
    assert_eq!(browser.send(ASK, &fields), shown);
    shown
}

#[test]
fn who_reads_the_published_pages_asks_there_and_says_whether_it_helped() {
    let place = desk();
    publish(&place, "yes");
    {
        let (owner, link) = up(&place);
        let anybody = Browser::new(&link);
        let asked = anybody.ask(ASK).send().expect("an answer");
        assert_eq!(asked.status(), 404);
        assert!(!anybody.page("/knowledge/default").contains(ASK));
        owner.stop();
    }
    open(&place, "yes");
    let (owner, link) = up(&place);
    let inside = Browser::signed_in(&link);
    let ann = reader(&link);
    // The box is on every page for everybody.
    let listed = ann.page("/knowledge/default");
    assert!(listed.contains(ASK), "{listed}");
    let case = link_on(&listed, "/case/");
    assert!(ann.page(&case).contains(ASK));

    let shown = asks(&ann, ISO);
    let page = ann.page(&shown);
    assert!(page.contains("sudo mount -o loop image.iso /mnt"), "{page}");
    assert!(page.contains(ISO) && page.contains("noindex"), "{page}");
    // It leads to the published case, and names nobody.
    assert!(link_on(&page, "/case/").starts_with("/case/"), "{page}");
    assert!(!page.contains("bob"), "{page}");
    let rating = format!("{shown}/rating");
    let after = ann.send(&rating, &[("rating", "helped")]);
    assert_eq!(after, format!("{shown}#answer"));
    assert!(ann.page(&shown).contains("You say that it helped."));
    let ratings = "SELECT string_agg(rating, ' ') FROM lore.turn_ratings";
    assert_eq!(place.sql(ratings).as_deref(), Some("helped"));

    // Nobody else sees it, or rates it, signed in or not.
    let bob = reader(&link);
    for other in [&bob, &Browser::new(&link), &inside] {
        let looked = other.ask(&shown).send().expect("an answer");
        assert_eq!(looked.status(), 404);
        assert_eq!(other.answer(&rating, &[("rating", "failed")]).status(), 404);
    }

    // What nobody could answer is on the list of the moderators; the answer of one helps the next who asks.
    let moon = asks(&bob, "How do I brew coffee on the moon?");
    let page = bob.page(&moon);
    assert!(page.contains("sees that you were not helped"), "{page}");
    let waiting = inside.page("/s/default/questions?only=unanswered");
    let turn = link_on(&waiting, "/s/default/questions/");
    let page = inside.page(&turn);
    assert!(page.contains("coffee on the moon"), "{page}");
    let answer = [("solution", "Take a thermos flask."), ("form", "1")];
    inside.send(&format!("{turn}/answer"), &answer);
    let known = "/s/default/ask?q=How+to+brew+coffee+on+the+moon";
    look_until(|| inside.page(known).contains("thermos"));
    let moon = asks(&ann, "How to brew coffee on the moon?");
    let page = ann.page(&moon);
    assert!(page.contains("thermos"), "{page}");
    // It is a published case of the readers' channel.
    let listed = ann.page("/knowledge/default");
    assert!(listed.contains("coffee on the moon"), "{listed}");

    // Who asks to be forgotten is, there too.
    asks(&ann, "forget me");
    look_until(|| ann.page(&shown).contains("(erased)"));
    let again = ann.answer(ASK, &[("id", "again"), ("question", ISO)]);
    assert_eq!(again.status(), 400);
    assert!(
        again
            .text()
            .expect("text")
            .contains("asked to be forgotten")
    );

    owner.stop();
    open(&place, "no");
    let (owner, link) = up(&place);
    let anybody = Browser::new(&link);
    assert_eq!(anybody.ask(ASK).send().expect("an answer").status(), 404);
    owner.stop();
}

/// In the browser, without a terminal.
#[test]
fn a_moderator_lets_readers_ask_and_stops_it_with_two_clicks() {
    let place = desk();
    let (owner, link) = up(&place);
    let moderator = person(&place, "rita", "read,admin", "default");
    assert!(
        moderator
            .page("/s/default/channels")
            .contains("Let them ask")
    );
    let channel = moderator.send("/s/default/readers", &[]);
    assert!(channel.ends_with("site%3Ahelp"), "{channel}");
    // Twice is once.
    assert_eq!(moderator.send("/s/default/readers", &[]), channel);
    let channels = moderator.page("/s/default/channels");
    assert!(channels.contains(ASK) && !channels.contains("Let them ask"));
    let ann = reader(&link);
    let shown = asks(&ann, "How do I boil an egg?");
    assert!(ann.page(&shown).contains("sees that you were not helped"));
    // Who may only read lets nobody ask.
    let other = person(&place, "otto", "read", "default");
    assert_eq!(other.answer("/s/default/readers", &[]).status(), 403);

    let fields = [
        ("channel", "site:help"),
        ("mode", "questions"),
        ("audience", "public"),
    ];
    moderator.send("/s/default/channel", &fields);
    assert_eq!(ann.ask(ASK).send().expect("an answer").status(), 404);
    owner.stop();
}

#[test]
fn what_readers_send_wrongly_is_refused() {
    let place = desk();
    place.json(&["channel", "set", "--channel", DESK, "--audience", "public"]);
    open(&place, "yes");
    let (owner, link) = up(&place);
    let ann = reader(&link);
    // Nothing is published but the box.
    let listed = ann.page("/knowledge/default");
    assert!(listed.contains("Nothing is published yet"), "{listed}");
    let refused = |browser: &Browser, status: u16, words: &str, fields: &[(&str, &str)]| {
        let response = browser.answer(ASK, fields);
        assert_eq!(response.status(), status, "{fields:?}");
        let page = response.text().expect("text");
        assert!(page.contains(words), "{page}");
    };
    refused(&ann, 400, "empty", &[("id", "1"), ("question", " ")]);
    let long = "x".repeat(2001);
    refused(
        &ann,
        400,
        "2000 are allowed",
        &[("id", "1"), ("question", &long)],
    );
    refused(&ann, 400, "is empty", &[("id", ""), ("question", ISO)]);
    refused(&ann, 400, "question", &[("id", "1")]);
    // A number that is not of ours could be that of an admin.
    let mut forged = Browser::new(&link);
    for cookie in [
        "",
        "threadlore-reader=ops",
        "threadlore-reader=9999999999999.ops.AAAA",
    ] {
        cookie.clone_into(&mut forged.cookie);
        refused(
            &forged,
            400,
            "allow cookies",
            &[("id", "1"), ("question", ISO)],
        );
    }
    // A page of somebody else asks nothing.
    let foreign = ann.form(ASK, &[("id", "1"), ("question", ISO)]);
    let foreign = foreign.header(header::ORIGIN, "https://evil.example");
    assert_eq!(foreign.send().expect("an answer").status(), 403);
    // An id leads nowhere else, and what was asked is text.
    let fields = [
        ("id", "../..//evil.example/?<b>"),
        ("question", "<b>why?</b>"),
    ];
    let shown = ann.send(ASK, &fields);
    assert!(
        shown.starts_with("/knowledge/default/asked/%2E%2E"),
        "{shown}"
    );
    let page = ann.page(&shown);
    assert!(!page.contains("<b>why"), "{page}");
    let wrong = ann.answer(&format!("{shown}/rating"), &[("rating", "good")]);
    assert_eq!(wrong.status(), 400);
    // The id of somebody else's question is no way to it.
    let bob = reader(&link);
    refused(&bob, 400, "something else has that id", &fields);
    // Ten of a minute are taken.
    let asked = (0..20).map(|n| {
        let fields = [("id", &*format!("n{n}")), ("question", ISO)];
        bob.answer(ASK, &fields).status().as_u16()
    });
    let asked: Vec<u16> = asked.collect();
    let taken = asked.iter().filter(|status| **status == 303).count();
    let too_many = asked.iter().filter(|status| **status == 429).count();
    assert!(
        taken >= 9 && too_many >= 1 && taken + too_many == 20,
        "{asked:?}"
    );
    owner.stop();
}
