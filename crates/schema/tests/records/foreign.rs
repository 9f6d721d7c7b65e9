//! Schemas out of a registry: ours under another text, and those of others.

use crate::samples::samples;
use proptest::prelude::*;
use threadlore_model::{Body, Event};
use threadlore_schema::{Codec, Fingerprint};

const NAME: &str = r#""type":"record","name":"PlatformRedaction","namespace":"io.threadlore.v1""#;

/// A schema of PlatformRedaction with these fields.
fn redaction(fields: &str) -> String {
    let channel = r#"{"name":"channel","type":"string"},{"name":"native_id","type":"string"}"#;
    format!("{{{NAME},\"fields\":[{fields},{channel}]}}")
}

const TIME: &str =
    r#"{"name":"redacted_at","type":{"type":"long","logicalType":"timestamp-millis"}}"#;

fn decode(text: &str, datum: &[u8]) -> Result<Event, String> {
    let writer = Codec::new().writer(text)?;
    assert!(writer.is_foreign());
    let value = writer.fingerprint().join(datum);
    let codec = Codec::new().reading(&writer);
    codec.decode(&[], b"acme/irc:x", &value)
}

#[test]
fn every_schema_that_is_written_is_known_again() {
    let codec = Codec::new();
    let written: Vec<_> = codec.written().collect();
    assert_eq!(written.len(), Body::TYPES.len());
    for sample in samples() {
        let name = sample.body.type_name();
        let topic = sample.body.topic().expect("a topic");
        let value = codec.encode(topic, &sample).expect("encodes").value;
        let (fingerprint, _) = Fingerprint::split(&value).expect("a single object");
        let schema = written.iter().find(|one| one.fingerprint == fingerprint);
        let schema = schema.expect("one of those written");
        assert_eq!(schema.full_name(), format!("io.threadlore.v1.{name}"));
        // A registry gives back another text of the same schema.
        let text = schema
            .text
            .replace('\n', " ")
            .replace("\"doc\": \"", "\"doc\": \"x ");
        let writer = codec.writer(&text).expect("ours");
        assert_eq!(
            (writer.fingerprint(), writer.is_foreign()),
            (fingerprint, false)
        );
    }
}

#[test]
fn further_fields_of_any_plain_type_are_passed_over() {
    let further = [
        (r#""float""#, &[0, 0, 128, 63][..]),
        (r#""double""#, &[0; 8]),
        (r#"{"type":"map","values":"string"}"#, b"\x02\x02a\x02b\0"),
        (r#"{"type":"fixed","name":"F","size":3}"#, b"abc"),
        (r#"{"type":"int","logicalType":"date"}"#, b"\x02"),
        (
            r#"{"type":"long","logicalType":"timestamp-micros"}"#,
            b"\x02",
        ),
        (r#"["null","long"]"#, b"\0"),
        (r#"{"type":"array","items":"boolean"}"#, b"\x04\x01\0\0"),
    ];
    for (schema, datum) in further {
        let text = redaction(&format!(r#"{{"name":"more","type":{schema}}},{TIME}"#));
        let datum = [datum, &[0x54], b"\x0airc:x\x02m"].concat();
        let event = decode(&text, &datum).unwrap_or_else(|why| panic!("{schema}: {why}"));
        let Body::PlatformRedaction(body) = event.body else {
            panic!("another body");
        };
        assert_eq!(
            (body.native_id.as_str(), body.redacted_at.as_millis()),
            ("m", 42)
        );
        for cut in 0..datum.len() {
            assert!(
                decode(&text, &datum[..cut]).is_err(),
                "{schema}, cut at {cut}"
            );
        }
    }
}

#[test]
fn what_cannot_be_resolved_is_refused_with_a_reason() {
    let nested = (0..200).fold("\"long\"".to_owned(), |inner, _| {
        format!(r#"{{"type":"array","items":{inner}}}"#)
    });
    for (text, why) in [
        (
            redaction(r#"{"name":"x","type":"long"}"#),
            "cannot be read as PlatformRedaction",
        ),
        (
            redaction(r#"{"name":"redacted_at","type":"string"}"#),
            "cannot be read as",
        ),
        (
            redaction(r#"{"name":"x","type":{"type":"fixed","name":"F","size":0}}"#),
            "a type",
        ),
        (
            redaction(r#"{"name":"x","type":"PlatformRedaction"}"#),
            "a type that cannot",
        ),
        (
            redaction(&format!(r#"{{"name":"x","type":{nested}}}"#)),
            "no Avro schema",
        ),
        (redaction(TIME).replace(".v1", ".v2"), "no event type"),
        (
            redaction(TIME).replace("PlatformRedaction", "Redaction"),
            "no event type",
        ),
        ("\"long\"".to_owned(), "no record"),
        ("{}".to_owned(), "no Avro schema"),
    ] {
        let said = Codec::new().writer(&text).expect_err("refused");
        assert!(said.contains(why) && said.starts_with("it "), "{said}");
        assert!(said.len() < 400, "{said}");
    }
    // The same number as a time of another unit would be another time.
    let micros = redaction(&TIME.replace("millis", "micros"));
    assert!(decode(&micros, b"\x54\x0airc:x\x02m").is_err());
}

proptest! {
    #[test]
    fn a_random_datum_of_a_foreign_schema_never_panics(
        datum in prop::collection::vec(any::<u8>(), 0..200),
        honest in 0..8_usize,
    ) {
        let more = r#"{"name":"more","type":["null",
            {"type":"map","values":{"type":"array","items":{"type":"fixed","name":"F","size":2}}},
            {"type":"array","items":{"type":"map","values":"double"}}]}"#;
        let text = redaction(&format!("{more},{TIME}"));
        // A beginning that fits, so that the rest is reached.
        let start = &b"\x02\x04\x02a\x02xy\0"[..honest];
        let bytes = [start, &datum].concat();
        if let Ok(event) = decode(&text, &bytes) {
            prop_assert!(matches!(event.body, Body::PlatformRedaction(_)));
        }
    }
}

#[test]
fn a_value_for_whoever_has_no_registry_is_written_anew_only_where_it_must_be() {
    let text = redaction(&format!(r#"{{"name":"more","type":"double"}},{TIME}"#));
    let writer = Codec::new().writer(&text).expect("resolved to ours");
    let codec = Codec::new().reading(&writer);
    let datum = [&[0; 8][..], &[0x54], b"\x0airc:x\x02m"].concat();
    let value = writer.fingerprint().join(&datum);
    let own = codec.own(value.clone());
    let body = |codec: &Codec, value: &[u8]| {
        let event = codec.decode(&[], b"acme/irc:x", value);
        event.expect("an event").body
    };
    assert_eq!(body(&Codec::new(), &own), body(&codec, &value));
    assert_eq!(codec.own(own.clone()), own, "ours stays");
    assert_eq!(codec.own(b"none".to_vec()), b"none");
}
