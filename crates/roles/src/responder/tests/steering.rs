//! What the bot is told, and answers that are taken back because a case changed.

use threadlore_model::{
    AnswerId, AnswerWithdrawn, CaseErased, CaseSolved, EraseReason, Signal, WithdrawalReason,
    WithdrawalRequested,
};

use super::*;
use crate::responder::Instruction;
use crate::{ForgetCall, SteerCall, TakeBackCall, UnsayCall};

fn answered() -> Room {
    let mut room = question();
    assert_eq!(room.outcome(&[10], &found(7)), TurnOutcome::Answered);
    room
}

fn steer(decision: &Decision) -> SteerCall {
    let ResponderCall::Steer(call) = asked(decision) else {
        panic!("something to do: {decision:?}")
    };
    call
}

fn said(outcome: TurnOutcome, text: &str) -> Found {
    let nothing = nothing(outcome)?;
    Ok(nothing.map(|nothing| Recalled {
        answer: Some(Answer {
            text: text.to_owned(),
            cited: Vec::new(),
            memory: None,
            precedent: None,
            composer: "steer-1".to_owned(),
        }),
        ..nothing
    }))
}

#[test]
fn what_the_bot_is_told_is_done_once_and_what_came_of_it_is_said() {
    let mut room = answered().says(11, ASKER, "@lore correct: reload the driver");
    let call = steer(&room.closes(&[11]));
    assert_eq!(
        call.instruction,
        Instruction::Correct("reload the driver".to_owned())
    );
    assert_eq!(call.case, Some(case(7)), "that of its last answer");
    assert_eq!((call.message, call.person), (message(11), person(ASKER)));
    assert_eq!(call.because, turn_id(1));
    let bodies = room.hears(
        &ResponderCall::Steer(call),
        &said(TurnOutcome::Steered, "Corrected."),
    );
    assert_eq!(considered(&bodies).outcome, TurnOutcome::Steered);
    let Body::AnswerComposed(composed) = &bodies[1] else {
        panic!("a reply: {bodies:?}")
    };
    assert_eq!(
        (composed.case, composed.text.text()),
        (None, Some("Corrected."))
    );
}

fn redacted(n: u32) -> Event {
    let redacted = MessageRedacted {
        message: message(n),
        channel: channel(),
        redacted_at: at(11),
    };
    event(redacted, at(11))
}

#[test]
fn what_a_deleted_message_told_the_bot_goes_with_it() {
    let mut room = answered().says(11, ASKER, "@lore remember that my node is 7.6");
    let call = steer(&room.closes(&[11]));
    let told = Instruction::Remember("my node is 7.6".to_owned());
    assert_eq!(call.instruction, told);
    room.hears(
        &ResponderCall::Steer(call),
        &said(TurnOutcome::Steered, "I remember that."),
    );
    // The question told it nothing.
    assert_eq!(reads(&mut room, &redacted(10)).1, []);
    let unsay = UnsayCall {
        message: message(11),
        person: Some(person(ASKER)),
    };
    let calls = reads(&mut room, &redacted(11)).1;
    assert_eq!(calls, [ResponderCall::Unsay(unsay)]);
}

#[test]
fn a_reply_says_which_answer_is_meant() {
    let room = answered();
    let bot = |mut event: Event, to: u32| {
        if let Body::MessagePosted(posted) = &mut event.body {
            posted.reply_to = Some(message(to));
            posted.author_name = Some(Private::open("lore"));
        }
        event
    };
    let mut room = room.and(bot(bot_posted(11, "Start it again."), 10)).says(
        800,
        ASKER,
        "how do I get the sound back?",
    );
    assert_eq!(room.outcome(&[800], &found(8)), TurnOutcome::Answered);
    let mut reply = posted(802, OTHER, "forget this");
    if let Body::MessagePosted(posted) = &mut reply.body {
        posted.reply_to = Some(message(11));
    }
    let mut room = room.and(reply);
    let call = steer(&room.closes(&[802]));
    assert_eq!(call.case, Some(case(7)));
    // An answer that is taught in reply to the bot is about the question.
    assert_eq!(call.reply_to, Some(message(10)));
    // Without an answer that it could be about, none is named.
    let mut alone = super::room("@lore forget this");
    assert_eq!(steer(&alone.closes(&[10])).case, None);
}

#[test]
fn instructions_that_do_not_name_the_bot_are_talk() {
    let mut room = answered().says(11, OTHER, "forget this");
    assert_eq!(silent(&room.closes(&[11])).0, TurnOutcome::Statement);
}

#[test]
fn what_could_not_be_done_is_said() {
    let mut room = answered().says(11, ASKER, "@lore mode off");
    let call = steer(&room.closes(&[11]));
    let bodies = room.hears(&ResponderCall::Steer(call), &Err("away".to_owned()));
    assert_eq!(considered(&bodies).outcome, TurnOutcome::Refused);
}

