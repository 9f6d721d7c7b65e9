//! JSON that programs write and no parser reads: half of a pair of surrogates (a symbol that was cut in
//! two), an escape that is none (`\x0c`), a control character as it is. What cannot be shown becomes
//! U+FFFD; an escape that is none is kept as the characters that it is written with.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

/// Where in a string the bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Nothing,
    Text,
    /// After `\`.
    Escape,
    /// Within the four digits of `\u`: how many were read, and their value.
    Digits(u8, u16),
}

/// The escape for what cannot be shown.
const REPLACED: &[u8] = b"\\ufffd";

/// Mends bytes as they come.
#[derive(Debug)]
struct Mender {
    within: Within,
    /// The first half of a pair, which waits for the second one.
    half: Option<u16>,
    /// Digits as they were written.
    digits: [u8; 4],
}

impl Mender {
    const fn new() -> Self {
        Self {
            within: Within::Nothing,
            half: None,
            digits: [0; 4],
        }
    }

    fn byte(&mut self, byte: u8, out: &mut Vec<u8>) {
        match self.within {
            Within::Nothing => {
                if byte == b'"' {
                    self.within = Within::Text;
                }
                out.push(byte);
            }
            Within::Text => self.text(byte, out),
            Within::Escape => self.escape(byte, out),
            Within::Digits(read, value) => self.digit(byte, (read, value), out),
        }
    }

    fn text(&mut self, byte: u8, out: &mut Vec<u8>) {
        if byte == b'\\' {
            self.within = Within::Escape;
            return;
        }
        self.end_half(out);
        match byte {
            b'"' => {
                self.within = Within::Nothing;
                out.push(byte);
            }
            0..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }

    fn escape(&mut self, byte: u8, out: &mut Vec<u8>) {
        if byte == b'u' {
            self.within = Within::Digits(0, 0);
            return;
        }
        self.end_half(out);
        self.within = Within::Text;
        match byte {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => out.extend([b'\\', byte]),
            _ => {
                out.extend_from_slice(b"\\\\");
                self.text(byte, out);
            }
        }
    }

    fn digit(&mut self, byte: u8, (read, value): (u8, u16), out: &mut Vec<u8>) {
        let digit = char::from(byte).to_digit(16);
        let Some(digit) = digit.and_then(|digit| u16::try_from(digit).ok()) else {
            self.end_half(out);
            out.extend_from_slice(b"\\\\u");
            out.extend_from_slice(&self.digits[..usize::from(read)]);
            self.within = Within::Text;
            self.text(byte, out);
            return;
        };
        self.digits[usize::from(read)] = byte;
        let value = value << 4 | digit;
        if read < 3 {
            self.within = Within::Digits(read + 1, value);
            return;
        }
        self.within = Within::Text;
        match (self.half.take(), value) {
            (Some(half), 0xdc00..=0xdfff) => {
                out.extend_from_slice(format!("\\u{half:04x}\\u{value:04x}").as_bytes());
            }
            (half, value) => {
                if half.is_some() {
                    out.extend_from_slice(REPLACED);
                }
                match value {
                    0xd800..=0xdbff => self.half = Some(value),
                    0xdc00..=0xdfff => out.extend_from_slice(REPLACED),
                    _ => {
                        out.extend_from_slice(b"\\u");
                        out.extend_from_slice(&self.digits);
                    }
                }
            }
        }
    }

    /// The second half of a pair does not come.
    fn end_half(&mut self, out: &mut Vec<u8>) {
        if self.half.take().is_some() {
            out.extend_from_slice(REPLACED);
        }
    }

    /// Nothing follows: what was begun stays begun, so that a file that stops there is seen to.
    fn end(&mut self, out: &mut Vec<u8>) {
        match self.within {
            Within::Nothing | Within::Text => {}
            Within::Escape => out.push(b'\\'),
            Within::Digits(read, _) => {
                out.extend_from_slice(b"\\u");
                out.extend_from_slice(&self.digits[..usize::from(read)]);
            }
        }
        self.within = Within::Nothing;
    }
}

/// A line that a parser reads, as far as that can be had.
pub(crate) fn mended(line: &str) -> Cow<'_, str> {
    let (mut mender, mut out) = (Mender::new(), Vec::with_capacity(line.len()));
    for byte in line.bytes() {
        mender.byte(byte, &mut out);
    }
    mender.end(&mut out);
    match String::from_utf8(out) {
        Ok(mended) if mended != line => Cow::Owned(mended),
        _ => Cow::Borrowed(line),
    }
}

