//! Vectors of texts, and how they are written in events.

use sha2::{Digest, Sha256};

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The hash of the text that a vector was made from. A vector is used only for a text with this
/// hash.
#[must_use]
pub fn vector_source(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// A source as it is written in an event: 64 hexadecimal digits.
#[must_use]
pub fn source_text(source: &[u8; 32]) -> String {
    hex(source)
}

/// Reads the form that [`source_text`] writes, and no other.
#[must_use]
pub fn parse_source(text: &str) -> Option<[u8; 32]> {
    let mut source = [0; 32];
    let digits = text.as_bytes();
    if digits.len() != 2 * source.len() {
        return None;
    }
    for (byte, pair) in source.iter_mut().zip(digits.chunks_exact(2)) {
        let value = |digit: u8| match digit {
            b'0'..=b'9' => Some(digit - b'0'),
            b'a'..=b'f' => Some(digit - b'a' + 10),
            _ => None,
        };
        *byte = (value(pair[0])? << 4) | value(pair[1])?;
    }
    Some(source)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A vector's bytes: its numbers as little-endian `f32`, one after the other.
#[must_use]
pub fn vector_bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// Reads the form that [`vector_bytes`] writes. `None` if the bytes are empty, end within a number,
/// or hold a number that is not finite.
#[must_use]
pub fn vector_of_bytes(bytes: &[u8]) -> Option<Vec<f32>> {
    if bytes.is_empty() || !bytes.len().is_multiple_of(4) {
        return None;
    }
    let numbers = bytes
        .chunks_exact(4)
        .map(|n| f32::from_le_bytes([n[0], n[1], n[2], n[3]]));
    let vector: Vec<f32> = numbers.collect();
    vector.iter().all(|n| n.is_finite()).then_some(vector)
}

/// A vector as it is written in an event: Base64 of its bytes, with padding.
#[must_use]
pub fn vector_text(vector: &[f32]) -> String {
    let bytes = vector_bytes(vector);
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = (at(0) << 16) | (at(1) << 8) | at(2);
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i)) as usize & 63];
            text.push(if i > three.len() {
                '='
            } else {
                char::from(digit)
            });
        }
    }
    text
}

/// Reads the form that [`vector_text`] writes, and no other, so that each vector has one text.
#[must_use]
pub fn parse_vector(text: &str) -> Option<Vec<f32>> {
    let digits = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for four in digits.chunks(4) {
        let mut bits = 0;
        for i in 0..4 {
            let value = four.get(i).map_or(Some(0), |digit| value_of(*digit))?;
            bits = (bits << 6) | u32::from(value);
        }
        let three = bits.to_be_bytes();
        bytes.extend_from_slice(&three[1..four.len().max(1)]);
    }
    let vector = vector_of_bytes(&bytes)?;
    (vector_text(&vector) == text).then_some(vector)
}

fn value_of(digit: u8) -> Option<u8> {
    Some(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_are_as_written_down() {
        // What is in the log is read for ever. By Python: sha256, struct, base64.
        let source = source_text(&vector_source("No sound"));
        assert_eq!(
            source,
            "0c08def0624f9607b29c0b9d0b140dab94ac83ca26a74a9ead2a1c8b7c85887f"
        );
        assert_eq!(vector_text(&[0.5, -1.25]), "AAAAPwAAoL8=");
        assert_eq!(vector_text(&[1.0]), "AACAPw==");
        assert_eq!(vector_text(&[1.0, 2.0, 3.0]), "AACAPwAAAEAAAEBA");
    }

    #[test]
    fn what_is_no_vector_is_refused() {
        assert_eq!(parse_vector("AAAAPwAAoL8="), Some(vec![0.5, -1.25]));
        let nan = vector_text(&[f32::NAN]);
        let infinite = vector_text(&[1.0, f32::INFINITY]);
        let not = [
            "",
            "=",
            "AAA",
            "AAAA",
            "AAAAAB==",
            "AAAAAA",
            "AAAAAA=",
            "AAAA AA==",
            "-AAAAA==",
        ];
        for text in not.into_iter().chain([nan.as_str(), infinite.as_str()]) {
            assert_eq!(parse_vector(text), None, "{text}");
        }
        assert_eq!(parse_vector("AAAAAA=="), Some(vec![0.0]));
    }

    #[test]
    fn what_is_no_source_is_refused() {
        let source = source_text(&[0xa7; 32]);
        assert_eq!(parse_source(&source), Some([0xa7; 32]));
        let long = format!("{source}00");
        let upper = source.to_uppercase();
        for text in ["", &source[1..], &long, &upper, &source.replace('7', "g")] {
            assert_eq!(parse_source(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn vectors_come_back_bit_by_bit(numbers in prop::collection::vec(-1e30_f32..1e30, 1..40)) {
            let text = vector_text(&numbers);
            let back = parse_vector(&text).expect("a vector");
            prop_assert_eq!(vector_bytes(&back), vector_bytes(&numbers));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[A-Za-z0-9+/=]{0,24}|\\PC{0,24}") {
            if let Some(vector) = parse_vector(&text) {
                prop_assert_eq!(&vector_text(&vector), &text);
            }
            if let Some(source) = parse_source(&text) {
                prop_assert_eq!(&source_text(&source), &text);
            }
        }
    }
}