#[test]
fn refusals_are_bounded_as_answers_are() {
    let mut room = answered();
    room.params.per_minute = 1;
    room = room.says(11, OTHER, "@lore mode off");
    let call = steer(&room.closes(&[11]));
    let refused = said(TurnOutcome::Refused, "Only an admin may.");
    let bodies = room.hears(&ResponderCall::Steer(call), &refused);
    assert_eq!(considered(&bodies).outcome, TurnOutcome::TooMany);
}

#[test]
fn who_wants_to_be_forgotten_is_told_so_and_then_forgotten() {
    for speaks in [true, false] {
        let mut room = super::room("@lore forget me");
        let call = steer(&room.closes(&[10]));
        let outcome = match speaks {
            true => said(TurnOutcome::Steered, "I forget you."),
            false => nothing(TurnOutcome::Steered),
        };
        let decision = room.decide(&heard(&ResponderCall::Steer(call), &outcome));
        let answer = decision
            .events
            .iter()
            .find_map(|decided| match &decided.body {
                Body::AnswerComposed(composed) => Some(composed.answer),
                _ => None,
            });
        assert_eq!(answer.is_some(), speaks);
        let [
            (
                _,
                ResponderCall::Forget(ForgetCall {
                    person: of,
                    answer: last,
                    ..
                }),
            ),
        ] = &decision.calls[..]
        else {
            panic!("a person to forget: {decision:?}")
        };
        assert_eq!((*of, *last), (person(ASKER), answer));
    }
}

fn corrected(signal: Signal) -> Event {
    let solved = CaseSolved {
        case: case(7),
        channel: channel(),
        title: Private::open("wifi"),
        problem: Private::open("the wifi is gone"),
        solution: Private::open("reload the driver"),
        tags: Vec::new(),
        evidence: Vec::new(),
        signal,
        signal_message: None,
        engine: "admin".to_owned(),
        now: at(20),
    };
    event(solved, at(20))
}

fn erased() -> Event {
    let erased = CaseErased {
        case: case(7),
        channel: channel(),
        reason: EraseReason::Redacted,
        now: at(20),
    };
    event(erased, at(20))
}

fn requested(answer: AnswerId) -> Event {
    let request = WithdrawalRequested {
        channel: channel(),
        answer,
        reason: WithdrawalReason::CaseErased,
        now: at(20),
    };
    event(request, at(20))
}

/// What a record leads to, folded.
fn reads(room: &mut Room, event: &Event) -> (Vec<WithdrawalReason>, Vec<ResponderCall>) {
    let input = record(5, event, 0);
    fold(&mut room.state, &input);
    let decision = room.decide(&input);
    let withdrawn = decision.events.iter().map(|decided| {
        let Body::AnswerWithdrawn(AnswerWithdrawn { reason, .. }) = &decided.body else {
            panic!("a withdrawal: {decided:?}")
        };
        *reason
    });
    let withdrawn = withdrawn.collect();
    for decided in decision.events {
        let decided = super::event(decided.body, at(room.now));
        fold_decided(&mut room.state, &decided);
    }
    (
        withdrawn,
        decision.calls.into_iter().map(|(_, call)| call).collect(),
    )
}

#[test]
fn an_answer_whose_case_is_corrected_or_erased_is_taken_back_once_here_and_elsewhere() {
    for (changed, reason) in [
        (corrected(Signal::Admin), WithdrawalReason::CaseCorrected),
        (erased(), WithdrawalReason::CaseErased),
    ] {
        let mut room = answered();
        let (withdrawn, calls) = reads(&mut room, &changed);
        assert_eq!(withdrawn, [reason]);
        let elsewhere = TakeBackCall {
            case: case(7),
            channel: channel(),
            reason,
        };
        assert_eq!(calls, [ResponderCall::TakeBack(elsewhere)]);
        assert_eq!(reads(&mut room, &changed).0, []);
    }
    let mut room = answered();
    assert_eq!(
        reads(&mut room, &corrected(Signal::Thanks)),
        (vec![], vec![])
    );
}

#[test]
fn another_channel_asks_for_an_answer_to_be_taken_back() {
    let mut room = answered();
    let given = room.state.given.back().and_then(|given| given.answer);
    let (answer, _) = given.expect("an answer");
    assert_eq!(
        reads(&mut room, &requested(answer)).0,
        [WithdrawalReason::CaseErased]
    );
    assert_eq!(
        reads(&mut room, &requested(answer)).0,
        [],
        "it is taken back"
    );
}

#[test]
fn what_was_decided_about_history_asks_for_nothing() {
    let room = answered();
    let old = erased();
    let input = record(5, &old, 24 * 3600);
    let decision = room.decide(&input);
    assert_eq!(decision.calls, []);
}
