//! The lines of a file of questions.

use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;
use threadlore_api::asking;
use threadlore_model::{ChannelId, SpaceId};
use threadlore_retrieval::judge::one_line;

use super::super::cases::CaseName;
use super::Question;
use crate::exit::BadInput;

/// The largest file, in bytes: it is read into memory, maybe that of the process that owns the data
/// directory.
const LARGEST: u64 = 64 * 1024 * 1024;
/// Bad lines that are named; the others are counted.
const NAMED: usize = 10;

/// A line as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    question: String,
    case: Option<String>,
    text: Option<Texts>,
    channel: Option<String>,
    space: Option<String>,
}

/// One text or several, each of which is right.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Texts {
    One(String),
    Some(Vec<String>),
}

/// What a question should get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    Silence,
    Case(CaseName),
    /// With single spaces.
    Text(Vec<String>),
}

/// A line that was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) question: String,
    pub(super) wanted: Wanted,
    pub(super) channel: Option<ChannelId>,
    pub(super) space: Option<SpaceId>,
}

/// A line that was not.
#[derive(Debug)]
pub(super) struct Bad {
    pub(super) number: usize,
    /// What is wrong with it, and what to do.
    pub(super) wrong: String,
}

/// Lines with their numbers, from 1 on.
type Lines = Vec<(usize, Line)>;

/// The lines of a file with their numbers, and those that are not understood. A relative path
/// starts at `dir`.
pub(super) fn read(dir: &Path, file: &Path) -> anyhow::Result<(Lines, Vec<Bad>)> {
    let (path, shown) = (dir.join(file), file.display());
    let unreadable = |e| BadInput(format!("the questions in {shown} cannot be read: {e}"));
    let about = std::fs::metadata(&path).map_err(unreadable)?;
    if !about.is_file() {
        return Err(BadInput(format!("{shown} is no file: name a file of questions")).into());
    }
    if about.len() > LARGEST {
        return Err(BadInput(format!(
            "{shown} has {} bytes, and {LARGEST} are allowed: divide it",
            about.len()
        ))
        .into());
    }
    let bytes = std::fs::read(&path).map_err(unreadable)?;
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let number = at + 1;
        match std::str::from_utf8(line).map(str::trim) {
            Ok("") => {}
            Ok(line) => match understood(line) {
                Ok(line) => good.push((number, line)),
                Err(wrong) => bad.push(Bad { number, wrong }),
            },
            Err(_) => bad.push(Bad {
                number,
                wrong: "it is not UTF-8: convert the file to UTF-8".to_owned(),
            }),
        }
    }
    Ok((good, bad))
}

/// A line, or what is wrong with it and what to do.
fn understood(line: &str) -> Result<Line, String> {
    const EXAMPLE: &str = r#"write {"question": "…", "case": "LINK_OR_ID"}, or `text` in place of `case`, or neither where silence is right"#;
    let value: serde_json::Value = serde_json::from_str(line)
        .map_err(|e| format!("it is no JSON (column {}): {EXAMPLE}", e.column()))?;
    if !value.is_object() {
        return Err(format!("it is no JSON object: {EXAMPLE}"));
    }
    // Of a field that is there twice the last one counts, as everywhere in JSON.
    let written: Written = serde_json::from_value(value).map_err(|e| format!("{e}: {EXAMPLE}"))?;
    asking::check(&written.question).map_err(|e| e.to_string())?;
    let wanted = match (written.case, written.text) {
        (None, None) => Wanted::Silence,
        (Some(case), None) => Wanted::Case(case.parse()?),
        (None, Some(text)) => Wanted::Text(texts(text)?),
        (Some(_), Some(_)) => {
            return Err(
                "it has both `case` and `text`: name one of them, `case` if in doubt".to_owned(),
            );
        }
    };
    let channel = written.channel.as_deref().map(ChannelId::parse);
    let space = written.space.as_deref().map(SpaceId::parse);
    Ok(Line {
        question: written.question,
        wanted,
        channel: channel.transpose().map_err(|e| e.to_string())?,
        space: space.transpose().map_err(|e| e.to_string())?,
    })
}

