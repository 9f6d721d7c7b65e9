//! What the bot is told to remember it tells again, to whom it may, until it is to forget it.

use reqwest::Method;
use reqwest::header;
use serde_json::json;
use threadlore_model::Timestamp;
use threadlore_testkit::{ModelDouble, Reply};

use super::api::{Served, with};
use super::browser::Browser;
use super::desk::{DESK, desk};
use super::pages::up;
use super::reading::talk_with;
use super::support::{Place, look_until};

/// A place where the bot may say as much as it likes.
fn talkative() -> Place {
    let place = desk();
    let limits = "[responder]\nanswers_per_minute = 1000\nanswers_per_day = 1000000\n";
    place.file("threadlore.toml", limits);
    place
}

/// What the bot says in a room to these lines, one after the other.
fn said(place: &Place, lines: &[&str]) -> Vec<String> {
    let ran = place.run_with(&["chat"], lines);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let said = ran.out.split("<lore> ").skip(1);
    said.map(|text| text.trim().to_owned()).collect()
}

/// What it says to one line.
fn reply(place: &Place, line: &str) -> String {
    let said = said(place, &[line]);
    assert_eq!(said.len(), 1, "{line}: {said:?}");
    said.into_iter().next().unwrap_or_default()
}

#[test]
fn what_it_is_told_it_tells_to_whom_it_may_until_it_is_to_forget_it() {
    let place = talkative();
    // The first speaker is the admin of the room.
    let told = said(
        &place,
        &[
            "good morning",
            "@lore remember that we deploy on Fridays",
            "bob: @lore remember that my node is 7.6",
            "bob: @lore remember that lunch is at noon",
            "bob: @lore запомни, что мой токен ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        ],
    );
    assert!(told[0].contains("tell it to everybody"), "{told:?}");
    assert!(told[1].contains("nobody but you"), "{told:?}");
    assert!(told[2].contains("Only an admin"), "{told:?}");
    assert!(told[3].contains("Похоже, здесь ключ или токен"), "{told:?}");

    let node = "@lore what version is my node?";
    let own = reply(&place, &format!("bob: {node}"));
    assert!(
        own.contains("You told me on ") && own.contains("my node is 7.6"),
        "{own}"
    );
    let others = reply(&place, &format!("eve: {node}"));
    assert!(!others.contains("7.6"), "{others}");
    let deploy = "eve: @lore when do we deploy?";
    let said_deploy = reply(&place, deploy);
    assert!(
        said_deploy.contains("told me on ") && said_deploy.contains("we deploy on Fridays"),
        "{said_deploy}"
    );
    let about = reply(&place, "bob: @lore what do you know about me?");
    assert!(
        about.contains("- my node is 7.6") && !about.contains("Fridays"),
        "{about}"
    );

    let owner = place.standalone();
    let listed = place.json(&["memory", "list"]);
    assert_eq!(listed["fitting"], 2, "{listed}");
    let texts: Vec<&str> = listed["memories"]
        .as_array()
        .expect("memories")
        .iter()
        .map(|one| one["text"].as_str().expect("a text"))
        .collect();
    assert_eq!(texts, ["my node is 7.6", "we deploy on Fridays"]);
    let node_memory = &listed["memories"][0];
    assert_eq!(
        (&node_memory["home"], &node_memory["told"]),
        (&"person".into(), &1.into())
    );
    let id = node_memory["memory"].as_str().expect("an id");
    let shown = place.run(&["memory", "show", id]);
    assert!(
        shown.out.contains("said by bob in console:room"),
        "{}",
        shown.out
    );
    // An answer says what it quotes.
    let ask = place.json(&["ask", "when do we deploy?"]);
    assert_eq!(ask["memory"], listed["memories"][1]["memory"], "{ask}");
    let answers = place.json(&["answers", "list"]);
    let deployed = &answers["questions"][0];
    let turn = deployed["turn"].as_str().expect("an id");
    let why = place.json(&["answers", "why", turn]);
    assert_eq!(why["answer"]["memory"], ask["memory"], "{why}");
    owner.stop();
    place.verified();

    // Who said nothing about others may not have it forgotten, and who said it may.
    let refused = said(&place, &[deploy, "eve: @lore forget this"]);
    assert!(refused[1].contains("Only an admin"), "{refused:?}");
    let forgotten = reply(&place, "bob: @lore forget that my node is 7.6");
    // What it said of it may be taken back before the room is closed, or after it.
    assert!(forgotten.starts_with("bob: Forgotten."), "{forgotten}");
    let gone = reply(&place, &format!("bob: {node}"));
    assert!(!gone.contains("7.6"), "{gone}");
    let owner = place.standalone();
    let shown = place.json(&["memory", "show", id]);
    assert!(
        shown["text"].is_null() && shown["erased_at"].is_string(),
        "{shown}"
    );
    owner.stop();
    place.verified();
}

#[test]
fn an_operator_adds_and_forgets_and_erasing_a_person_erases_what_they_had_remembered() {
    let place = desk();
    said(
        &place,
        &[
            "bob: good morning",
            "bob: @lore remember that my phone is a Fairphone",
        ],
    );
    let long = place.run(&[
        "memory",
        "add",
        &"x".repeat(501),
        "--channel",
        "console:room",
    ]);
    assert_eq!(long.code, Some(3), "{}", long.err);
    assert!(long.err.contains("500 characters at most"), "{}", long.err);
    let nowhere = ["memory", "add", "we meet at noon", "--channel", "irc:#typo"];
    let nowhere = place.run(&nowhere);
    let there_is_none = "there is no channel irc:#typo";
    assert!(nowhere.err.contains(there_is_none), "{}", nowhere.err);
    let card = [
        "memory",
        "add",
        "card 4111 1111 1111 1111",
        "--channel",
        "console:room",
    ];
    let card = place.run(&card);
    assert!(card.err.contains("a card number"), "{}", card.err);
    let added = place.json(&[
        "memory",
        "add",
        "the wiki moved to wiki.example.org",
        "--channel",
        "console:room",
    ]);
    let id = added["memory"].as_str().expect("an id");
    let ask = place.json(&["ask", "where is the wiki?"]);
    assert!(
        ask["answer"]
            .as_str()
            .is_some_and(|text| text.contains("I was told on ")),
        "{ask}"
    );
    let forgotten = place.json(&["memory", "forget", id]);
    assert!(forgotten["erased_at"].is_string(), "{forgotten}");
    let unknown = place.run(&["memory", "show", "00000000-0000-0000-0000-000000000001"]);
    assert_eq!(unknown.code, Some(3), "{}", unknown.err);

    let erased = place.json(&["erase", "--person", "console:bob"]);
    assert_eq!(erased["memories"], 1, "{erased}");
    let listed = place.json(&["memory", "list", "--all"]);
    let memories = listed["memories"].as_array().expect("memories");
    assert_eq!(memories.len(), 2, "{listed}");
    assert!(memories.iter().all(|one| one["text"].is_null()), "{listed}");
    place.verified();
}

#[test]
fn what_everybody_is_told_is_said_otherwise_and_brought_back() {
    let place = talkative();
    said(
        &place,
        &[
            "good morning",
            "@lore remember that we deploy on Fridays",
            "bob: @lore remember that my node is 7.6",
        ],
    );
    let owner = place.standalone();
    let told = |tier: &str| {
        let listed = place.json(&["memory", "list", "--tier", tier]);
        listed["memories"].as_array().expect("a list").clone()
    };
    let id = |one: &serde_json::Value| one["memory"].as_str().expect("an id").to_owned();
    let all = told("memory_bank");
    let of_home = |home: &str| all.iter().find(|one| one["home"] == home).expect("one");
    let (first, theirs) = (id(of_home("bank")), id(of_home("person")));
    let refused = |args: &[&str], reason: &str| {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(3), "{}", ran.err);
        assert!(ran.err.contains(reason), "{}", ran.err);
    };
    refused(
        &["memory", "change", &theirs, "--text", "x"],
        "only they say it otherwise",
    );
    refused(&["memory", "restore", &first], "nothing to bring back");
    let key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    refused(
        &["memory", "change", &first, "--text", key],
        "a key or a token",
    );

    let text = "a release goes out with each merge";
    let change = [
        "memory", "change", &first, "--text", text, "--always", "yes",
    ];
    let changed = place.json(&change);
    assert_eq!(
        (&changed["text"], &changed["always"]),
        (&text.into(), &true.into())
    );
    // The words are no message's any more.
    assert_eq!(changed["message"], serde_json::Value::Null);
    let second = id(&changed);
    let shown = place.run(&["memory", "show", &second]).out;
    assert!(shown.contains("it was: we deploy on Fridays"), "{shown}");
    refused(
        &["memory", "change", &first, "--always", "no"],
        "bring it back first",
    );

    let back = place.json(&["memory", "restore", &first]);
    assert_eq!(back["text"], "we deploy on Fridays");
    assert_ne!(back["message"], serde_json::Value::Null);
    let now: Vec<String> = told("memory_bank").iter().map(id).collect();
    assert!(
        now.contains(&id(&back)) && !now.contains(&second),
        "{now:?}"
    );
    let by = "SELECT string_agg(text, ' ' ORDER BY said_at) FROM lore.memories \
              WHERE home = 'bank' AND archived_at IS NOT NULL";
    assert_eq!(
        place.sql(by).expect("a row").trim(),
        format!("we deploy on Fridays {text}")
    );
    owner.stop();
    place.verified();
}

