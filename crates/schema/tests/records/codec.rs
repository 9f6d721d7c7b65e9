//! Events survive the way through bytes exactly; hostile bytes are refused.

use crate::samples::samples;
use crate::support::event;
use proptest::prelude::*;
use threadlore_model::{
    Body, ChannelId, Event, Key, Partition, Private, SpaceId, Topic, TopicPartition, partition_for,
};
use threadlore_schema::{Codec, Encoded, SchemaError, Topics, check_place};

fn encode(event: &Event) -> Encoded {
    let topic = event.body.topic().expect("every sample has a topic");
    Codec::new().encode(topic, event).expect("encodes")
}

fn decode(encoded: &Encoded, key: &[u8], value: &[u8]) -> Result<Event, String> {
    let headers: Vec<_> = encoded.headers.iter().map(|(n, v)| (*n, &v[..])).collect();
    Codec::new().decode(&headers, key, value)
}

fn key(event: &Event) -> &[u8] {
    event.envelope.key.as_str().as_bytes()
}

/// Decodes a sample after a change to its headers.
fn with_header(event: &Event, name: &'static str, to: Option<&[u8]>) -> Result<Event, String> {
    let mut encoded = encode(event);
    encoded.headers.retain(|(n, _)| *n != name);
    encoded
        .headers
        .extend(to.map(|bytes| (name, bytes.to_vec())));
    decode(&encoded, key(event), &encoded.value)
}

fn sample(type_name: &str) -> Event {
    let mut found = samples().into_iter();
    found
        .find(|event| event.body.type_name() == type_name)
        .expect("one sample per type")
}

proptest! {
    #[test]
    fn any_event_comes_back_exactly(event in event()) {
        let encoded = encode(&event);
        prop_assert_eq!(decode(&encoded, key(&event), &encoded.value), Ok(event));
    }

    #[test]
    fn a_cut_value_never_decodes(event in event(), cut in any::<prop::sample::Index>()) {
        let encoded = encode(&event);
        let cut = &encoded.value[..cut.index(encoded.value.len())];
        prop_assert!(decode(&encoded, key(&event), cut).is_err());
    }

    #[test]
    fn a_changed_value_never_panics(
        event in event(),
        at in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 1..12),
    ) {
        let mut encoded = encode(&event);
        let at = at.index(encoded.value.len());
        let end = (at + bytes.len()).min(encoded.value.len());
        encoded.value.splice(at..end, bytes);
        if let Ok(changed) = decode(&encoded, key(&event), &encoded.value) {
            prop_assert_eq!(changed.envelope, event.envelope);
        }
    }

    #[test]
    fn random_bytes_never_decode(value in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Codec::new().decode(&[], b"acme/irc:x", &value).is_err());
    }

    #[test]
    fn a_random_datum_never_panics(
        event in event(),
        datum in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut encoded = encode(&event);
        encoded.value.truncate(10);
        encoded.value.extend(datum);
        if let Ok(changed) = decode(&encoded, key(&event), &encoded.value) {
            prop_assert_eq!(changed.envelope, event.envelope);
        }
    }
}

