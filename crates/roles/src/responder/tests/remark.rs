//! A model says what is said of an answer, where the rules see nothing in it.

use threadlore_model::Rating;

use super::feedback::{answered, ratings, replying};
use super::*;
use crate::RemarkCall;

/// A room with an answer, where a model is asked.
fn judging() -> Room {
    let mut room = answered();
    room.params.judge_by_model = true;
    room
}

/// Words of the asker in which the rules see nothing.
const WORDS: &str = "the little symbol at the top is back where it was";

/// What is asked of memory about the last line of a room.
fn call(room: &mut Room, n: u32) -> ResponderCall {
    let closed = room.turn(&[n], room.lines);
    let input = record(room.turns, &closed, 0);
    room.turns += 1;
    fold(&mut room.state, &input);
    asked(&room.decide(&input))
}

fn remark_of(call: &ResponderCall) -> Option<&RemarkCall> {
    match call {
        ResponderCall::Recall(call) => call.remark.as_ref(),
        other => panic!("a question: {other:?}"),
    }
}

/// What memory has, where the model says this of the answer.
fn as_model_says(rating: Option<Rating>, outcome: TurnOutcome) -> Found {
    nothing(outcome).map(|found| found.map(|found| Recalled { rating, ..found }))
}

#[test]
fn what_the_asker_says_next_is_what_the_model_says() {
    assert_eq!(
        silent(&answered().says(12, ASKER, WORDS).closes(&[12])).0,
        TurnOutcome::Statement
    );
    let mut room = judging().says(12, ASKER, WORDS);
    let call = call(&mut room, 12);
    let remark = RemarkCall {
        text: WORDS.to_owned(),
        before: vec![message(10), message(11)],
        asks: false,
    };
    assert_eq!(remark_of(&call), Some(&remark));
    for (rating, outcome) in [
        (Some(Rating::Helped), TurnOutcome::Rated),
        (Some(Rating::Failed), TurnOutcome::Rated),
        (None, TurnOutcome::Statement),
    ] {
        let bodies = room.hears(&call, &as_model_says(rating, outcome));
        let turn = considered(&bodies);
        assert_eq!(
            (turn.outcome, turn.tag),
            (outcome, Some(GateTag::Statement))
        );
        assert!(turn.record.is_some(), "what the model was asked is kept");
        let wanted: Vec<_> = rating
            .map(|rating| (ASKER, Some(rating)))
            .into_iter()
            .collect();
        assert_eq!(ratings(&bodies), wanted);
        room.turns -= 1;
        self::call(&mut room, 12);
    }
    let bodies = room.hears(&call, &Err("no".to_owned()));
    assert_eq!(considered(&bodies).outcome, TurnOutcome::Statement);
    assert_eq!(ratings(&bodies), []);
}

#[test]
fn a_reply_that_says_nothing_of_the_answer_is_looked_up() {
    let reply = replying(
        posted(13, OTHER, "mine has nothing of the kind in the list"),
        11,
    );
    let replied = || judging().says(12, OTHER, "good morning").and(reply.clone());
    let mut room = replied();
    let asked = call(&mut room, 13);
    let remark = remark_of(&asked).expect("it is about the answer");
    assert!(remark.asks);
    assert_eq!(remark.before, [message(10), message(11), message(12)]);
    let bodies = room.hears(
        &asked,
        &as_model_says(Some(Rating::Failed), TurnOutcome::Rated),
    );
    assert_eq!(considered(&bodies).outcome, TurnOutcome::Rated);
    assert_eq!(ratings(&bodies).len(), 1);

    let mut room = replied();
    let asked = call(&mut room, 13);
    let bodies = room.hears(&asked, &found(8));
    assert_eq!(considered(&bodies).outcome, TurnOutcome::Answered);
    assert_eq!(ratings(&bodies), []);
}

#[test]
fn no_model_is_asked_about_what_is_about_no_answer() {
    let mut room = judging().says(12, ASKER, "and where is the network manager?");
    assert_eq!(remark_of(&call(&mut room, 12)), None, "it asks on");
    for room in [
        judging().says(12, ASKER, "😂😂"),
        judging().says(12, ASKER, "@bob I had soup today"),
        judging()
            .says(12, OTHER, "or reload it")
            .says(13, ASKER, WORDS),
        judging().says(2000, ASKER, WORDS),
    ] {
        let n = match room.now {
            2000 => 2000,
            now => u32::try_from(now).expect("a line"),
        };
        let (outcome, _) = silent(&{ room }.closes(&[n]));
        assert!(
            matches!(outcome, TurnOutcome::Statement | TurnOutcome::Noise),
            "{outcome:?}"
        );
    }
    let mut room = judging().says(12, ASKER, "thanks, that works!");
    assert_eq!(
        silent(&room.closes(&[12])).0,
        TurnOutcome::Rated,
        "it is plain"
    );
}

#[test]
fn what_the_model_says_of_words_that_were_changed_does_not_count() {
    let mut room = judging().says(12, ASKER, WORDS);
    let call = call(&mut room, 12);
    let mut room = room.and(edited(12, 1, "I had soup today"));
    let bodies = room.hears(
        &call,
        &as_model_says(Some(Rating::Helped), TurnOutcome::Rated),
    );
    assert_eq!(considered(&bodies).outcome, TurnOutcome::Statement);
    assert_eq!(ratings(&bodies), []);
}
