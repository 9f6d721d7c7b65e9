use super::*;

/// The files of an export of Zulip.
fn zulip() -> Vec<(&'static str, String)> {
    let realm = json!({
        "zerver_realm": [{"id": 1, "name": "G"}],
        "zerver_userprofile": [
            {"id": 17, "full_name": "Ann Lee", "email": "a@x.org", "is_bot": false},
            {"id": 4, "full_name": "Bob", "email": "b@x.org", "is_bot": false},
        ],
        "zerver_userprofile_crossrealm": [{"id": 1, "email": "w@x.org"}],
        "zerver_userprofile_mirrordummy": [{"id": 9, "full_name": "ci", "is_bot": true}],
        "zerver_stream": [
            {"id": 5, "name": "help desk", "invite_only": false},
            {"id": 6, "name": "board", "invite_only": true},
        ],
        "zerver_recipient": [
            {"id": 50, "type": 2, "type_id": 5}, {"id": 60, "type": 2, "type_id": 6},
            {"id": 70, "type": 1, "type_id": 17},
        ],
        "zerver_reaction": [
            {"id": 1, "message": 101, "user_profile": 17, "emoji_name": "check", "emoji_code": "2705", "reaction_type": "unicode_emoji"},
            {"id": 2, "message": 101, "user_profile": 4, "emoji_name": "party_parrot", "emoji_code": "7", "reaction_type": "realm_emoji"},
        ],
    });
    let message = |id: u64, sender: u64, recipient: u64, subject: &str, content: &str| {
        json!({"id": id, "sender": sender, "recipient": recipient, "subject": subject, "content": content,
               "rendered_content": null, "date_sent": 1_714_557_600.0 + id as f64 / 2.0, "sending_client": 1})
    };
    let first = json!({"zerver_usermessage": [{"id": 1, "message": 100}], "zerver_message": [
        message(100, 17, 50, "iso", "How do I mount an iso?"),
        message(101, 4, 50, "✔ ISO", "@**Ann Lee**: mount -o loop, see #**help desk**"),
        message(102, 17, 60, "money", "secret"),
        message(103, 17, 70, "", "between two"),
    ]});
    let second = json!({"zerver_message": [
        message(104, 9, 50, "(no topic)", "build **7** failed, @_**Bob|4**"),
    ]});
    vec![
        ("realm.json", realm.to_string()),
        ("messages-000001.json", first.to_string()),
        ("messages-000002.json", second.to_string()),
        ("attachment.json", "{}".to_owned()),
        ("uploads/records.json", "[]".to_owned()),
    ]
}

/// The same as the archive that Zulip makes.
pub(super) fn packed() -> Vec<u8> {
    let packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let mut tar = tar::Builder::new(packer);
    for (name, text) in zulip() {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(0o600);
        tar.append_data(
            &mut header,
            format!("zulip-export-x/{name}"),
            text.as_bytes(),
        )
        .expect("packed");
    }
    let packer = tar.into_inner().expect("packed");
    packer.finish().expect("packed")
}

#[test]
fn an_organization_of_zulip_is_read_from_its_archive_and_from_a_folder() {
    let dir = tempfile::tempdir().expect("a directory");
    let folder = dir.path().join("zulip-export-x");
    let archive = dir.path().join("zulip-export-x.tar.gz");
    fs::write(&archive, packed()).expect("written");
    for (name, text) in zulip() {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, text).expect("written");
    }
    for path in [&folder, &archive] {
        let export = read(path);
        assert_eq!(names(&export), ["zulip:#help-desk"], "{path:?}");
        assert_eq!(export.left_out, ["#board", "a conversation"]);
        let found = content(&export.chats[0]);
        let [question, answer, build] = &found.messages[..] else {
            panic!("three messages: {:?}", found.messages);
        };
        assert_eq!(question.text, "iso\n\nHow do I mount an iso?");
        assert_eq!(question.sent_at, at("2024-05-01T10:00:50Z"));
        assert_eq!(question.author_name.as_deref(), Some("Ann Lee"));
        assert_eq!(answer.text, "@Ann Lee: mount -o loop, see #help desk");
        assert_eq!(answer.mentions, ["17"]);
        assert_eq!(
            answer.thread_root.as_deref(),
            Some("100"),
            "a resolved topic is the same"
        );
        assert_eq!(build.text, "build **7** failed, @Bob");
        assert!(build.author_is_bot && build.mentions == ["4"]);
        let reactions = found.reactions.iter();
        let reactions: Vec<&str> = reactions.map(|one| one.emoji.as_str()).collect();
        assert_eq!(reactions, ["✅", "party_parrot"]);
        assert!(found.skipped.is_empty());
    }
}

#[test]
fn a_damaged_organization_of_zulip_is_refused_and_says_where() {
    let dir = tempfile::tempdir().expect("a directory");
    for (name, text) in zulip() {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(&path, text).expect("written");
    }
    let second = dir.path().join("messages-000002.json");
    for (text, expect) in [
        ("{\"zerver_message\": [{\"id\": 1}]}", "missing field"),
        ("{\"zerver_message\": [", "cut off at line 1"),
    ] {
        fs::write(&second, text).expect("written");
        let said = refused(dir.path());
        assert!(
            said.contains("messages-000002.json") && said.contains(expect),
            "{said}"
        );
    }
}
