mod github;
mod hostile;
mod mail;
mod matrix;
mod slack;
mod whatsapp;
mod zulip;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use jiff::tz::TimeZone;
use serde_json::{Value, json};
use threadlore_model::{Body, PlatformMessage, PlatformReaction, SpaceId, Timestamp};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::*;
use crate::bots::Bots;
use crate::parsed::{Parsed, SkipReason};
use crate::source::Source;
use crate::target::Target;

/// What is in a chat of an export.
#[derive(Default)]
struct Content {
    messages: Vec<PlatformMessage>,
    reactions: Vec<PlatformReaction>,
    /// Their new texts.
    edits: Vec<String>,
    /// What was taken back.
    redactions: Vec<String>,
    system: u64,
    skipped: Vec<SkipReason>,
}

fn content(chat: &ExportChat) -> Content {
    let target = Target {
        space: SpaceId::parse("s").expect("a space"),
        channel: chat.channel.clone(),
        bots: Bots::parse("").expect("no names"),
    };
    let now: Timestamp = "2026-01-01T00:00:00Z".parse().expect("a time");
    let mut content = Content::default();
    // As an import of an export reads it that names no zone.
    for item in Source::json_lines(chat.input().reader, target, now, Some(TimeZone::UTC)) {
        match item.expect("read").parsed {
            Parsed::Event(event) => match event.body {
                Body::PlatformMessage(message) => content.messages.push(message),
                Body::PlatformReaction(reaction) => content.reactions.push(reaction),
                Body::PlatformEdit(edit) => content.edits.push(edit.text),
                Body::PlatformRedaction(one) => content.redactions.push(one.native_id),
                other => panic!("{other:?}"),
            },
            Parsed::Admins(_) => content.system += 1,
            Parsed::Skip(skip) => content.skipped.push(skip.reason),
            other => panic!("{other:?}"),
        }
    }
    content
}

fn read(path: &Path) -> Export {
    assert!(is_export(path).expect("can be looked at"), "{path:?}");
    export(path).expect("an export").expect("of a platform")
}

fn refused(path: &Path) -> String {
    export(path).expect_err("refused").to_string()
}

fn names(export: &Export) -> Vec<&str> {
    export
        .chats
        .iter()
        .map(|chat| chat.channel.as_str())
        .collect()
}

fn at(time: &str) -> Timestamp {
    time.parse().expect("a time")
}

/// A chat as it is written: with what it is before its messages.
fn written(chat: &Value) -> String {
    let part = |name: &str| serde_json::to_string_pretty(&chat[name]).expect("JSON");
    let parts = ["name", "type", "id", "messages"].map(|name| format!(" {name:?}: {}", part(name)));
    format!("{{\n{}\n}}", parts.join(",\n"))
}

