//! Describes a file that cannot be imported, so that the user knows what to do.

use crate::text::{cut, without_controls};

/// Fields or columns that are named at most.
const NAMED: usize = 8;
/// Longest name of a field or a column that is shown, in bytes.
const NAME: usize = 30;

/// In a few words, by the first bytes of the file.
pub(crate) fn looks_like(head: &[u8]) -> String {
    const MAGIC: [(&[u8], &str); 4] = [
        (
            b"PK\x03\x04",
            "a zip archive of several files: unpack it first",
        ),
        (b"BZh", "a bzip2 archive: unpack it first"),
        (b"\xfd7zXZ", "an xz archive: unpack it first"),
        (b"SQLite format 3", "an SQLite database"),
    ];
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| head.starts_with(magic)) {
        return (*what).to_owned();
    }
    if head.contains(&0) {
        return "a binary file".to_owned();
    }
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let line = text.lines().next().unwrap_or_default();
    match text.chars().next() {
        None => "an empty file".to_owned(),
        Some('{') => json_lines(text, line),
        Some('[') if text[1..].trim_start().starts_with('{') => {
            "one JSON list: JSON lines have one object a line and no list around them".to_owned()
        }
        Some('<') if line.starts_with("<?xml") => "XML".to_owned(),
        Some('<') if line.to_ascii_lowercase().contains("<!doctype html") => "HTML".to_owned(),
        Some('<') if line.to_ascii_lowercase().starts_with("<html") => "HTML".to_owned(),
        _ => table(line).unwrap_or_else(|| "plain text of another form".to_owned()),
    }
}

fn json_lines(text: &str, line: &str) -> String {
    let (fields, length) = first_object(text);
    if fields.is_empty() {
        return "JSON without any field in its first object".to_owned();
    }
    let fields = names(fields.iter().map(String::as_str));
    if length.is_some_and(|length| length <= line.len()) {
        format!("JSON lines with the fields {fields}")
    } else {
        format!("one JSON object of several lines, with the fields {fields}")
    }
}

/// The names of the fields of the object that a file is, as far as its first bytes show them.
pub(crate) fn fields_of(head: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    match text.starts_with('{') {
        true => first_object(text).0,
        false => Vec::new(),
    }
}

/// The field names of the first object, and its length if it ends. Nested objects are skipped, and
/// the text may stop anywhere.
fn first_object(text: &str) -> (Vec<String>, Option<usize>) {
    let (mut fields, mut depth, mut string) = (Vec::new(), 0_u32, None::<usize>);
    let (mut last, mut escaped) = ("", false);
    for (at, byte) in text.bytes().enumerate() {
        match (string, byte) {
            (Some(_), _) if escaped => escaped = false,
            (Some(_), b'\\') => escaped = true,
            (Some(start), b'"') => (last, string) = (&text[start..at], None),
            (Some(_), _) => {}
            (None, b'"') => string = Some(at + 1),
            (None, b':') if depth == 1 => fields.push(last.to_owned()),
            (None, b'{' | b'[') => depth += 1,
            (None, b'}' | b']') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return (fields, Some(at + 1));
                }
            }
            (None, _) => {}
        }
    }
    (fields, None)
}

/// The columns of a table with a heading.
fn table(line: &str) -> Option<String> {
    let (separator, what) = [('\t', "tabs"), (',', "commas"), (';', "semicolons")]
        .into_iter()
        .find(|(separator, _)| line.matches(*separator).count() >= 2)?;
    let columns: Vec<&str> = line
        .split(separator)
        .map(|c| c.trim().trim_matches('"'))
        .collect();
    let heading = |c: &&str| !c.is_empty() && c.len() <= NAME && c.split(' ').count() <= 3;
    columns
        .iter()
        .all(heading)
        .then(|| format!("a table with {what} between the columns {}", names(columns)))
}

fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let mut shown: Vec<String> = names
        .iter()
        .take(NAMED)
        .map(|name| cut(&without_controls(name), NAME).to_owned())
        .collect();
    if names.len() > NAMED {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_apart() {
        for (head, expect) in [
            (
                &b"PK\x03\x04\x14"[..],
                "a zip archive of several files: unpack it first",
            ),
            (b"ab\0cd", "a binary file"),
            (
                b"{\"user\":1,\"ts\":2}\n{\"user\":1}\n",
                "JSON lines with the fields user, ts",
            ),
            (
                b"{\n  \"name\": \"x\",\n  \"messages\": [{}]\n}\n",
                "one JSON object of several lines, with the fields name, messages",
            ),
            (
                b"{\"a\": {\"b\": \"}\", \"c\"",
                "one JSON object of several lines, with the fields a",
            ),
            (b"{}", "JSON without any field in its first object"),
            (
                b"[{\"user\":1}]\n",
                "one JSON list: JSON lines have one object a line and no list around them",
            ),
            (
                b"[\n {\"user\":1}\n",
                "one JSON list: JSON lines have one object a line and no list around them",
            ),
            (b"<?xml version=\"1.0\"?>", "XML"),
            (b"<!DOCTYPE html>", "HTML"),
            (
                b"time,user,text\n1,2,3\n",
                "a table with commas between the columns time, user, text",
            ),
            (
                b"hello there, ann, this is a long sentence, see\n",
                "plain text of another form",
            ),
            (b"[10:00] <ann> hi\n", "plain text of another form"),
            (b"", "an empty file"),
        ] {
            assert_eq!(
                looks_like(head),
                expect,
                "{:?}",
                String::from_utf8_lossy(head)
            );
        }
        let many: Vec<String> = (0..2000)
            .map(|n| format!("\"\\u001b{n}{}\":1", "x".repeat(90)))
            .collect();
        let shown = looks_like(format!("{{{}}}", many.join(",")).as_bytes());
        assert!(shown.len() < 400 && !shown.contains('\u{1b}'), "{shown}");
    }
}