#[test]
fn a_long_memory_has_pages() {
    let place = talkative();
    said(&place, &["good morning"]);
    let (owner, link) = up(&place);
    for n in 0..52 {
        let text = format!("room {n} has a projector");
        place.json(&["memory", "add", &text, "--channel", DESK]);
    }
    let browser = Browser::signed_in(&link);
    let list = "/s/default/memories";
    let link = |page: &str, shown: &str| {
        let (before, _) = page.split_once(&format!("\">{shown}</a>"))?;
        let (_, to) = before.rsplit_once("href=\"")?;
        Some(to.replace("&amp;", "&"))
    };
    let first = browser.page(list);
    assert!(first.contains("50 of 52."), "{first}");
    assert!(first.contains("room 51 has") && !first.contains("room 1 has"));
    let next = link(&first, "The next ones").expect("a link");
    let second = browser.page(&next);
    assert!(second.contains("2 of 52."), "{second}");
    assert!(second.contains("room 1 has") && second.contains("room 0 has"));
    assert!(!second.contains("room 2 has"));
    assert_eq!(link(&second, "The next ones"), None);
    let back = link(&second, "The first ones").expect("a link");
    assert!(browser.page(&back).contains("room 51 has"));
    owner.stop();
}

#[test]
fn a_moderator_says_it_otherwise_and_brings_it_back_in_the_browser() {
    let place = talkative();
    said(
        &place,
        &["good morning", "@lore remember that we deploy on Fridays"],
    );
    let (owner, link) = up(&place);
    let browser = Browser::signed_in(&link);
    let list = "/s/default/memories";
    let form = |page: &str, end: &str| {
        let mut all = page
            .split("action=\"")
            .filter_map(|rest| rest.split('"').next());
        let found = all.find(|to| to.ends_with(end)).expect("a form");
        found.to_owned()
    };
    let page = browser.page(list);
    assert!(!page.contains("What is told no more"), "{page}");
    let words = [
        ("text", "a release goes out with each merge"),
        ("always", "yes"),
    ];
    assert_eq!(browser.send(&form(&page, "/words"), &words), list);
    let page = browser.page(list);
    let (told, gone) = page
        .split_once("What is told no more")
        .expect("the earlier words");
    assert!(
        told.contains("a release goes out with each merge"),
        "{page}"
    );
    assert!(
        told.contains("a model knows it with every question"),
        "{page}"
    );
    assert!(gone.contains("we deploy on Fridays"), "{page}");
    assert_eq!(browser.send(&form(&page, "/restore"), &[]), list);
    let page = browser.page(list);
    let (told, gone) = page
        .split_once("What is told no more")
        .expect("the earlier words");
    assert!(told.contains("we deploy on Fridays"), "{page}");
    assert!(gone.contains("a release goes out"), "{page}");

    // In words that everybody is told already nothing would come of it, so it is refused at once.
    let (_, channel) = page.split_once("<option value=\"").expect("a channel");
    let (channel, _) = channel.split_once('"').expect("its end");
    let wiki = [("text", "the wiki moved"), ("channel", channel)];
    assert_eq!(browser.send(list, &wiki), list);
    let page = browser.page(list);
    let newest = form(&page, "/words");
    let same = browser.form(&newest, &[("text", " we deploy on Fridays ")]);
    let same = same.header(header::ORIGIN, &browser.base).send();
    let same = same.expect("an answer");
    assert_eq!(same.status(), 400);
    let said = same.text().expect("text");
    assert!(said.contains("another memory says exactly that"), "{said}");
    // Its own words are no others.
    let own = [("text", "the wiki moved"), ("always", "yes")];
    assert_eq!(browser.send(&newest, &own), list);
    owner.stop();
}