/// A group as Telegram Desktop writes it, two hours east of UTC.
fn group() -> Value {
    json!({
        "name": "Help / desk", "type": "public_supergroup", "id": 77, "messages": [
            {"id": 1, "type": "service", "date": "2024-05-01T12:00:00", "date_unixtime": "1714557600",
             "actor": "Ann", "actor_id": "user17", "action": "create_group"},
            {"id": 2, "type": "message", "date": "2024-05-01T12:01:00", "date_unixtime": "1714557660",
             "from": "Ann", "from_id": "user17", "text": "How do I mount an iso?", "text_entities": []},
            {"id": 3, "type": "message", "date": "2024-05-01T12:02:00", "date_unixtime": "1714557720",
             "edited": "2024-05-01T12:03:00", "edited_unixtime": "1714557780",
             "from": "Bob", "from_id": "user4", "reply_to_message_id": 2,
             "text": [{"type": "mention_name", "text": "Ann", "user_id": 17}, ", run ",
                      {"type": "code", "text": "mount -o loop"}, " as root"],
             "reactions": [
                {"type": "emoji", "count": 3, "emoji": "👍", "recent": [
                    {"from": "Ann", "from_id": "user17", "date": "2024-05-01T12:05:00"}]},
                {"type": "custom_emoji", "count": 1, "document_id": "x"},
                {"type": "paid", "count": 1}]},
            {"id": 4, "type": "message", "date": "2024-05-01T12:06:00", "date_unixtime": "1714557960",
             "from": "Ann", "from_id": "user17", "text": "", "photo": "photos/1.jpg", "width": 10},
            {"id": 5, "type": "message", "date": "2024-05-01T12:07:00", "date_unixtime": "1714558020",
             "from": "Ann", "from_id": "user17", "text": "", "file": "stickers/1.webp",
             "media_type": "sticker", "sticker_emoji": "🎉"},
            {"id": 6, "type": "message", "date": "2024-05-01T12:08:00", "date_unixtime": "1714558080",
             "from": "Bob", "from_id": "user4", "text": "the log", "file": "files/dmesg.txt",
             "file_name": "dmesg.txt", "file_size": 2345, "mime_type": "text/plain"},
            {"id": 7, "type": "message", "date": "2024-05-01T12:09:00", "date_unixtime": "1714558140",
             "from": null, "from_id": "user99", "text": "from a deleted account"},
            {"id": 8, "type": "message", "date": "2024-05-01T12:10:00",
             "from": "Bob", "from_id": 4, "text": "of an old version"},
            {"id": 9, "type": "message", "date": "some day", "from": "Bob", "from_id": "user4", "text": "when?"},
            {"id": 10, "type": "message", "date": "2024-05-01T12:11:00", "from": "Bob", "text": "who?"},
            {"id": 11, "type": "message", "date": "2024-05-01T12:12:00", "date_unixtime": "1714558320",
             "from": "Bob", "from_id": "user4", "text": ""},
            {"id": 12, "type": "message", "date": "2024-05-01T12:13:00", "date_unixtime": "1714558380",
             "from": "Bob", "from_id": "user4", "text": "",
             "poll": {"question": "Which shell?", "closed": false, "answers": []}},
            "not a message",
        ]
    })
}

#[test]
fn a_group_of_telegram_is_read_with_replies_reactions_and_files() {
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("result.json"), written(&group())).expect("written");
    // The folder is what the program makes.
    let export = read(dir.path());
    assert_eq!(
        (export.name, names(&export)),
        ("Telegram", vec!["telegram:Help-desk"])
    );
    assert_eq!(export.chats[0].messages, 11);
    let Content {
        messages,
        reactions,
        system,
        skipped,
        ..
    } = content(&export.chats[0]);
    let texts: Vec<&str> = messages.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "How do I mount an iso?",
            "Ann, run mount -o loop as root",
            "[file: photo]",
            "🎉",
            "[file: dmesg.txt, text/plain, 2 kB]\nthe log",
            "from a deleted account",
            "of an old version",
            "Which shell?"
        ]
    );
    assert_eq!(system, 1);
    let unread = [
        SkipReason::BadTime,
        SkipReason::NotOfFormat,
        SkipReason::NoText,
        SkipReason::NotOfFormat,
    ];
    assert_eq!(skipped, unread);
    let answer = &messages[1];
    assert_eq!(answer.native_id, "3");
    assert_eq!(answer.reply_to.as_deref(), Some("2"));
    assert_eq!(answer.mentions, ["user17"]);
    assert_eq!(
        (answer.author_id.as_str(), answer.author_name.as_deref()),
        ("user4", Some("Bob"))
    );
    assert_eq!(answer.sent_at, at("2024-05-01T10:02:00Z"));
    assert_eq!(messages[5].author_name, None);
    assert_eq!(messages[6].author_id, "4");
    assert_eq!(
        messages[6].sent_at,
        at("2024-05-01T12:10:00Z"),
        "no zone is known"
    );
    assert_eq!(reactions.len(), 1);
    assert_eq!(
        (
            reactions[0].native_id.as_str(),
            reactions[0].author_id.as_str()
        ),
        ("3", "user17")
    );
    // By the clock of whoever exported, which the message shows.
    assert_eq!(reactions[0].at, at("2024-05-01T10:05:00Z"));
}

