//! A small help desk that tests of questions and cases import: what became of each of its problems
//! is known.

use super::support::Place;

/// The channel.
pub(crate) const DESK: &str = "chat:desk";
/// Solved by the asker's thanks.
pub(crate) const ISO: &str = "How do I mount an iso image so that I can read its files?";
/// Solved by its owner's reaction.
pub(crate) const PRINTER: &str = "My printer prints stripes since the last update, what can I do?";
/// Open.
pub(crate) const WIFI: &str = "Why does my wifi card vanish after suspend?";
/// Nothing is near it but its frame.
pub(crate) const SHARE: &str = "How do I mount a network share of the office?";

/// Time of day and day, id, author, text, and what it replies to.
const MESSAGES: [(&str, &str, &str, &str, &str); 8] = [
    ("01T12:00", "1", "ann", ISO, ""),
    (
        "01T12:01",
        "2",
        "bob",
        "sudo mount -o loop image.iso /mnt",
        "1",
    ),
    ("01T12:02", "3", "ann", "thanks bob, that works!", "2"),
    ("02T09:00", "11", "cid", PRINTER, ""),
    (
        "02T09:01",
        "12",
        "dan",
        "clean the print head and add the printer again",
        "11",
    ),
    (
        "03T09:00",
        "21",
        "eve",
        "How can I change the keyboard layout of the login screen?",
        "",
    ),
    (
        "03T09:01",
        "22",
        "bob",
        "edit /etc/default/keyboard and restart the display manager",
        "21",
    ),
    ("04T09:00", "31", "fay", WIFI, ""),
];

/// The desk's chat as JSON lines. The printer's owner reacts to the answer on the same day.
pub(crate) fn chat() -> String {
    let line = |(at, id, author, text, reply): (&str, &str, &str, &str, &str)| {
        let mut line = serde_json::json!({
            "type": "message", "id": id, "author": author, "name": author, "text": text,
            "at": format!("2024-05-{at}:00Z"),
        });
        if !reply.is_empty() {
            line["reply_to"] = reply.into();
        }
        line.to_string()
    };
    let mut lines: Vec<String> = MESSAGES.into_iter().map(line).collect();
    let reaction = r#"{"type":"reaction_added","id":"12","author":"cid","emoji":"👍","at":"2024-05-02T09:05:00Z"}"#;
    lines.insert(5, reaction.to_owned());
    lines.join("\n")
}

/// A place whose data directory has the desk's chat and its cases.
pub(crate) fn desk() -> Place {
    let place = Place::new();
    place.file("desk.jsonl", chat());
    place.json(&["import", "desk.jsonl", "--channel", DESK]);
    place
}
