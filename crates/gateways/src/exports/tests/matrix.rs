use std::collections::BTreeSet;

use ruma::UserId;
use ruma::serde::Raw;
use threadlore_model::{ChannelId, EventId};

use super::*;
use crate::live::LiveChannel;
use crate::matrix::{Heard, Reader, Room};

/// A room as Element writes it, with its fields in that order.
pub(super) fn room() -> String {
    let event = |id: u64, sender: &str, kind: &str, content: Value| {
        json!({"type": kind, "event_id": format!("$e{id}:x.org"), "sender": sender, "room_id": "!abc:x.org",
               "origin_server_ts": 1_714_557_600_000_u64 + id * 1000, "content": content, "unsigned": {}})
    };
    let text = |body: &str| json!({"msgtype": "m.text", "body": body});
    let mut member = event(
        0,
        "@ann:x.org",
        "m.room.member",
        json!({"membership": "join", "displayname": "Ann"}),
    );
    member["state_key"] = json!("@ann:x.org");
    let mut answer = text("> <@ann:x.org> How?\n\nmount -o loop");
    answer["m.relates_to"] = json!({"m.in_reply_to": {"event_id": "$e1:x.org"}});
    let mut edit = text("* mount -o loop,ro");
    edit["m.new_content"] = text("mount -o loop,ro");
    edit["m.relates_to"] = json!({"rel_type": "m.replace", "event_id": "$e2:x.org"});
    let reaction =
        json!({"m.relates_to": {"rel_type": "m.annotation", "event_id": "$e2:x.org", "key": "✅"}});
    let mut redaction = event(5, "@bob:x.org", "m.room.redaction", json!({}));
    redaction["redacts"] = json!("$e2:x.org");
    let room = json!({
        "room_name": "Help", "room_creator": "@ann:x.org", "topic": "", "export_date": "1.5.2024", "exported_by": "@ann:x.org",
        "messages": [
            member,
            event(1, "@ann:x.org", "m.room.message", text("How do I mount an iso?")),
            event(2, "@bob:x.org", "m.room.message", answer),
            event(3, "@bob:x.org", "m.room.message", edit),
            event(4, "@ann:x.org", "m.reaction", reaction),
            redaction,
            {"type": "m.room.encrypted"},
        ],
    });
    let part = |name: &str| format!("{name:?}: {}", room[name]);
    let parts = [
        "room_name",
        "room_creator",
        "topic",
        "export_date",
        "exported_by",
        "messages",
    ]
    .map(part);
    format!("{{{}}}", parts.join(","))
}

#[test]
fn a_room_of_element_is_read_as_the_gateway_hears_it() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("export.json");
    fs::write(&path, room()).expect("written");
    let export = read(&path);
    assert_eq!(
        names(&export),
        ["matrix:!abc:x.org"],
        "as the gateway names the room"
    );
    let found = content(&export.chats[0]);
    let [question, answer] = &found.messages[..] else {
        panic!("two messages");
    };
    assert_eq!(question.author_name.as_deref(), Some("Ann"));
    assert_eq!(question.native_id, "$e1:x.org");
    assert_eq!(question.sent_at, at("2024-05-01T10:00:01Z"));
    assert_eq!(answer.text, "mount -o loop");
    assert_eq!(answer.reply_to.as_deref(), Some("$e1:x.org"));
    assert_eq!(found.edits, ["mount -o loop,ro"]);
    assert_eq!(found.redactions, ["$e2:x.org"]);
    assert_eq!(found.reactions[0].update_id.as_deref(), Some("$e4:x.org"));
    assert_eq!((found.system, found.skipped.len()), (2, 0));
}

/// What was heard live and is imported later is the same events.
#[test]
fn what_was_heard_live_is_not_taken_twice() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("export.json");
    fs::write(&path, room()).expect("written");
    let target = Target {
        space: SpaceId::parse("s").expect("a space"),
        channel: ChannelId::parse("matrix:!abc:x.org").expect("a channel"),
        bots: Bots::default(),
    };
    let mut live = Room::new(LiveChannel {
        space: target.space.clone(),
        channel: target.channel.clone(),
    });
    let reader = Reader {
        bots: &Bots::default(),
        admins: &[],
        own: <&UserId>::try_from("@lore:x.org").expect("a user"),
        now: at("2026-01-01T00:00:00Z"),
    };
    let whole: Value = serde_json::from_str(&room()).expect("JSON");
    let events = whole["messages"].as_array().expect("a list").iter();
    let heard = events.filter_map(|event| {
        let raw = serde_json::value::to_raw_value(event).expect("JSON");
        match live.read(&Raw::from_json(raw), &reader)? {
            Heard::Event(event) => Some(event.envelope.id),
            _ => None,
        }
    });
    let heard: BTreeSet<EventId> = heard.collect();
    let input = read(&path).chats[0].input().reader;
    let now = at("2026-01-01T00:00:00Z");
    let lines = Source::json_lines(input, target, now, Some(TimeZone::UTC));
    let taken = lines.filter_map(|item| match item.expect("read").parsed {
        Parsed::Event(event) => Some(event.envelope.id),
        _ => None,
    });
    let taken: BTreeSet<EventId> = taken.collect();
    assert_eq!(
        heard.len(),
        5,
        "two messages, an edit, a reaction, a redaction"
    );
    assert_eq!(heard, taken);
}
