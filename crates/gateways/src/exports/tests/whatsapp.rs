//! Chats of WhatsApp, as phones write them.

use super::*;

/// A group as an iPhone in English (United Kingdom) writes it.
pub(super) const IPHONE: &str = "\u{200e}[01/05/2024, 12:00:00] Help desk: \u{200e}Messages and calls are end-to-end encrypted.
[01/05/2024, 12:00:01] Ann: \u{200e}Ann created this group
[01/05/2024, 12:01:00] Ann: How do I mount an iso?
It is on a stick.
[01/05/2024, 12:02:00] Bob B.: @\u{2068}Ann\u{2069} sudo mount -o loop image.iso /mnt \u{200e}<This message was edited>
[01/05/2024, 12:03:00] Ann: \u{200e}<attached: 00000003-PHOTO-2024-05-01.jpg>
[13/05/2024, 08:00:00] Ann: thanks
[13/05/2024, 08:00:00] Ann: thanks
[13/05/2024, 08:00:00] \u{202a}+49 170 1\u{202c}: +1
";

#[test]
fn a_group_of_whatsapp_is_read_from_its_file_its_folder_and_its_archive() {
    let dir = tempfile::tempdir().expect("a directory");
    let folder = dir.path().join("WhatsApp Chat - Help desk");
    fs::create_dir(&folder).expect("made");
    fs::write(folder.join("_chat.txt"), IPHONE).expect("written");
    let archive = dir.path().join("WhatsApp Chat - Help desk.zip");
    let mut zip = ZipWriter::new(fs::File::create(&archive).expect("made"));
    for (name, bytes) in [
        ("_chat.txt", IPHONE.as_bytes()),
        ("00000003-PHOTO-2024-05-01.jpg", b"x"),
    ] {
        zip.start_file(name, SimpleFileOptions::default())
            .expect("begun");
        zip.write_all(bytes).expect("written");
    }
    zip.finish().expect("done");
    let mut ids = Vec::new();
    for path in [folder.clone(), folder.join("_chat.txt"), archive] {
        let export = read(&path);
        assert_eq!(
            (export.name, names(&export)),
            ("WhatsApp", vec!["whatsapp:Help-desk"])
        );
        let content = content(&export.chats[0]);
        let of = |one: &PlatformMessage| {
            (
                one.author_name.clone().unwrap_or_default(),
                one.text.clone(),
            )
        };
        let said: Vec<(String, String)> = content.messages.iter().map(of).collect();
        let said: Vec<(&str, &str)> = said
            .iter()
            .map(|(who, text)| (who.as_str(), text.as_str()))
            .collect();
        assert_eq!(
            said,
            [
                ("Ann", "How do I mount an iso?\nIt is on a stick."),
                ("Bob B.", "@Ann sudo mount -o loop image.iso /mnt"),
                ("Ann", "[file: 00000003-PHOTO-2024-05-01.jpg]"),
                ("Ann", "thanks"),
                ("Ann", "thanks"),
                ("+49 170 1", "+1"),
            ]
        );
        assert_eq!((content.system, content.skipped.len()), (2, 0));
        assert_eq!(content.messages[1].sent_at, at("2024-05-01T12:02:00Z"));
        assert_eq!(
            content.messages[3].sent_at,
            at("2024-05-13T08:00:00Z"),
            "no month is the 13th"
        );
        let native: Vec<String> = content
            .messages
            .iter()
            .map(|one| one.native_id.clone())
            .collect();
        ids.push(native);
    }
    assert!(ids.iter().all(|other| *other == ids[0]), "the same in each");
    assert_ne!(
        ids[0][3], ids[0][4],
        "the same words twice are two messages"
    );
    // An export that is made again later has the same ids, and more.
    fs::write(
        folder.join("_chat.txt"),
        format!("{IPHONE}[14/05/2024, 08:00:00] Ann: one more\n"),
    )
    .expect("written");
    let later = content(&read(&folder).chats[0]);
    let later: Vec<String> = later
        .messages
        .iter()
        .map(|one| one.native_id.clone())
        .collect();
    assert_eq!((&later[..6], later.len()), (&ids[0][..], 7));
}

#[test]
fn dates_of_whatsapp_are_told_apart_by_all_of_them() {
    let dir = tempfile::tempdir().expect("a directory");
    let first = |text: &str| {
        let path = dir.path().join("WhatsApp Chat with Ann & Bob.txt");
        fs::write(&path, text).expect("written");
        let export = read(&path);
        assert_eq!(names(&export), ["whatsapp:Ann-&-Bob"]);
        content(&export.chats[0]).messages[0].sent_at
    };
    // Only one order has a month for each of them.
    let american = "5/1/24, 12:00 PM - Ann: a\n5/13/24, 1:00 PM - Bob: b\n";
    assert_eq!(first(american), at("2024-05-01T12:00:00Z"));
    // In the other one it would go back.
    let forward = "01/05/2024, 12:00 - Ann: a\n02/05/2024, 12:00 - Ann: b\n03/05/2024, 12:00 - Ann: c\n01/06/2024, 12:00 - Ann: d\n";
    assert_eq!(first(forward), at("2024-05-01T12:00:00Z"));
    // Nothing tells: who has twelve hours mostly writes the month first.
    assert_eq!(
        first("5/1/24, 9:00 AM - Ann: a\n"),
        at("2024-05-01T09:00:00Z")
    );
    assert_eq!(
        first("5/1/24, 09:00 - Ann: a\n"),
        at("2024-01-05T09:00:00Z")
    );
    assert_eq!(
        first("2024-05-01 09:00 - Ann: a\n"),
        at("2024-05-01T09:00:00Z")
    );
}

#[test]
fn what_is_damaged_in_a_chat_of_whatsapp_loses_no_other_message() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("WhatsApp Chat with Help.txt");
    let bytes = [
        "01/05/2024, 12:00 - Ann: one\n31/02/2024, 12:00 - Ann: no such day\n".as_bytes(),
        b"01/05/2024, 12:01 - Bob: br\xffken\n",
        "01/05/2024, 25:61 - Ann: no such time\n01/05/2024, 12:02 - Ann: last, cut o".as_bytes(),
    ];
    fs::write(&path, bytes.concat()).expect("written");
    let content = content(&read(&path).chats[0]);
    let texts: Vec<&str> = content
        .messages
        .iter()
        .map(|one| one.text.as_str())
        .collect();
    assert_eq!(texts, ["one", "br\u{fffd}ken", "last, cut o"]);
    assert_eq!(content.skipped.len(), 2, "the two without a moment");
    // Text of another form is none.
    let other = dir.path().join("notes.txt");
    fs::write(&other, "dear diary\n01/05/2024, 12:00 - Ann: one\n").expect("written");
    assert!(!is_export(&other).expect("can be looked at"));
}
