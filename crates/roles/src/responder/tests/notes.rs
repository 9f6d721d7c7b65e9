//! A model finds what people say of themselves.

use super::room::redacted;
use super::*;
use crate::{NoteCall, UnsayCall};

fn noting(text: &str) -> Room {
    let mut room = room(text);
    room.params.facts_by_model = true;
    room
}

fn note(n: u32, text: &str) -> ResponderCall {
    ResponderCall::Note(NoteCall {
        channel: channel(),
        person: person(ASKER),
        message: message(n),
        text: text.to_owned(),
    })
}

fn calls(decision: &Decision) -> Vec<ResponderCall> {
    let calls = decision.calls.iter();
    calls.map(|(_, call)| call.clone()).collect()
}

#[test]
fn who_speaks_of_himself_is_read_once_the_turn_has_its_outcome() {
    let mut room = noting("my node is 7.6").says(11, ASKER, "we deploy on Fridays");
    let decision = room.closes(&[10, 11]);
    assert_eq!(calls(&decision), [note(10, "my node is 7.6")]);
    assert_eq!(decision.events.len(), 1, "it has its outcome");
    assert_eq!(calls(&self::room("my node is 7.6").closes(&[10])), []);

    let asked = "@lore I am on Fedora 40. How do I get the wifi back?";
    let mut room = noting(asked);
    let call = asked_first(&mut room);
    let decision = room.decide(&heard(&call, &found(7)));
    assert_eq!(decision.events.len(), 2, "it is answered");
    assert_eq!(
        calls(&decision),
        [note(10, "I am on Fedora 40. How do I get the wifi back?")]
    );
}

fn asked_first(room: &mut Room) -> ResponderCall {
    asked(&room.closes(&[10]))
}

#[test]
fn what_the_bot_was_told_is_not_read_again() {
    let mut room = noting("@lore remember that my node is 7.6");
    let call = asked_first(&mut room);
    let done = nothing(TurnOutcome::Steered);
    assert_eq!(calls(&room.decide(&heard(&call, &done))), []);
}

#[test]
fn what_a_deleted_message_told_goes_with_it() {
    let mut room = noting("my node is 7.6");
    room.closes(&[10]);
    let deleted = redacted(10);
    let input = record(2, &deleted, 0);
    fold(&mut room.state, &input);
    let unsay = UnsayCall {
        message: message(10),
        person: None,
    };
    let decision = room.decide(&input);
    assert!(
        calls(&decision).contains(&ResponderCall::Unsay(unsay)),
        "{decision:?}"
    );
}
