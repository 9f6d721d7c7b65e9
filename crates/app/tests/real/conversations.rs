//! What was said in a channel, as programs and people read it.

use serde_json::{Value, json};
use threadlore_model::{ChannelId, MessageId, SpaceId};

use super::api::{Served, problem, with};
use super::browser::{Browser, link_on};
use super::desk::{ISO, desk};
use super::pages::up;
use super::support::Place;

/// Three conversations of one minute, each line with the number of the one that it answers.
const MINUTE: [(&str, &str, Option<usize>); 7] = [
    ("ann", "how do I mount an iso image?", None),
    (
        "cid",
        "my wifi card vanishes after suspend, what can I do?",
        None,
    ),
    ("bob", "ann: sudo mount -o loop image.iso /mnt", Some(0)),
    ("dan", "cid: unload the driver before suspend", Some(1)),
    ("ann", "bob: thanks, that works!", Some(2)),
    ("cid", "dan: which driver is it?", Some(3)),
    ("ann", "bob: thanks, that works!", Some(2)),
];

fn texts(messages: &[Value]) -> Vec<&str> {
    let texts = messages.iter().map(|one| one["text"].as_str());
    texts.map(Option::unwrap_or_default).collect()
}

#[test]
fn a_channel_is_read_in_the_order_in_which_it_was_said() {
    let place = Place::new();
    let lines = MINUTE.map(|(nick, text, _)| format!("[10:05] <{nick}> {text}\n"));
    place.file("help.log", lines.concat());
    let import = [
        "import",
        "help.log",
        "--channel",
        "irc:#help",
        "--date",
        "2024-05-01",
    ];
    place.json(&import);
    // Numbers as ids, of which none is at another moment.
    let numbered = |id: u32| {
        let text = format!("line {id}");
        json!({ "type": "message", "id": id.to_string(), "author": "ann", "text": text, "at": "2024-05-01T10:00:00Z" })
    };
    let numbered: Vec<String> = (8..=12).map(|id| numbered(id).to_string()).collect();
    place.file("forum.jsonl", numbered.join("\n"));
    place.json(&["import", "forum.jsonl", "--channel", "forum:a"]);
    let served = Served::on(place, &[]);
    let token = served.token("default", "read");
    // The pages, the latest first, have each message once.
    let all_of = |channel: &str, limit: u32| -> Vec<Value> {
        let first = format!("/spaces/default/messages?channel={channel}&limit={limit}");
        let (mut all, mut path) = (Vec::new(), first.clone());
        loop {
            let page = with(200, served.get(&path, &token));
            let messages = page["messages"].as_array().expect("a list");
            assert!(messages.len() <= limit as usize, "{page}");
            all.extend(messages.iter().cloned());
            let Some(next) = page["next"].as_str() else {
                all.reverse();
                return all;
            };
            path = format!("{first}&after={next}");
        }
    };
    for limit in [2, 7, 50] {
        let messages = all_of("irc:%23help", limit);
        let said = MINUTE.map(|(_, text, _)| text);
        assert_eq!(texts(&messages), said, "{limit}");
        assert!(messages.iter().all(|one| {
            one["at"]
                .as_str()
                .is_some_and(|at| at.starts_with("2024-05-01T10:05:00"))
        }));
        // Messages before those of a page say what they answer, however short the page is.
        for (at, (.., answers)) in MINUTE.iter().enumerate() {
            let answered =
                answers.map_or(Value::Null, |earlier| messages[earlier]["message"].clone());
            assert_eq!(messages[at]["answers"], answered, "{at}: {}", messages[at]);
        }
    }
    let messages = all_of("irc:%23help", 50);
    assert_eq!(messages[6]["conversation"], messages[0]["message"]);
    assert_eq!(messages[5]["conversation"], messages[1]["message"]);
    let parts: Vec<&Value> = [0, 2]
        .iter()
        .map(|at: &usize| &messages[*at]["cases"][0]["part"])
        .collect();
    assert_eq!(parts, ["problem", "solution"]);
    assert_eq!(
        messages[0]["cases"][0]["case"],
        messages[2]["cases"][0]["case"]
    );
    let numbers = all_of("forum:a", 2);
    assert_eq!(
        texts(&numbers),
        ["line 8", "line 9", "line 10", "line 11", "line 12"]
    );
    let get = |query: &str| served.get(&format!("/spaces/default/messages?{query}"), &token);
    problem(404, "no channel", get("channel=irc:%23other"));
    problem(400, "channel", get("limit=5"));
    problem(400, "`after` names nothing", get("channel=forum:a&after=x"));
    problem(400, "`limit` is 0", get("channel=forum:a&limit=0"));
}

#[test]
fn conversations_of_a_channel_are_seen_in_the_browser() {
    let place = desk();
    let line = |id: u32| {
        let at = format!("2024-05-01T10:{:02}:{:02}Z", id / 60, id % 60);
        let text = format!("line {id}.");
        json!({ "type": "message", "id": id.to_string(), "author": "ann", "text": text, "at": at })
            .to_string()
    };
    let lines: Vec<String> = (0..200).map(line).collect();
    place.file("long.jsonl", lines.join("\n"));
    place.json(&["import", "long.jsonl", "--channel", "chat:long"]);
    let (owner, link) = up(&place);
    let browser = Browser::signed_in(&link);
    let channel = browser.page("/s/default/channel?name=chat%3Adesk");
    let talk = link_on(&channel, "/s/default/messages?channel=");
    let page = browser.page(&talk);
    assert!(
        page.contains(ISO) && page.contains("thanks bob, that works!"),
        "{page}"
    );
    assert!(
        page.find(ISO) < page.find("that works!"),
        "the first one is above"
    );
    assert!(
        page.contains("lane0 below own") && page.contains("lane0 above own"),
        "{page}"
    );
    let case = link_on(&page, "/s/default/cases/");
    assert!(browser.page(&case).contains("loop image.iso"));
    // From a case and from a question one comes to what was said around it.
    let around = link_on(&browser.page(&case), "/s/default/messages?channel=");
    let (there, anchor) = around.split_once('#').expect("an anchor");
    let there = browser.page(&there.replace("&amp;", "&"));
    assert!(
        there.contains(&format!("id=\"{anchor}\"")),
        "{around}: {there}"
    );
    assert!(
        there.contains(ISO) && there.contains("wifi card"),
        "{there}"
    );
    let (space, channel) = (SpaceId::parse("default"), ChannelId::parse("chat:long"));
    let (space, channel) = (space.expect("a space"), channel.expect("a channel"));
    let id = |line: u32| MessageId::of_native(&space, &channel, &line.to_string());
    let shown = |line: u32| {
        browser.page(&format!(
            "/s/default/messages?channel=chat%3Along&at={}",
            id(line)
        ))
    };
    let middle = shown(100);
    for (line, is_there) in [
        (75, false),
        (76, true),
        (100, true),
        (125, true),
        (126, false),
    ] {
        assert_eq!(
            middle.contains(&format!(">line {line}.<")),
            is_there,
            "{line}: {middle}"
        );
    }
    assert!(shown(199).contains(">line 199.<") && shown(0).contains(">line 0.<"));
    let asks = |path: &str| browser.ask(path).send().expect("an answer").status();
    assert_eq!(asks("/s/default/messages?channel=chat%3Aother"), 404);
    assert_eq!(asks("/s/default/messages"), 404);
    assert_eq!(asks(&format!("{talk}&after=x")), 400);
    owner.stop();
}
