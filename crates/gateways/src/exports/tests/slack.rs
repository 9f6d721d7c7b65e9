use super::*;

/// The files of an export of Slack.
pub(super) fn slack() -> Vec<(&'static str, String)> {
    let users = json!([
        {"id": "U1", "name": "ann", "is_bot": false, "profile": {"display_name": "", "real_name": "Ann Lee"}},
        {"id": "U2", "name": "bob", "profile": {"display_name": "bob"}},
        {"id": "B1", "name": "helper", "is_bot": true}
    ]);
    let first = json!([
        {"type": "message", "subtype": "channel_join", "user": "U1", "text": "<@U1> has joined", "ts": "1714557600.000100"},
        {"type": "message", "user": "U1", "text": "How do I mount <https://x.org/a.iso|the iso>?", "ts": "1714557660.000200",
         "thread_ts": "1714557660.000200", "reply_count": 1},
        {"type": "message", "user": "U2", "text": "<@U1>: mount -o loop &amp; sudo", "ts": "1714557720.000300",
         "thread_ts": "1714557660.000200", "edited": {"user": "U2", "ts": "1714557721.000000"},
         "reactions": [{"name": "+1::skin-tone-2", "users": ["U1", "U9"], "count": 2}]}
    ]);
    let second = json!([
        {"type": "message", "subtype": "bot_message", "bot_id": "B7", "username": "ci", "text": "build failed", "ts": "1714644000.000100"},
        {"type": "message", "user": "U1", "text": "", "ts": "1714644060.000100",
         "files": [{"name": "dmesg.txt", "mimetype": "text/plain", "size": 2345}, {"mode": "tombstone"}]},
        {"type": "message", "subtype": "bot_message", "bot_id": "B7", "text": "", "ts": "1714644070.000100",
         "attachments": [{"pretext": "", "title": "Build 7", "text": "<https://x.org|all> green", "fallback": "7"},
                         {"fallback": "in a word"}]},
        {"type": "message", "text": "nobody said it", "ts": "1714644120.000100"},
        "not a message"
    ]);
    vec![
        ("users.json", users.to_string()),
        (
            "channels.json",
            json!([{"id": "C1", "name": "help"}]).to_string(),
        ),
        (
            "dms.json",
            json!([{"id": "D1", "members": ["U1", "U2"]}]).to_string(),
        ),
        ("help/2024-05-02.json", second.to_string()),
        ("help/2024-05-01.json", first.to_string()),
        ("D1/2024-05-01.json", first.to_string()),
        ("integration_logs.json", "[]".to_owned()),
    ]
}

#[test]
fn a_workspace_of_slack_is_read_from_an_archive_and_from_a_folder() {
    let dir = tempfile::tempdir().expect("a directory");
    let archive = dir.path().join("export.zip");
    zipped(&archive, &slack());
    let folder = dir.path().join("folder");
    for (name, text) in slack() {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    let packed = dir.path().join("packed.zip");
    let inside = slack()
        .into_iter()
        .map(|(name, text)| (format!("My team export/{name}"), text));
    let inside: Vec<(String, String)> = inside.collect();
    let inside: Vec<(&str, String)> = inside
        .iter()
        .map(|(n, t)| (n.as_str(), t.clone()))
        .collect();
    zipped(&packed, &inside);
    for path in [&archive, &folder, &packed, &folder.join("help")] {
        let export = read(path);
        assert_eq!(names(&export), ["slack:#help"], "{path:?}");
        let found = content(&export.chats[0]);
        let texts: Vec<&str> = found.messages.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "How do I mount the iso (https://x.org/a.iso)?",
                "@Ann Lee: mount -o loop & sudo",
                "build failed",
                "[file: dmesg.txt, text/plain, 2 kB]",
                "Build 7\nall (https://x.org) green\nin a word"
            ]
        );
        assert_eq!((found.system, found.skipped.len()), (1, 2));
        let answer = &found.messages[1];
        assert_eq!(answer.author_name.as_deref(), Some("bob"));
        assert_eq!(answer.reply_to.as_deref(), Some("1714557660.000200"));
        assert_eq!(answer.thread_root, answer.reply_to);
        assert_eq!(answer.mentions, ["U1"]);
        assert_eq!(answer.sent_at, at("2024-05-01T10:02:00Z"));
        assert!(
            found.messages[0].reply_to.is_none(),
            "the first of its thread"
        );
        assert!(found.messages[2].author_is_bot, "by its kind");
        let reactions: Vec<(&str, &str)> = found
            .reactions
            .iter()
            .map(|one| (one.author_id.as_str(), one.emoji.as_str()))
            .collect();
        assert_eq!(reactions, [("U1", "+1"), ("U9", "+1")]);
    }
    assert_eq!(read(&archive).left_out, ["D1"]);
    // One that is named alone is what somebody wants.
    let alone = read(&folder.join("D1"));
    assert_eq!(
        (names(&alone), alone.left_out.len()),
        (vec!["slack:#D1"], 0)
    );
}
