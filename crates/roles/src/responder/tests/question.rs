//! What a turn asks, and what goes with it.

use super::*;

#[test]
fn a_mention_without_words_is_about_the_message_that_it_replies_to() {
    let mut mention = posted(12, ASKER, "@lore thoughts?");
    if let Body::MessagePosted(posted) = &mut mention.body {
        posted.reply_to = Some(message(5));
    }
    let mut room = Room::default()
        .says(5, OTHER, "the wifi is gone after the update")
        .says(6, 3, "pizza at noon?")
        .and(mention);
    let asked = asked(&room.closes(&[12]));
    assert_eq!(question_of(&asked), "the wifi is gone after the update");
    let bodies = room.hears(&asked, &found(7));
    let context = &considered(&bodies).context;
    let context: Vec<_> = context
        .iter()
        .map(|c| (c.message, c.reason.as_str()))
        .collect();
    assert_eq!(context, [(message(5), "anchor")]);
}

#[test]
fn a_follow_up_is_read_with_the_question_before() {
    let first = "how do I get the wifi back after the update?";
    let of = |room: Room, turn: &[u32]| {
        let mut room = room;
        let asked = asked(&room.closes(turn));
        let text = question_of(&asked).to_owned();
        let bodies = room.hears(&asked, &found(7));
        let context = considered(&bodies).context.iter();
        let context: Vec<_> = context.map(|c| (c.message, c.reason.clone())).collect();
        (text, context)
    };
    let follows = |n| vec![(message(n), "follow_up".to_owned())];
    let both = |second: &str| format!("{first}\n{second}");
    // Of his own, and over another that goes on.
    let talk = room(first).says(11, ASKER, "and on fedora?");
    assert_eq!(of(talk, &[11]), (both("and on fedora?"), follows(10)));
    let talk = room(first)
        .says(11, ASKER, "and on fedora?")
        .says(12, OTHER, "no idea")
        .says(13, ASKER, "what about arch?");
    assert_eq!(of(talk, &[13]), (both("what about arch?"), follows(10)));
    // One that stands by itself, or follows nobody's question, is its own.
    let own = "how do I mount an iso image?";
    let talk = room(first).says(11, ASKER, own);
    assert_eq!(of(talk, &[11]), (own.to_owned(), Vec::new()));
    let talk = Room::default()
        .says(9, OTHER, first)
        .says(10, ASKER, "and on fedora?");
    assert_eq!(of(talk, &[10]), ("and on fedora?".to_owned(), Vec::new()));
    // Somebody else goes on in a reply.
    let mut reply = posted(12, OTHER, "@lore and on fedora?");
    if let Body::MessagePosted(posted) = &mut reply.body {
        posted.reply_to = Some(message(10));
    }
    let talk = room(first).and(reply);
    let mut room = talk;
    let asked = asked(&room.closes(&[12]));
    assert_eq!(question_of(&asked), both("and on fedora?"));
}

#[test]
fn the_lines_before_a_question_go_with_it() {
    let mut room = Room::default();
    for n in 1..=11 {
        room = room.says(n, OTHER, "the printer blinks");
    }
    let mut room = room
        .says(20, ASKER, "so how do I stop that blinking printer?")
        .says(21, OTHER, "later");
    let call = asked(&room.closes(&[20]));
    let ResponderCall::Recall(call) = call else {
        panic!("a question: {call:?}")
    };
    assert_eq!(call.earlier, [3, 4, 5, 6, 7, 8, 9, 10, 11].map(message));
}

#[test]
fn a_mention_without_words_asks_what_was_asked_last_in_what_it_is_about() {
    let mut reply = posted(8, 3, "same here, the wifi is gone too");
    if let Body::MessagePosted(posted) = &mut reply.body {
        posted.reply_to = Some(message(5));
    }
    let mut mention = posted(12, ASKER, "@lore thoughts?");
    if let Body::MessagePosted(posted) = &mut mention.body {
        posted.reply_to = Some(message(8));
    }
    let mut room = Room::default()
        .says(5, OTHER, "how do I get the wifi back after the update?")
        .and(reply)
        .and(mention);
    let asked = asked(&room.closes(&[12]));
    assert_eq!(
        question_of(&asked),
        "how do I get the wifi back after the update?"
    );
}

#[test]
fn a_mention_about_nothing_is_told_so_unless_nothing_is_said_in_the_channel() {
    let mut room = room("@lore thoughts?");
    let asked = asked(&room.closes(&[10]));
    assert_eq!(question_of(&asked), "");
    let bodies = room.hears(&asked, &nothing(TurnOutcome::NothingFound));
    assert_eq!(considered(&bodies).outcome, TurnOutcome::Unknown);
    let Body::AnswerComposed(composed) = &bodies[1] else {
        panic!("a reply: {bodies:?}")
    };
    assert_eq!((composed.case, composed.cited.len()), (None, 0));
    assert!(
        composed
            .text
            .text()
            .is_some_and(|text| text.contains("which message you mean"))
    );
    let mut room = super::room("@lore thoughts?");
    let outcome = room.outcome(&[10], &nothing(TurnOutcome::NotConfigured));
    assert_eq!(outcome, TurnOutcome::NotConfigured);
}
