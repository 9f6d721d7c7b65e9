//! What a message says, without the marks of the app: files are named, mentions are found, and what the app
//! says in the place of a text is no text.

use super::head::is_mark;
use crate::exports::lines::File;

/// The sign before what the app wrote, on iPhones.
const APP: char = '\u{200e}';
/// The most characters of what the app says in the place of a file that is not there.
const OMITTED: usize = 40;
/// What stands for a message that was deleted, in some languages, as Android writes it.
const DELETED: [&str; 12] = [
    "This message was deleted",
    "You deleted this message",
    "null",
    "Diese Nachricht wurde gelöscht",
    "Du hast diese Nachricht gelöscht",
    "Se eliminó este mensaje",
    "Ce message a été supprimé",
    "Mensagem apagada",
    "Данное сообщение удалено",
    "Вы удалили данное сообщение",
    "Це повідомлення видалено",
    "הודעה זו נמחקה",
];

/// The text of a message, with its mentions and files.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) mentions: Vec<String>,
    pub(super) files: Vec<File>,
}

/// What a message says; `None` where the app says something of the chat, or that it was deleted.
pub(super) fn said(written: &str) -> Option<Text> {
    let mut said = Text::default();
    let mut lines: Vec<String> = Vec::new();
    for (n, line) in written.lines().enumerate() {
        match file(line, n == 0) {
            Line::File { before, name } => {
                said.files.push(File {
                    name,
                    ..File::default()
                });
                if !before.is_empty() {
                    lines.push(before);
                }
            }
            // The app says something in the place of the whole message.
            Line::App if n == 0 => return None,
            Line::App => {}
            Line::Text(text) => lines.push(mentioned(&text, &mut said.mentions)),
        }
    }
    said.text = lines.join("\n").trim().to_owned();
    let plain = said.text.trim_end_matches('.');
    if DELETED.contains(&plain) {
        return None;
    }
    (!said.text.is_empty() || !said.files.is_empty()).then_some(said)
}

/// What a line of a message is.
enum Line {
    Text(String),
    /// A file, and the words before it.
    File {
        before: String,
        name: String,
    },
    App,
}

fn file(line: &str, is_first: bool) -> Line {
    // iPhones: `‎<attached: 00000012-PHOTO.jpg>`, with words of the language before the name; and behind a
    // text `‎<This message was edited>`.
    if let Some(at) = line.find(APP)
        && let Some(inner) = line[at..].trim_start_matches(is_mark).strip_prefix('<')
        && let Some(inner) = inner.trim_end().strip_suffix('>')
    {
        let before = line[..at].trim().to_owned();
        return match (inner.rsplit_once(": "), before.is_empty()) {
            (Some((_, name)), _) if has_extension(name) => Line::File {
                before,
                name: name.to_owned(),
            },
            (_, true) => Line::App,
            (_, false) => Line::Text(before),
        };
    }
    let is_apps = line.starts_with(APP);
    let line = line.trim_start_matches(is_mark);
    // Android: `IMG-20240501-WA0001.jpg (file attached)`.
    if is_first
        && let Some((name, note)) = line.split_once(" (")
        && note.ends_with(')')
        && has_extension(name)
        && !name.contains(char::is_whitespace)
    {
        return Line::File {
            before: String::new(),
            name: name.to_owned(),
        };
    }
    // Android: `<Media omitted>`, alone; and behind a text `<This message was edited>`.
    if is_first
        && let Some(inner) = line
            .strip_prefix('<')
            .and_then(|line| line.strip_suffix('>'))
        && inner.contains(' ')
        && inner.chars().count() <= OMITTED
        && !inner.contains(['<', '>', '/', '='])
    {
        return Line::File {
            before: String::new(),
            name: "media".to_owned(),
        };
    }
    // iPhones: `‎image omitted`, and what is said of the chat.
    if is_apps && is_first {
        return Line::App;
    }
    Line::Text(line.to_owned())
}

/// Whether it ends like the name of a file.
fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        let is_short = (2..=5).contains(&extension.len());
        !stem.is_empty() && is_short && extension.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// A line with mentions as people see them: iPhones put the name between two signs that nobody sees.
fn mentioned(line: &str, mentions: &mut Vec<String>) -> String {
    let mut shown = String::new();
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once("@\u{2068}") {
        shown.push_str(before);
        let Some((name, after)) = behind.split_once('\u{2069}') else {
            rest = behind;
            shown.push('@');
            continue;
        };
        let name = name
            .trim_start_matches('~')
            .trim_matches(|c: char| is_mark(c) || c.is_whitespace());
        shown.push('@');
        shown.push_str(name);
        if !name.is_empty() {
            mentions.push(name.to_owned());
        }
        rest = after;
    }
    shown.push_str(rest);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(written: &str) -> Option<(String, Vec<String>)> {
        let said = said(written)?;
        let files = said.files.into_iter().map(|file| file.name);
        Some((said.text, files.collect()))
    }

    #[test]
    fn files_are_named_and_keep_the_words_beside_them() {
        for (written, words, file) in [
            (
                "\u{200e}<attached: 00000012-PHOTO-2024.jpg>",
                "",
                "00000012-PHOTO-2024.jpg",
            ),
            ("\u{200e}<Anhang: log.txt>", "", "log.txt"),
            ("the log \u{200e}<attached: log.txt>", "the log", "log.txt"),
            (
                "IMG-20240501-WA0001.jpg (file attached)",
                "",
                "IMG-20240501-WA0001.jpg",
            ),
            (
                "\u{200e}IMG-1.jpg (Datei angehängt)\nthe error",
                "the error",
                "IMG-1.jpg",
            ),
            ("<Media omitted>", "", "media"),
            ("<Медиа опущены>", "", "media"),
        ] {
            let expected = Some((words.to_owned(), vec![file.to_owned()]));
            assert_eq!(text(written), expected, "{written:?}");
        }
    }

    #[test]
    fn what_people_write_stays_as_it_is() {
        for written in [
            "run a.sh (as root)",
            "use <b>bold</b>",
            "<html>",
            "<div class=x>",
            "null and void",
            "two\nlines",
            "see https://x.org/a.pdf (page 3)",
        ] {
            assert_eq!(
                text(written),
                Some((written.to_owned(), Vec::new())),
                "{written:?}"
            );
        }
        let edited = "run mount -a \u{200e}<This message was edited>";
        assert_eq!(text(edited), Some(("run mount -a".to_owned(), Vec::new())));
        let mention = said("ask @\u{2068}~ Bob B.\u{2069}, he knows").expect("a message");
        assert_eq!(
            (mention.text.as_str(), mention.mentions),
            ("ask @Bob B., he knows", vec!["Bob B.".to_owned()])
        );
        let cut = said("ask @\u{2068}Bob").expect("a message");
        assert_eq!(cut.text, "ask @Bob");
    }

    #[test]
    fn what_the_app_says_is_no_text() {
        for app in [
            "\u{200e}image omitted",
            "\u{200e}Messages and calls are end-to-end encrypted. Only people in this chat can read them.",
            "\u{200e}Ann added Bob",
            "This message was deleted",
            "Diese Nachricht wurde gelöscht.",
            "",
            "  ",
        ] {
            assert_eq!(said(app), None, "{app:?}");
        }
    }
}