/// A model finds what people say of themselves, in their words, and only they are told it.
#[test]
fn a_model_finds_what_people_say_of_themselves() {
    let place = talkative();
    let double = ModelDouble::start(|asked| {
        if asked.format() != "noting" {
            return Reply::json(&json!({ "case": 0, "lines": [], "answer": "" }));
        }
        let shown = asked.messages()[1].to_owned();
        let texts: &[&str] = match () {
            () if shown.contains("my node is 7.6") => &["my node is 7.6"],
            () if shown.contains("my key is") => {
                &["my key is ghp_16C7e42F292c6912E7710c838347Ae178B4a"]
            }
            () => &["I run everything"],
        };
        let facts = texts
            .iter()
            .map(|text| json!({ "text": text, "confidence": 0.9 }));
        Reply::json(&json!({ "facts": facts.collect::<Vec<_>>() }))
    });
    let double = double.expect("a free port");
    let url = format!("http://{}/v1", double.address());
    let talk = |line: &str, facts: &str| talk_with(&place, &url, ("FACTS", facts), line);
    let about = "bob: @lore what do you know about me?";
    talk("bob: just so you know, my node is 7.6 here", "false");
    assert!(!talk(about, "false").contains("7.6"));
    talk("bob: just so you know, my node is 7.6 here", "true");
    let said = talk(about, "true");
    assert!(said.contains("- my node is 7.6 ("), "{said}");
    assert!(!talk("eve: @lore what do you know about me?", "true").contains("7.6"));
    // What nobody said, and what has a secret, is not kept.
    talk("bob: by the way I love this room", "true");
    talk(
        "bob: hm, my key is ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "true",
    );
    let owner = place.standalone();
    let listed = place.json(&["memory", "list"]);
    assert_eq!(listed["fitting"], 1, "{listed}");
    owner.stop();
    place.verified();
}