/// A reader of such JSON.
pub(super) struct MendReader<R> {
    reader: R,
    mender: Mender,
    ready: Vec<u8>,
    at: usize,
}

impl<R: BufRead> MendReader<R> {
    pub(super) fn new(reader: R) -> Self {
        Self {
            reader,
            mender: Mender::new(),
            ready: Vec::new(),
            at: 0,
        }
    }
}

impl<R: BufRead> Read for MendReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() {
            self.ready.clear();
            self.at = 0;
            let bytes = self.reader.fill_buf()?;
            let length = bytes.len();
            if length == 0 {
                self.mender.end(&mut self.ready);
                if self.ready.is_empty() {
                    return Ok(0);
                }
                break;
            }
            for byte in bytes {
                self.mender.byte(*byte, &mut self.ready);
            }
            self.reader.consume(length);
        }
        let ready = &self.ready[self.at..];
        let read = ready.len().min(into.len());
        into[..read].copy_from_slice(&ready[..read]);
        self.at += read;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(json: &str) -> String {
        let mended = mended(json);
        serde_json::from_str(&mended).unwrap_or_else(|e| panic!("{json} -> {mended}: {e}"))
    }

    #[test]
    fn what_programs_write_is_read() {
        for (json, expect) in [
            (r#""flag \ud83c only""#, "flag \u{fffd} only"),
            (r#""\udd25 second""#, "\u{fffd} second"),
            (r#""\ud83c\ud83d\udd25""#, "\u{fffd}🔥"),
            (r#""\ud83d\n\udd25""#, "\u{fffd}\n\u{fffd}"),
            (r#""\ud83d\udd25 whole""#, "🔥 whole"),
            (r#""page \x0c end""#, "page \\x0c end"),
            (r#""\u00zz \u12""#, "\\u00zz \\u12"),
            (r#""\"\\\/\b""#, "\"\\/\u{8}"),
            ("\"a\u{1}b\nc\"", "a\u{1}b\nc"),
            (r#""\ud83c""#, "\u{fffd}"),
        ] {
            assert_eq!(text(json), expect, "{json}");
        }
    }

    #[test]
    fn what_stops_in_the_middle_still_does() {
        for json in [
            r#"{"a": "b"#,
            r#"{"a": "\"#,
            r#"{"a": "\u12"#,
            r#"{"a": "\ud83c"#,
        ] {
            let mended = mended(json);
            let error = serde_json::from_str::<serde_json::Value>(&mended).expect_err(json);
            assert!(error.is_eof(), "{json} -> {mended}: {error}");
        }
    }

    proptest! {
        #[test]
        fn json_that_is_right_is_left_alone(text in ".*", number: i64) {
            let json = serde_json::json!({ "a": text, "b": [number, null, true] }).to_string();
            let mended = mended(&json).into_owned();
            prop_assert_eq!(mended, json);
        }

        #[test]
        fn it_is_the_same_in_pieces(text in r#"[ud8cf0\\"x{}]{0,60}"#, size in 1_usize..9) {
            let reader = io::BufReader::with_capacity(size, text.as_bytes());
            let mut read = String::new();
            MendReader::new(reader).read_to_string(&mut read).expect("UTF-8");
            prop_assert_eq!(read, mended(&text).into_owned());
        }
    }
}