#[test]
fn of_an_account_only_what_many_can_read_is_taken() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut private = group();
    private["type"] = json!("personal_chat");
    private["name"] = json!("Carl");
    let mut same_name = group();
    same_name["id"] = json!(78);
    let mut nameless = group();
    nameless["name"] = Value::Null;
    let account = json!({
        "about": "Here is the data you requested.",
        "personal_information": {"user_id": 17},
        "chats": {"about": "…", "list": [group(), private, same_name, nameless]},
        "left_chats": {"about": "…", "list": [{"name": "Empty", "type": "private_group", "id": 5, "messages": []}]},
    });
    let path = dir.path().join("all.json");
    fs::write(&path, account.to_string()).expect("written");
    let export = read(&path);
    assert_eq!(
        names(&export),
        ["telegram:Help-desk", "telegram:Help-desk-2", "telegram:77"]
    );
    assert_eq!(export.left_out, ["Carl"]);
    for chat in &export.chats {
        assert_eq!(content(chat).messages.len(), 8);
    }
    // Exported alone, it is what somebody wants.
    let mut alone = group();
    alone["type"] = json!("personal_chat");
    fs::write(&path, alone.to_string()).expect("written");
    assert_eq!(read(&path).chats.len(), 1);
}

/// A channel as DiscordChatExporter writes it.
fn discord(id: &str, kind: &str, name: &str) -> Value {
    let ann = json!({"id": "17", "name": "ann", "discriminator": "0000", "nickname": "Ann", "isBot": false});
    let bot = json!({"id": "9", "name": "helper", "nickname": null, "isBot": true});
    json!({
        "guild": {"id": "1", "name": "G", "iconUrl": ""},
        "channel": {"id": id, "type": kind, "categoryId": "2", "category": "Help", "name": name, "topic": null},
        "dateRange": {"after": null, "before": null}, "exportedAt": "2024-06-01T00:00:00+00:00",
        "messages": [
            {"id": "100", "type": "GuildMemberJoin", "timestamp": "2024-05-01T11:00:00+00:00", "content": "Joined.", "author": ann},
            {"id": "101", "type": "Default", "timestamp": "2024-05-01T14:00:00.5+02:00", "timestampEdited": null,
             "isPinned": false, "content": "How do I mount an iso?", "author": ann, "attachments":
                [{"id": "5", "url": "https://x", "fileName": "a.log", "fileSizeBytes": 12}],
             "embeds": [], "stickers": [], "reactions": [], "mentions": []},
            {"id": "102", "type": "Reply", "timestamp": "2024-05-01T12:01:00+00:00", "content": "mount -o loop",
             "author": bot, "attachments": [], "stickers": [],
             "reactions": [{"emoji": {"id": "", "name": "✅", "code": "white_check_mark"}, "count": 2, "users": [ann]}],
             "mentions": [ann], "reference": {"messageId": "101", "channelId": id, "guildId": "1"}},
            {"id": "103", "type": "Default", "timestamp": "2024-05-01T12:02:00+00:00", "content": "",
             "author": ann, "stickers": [{"id": "1", "name": "Wave"}]},
            {"id": "104", "type": "Default", "timestamp": "2024-05-01T12:03:00+00:00", "content": "who?"},
        ],
        "messageCount": 5
    })
}

#[test]
fn channels_of_discord_are_read_from_a_file_and_from_a_folder() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("G - Help - iso [7].json");
    fs::write(&path, discord("7", "GuildTextChat", "iso").to_string()).expect("written");
    let export = read(&path);
    assert_eq!(names(&export), ["discord:#iso"]);
    let found = content(&export.chats[0]);
    assert_eq!((found.messages.len(), found.system), (3, 1));
    assert_eq!(found.skipped, [SkipReason::NotOfFormat]);
    let [question, answer, sticker] = &found.messages[..] else {
        panic!("three messages");
    };
    assert_eq!(
        question.text,
        "[file: a.log, 12 bytes]\nHow do I mount an iso?"
    );
    assert_eq!(question.sent_at, at("2024-05-01T12:00:00.5Z"));
    assert_eq!(question.author_name.as_deref(), Some("Ann"));
    assert!(answer.author_is_bot && answer.author_name.as_deref() == Some("helper"));
    assert_eq!(answer.reply_to.as_deref(), Some("101"));
    assert_eq!(answer.mentions, ["17"]);
    assert_eq!(sticker.text, "Wave");
    assert_eq!(found.reactions.len(), 1);
    assert_eq!(
        (found.reactions[0].emoji.as_str(), found.reactions[0].at),
        ("✅", answer.sent_at)
    );

    let other = dir.path().join("other.json");
    fs::write(&other, discord("8", "GuildPublicThread", "iso").to_string()).expect("written");
    let private = dir.path().join("private.json");
    fs::write(&private, discord("9", "DirectTextChat", "carl").to_string()).expect("written");
    fs::write(dir.path().join("notes.json"), "{\"a\": 1}").expect("written");
    let folder = read(dir.path());
    assert_eq!(names(&folder), ["discord:#iso", "discord:#iso-2"]);
    assert_eq!(folder.left_out, ["carl"]);
}