/// What a model found in a message goes with it, though nobody told the bot to remember it.
#[test]
fn a_deleted_message_takes_along_what_a_model_found_in_it() {
    let place = desk();
    let set = place.run(&["channel", "set", "--channel", DESK, "--admin", "ann"]);
    assert_eq!(set.code, Some(0), "{}", set.err);
    let double = ModelDouble::start(|_| {
        Reply::json(&json!({ "facts": [{ "text": "my node is 7.6", "confidence": 0.9 }] }))
    });
    let double = double.expect("a free port");
    let url = format!("http://{}/v1", double.address());
    let settings = [
        ("THREADLORE__ANSWER__READER", "openai"),
        ("THREADLORE__ANSWER__FACTS", "true"),
        ("THREADLORE__OPENAI__BASE_URL", &url),
        ("THREADLORE__OPENAI__MODEL", "double"),
    ];
    let served = Served::on(place, &settings);
    let token = served.token("default", "ingest,read,admin");
    let to = format!("/spaces/default/messages?channel={DESK}");
    let now = || {
        let since = std::time::UNIX_EPOCH.elapsed().expect("a clock");
        let millis = i64::try_from(since.as_millis()).expect("a time");
        Timestamp::from_millis(millis).to_string()
    };
    let message = json!({
        "type": "message", "id": "901", "author": "zoe", "at": now(),
        "text": "just so you know, my node is 7.6 here",
    });
    with(202, served.send(Method::POST, &to, &token, &message));
    let told = || {
        let listed = with(200, served.get("/spaces/default/memories", &token));
        listed["memories"].to_string()
    };
    look_until(|| told().contains("my node is 7.6"));
    let deleted = json!({ "type": "redaction", "id": "901", "at": now() });
    with(202, served.send(Method::POST, &to, &token, &deleted));
    look_until(|| !told().contains("my node is 7.6"));
}
