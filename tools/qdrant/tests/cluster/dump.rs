//! Bytes of protobuf as text, without knowing the messages: the number of each field,
//! and what it has.
//!
//! The entries of a map come in any order, so neighbours that look like some are sorted.

use std::fmt::Write as _;

struct Field<'a> {
    number: u64,
    value: Value<'a>,
}

enum Value<'a> {
    Number(u64),
    Text(&'a str),
    Message(Vec<Field<'a>>),
    Bytes(&'a [u8]),
}

/// The text of a message.
pub(crate) fn dump(message: &[u8]) -> String {
    let fields = fields(message).expect("a message");
    let mut text = String::new();
    write_all(&mut text, &fields, 0);
    text
}

fn fields(mut from: &[u8]) -> Option<Vec<Field<'_>>> {
    let mut fields = Vec::new();
    while !from.is_empty() {
        let tag = varint(&mut from)?;
        let value = match tag & 7 {
            0 => Value::Number(varint(&mut from)?),
            1 => Value::Bytes(taken(&mut from, 8)?),
            2 => {
                let length = varint(&mut from)?;
                meant(taken(&mut from, usize::try_from(length).ok()?)?)
            }
            5 => Value::Bytes(taken(&mut from, 4)?),
            _ => return None,
        };
        let number = tag >> 3;
        if number == 0 {
            return None;
        }
        fields.push(Field { number, value });
    }
    Some(fields)
}

/// What bytes with a length are is not said: what begins like a word is a text, and
/// else what can be read as a message is one.
fn meant(bytes: &[u8]) -> Value<'_> {
    let text = std::str::from_utf8(bytes).ok();
    let text = text.filter(|text| text.starts_with(char::is_alphanumeric));
    match text.filter(|text| !text.contains(char::is_control)) {
        Some(text) => Value::Text(text),
        None => fields(bytes).map_or(Value::Bytes(bytes), Value::Message),
    }
}

fn taken<'a>(from: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(taken)
}

fn varint(from: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *taken(from, 1)?.first()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn write_all(text: &mut String, fields: &[Field<'_>], depth: usize) {
    for fields in fields.chunk_by(|a, b| a.number == b.number) {
        let mut written: Vec<(Option<&str>, String)> = fields
            .iter()
            .map(|field| {
                let mut text = String::new();
                write_one(&mut text, field, depth);
                (key(field), text)
            })
            .collect();
        if written.iter().all(|(key, _)| key.is_some()) {
            written.sort();
        }
        text.extend(written.into_iter().map(|(_, text)| text));
    }
}

/// Of what looks like an entry of a map: two fields, the first of them a text.
fn key<'a>(field: &Field<'a>) -> Option<&'a str> {
    let Value::Message(fields) = &field.value else {
        return None;
    };
    match fields.as_slice() {
        [key, value] if key.number == 1 && value.number == 2 => match key.value {
            Value::Text(key) => Some(key),
            _ => None,
        },
        _ => None,
    }
}

fn write_one(text: &mut String, Field { number, value }: &Field<'_>, depth: usize) {
    let indent = "  ".repeat(depth);
    let written = match value {
        Value::Number(value) => writeln!(text, "{indent}{number}: {value}"),
        Value::Text(value) => writeln!(text, "{indent}{number}: {value:?}"),
        Value::Bytes(value) => {
            let hex: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
            writeln!(text, "{indent}{number}: {hex}")
        }
        Value::Message(fields) => {
            text.push_str(&format!("{indent}{number} {{\n"));
            write_all(text, fields, depth + 1);
            writeln!(text, "{indent}}}")
        }
    };
    written.expect("into a string");
}

#[test]
fn every_kind_is_told_apart() {
    let message = [
        &[0x08, 0x96, 0x01][..],
        &[0x12, 2, b'h', b'i'],
        &[0x1a, 2, 0x08, 0x01],
        &[0x1a, 4, 0, 0, 0x80, 0x3f],
        &[0x25, 0, 0, 0x80, 0x3f],
        // Two entries of a map.
        &[0x2a, 5, 0x0a, 1, b'b', 0x10, 2],
        &[0x2a, 5, 0x0a, 1, b'a', 0x10, 1],
    ]
    .concat();
    let wanted = "1: 150\n2: \"hi\"\n3 {\n  1: 1\n}\n3: 0000803f\n4: 0000803f\n\
                  5 {\n  1: \"a\"\n  2: 1\n}\n5 {\n  1: \"b\"\n  2: 2\n}\n";
    assert_eq!(dump(&message), wanted);
}
