//! What the platform says beside the text, and answers that are taken back.

use super::*;
use threadlore_model::{AnswerWithdrawn, WithdrawalReason};

pub(super) fn redacted(n: u32) -> Event {
    let redacted = MessageRedacted {
        message: message(n),
        channel: channel(),
        redacted_at: at(200),
    };
    event(redacted, at(200))
}

/// A room in which the message 10 was answered.
fn answered() -> Room {
    let mut room = question();
    assert_eq!(room.outcome(&[10], &found(7)), TurnOutcome::Answered);
    room
}

/// What follows when a message is deleted, with what is decided folded.
fn deletes(room: &mut Room, n: u32) -> Vec<Body> {
    let redacted = redacted(n);
    let input = record(50 + room.lines, &redacted, 0);
    fold(&mut room.state, &input);
    let decision = room.decide(&input);
    let bodies: Vec<Body> = decision.events.into_iter().map(|e| e.body).collect();
    for body in &bodies {
        fold_decided(&mut room.state, &event(body.clone(), at(room.now)));
    }
    bodies
}

#[test]
fn an_answer_whose_question_is_deleted_is_withdrawn_once() {
    let mut room = answered();
    let bodies = deletes(&mut room, 10);
    let [Body::AnswerWithdrawn(withdrawn)] = &bodies[..] else {
        panic!("a withdrawal: {bodies:?}")
    };
    assert_eq!(withdrawn.reason, WithdrawalReason::QuestionRedacted);
    assert!(
        deletes(&mut room, 10).is_empty(),
        "it was withdrawn already"
    );
}

#[test]
fn another_message_that_is_deleted_withdraws_nothing() {
    let mut room = answered().says(11, OTHER, "pizza at noon?");
    assert!(deletes(&mut room, 11).is_empty());
}

#[test]
fn a_line_that_the_platform_says_is_to_the_bot_is_a_mention() {
    let mut to_bot = posted(10, ASKER, "the wifi is gone after the update");
    if let Body::MessagePosted(posted) = &mut to_bot.body {
        posted.to_bot = true;
    }
    let mut room = Room::default().and(to_bot);
    let asked = asked(&room.closes(&[10]));
    let bodies = room.hears(&asked, &found(7));
    assert_eq!(considered(&bodies).tag, Some(GateTag::Mention));
}

#[test]
fn an_answer_names_the_message_and_the_thread_as_the_platform_does() {
    let mut in_thread = posted(10, ASKER, "how do I get the wifi back after the update?");
    if let Body::MessagePosted(posted) = &mut in_thread.body {
        posted.native_id = "$question".to_owned();
        posted.thread_root = Some("$root".to_owned());
    }
    let mut room = Room::default().and(in_thread);
    let asked = asked(&room.closes(&[10]));
    let bodies = room.hears(&asked, &found(7));
    let Body::AnswerComposed(composed) = &bodies[1] else {
        panic!("an answer: {bodies:?}")
    };
    assert_eq!(composed.reply_to_native, "$question");
    assert_eq!(composed.thread_root.as_deref(), Some("$root"));
}

#[test]
fn a_rebuilt_state_may_learn_of_the_withdrawal_before_the_answer() {
    let mut room = question();
    let asked = asked(&room.closes(&[10]));
    let outcome = found(7);
    let decision = room.decide(&heard(&asked, &outcome));
    let turn = decision.events[0].body.clone();
    fold_decided(&mut room.state, &event(turn, at(room.now)));
    let Body::AnswerComposed(composed) = &decision.events[1].body else {
        panic!("an answer: {decision:?}")
    };
    let withdrawn = AnswerWithdrawn {
        answer: composed.answer,
        channel: channel(),
        reason: WithdrawalReason::QuestionRedacted,
        now: at(300),
    };
    fold_decided(&mut room.state, &event(withdrawn, at(300)));
    fold_decided(&mut room.state, &event(composed.clone(), at(room.now)));
    assert!(deletes(&mut room, 10).is_empty(), "it is withdrawn already");
    assert!(room.state.withdrawn.is_empty());
}
