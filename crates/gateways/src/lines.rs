//! Lines of a reader, in bounded memory.

use std::io::{self, BufRead};

/// The longest line that is read, in bytes without its end.
pub(crate) const LINE_MAX: usize = 1 << 20;

/// The result of reading up to the next end of line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// A line, now in the buffer; `ended` unless the file stops within it.
    Line {
        /// Whether a line feed followed.
        ended: bool,
    },
    /// A line over [`LINE_MAX`]; its bytes were passed over.
    TooLong,
}

/// Reads lines and counts lines and bytes. Never holds more than [`LINE_MAX`]
/// bytes of a line.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Bytes consumed.
    pub(crate) bytes: u64,
    /// Lines consumed.
    pub(crate) count: u64,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            bytes: 0,
            count: 0,
        }
    }

    pub(crate) fn reader(&self) -> &R {
        &self.reader
    }

    /// Reads the next line; `None` at the end of the file.
    pub(crate) fn advance(&mut self) -> io::Result<Option<Found>> {
        self.buffer.clear();
        let (mut any, mut ended, mut too_long) = (false, false, false);
        while !ended {
            let chunk = match self.reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            if chunk.is_empty() {
                break;
            }
            any = true;
            let end = chunk.iter().position(|b| *b == b'\n');
            ended = end.is_some();
            let part = &chunk[..end.unwrap_or(chunk.len())];
            too_long |= self.buffer.len() + part.len() > LINE_MAX;
            if too_long {
                self.buffer = Vec::new();
            } else {
                self.buffer.extend_from_slice(part);
            }
            let used = part.len() + usize::from(ended);
            self.reader.consume(used);
            self.bytes += used as u64;
        }
        if !any {
            return Ok(None);
        }
        self.count += 1;
        Ok(Some(if too_long {
            Found::TooLong
        } else {
            Found::Line { ended }
        }))
    }

    /// The line that was found last, without its end.
    pub(crate) fn line(&self) -> &[u8] {
        self.buffer.strip_suffix(b"\r").unwrap_or(&self.buffer)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Cursor, Read};

    use super::*;

    fn all(text: &[u8], capacity: usize) -> Vec<(Found, Vec<u8>)> {
        let mut lines = Lines::new(BufReader::with_capacity(capacity, Cursor::new(text)));
        let mut out = Vec::new();
        while let Some(found) = lines.advance().expect("reads") {
            out.push((found, lines.line().to_vec()));
        }
        assert_eq!(lines.bytes, text.len() as u64);
        assert_eq!(lines.count, out.len() as u64);
        out
    }

    #[test]
    fn lines_are_the_same_whatever_the_chunks() {
        let whole = Found::Line { ended: true };
        let cut = Found::Line { ended: false };
        for capacity in [1, 2, 3, 100] {
            assert_eq!(
                all(b"one\r\n\ntwo", capacity),
                [
                    (whole, b"one".to_vec()),
                    (whole, Vec::new()),
                    (cut, b"two".to_vec())
                ]
            );
        }
        assert_eq!(all(b"", 8), []);
        assert_eq!(all(b"\n", 8), [(whole, Vec::new())]);
    }

    #[test]
    fn a_line_over_the_limit_is_passed_over_and_not_held() {
        let huge = io::repeat(b'x').take(10 << 20);
        let mut lines = Lines::new(BufReader::new(huge.chain(Cursor::new(b"\nnext\n"))));
        assert_eq!(lines.advance().expect("reads"), Some(Found::TooLong));
        assert!(lines.buffer.capacity() <= LINE_MAX);
        assert_eq!(
            lines.advance().expect("reads"),
            Some(Found::Line { ended: true })
        );
        assert_eq!(lines.line(), b"next");
        let limit = vec![b'x'; LINE_MAX];
        assert_eq!(all(&limit, 4096), [(Found::Line { ended: false }, limit)]);
    }
}