#[test]
fn each_wrong_value_has_its_reason() {
    let event = sample("MessagePosted");
    let encoded = encode(&event);
    let says = |value: &[u8], reason: &str| {
        let said = decode(&encoded, key(&event), value).expect_err("refused");
        assert!(said.contains(reason), "{said}");
    };
    says(b"", "empty");
    says(b"{\"text\": 1}", "does not start with C3 01");
    says(&encoded.value[..7], "within the schema's fingerprint");
    says(
        &[0xc3, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        "fingerprint 0807060504030201",
    );
    says(&encoded.value[..40], "no MessagePosted: it ends early");
    says(&[&encoded.value[..], b"x"].concat(), "after its last field");
    let mut not_a_uuid = encoded.value.clone();
    not_a_uuid[11] = b'x';
    says(&not_a_uuid, "breaks the rule of its type");
}

#[test]
fn each_wrong_header_has_its_reason() {
    let event = sample("CaseSolved");
    for (name, to, reason) in [
        ("ce_type", Some(&b"CaseOpened"[..]), "another event type"),
        ("ce_type", None, "ce_type is missing"),
        ("ce_id", None, "ce_id is missing"),
        ("ce_id", Some(b"7"), "no UUID"),
        ("ce_id", Some(b"\xff"), "not UTF-8"),
        ("ce_space", None, "ce_space is missing"),
        ("ce_space", Some(b"A B"), "no space"),
        (
            "ce_space",
            Some(b"other"),
            "does not name the event's space",
        ),
        ("ce_time", Some(b"yesterday"), "no RFC 3339"),
        ("ce_specversion", Some(b"2.0"), "not 1.0"),
        ("ce_producer", Some(b"intake"), "ce_producer"),
        ("ce_cause", Some(b"x y z"), "ce_cause"),
        ("ce_actor", Some(b"nobody"), "ce_actor"),
    ] {
        let said = with_header(&event, name, to).expect_err("refused");
        assert!(said.contains(reason), "{said}");
    }
    assert!(with_header(&event, "traceparent", Some(b"\xff\xff")).is_ok());
    let encoded = encode(&event);
    assert!(decode(&encoded, b"other/irc:#ubuntu", &encoded.value).is_err());
    assert!(decode(&encoded, b"", &encoded.value).is_err());
    assert!(decode(&encoded, &[0xff; 9], &encoded.value).is_err());
}

#[test]
fn no_reason_carries_text_of_the_record() {
    let event = sample("PlatformMessage");
    let mut encoded = encode(&event);
    let at = encoded
        .value
        .windows(3)
        .position(|w| w == b"irc")
        .expect("the channel");
    encoded.value[at..at + 3].copy_from_slice(b"I C");
    let said = decode(&encoded, key(&event), &encoded.value).expect_err("refused");
    assert!(!said.contains("I C") && !said.contains("ubuntu"), "{said}");
}

#[test]
fn a_gateway_may_send_key_and_value_only() {
    for sent in samples() {
        let platform = sent.body.topic() == Some(Topic::ChatInbox);
        let value = encode(&sent).value;
        let decoded = Codec::new().decode(&[], key(&sent), &value);
        assert_eq!(decoded.is_ok(), platform, "{}", sent.body.type_name());
        if let Ok(decoded) = decoded {
            assert_eq!(decoded.envelope.space, sent.envelope.space);
            assert_eq!(decoded.envelope.time, sent.envelope.time);
            assert_eq!(decoded.body, sent.body);
            let again = Codec::new().decode(&[], key(&sent), &value);
            assert_eq!(again, Ok(decoded));
        }
    }
}

#[test]
fn open_texts_and_wrong_topics_are_not_written() {
    let mut event = sample("MessageEdited");
    let wrong = Codec::new().encode(Topic::ChatTurns, &event);
    assert!(matches!(wrong, Err(SchemaError::Inconsistent { .. })));
    let Body::MessageEdited(body) = &mut event.body else {
        unreachable!("the sample's type");
    };
    body.text = Private::open("hello");
    let open = Codec::new().encode(Topic::ChatEvents, &event);
    assert!(matches!(open, Err(SchemaError::NotSealed(_))));
    let mut event = sample("CaseArchived");
    let space = SpaceId::parse("other").expect("a space");
    let channel = ChannelId::parse("irc:#ubuntu").expect("a channel");
    event.envelope.key = Key::of_channel(&space, &channel);
    let other = Codec::new().encode(Topic::KnowledgeCases, &event);
    assert!(matches!(other, Err(SchemaError::Inconsistent { .. })));
}

#[test]
fn a_record_stands_on_its_topic_in_its_keys_partition() {
    let event = sample("CaseArchived");
    let topic = Topic::KnowledgeCases;
    let own = partition_for(key(&event), 4);
    let at = |topic, partition| TopicPartition { topic, partition };
    assert_eq!(check_place(&event, at(topic, own), 4), Ok(()));
    let other = Partition((own.0 + 1) % 4);
    assert!(check_place(&event, at(topic, other), 4).is_err());
    assert!(check_place(&event, at(Topic::ChatTurns, own), 4).is_err());
}

#[test]
fn every_type_is_on_the_topic_that_the_model_says() {
    for event in samples() {
        let name = event.body.type_name();
        let topic = event.body.topic().expect("a topic");
        let spec = Topics::embedded().get(topic);
        assert!(spec.events.contains_key(name), "{name} on {topic}");
    }
}
