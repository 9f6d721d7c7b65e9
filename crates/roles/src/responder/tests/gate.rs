//! A model says what a turn is, where the rules are not sure.

use super::*;

/// A room where a model is asked, with one line.
fn room(text: &str) -> Room {
    let room = Room {
        params: ResponderParams {
            gate_by_model: true,
            ..ResponderParams::default()
        },
        ..Room::default()
    };
    room.says(5, OTHER, "good morning").says(10, ASKER, text)
}

fn gate_of(call: &ResponderCall) -> Option<GateTag> {
    match call {
        ResponderCall::Recall(call) => call.gate,
        other => panic!("a question: {other:?}"),
    }
}

/// What memory has, where the model says that the turn is this.
fn as_model_says(tag: GateTag, found: Found) -> Found {
    found.map(|found| {
        found.map(|found| Recalled {
            tag: Some(tag),
            ..found
        })
    })
}

#[test]
fn what_is_to_nobody_by_name_is_what_the_model_says() {
    let words = "soundless since tuesday, all of us";
    let mut room = room(words);
    let call = asked(&room.closes(&[10]));
    assert_eq!(gate_of(&call), Some(GateTag::Statement));
    let bodies = room.hears(&call, &as_model_says(GateTag::NewQuestion, found(7)));
    let turn = considered(&bodies);
    assert_eq!(
        (turn.outcome, turn.tag),
        (TurnOutcome::Answered, Some(GateTag::NewQuestion))
    );

    let mut room = self::room("why is it always monday?");
    let call = asked(&room.closes(&[10]));
    assert_eq!(gate_of(&call), Some(GateTag::NewQuestion));
    let noise = as_model_says(GateTag::Noise, nothing(TurnOutcome::Noise));
    let bodies = room.hears(&call, &noise);
    let turn = considered(&bodies);
    assert_eq!(
        (turn.outcome, turn.tag),
        (TurnOutcome::Noise, Some(GateTag::Noise))
    );
    assert!(turn.record.is_some(), "what the model was asked is kept");
}

#[test]
fn where_the_rules_are_sure_nobody_is_asked() {
    for (text, tag) in [
        ("Bob: how was it?", GateTag::Statement),
        ("😂😂", GateTag::Noise),
    ] {
        assert_eq!(silent(&room(text).closes(&[10])).1, Some(tag), "{text}");
    }
    let call = asked(&room("@lore how do I get the wifi back").closes(&[10]));
    assert_eq!(gate_of(&call), None);
}

#[test]
fn where_the_model_says_nothing_the_rules_decide() {
    for (text, found, wanted) in [
        (
            "I had soup today",
            Err("no".to_owned()),
            TurnOutcome::Statement,
        ),
        (
            "I had soup today",
            nothing(TurnOutcome::Statement),
            TurnOutcome::Statement,
        ),
        (
            "how do I get the wifi back?",
            found(7),
            TurnOutcome::Answered,
        ),
        (
            "how do I get the wifi back?",
            Err("no".to_owned()),
            TurnOutcome::SearchFailed,
        ),
    ] {
        let outcome = room(text).outcome(&[10], &found);
        assert_eq!(outcome, wanted, "{text}");
    }
}

#[test]
fn what_the_model_says_of_words_that_were_changed_does_not_count() {
    let mut room = room("soundless since tuesday, all of us");
    let call = asked(&room.closes(&[10]));
    let mut room = room.and(edited(10, 1, "I had soup today"));
    let bodies = room.hears(&call, &as_model_says(GateTag::NewQuestion, found(7)));
    let turn = considered(&bodies);
    assert_eq!(
        (turn.outcome, turn.tag),
        (TurnOutcome::Statement, Some(GateTag::Statement))
    );
    assert_eq!(turn.record, None);
}
