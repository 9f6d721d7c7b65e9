//! `threadlore dlq show`: all that is known about one dead letter.

use std::fmt::Write;

use serde::Serialize;
use threadlore_schema::Fingerprint;

use super::Call;
use super::letter::{Place, one, record, redriven};

/// The output for one dead letter. It has no text of the record unless `--value` is given.
#[derive(Serialize)]
struct Shown {
    letter: String,
    id: String,
    at: String,
    role: String,
    reason: String,
    space: String,
    key: String,
    /// The address of the source record.
    source: String,
    source_is: String,
    /// The cause of the dead letter: the source record's event, if it could be read.
    cause: Option<String>,
    bytes: usize,
    value_is: String,
    redriven: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
}

pub(super) async fn run(place: Place, with_value: bool, call: &Call<'_>) -> anyhow::Result<u8> {
    let log = call.host.node.log.as_ref();
    let letter = one(log, place).await?;
    let source = letter.source();
    let source_is = match record(log, source).await?.map(|record| record.body) {
        None => "gone from the log: the dead letter has a copy of its value".to_owned(),
        Some(Ok(event)) => format!("{}, which can be read", event.body.type_name()),
        Some(Err(bad)) => format!("not readable: {}", bad.reason),
    };
    let redriven = redriven(log, std::slice::from_ref(&letter)).await?;
    let (envelope, dead) = (letter.envelope, letter.dead);
    let shown = Shown {
        letter: place.to_string(),
        id: envelope.id.to_string(),
        at: dead.now.to_string(),
        role: dead.role,
        reason: dead.reason,
        space: envelope.space.to_string(),
        key: envelope.key.to_string(),
        source: source.to_string(),
        source_is,
        cause: envelope.cause.map(|cause| cause.event.to_string()),
        bytes: dead.value.len(),
        value_is: shape(&dead.value),
        redriven: redriven.get(&envelope.id).map(ToString::to_string),
        value: with_value.then(|| readable(&dead.value)),
    };
    if call.json {
        call.out.json(&shown)?;
    } else {
        let lines = [
            ("letter", Some(shown.letter)),
            ("id", Some(shown.id)),
            ("failed at", Some(format!("{} by {}", shown.at, shown.role))),
            ("reason", Some(shown.reason)),
            ("space", Some(shown.space)),
            ("key", Some(shown.key)),
            (
                "record",
                Some(format!("{}: {}", shown.source, shown.source_is)),
            ),
            ("its event", shown.cause),
            (
                "value",
                Some(format!("{} bytes: {}", shown.bytes, shown.value_is)),
            ),
            (
                "redriven",
                Some(shown.redriven.unwrap_or_else(|| "no".to_owned())),
            ),
            ("text", shown.value),
        ];
        for (name, text) in lines {
            if let Some(text) = text {
                call.out.print(format_args!("{name:<10} {text}"));
            }
        }
        if !with_value && shown.bytes > 0 {
            call.out
                .say("the value may hold text and names of people: --value prints it");
        }
    }
    Ok(0)
}

/// The kind of a value, recognised by its first bytes, without any of its content.
fn shape(value: &[u8]) -> String {
    match (Fingerprint::split(value), value) {
        (Ok((schema, datum)), _) => {
            let datum = datum.len();
            format!("an Avro single object of schema {schema} with {datum} bytes of data")
        }
        (Err(_), []) => "the dead letter holds none; the record is in its topic".to_owned(),
        (Err(_), [0, a, b, c, d, ..]) => {
            let id = u32::from_be_bytes([*a, *b, *c, *d]);
            format!("framed for a schema registry, schema {id}")
        }
        (Err(_), _) => "no Avro".to_owned(),
    }
}

/// A value for display: as text if it is text, else in hexadecimal digits.
fn readable(value: &[u8]) -> String {
    let text = std::str::from_utf8(value).ok();
    let plain = |text: &&str| {
        !text
            .chars()
            .any(|c| c.is_control() && c != '\n' && c != '\t')
    };
    text.filter(plain).map_or_else(
        || {
            value.iter().fold(String::new(), |mut digits, byte| {
                // Writing to a string does not fail.
                write!(digits, "{byte:02x}").unwrap_or_default();
                digits
            })
        },
        str::to_owned,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_told_by_how_it_begins_and_never_by_what_it_says() {
        let object = b"\xc3\x01\xde\xad\xbe\xef\xde\xad\xbe\xefsecret";
        for (value, says) in [
            (&b""[..], "holds none"),
            (object, "single object of schema"),
            (b"\0\0\0\0\x07secret", "schema 7"),
            (b"secret", "no Avro"),
            (b"\xc3\x01", "no Avro"),
        ] {
            let told = shape(value);
            assert!(told.contains(says) && !told.contains("secret"), "{told}");
        }
        assert_eq!(readable("päper\n".as_bytes()), "päper\n");
        assert_eq!(readable(b"\xc3\x01\0"), "c30100");
    }
}