/// The texts of an answer with single spaces.
fn texts(written: Texts) -> Result<Vec<String>, String> {
    let texts = match written {
        Texts::One(text) => vec![text],
        Texts::Some(texts) => texts,
    };
    let texts: Vec<String> = texts.iter().map(|text| one_line(text)).collect();
    if texts.is_empty() || texts.iter().any(String::is_empty) {
        return Err(
            "`text` is empty, which every answer has in it: write a part of the answer, or leave \
             `text` out where silence is right"
                .to_owned(),
        );
    }
    Ok(texts)
}

/// Refuses a file without questions, and one with bad lines.
pub(super) fn check(file: &Path, questions: &[Question], mut bad: Vec<Bad>) -> anyhow::Result<()> {
    let shown = file.display();
    bad.sort_by_key(|bad| bad.number);
    if bad.is_empty() && questions.is_empty() {
        return Err(BadInput(format!(
            "{shown} has no questions: write one JSON object a line, such as {{\"question\": \"how \
             do I mount an iso?\", \"text\": \"mount -o loop\"}}"
        ))
        .into());
    }
    if bad.is_empty() {
        return Ok(());
    }
    let mut text = format!(
        "nothing was asked, because {} of {shown} cannot be used",
        match bad.len() {
            1 => "a line".to_owned(),
            count => format!("{count} lines"),
        }
    );
    for Bad { number, wrong } in bad.iter().take(NAMED) {
        // Writing to a string does not fail.
        write!(text, "\n  {shown}, line {number}: {wrong}").unwrap_or_default();
    }
    if bad.len() > NAMED {
        write!(text, "\n  and {} more", bad.len() - NAMED).unwrap_or_default();
    }
    Err(BadInput(text).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: &str = "threadlore:case/0736391e-46af-58f2-8c90-46757a90b90c";

    #[test]
    fn a_line_says_what_its_question_should_get() {
        let wanted = |line: &str| understood(line).expect(line).wanted;
        let case = CASE.parse().expect("a case");
        for (line, expected) in [
            (r#"{"question": "q"}"#.to_owned(), Wanted::Silence),
            (
                r#"{"question": "q", "case": null, "text": null, "channel": null}"#.to_owned(),
                Wanted::Silence,
            ),
            (
                format!(r#"{{"question": "q", "case": "{CASE}"}}"#),
                Wanted::Case(case),
            ),
            (
                r#"{"question": "q", "text": " a\n b "}"#.to_owned(),
                Wanted::Text(vec!["a b".to_owned()]),
            ),
            (
                r#"{"question": "q", "text": ["a", "б"], "channel": "irc:#x", "space": "s"}"#
                    .to_owned(),
                Wanted::Text(vec!["a".to_owned(), "б".to_owned()]),
            ),
        ] {
            assert_eq!(wanted(&line), expected, "{line}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_line_is_said_with_what_to_do() {
        let long = format!(r#"{{"question": "{}"}}"#, "q".repeat(2_001));
        let both = format!(r#"{{"question": "q", "case": "{CASE}", "text": "a"}}"#);
        for (line, words) in [
            ("how do I mount it?", "it is no JSON"),
            ("{\"question\": \"q\"", "it is no JSON"),
            ("[1]", "it is no JSON object"),
            ("null", "it is no JSON object"),
            ("{}", "missing field `question`"),
            (r#"{"question": 1}"#, "expected a string"),
            (
                r#"{"question": "q", "answer": "a"}"#,
                "unknown field `answer`",
            ),
            (r#"{"question": " "}"#, "the question is empty"),
            (long.as_str(), "2000 are allowed"),
            (both.as_str(), "both `case` and `text`"),
            (r#"{"question": "q", "text": " "}"#, "`text` is empty"),
            (r#"{"question": "q", "text": []}"#, "`text` is empty"),
            (r#"{"question": "q", "text": 7}"#, "untagged"),
            (r#"{"question": "q", "case": "x"}"#, "threadlore cases list"),
            (r#"{"question": "q", "channel": "x"}"#, "channel"),
            (r#"{"question": "q", "space": "A B"}"#, "space"),
        ] {
            let wrong = understood(line).expect_err(line);
            assert!(wrong.contains(words), "{line}: {wrong}");
        }
    }
}
