//! Words that the command line and the pages share.

use threadlore_model::Timestamp;
use threadlore_node::BadInput;

use crate::wording::text;

/// The space of a new installation.
pub const DEFAULT_SPACE: &str = "default";
/// The longest text that people can be told, in characters: no more than what a message may have.
pub const LONGEST: usize = 8000;
/// The most bytes of a form or a body: its longest text, each character as an escape of twelve bytes, and
/// the rest.
pub(crate) const BODY: usize = LONGEST * 12 + 32 * 1024;
/// Lines of a list, unless more are asked for.
pub(crate) const SHOWN: u32 = 50;
/// The most lines of a list.
pub(crate) const MOST: u32 = 1000;

/// A text that people will be told, without blanks around it.
///
/// # Errors
/// It is empty or too long.
pub fn worth_saying(text: &str) -> Result<String, BadInput> {
    // A browser sends every line's end as two characters.
    let text = text.replace("\r\n", "\n").trim().to_owned();
    match text.chars().count() {
        1..=LONGEST => Ok(text),
        n => Err(BadInput(text!(
            "refused-length",
            characters = n,
            most = LONGEST
        ))),
    }
}

/// When a stretch of time ends: as it is said, or else now.
pub(crate) fn ending(until: Option<&str>, now: Timestamp) -> Result<Timestamp, BadInput> {
    let Some(text) = until else { return Ok(now) };
    text.parse().map_err(|_| {
        BadInput(format!(
            "`until` is {text:?}, and has to be a time such as 2026-11-23T08:00:00Z."
        ))
    })
}

/// Shortens to `width` characters in one line, with an ellipsis.
#[must_use]
pub fn cut(text: &str, width: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= width {
        return text;
    }
    let short: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", short.trim_end())
}

/// A count with its noun: `1 partition`, `2 partitions`.
#[must_use]
pub fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!(counted(1, "partition"), "1 partition");
        assert_eq!(counted(0, "case"), "0 cases");
        assert_eq!(counted(12, "record"), "12 records");
    }

    #[test]
    fn a_line_is_cut_between_characters() {
        assert_eq!(cut(&"й".repeat(200), 140).chars().count(), 140);
        assert_eq!(cut(" a\n b ", 140), "a b");
    }

    #[test]
    fn a_text_for_people_is_there_and_not_too_long() {
        assert_eq!(worth_saying(" a\r\nb ").expect("a text"), "a\nb");
        for (text, words) in [
            (" \n", "has 0 characters"),
            (&"x".repeat(8001), "has 8001 characters"),
        ] {
            let refused = worth_saying(text).expect_err("refused").to_string();
            assert!(refused.contains(words), "{refused}");
        }
    }
}
