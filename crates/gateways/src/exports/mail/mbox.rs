//! The messages of an mbox file.

use std::io::{self, BufRead, Read};

/// The most bytes of a message that are kept; what is behind them are attachments.
const LONGEST: usize = 16 << 20;
/// The most bytes of a line that are looked at together.
const LINE: u64 = 64 << 10;

/// Whether a file begins with a message of an mbox file: the line of its sender, and a header.
pub(super) fn is_mbox(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start_matches(['\u{feff}', '\n', '\r']);
    let mut lines = text.lines();
    let is_header = |line: &str| {
        let name = line.split_once(':').map(|(name, _)| name);
        let named = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_graphic());
        name.is_some_and(named)
    };
    lines
        .next()
        .is_some_and(|line| begins_message(line.as_bytes()))
        && lines
            .next()
            .is_some_and(|line| is_header(line.trim_start_matches('>')))
}

/// `From ann@example.org Mon Jan  5 10:00:00 2009`, in which there is a time and a year.
fn begins_message(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"From ") else {
        return false;
    };
    let text = String::from_utf8_lossy(rest);
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let is_year = |part: &str| part.len() == 4 && digits(part);
    let is_time = |part: &str| {
        let mut numbers = part.split(':');
        numbers.clone().count() >= 2 && numbers.all(|one| one.len() == 2 && digits(one))
    };
    let mut parts = text.split_ascii_whitespace();
    parts.clone().any(is_year) && parts.any(is_time)
}

/// Reads the messages of a file, each without the line that begins it and with `>From` as `From`.
pub(super) struct Mbox<R> {
    reader: R,
    /// Whether the line that begins the next message was read.
    begun: bool,
}

impl<R: BufRead> Mbox<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            begun: false,
        }
    }

    /// The next message; `None` after the last one. What precedes the first one is passed over.
    pub(super) fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let (mut message, mut line) = (Vec::new(), Vec::new());
        let (mut after_blank, mut starts) = (true, true);
        loop {
            line.clear();
            let mut limited = self.reader.by_ref().take(LINE);
            if limited.read_until(b'\n', &mut line)? == 0 {
                return Ok(std::mem::take(&mut self.begun).then_some(message));
            }
            if starts && after_blank && begins_message(&line) {
                if std::mem::replace(&mut self.begun, true) {
                    return Ok(Some(message));
                }
                message.clear();
                after_blank = false;
                continue;
            }
            after_blank = starts && matches!(line.as_slice(), b"\n" | b"\r\n");
            let quoted = starts && unquoted(&line);
            starts = line.ends_with(b"\n");
            if self.begun && message.len() + line.len() <= LONGEST {
                message.extend_from_slice(&line[usize::from(quoted)..]);
            }
        }
    }
}

/// Whether a line of a message was quoted so that it does not begin one.
fn unquoted(line: &[u8]) -> bool {
    let plain = line.iter().position(|b| *b != b'>').unwrap_or_default();
    plain > 0 && line[plain..].starts_with(b"From ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let mut mbox = Mbox::new(text.as_bytes());
        let next = || mbox.next().expect("read");
        std::iter::from_fn(next)
            .map(|bytes| String::from_utf8(bytes).expect("text"))
            .collect()
    }

    #[test]
    fn messages_begin_where_a_sender_and_a_time_stand() {
        let file = "From a@x.org Mon Jan  5 10:00:00 2009\nSubject: one\n\n\
                    From the book of 2009, page 3\n>From here on\n>>From there\n\n\
                    From b at x.org  Mon Jan  5 10:01:00 2009\nSubject: two\n\ntext\n";
        assert_eq!(
            messages(file),
            [
                "Subject: one\n\nFrom the book of 2009, page 3\nFrom here on\n>From there\n\n",
                "Subject: two\n\ntext\n"
            ]
        );
        assert!(is_mbox(file.as_bytes()));
        assert!(messages("").is_empty());
        assert!(messages("hello\n").is_empty(), "no message began");
        for other in [
            "",
            "From here on\n\nx",
            "[10:00] <ann> hi\n",
            "From: a@x.org\nSubject: x\n",
        ] {
            assert!(!is_mbox(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn a_message_without_end_is_cut() {
        let long = format!(
            "From a@x.org Mon Jan  5 10:00:00 2009\nSubject: one\n\n{}\n\nFrom b@x.org Mon Jan  5 10:00:00 2009\nSubject: two\n",
            "x".repeat(LONGEST + 10)
        );
        let found = messages(&long);
        assert_eq!(found.len(), 2);
        assert!(found[0].len() <= LONGEST);
        assert_eq!(found[1], "Subject: two\n");
    }
}
