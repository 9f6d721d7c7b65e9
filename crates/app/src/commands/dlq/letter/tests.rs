use super::*;

#[test]
fn a_letter_is_named_by_its_place_and_by_nothing_else() {
    for text in ["chat.inbox.dlq/3/17", "vectors.dlq/0/0"] {
        let place: Place = text.parse().expect("a place");
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
        let why = text.parse::<Place>().expect_err(text);
        assert!(why.contains(says), "{text}: {why}");
    }
}

#[test]
fn a_topic_of_letters_is_named_by_itself_or_by_what_they_are_about() {
    assert_eq!(letters("chat.inbox"), Ok(Topic::ChatInboxDlq));
    assert_eq!(letters("chat.inbox.dlq"), Ok(Topic::ChatInboxDlq));
    assert!(letters("log.skips").is_err());
    assert!(letters("inbox").is_err());
}
