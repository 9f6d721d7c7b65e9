use super::*;

#[test]
fn a_letter_is_named_by_its_place_and_by_nothing_else() {
    for text in ["chat.inbox.dlq/3/17", "vectors.dlq/0/0"] {
        let place: DeadLetterPlace = text.parse().expect("a place");
        assert_eq!(place.to_string(), text);
    }
    for (text, says) in [
        ("", "name a dead letter as"),
        ("chat.inbox.dlq/3", "name a dead letter as"),
        ("chat.inbox.dlq/3/17/1", "name a dead letter as"),
        ("chat.inbox/3/17", "end in .dlq"),
        ("log.skips/0/1", "end in .dlq"),
        ("chat.dlq/3/17", "no topic is named"),
        ("chat.inbox.dlq/-1/17", "partition \"-1\""),
        ("chat.inbox.dlq/+1/17", "partition \"+1\""),
        ("chat.inbox.dlq/99999999999/17", "no partition"),
        ("chat.inbox.dlq/3/", "offset \"\""),
        ("chat.inbox.dlq/3/99999999999999999999", "offset"),
        ("chat.inbox.dlq/3/ 17", "offset"),
    ] {
        let why = text.parse::<DeadLetterPlace>().expect_err(text);
        assert!(why.contains(says), "{text}: {why}");
    }
}

#[test]
fn a_topic_of_letters_is_named_by_itself_or_by_what_they_are_about() {
    assert_eq!(dead_letter_topic("chat.inbox"), Ok(Topic::ChatInboxDlq));
    assert_eq!(dead_letter_topic("chat.inbox.dlq"), Ok(Topic::ChatInboxDlq));
    assert!(dead_letter_topic("log.skips").is_err());
    assert!(dead_letter_topic("inbox").is_err());
}

#[test]
fn a_value_is_known_by_how_it_begins_and_never_by_what_it_says() {
    let object = b"\xc3\x01\xde\xad\xbe\xef\xde\xad\xbe\xefsecret";
    for (value, says) in [
        (&b""[..], "holds none"),
        (object, "single object of schema"),
        (b"\0\0\0\0\x07secret", "schema 7"),
        (b"secret", "no Avro"),
        (b"\xc3\x01", "no Avro"),
    ] {
        let kind = value_kind(value);
        assert!(kind.contains(says) && !kind.contains("secret"), "{kind}");
    }
}