fn zipped(path: &Path, files: &[(&str, String)]) {
    let mut zip = ZipWriter::new(File::create(path).expect("a file"));
    for (name, text) in files {
        zip.start_file(*name, SimpleFileOptions::default())
            .expect("begun");
        zip.write_all(text.as_bytes()).expect("written");
    }
    zip.finish().expect("finished");
}

#[test]
fn what_is_damaged_or_something_else_is_refused_and_says_where() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = |name: &str| dir.path().join(name);
    let text = written(&group());
    fs::write(path("cut.json"), &text[..text.len() / 2]).expect("written");
    let said = refused(&path("cut.json"));
    assert!(
        said.contains("cut off at line") && said.contains("nothing of it was taken"),
        "{said}"
    );
    fs::write(
        path("changed.json"),
        text.replacen("\"id\": 5", "\"id\" 5", 1),
    )
    .expect("written");
    let said = refused(&path("changed.json"));
    assert!(
        said.contains("no JSON there") && said.contains("line"),
        "{said}"
    );

    let photos = ["a.txt", "b.txt"].map(|name| (name, "hello".to_owned()));
    zipped(&path("photos.zip"), &photos);
    assert!(export(&path("photos.zip")).expect("looked at").is_none());
    fs::write(path("broken.zip"), b"PK\x03\x04 and no more").expect("written");
    let said = refused(&path("broken.zip"));
    assert!(said.contains("cannot be read"), "{said}");
    let mut wrong = slack::slack();
    wrong[4].1 = "{\"a\": 1}".to_owned();
    zipped(&path("wrong.zip"), &wrong);
    let said = refused(&path("wrong.zip"));
    assert!(
        said.contains("help/2024-05-01.json") && said.contains("no list"),
        "{said}"
    );

    let mut empty = group();
    empty["messages"] = json!([]);
    fs::write(path("empty.json"), empty.to_string()).expect("written");
    assert!(refused(&path("empty.json")).contains("no chat of the export"));

    for (name, text) in [
        ("a.json", "{\"messages\": []}"),
        ("a.jsonl", "{\"type\": \"message\"}"),
        ("a.txt", "[12:00] <ann> hi"),
        ("empty.txt", ""),
        ("list.json", "[{\"guild\": 1, \"channel\": 2}]"),
    ] {
        fs::write(path(name), text).expect("written");
        assert!(export(&path(name)).expect("looked at").is_none(), "{name}");
    }
    assert!(
        export(&path("nowhere"))
            .expect_err("absent")
            .to_string()
            .contains("does not exist")
    );
}

#[test]
fn hostile_names_stay_names() {
    let dir = tempfile::tempdir().expect("a directory");
    let archive = dir.path().join("hostile.zip");
    let mut files = slack::slack();
    files.push(("../../evil/2024-05-01.json", files[4].1.clone()));
    files.push(("/etc/2024-05-01.json", files[4].1.clone()));
    zipped(&archive, &files);
    let export = read(&archive);
    for name in names(&export) {
        assert!(!name.contains('/'), "{name}");
    }
    assert_eq!(export.chats.len(), 3);
    assert_eq!(
        fs::read_dir(dir.path()).expect("a directory").count(),
        1,
        "nothing was unpacked"
    );
    for (name, expect) in [
        ("a/b\u{7} c\n", "a-b-c"),
        (" \t", ""),
        (&"x".repeat(500), &"x".repeat(100)),
        ("помощь 🎉", "помощь-🎉"),
    ] {
        assert_eq!(plain(name), expect);
    }
}
