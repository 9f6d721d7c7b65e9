//! Lines of the protocol (RFC 1459, with the tags of IRCv3).

use std::fmt;

/// Parameters of a line at most; the rest is part of the last one.
const MOST_PARAMETERS: usize = 15;

/// A line as a server sends it. Nothing of it is trusted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line {
    /// Tags with their values, in their order.
    pub(super) tags: Vec<(String, String)>,
    /// The nick or server that it comes from; empty where it says none.
    pub(super) from: String,
    /// The command in capitals, or a number of three digits.
    pub(super) command: String,
    /// The parameters; the last one may have blanks.
    pub(super) parameters: Vec<String>,
}

impl Line {
    /// Reads a line without its end. `None` where it has no command.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut rest = text.trim_end_matches(['\r', '\n']).trim_start_matches(' ');
        let mut line = Self::default();
        if let Some(tagged) = rest.strip_prefix('@') {
            let (tags, after) = tagged.split_once(' ')?;
            line.tags = tags
                .split(';')
                .filter(|tag| !tag.is_empty())
                .map(tag)
                .collect();
            rest = after.trim_start_matches(' ');
        }
        if let Some(prefixed) = rest.strip_prefix(':') {
            let (from, after) = prefixed.split_once(' ')?;
            let nick = from.split(['!', '@']).next().unwrap_or_default();
            line.from = nick.to_owned();
            rest = after.trim_start_matches(' ');
        }
        let (command, mut rest) = rest.split_once(' ').unwrap_or((rest, ""));
        if command.is_empty() || !command.chars().all(|c| c.is_ascii_alphanumeric()) {
            return None;
        }
        line.command = command.to_ascii_uppercase();
        loop {
            rest = rest.trim_start_matches(' ');
            if rest.is_empty() {
                return Some(line);
            }
            if let Some(last) = rest.strip_prefix(':') {
                line.parameters.push(last.to_owned());
                return Some(line);
            }
            if line.parameters.len() + 1 == MOST_PARAMETERS {
                line.parameters.push(rest.to_owned());
                return Some(line);
            }
            let (one, after) = rest.split_once(' ').unwrap_or((rest, ""));
            line.parameters.push(one.to_owned());
            rest = after;
        }
    }

    /// A parameter; empty where there are fewer.
    pub(super) fn parameter(&self, at: usize) -> &str {
        self.parameters.get(at).map_or("", String::as_str)
    }

    /// The last parameter; empty where there is none.
    pub(super) fn last(&self) -> &str {
        self.parameters.last().map_or("", String::as_str)
    }

    /// The value of a tag that has one.
    pub(super) fn tag(&self, name: &str) -> Option<&str> {
        let mut tags = self.tags.iter();
        let (_, value) = tags.find(|(known, _)| known == name)?;
        (!value.is_empty()).then_some(value.as_str())
    }
}

fn tag(text: &str) -> (String, String) {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    (name.to_owned(), unescaped(value))
}

fn unescaped(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut rest = value.chars();
    while let Some(c) = rest.next() {
        match (c, c == '\\') {
            (_, true) => match rest.next() {
                Some(':') => out.push(';'),
                Some('s') => out.push(' '),
                Some('r') => out.push('\r'),
                Some('n') => out.push('\n'),
                Some(other) => out.push(other),
                None => {}
            },
            (other, false) => out.push(other),
        }
    }
    out
}

/// A line that is sent. What would end it early is left out, so that no text can be a command.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Command(String);

impl Command {
    /// A command with parameters of which only the last may have blanks.
    pub(super) fn new(command: &str, parameters: &[&str], last: Option<&str>) -> Self {
        let mut line = command.to_owned();
        let clean = |text: &str| text.replace(['\r', '\n', '\0'], " ");
        for parameter in parameters {
            line.push(' ');
            line.push_str(&clean(parameter));
        }
        if let Some(last) = last {
            line.push_str(" :");
            line.push_str(&clean(last));
        }
        Self(line)
    }

    /// The bytes with the end of the line.
    pub(super) fn bytes(&self) -> Vec<u8> {
        format!("{}\r\n", self.0).into_bytes()
    }

    #[cfg(test)]
    pub(super) fn text(&self) -> &str {
        &self.0
    }
}

/// Shows the command alone: parameters may be passwords, and texts of people.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.split(' ').next().unwrap_or_default())
    }
}

/// A text in parts of at most `most` bytes, cut between words where it can be, and never within a
/// character.
pub(super) fn parts(text: &str, most: usize) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), text.trim());
    while rest.len() > most {
        let end = (1..=most)
            .rev()
            .find(|end| rest.is_char_boundary(*end))
            .unwrap_or_else(|| rest.chars().next().map_or(rest.len(), char::len_utf8));
        let (head, _) = rest.split_at(end);
        let at = match head.rfind(' ') {
            Some(blank) if blank > most / 2 => blank,
            _ => end,
        };
        let (part, after) = rest.split_at(at);
        parts.push(part.trim_end());
        rest = after.trim_start();
    }
    if !rest.is_empty() {
        parts.push(rest);
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_line_comes_apart() {
        let line = Line::parse(
            "@time=2024-05-01T12:00:00.000Z;account=ann\\s1;empty :Ann!a@host PRIVMSG #help :how do : I?\r\n",
        );
        let line = line.expect("a line");
        assert_eq!(line.tag("account"), Some("ann 1"));
        assert_eq!((line.tag("empty"), line.tag("none")), (None, None));
        assert_eq!(
            (line.from.as_str(), line.command.as_str()),
            ("Ann", "PRIVMSG")
        );
        assert_eq!(line.parameters, ["#help", "how do : I?"]);
        let line = Line::parse(":irc.test 353 lore = #help :@ann +bob carl").expect("a line");
        assert_eq!(line.parameter(2), "#help");
        assert_eq!(line.last(), "@ann +bob carl");
        let line = Line::parse("ping  abc").expect("a line");
        assert_eq!((line.command.as_str(), line.parameter(0)), ("PING", "abc"));
        for nothing in [
            "",
            "   ",
            "@a=b",
            ":from",
            ":from ",
            "@a :b",
            "PRIV\u{7}MSG x",
        ] {
            assert_eq!(Line::parse(nothing), None, "{nothing:?}");
        }
    }

    #[test]
    fn a_text_cannot_be_a_second_command() {
        let command = Command::new("PRIVMSG", &["#help"], Some("hi\r\nQUIT :bye\0"));
        assert_eq!(command.text(), "PRIVMSG #help :hi  QUIT :bye ");
        assert_eq!(format!("{command:?}"), "PRIVMSG");
    }

    proptest! {
        #[test]
        fn hostile_lines_never_panic(text in "\\PC{0,80}") {
            let _line = Line::parse(&text);
        }

        #[test]
        fn parts_are_within_the_limit_and_lose_no_word(text in "[a-z ü😀]{0,300}", most in 4..60_usize) {
            let parts = parts(&text, most);
            prop_assert!(parts.iter().all(|part| part.len() <= most && !part.is_empty()));
            let kept: String = parts.concat().split(' ').collect();
            prop_assert_eq!(kept, text.split(' ').collect::<String>());
        }
    }
}
