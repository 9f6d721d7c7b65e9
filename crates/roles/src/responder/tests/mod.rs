//! Given lines and turns, when something happens, then this follows.

use threadlore_model::{
    Answer, AnswerComposed, Body, CitedCase, Event, EventId, GateTag, MessageRedacted, NearCase,
    Offset, Private, Recalled, Timestamp, Topic, TurnClosed, TurnConsidered, TurnOutcome,
};
use uuid::Uuid;

mod feedback;
mod gate;
mod interleavings;
mod notes;
mod question;
mod quiet;
mod remark;
mod room;
mod steering;

use super::decide::decide;
use super::fold::{LINES, fold, fold_decided};
use super::{Decision, Input, ResponderCall};
use crate::testing::{
    at, bot_posted, case, channel, edited, event, facts, message, person, posted, record,
};
use crate::{KeyState, ResponderParams, ResponderState};

/// What memory has, or why a search failed.
type Found = Result<Option<Recalled>, String>;

const ASKER: u128 = 1;
const OTHER: u128 = 2;

/// A room, and what is decided in it.
#[derive(Default)]
struct Room {
    state: ResponderState,
    params: ResponderParams,
    lines: i64,
    turns: i64,
    now: i64,
}

impl Room {
    /// Takes a record of `chat.events` in.
    fn and(mut self, event: Event) -> Self {
        self.lines += 1;
        self.now = event.envelope.time.as_millis() / 1000;
        fold(&mut self.state, &record(self.lines, &event, 0));
        self
    }

    fn says(self, n: u32, who: u128, text: &str) -> Self {
        self.and(named(posted(n, who, text), who))
    }

    fn turn(&self, messages: &[u32], up_to: i64) -> Event {
        let closed = TurnClosed {
            channel: channel(),
            person: person(ASKER),
            messages: messages.iter().map(|n| message(*n)).collect(),
            up_to: Offset(up_to),
            now: at(self.now),
        };
        let mut closed = event(closed, at(self.now));
        closed.envelope.id = turn_id(self.turns);
        closed
    }

    /// The asker's turn ends: what follows.
    fn closes(&mut self, messages: &[u32]) -> Decision {
        let closed = self.turn(messages, self.lines);
        let input = record(self.turns, &closed, 0);
        self.turns += 1;
        fold(&mut self.state, &input);
        self.decide(&input)
    }

    fn decide(&self, input: &Input<'_>) -> Decision {
        decide(
            &self.state,
            input,
            &facts("responder", at(self.now)),
            &self.params,
        )
    }

    /// What memory has arrives: what follows, with what is decided folded.
    fn hears(&mut self, call: &ResponderCall, found: &Found) -> Vec<Body> {
        let decision = self.decide(&heard(call, found));
        let bodies = decision.events.into_iter().map(|decided| decided.body);
        let bodies: Vec<Body> = bodies.collect();
        for body in &bodies {
            fold_decided(&mut self.state, &event(body.clone(), at(self.now)));
        }
        bodies
    }

    /// The outcome of a turn that is asked at once, where memory has this.
    fn outcome(&mut self, messages: &[u32], found: &Found) -> TurnOutcome {
        let asked = asked(&self.closes(messages));
        considered(&self.hears(&asked, found)).outcome
    }
}

fn turn_id(n: i64) -> EventId {
    EventId::from_uuid(Uuid::from_u128(1000 + n as u128))
}

fn named(mut event: Event, who: u128) -> Event {
    if let Body::MessagePosted(posted) = &mut event.body {
        posted.author_name = Some(Private::open(["cid", "ann", "Bob"][who as usize % 3]));
    }
    event
}

fn room(text: &str) -> Room {
    Room::default().says(10, ASKER, text)
}

fn question() -> Room {
    room("how do I get the wifi back after the update?")
}

fn heard<'a>(call: &'a ResponderCall, found: &'a Found) -> Input<'a> {
    Input::Answered {
        call,
        answer: found.as_ref().map_err(String::as_str),
    }
}

fn asked(decision: &Decision) -> ResponderCall {
    let [(cause, call)] = &decision.calls[..] else {
        panic!("one question: {decision:?}")
    };
    assert_eq!(
        (cause.at.topic, decision.events.len()),
        (Topic::ChatTurns, 0)
    );
    call.clone()
}

fn question_of(call: &ResponderCall) -> &str {
    let ResponderCall::Recall(call) = call else {
        panic!("a question: {call:?}")
    };
    &call.question
}

fn considered(bodies: &[Body]) -> &TurnConsidered {
    let Some(Body::TurnConsidered(considered)) = bodies.first() else {
        panic!("a turn that was considered: {bodies:?}")
    };
    let speaks = bodies
        .iter()
        .filter(|body| matches!(body, Body::AnswerComposed(_)));
    assert_eq!(speaks.count(), usize::from(considered.outcome.speaks()));
    considered
}

/// The outcome of a turn about which nothing is asked.
fn silent(decision: &Decision) -> (TurnOutcome, Option<GateTag>) {
    assert_eq!(decision.calls, []);
    let bodies: Vec<Body> = decision.events.iter().map(|e| e.body.clone()).collect();
    let considered = considered(&bodies);
    (considered.outcome, considered.tag)
}

fn found(n: u128) -> Found {
    Ok(Some(Recalled {
        outcome: TurnOutcome::Answered,
        answer: Some(Answer {
            text: "Start the network manager again.".to_owned(),
            cited: vec![CitedCase {
                case: case(n),
                close: 800,
                version: 1,
                evidence: vec![message(3)],
                authors: Vec::new(),
            }],
            memory: None,
            precedent: None,
            composer: "builtin-1".to_owned(),
        }),
        nearest: Vec::new(),
        docs: Vec::new(),
        tag: None,
        rating: None,
        record: "{}".to_owned(),
        model_tokens: 0,
    }))
}

fn nothing(outcome: TurnOutcome) -> Found {
    Ok(Some(Recalled {
        outcome,
        answer: None,
        nearest: Vec::new(),
        docs: Vec::new(),
        tag: None,
        rating: None,
        record: "{}".to_owned(),
        model_tokens: 0,
    }))
}

#[test]
fn a_question_that_memory_knows_is_answered_with_its_case() {
    let mut room = question();
    let asked = asked(&room.closes(&[10]));
    assert_eq!(
        question_of(&asked),
        "how do I get the wifi back after the update?"
    );
    let bodies = room.hears(&asked, &found(7));
    let turn = considered(&bodies);
    assert_eq!(
        (turn.outcome, turn.tag),
        (TurnOutcome::Answered, Some(GateTag::NewQuestion))
    );
    assert_eq!((turn.turn, turn.person), (turn_id(0), person(ASKER)));
    let Body::AnswerComposed(AnswerComposed {
        turn,
        case: of,
        reply_to,
        text,
        ..
    }) = &bodies[1]
    else {
        panic!("an answer: {bodies:?}")
    };
    assert_eq!(
        (*turn, *of, *reply_to),
        (turn_id(0), Some(case(7)), message(10))
    );
    assert_eq!(text.text(), Some("Start the network manager again."));
    assert_eq!(room.state.turns.len(), 0);
}

#[test]
fn silence_has_the_reason_that_memory_gives() {
    for outcome in [
        TurnOutcome::NotConfigured,
        TurnOutcome::Muted,
        TurnOutcome::NothingFound,
        TurnOutcome::NothingClose,
        TurnOutcome::NothingAnswers,
    ] {
        assert_eq!(question().outcome(&[10], &nothing(outcome)), outcome);
    }
    let failed = Err("no".to_owned());
    assert_eq!(
        question().outcome(&[10], &failed),
        TurnOutcome::SearchFailed
    );
}

#[test]
fn a_turn_is_asked_as_a_whole() {
    let mut room = room("my wifi is gone").says(11, ASKER, "what can I do?");
    let asked = asked(&room.closes(&[10, 11]));
    assert_eq!(question_of(&asked), "my wifi is gone\nwhat can I do?");
}

#[test]
fn the_gate_lets_questions_and_faults_pass_and_nothing_else() {
    use GateTag::{Mention, NewQuestion, Noise, Statement};
    for (text, tag) in [
        ("how do I get the wifi back?", NewQuestion),
        ("the wifi still doesn't work", NewQuestion),
        ("как вернуть вайфай после обновления?", NewQuestion),
        ("@lore how do I get the wifi back", Mention),
        ("lore: the wifi is gone", Mention),
        ("Bob: how was it?", Statement),
        ("@bob how was it?", Statement),
        ("how was it, bob?", Statement),
        ("I had soup today", Statement),
        ("😂😂", Noise),
        ("https://example.org/a?b=c", Noise),
        ("?", Noise),
    ] {
        let mut room = Room::default()
            .says(5, OTHER, "good morning")
            .says(10, ASKER, text);
        let decision = room.closes(&[10]);
        let seen = match decision.calls.is_empty() {
            true => silent(&decision).1,
            false => {
                let asked = asked(&decision);
                considered(&room.hears(&asked, &found(7))).tag
            }
        };
        assert_eq!(seen, Some(tag), "{text}");
    }
}

#[test]
fn a_reply_to_another_person_is_none_of_the_bots_business() {
    let mut replied = posted(10, ASKER, "and did that help?");
    if let Body::MessagePosted(posted) = &mut replied.body {
        posted.reply_to = Some(message(5));
    }
    let mut room = Room::default()
        .says(5, OTHER, "I took it back")
        .and(replied);
    assert_eq!(silent(&room.closes(&[10])).0, TurnOutcome::Statement);
}

#[test]
fn who_asks_by_name_gets_the_nearest_cases_which_are_no_answer_to_others() {
    let near = |n: u128| NearCase {
        case: case(n),
        title: format!("title {n}"),
        link: format!("link {n}"),
        close: 300,
    };
    let nothing = nothing(TurnOutcome::NothingClose).ok().flatten();
    let pointing = Ok(nothing.map(|nothing| Recalled {
        nearest: vec![near(7), near(8)],
        ..nothing
    }));
    let mut room = room("@lore how do I get the wifi back after the update?");
    let asked_of = asked(&room.closes(&[10]));
    let bodies = room.hears(&asked_of, &pointing);
    assert_eq!(considered(&bodies).outcome, TurnOutcome::Pointed);
    let Body::AnswerComposed(composed) = &bodies[1] else {
        panic!("a reply: {bodies:?}")
    };
    assert_eq!(composed.case, Some(case(7)), "whose words it has");
    // What was only pointed at was not said: the answer itself may follow.
    let mut room = room.says(11, ASKER, "how do I get the wifi back after the update?");
    assert_eq!(room.outcome(&[11], &found(7)), TurnOutcome::Answered);
    // Others, who did not ask by name, get nothing.
    assert_eq!(
        question().outcome(&[10], &pointing),
        TurnOutcome::NothingClose
    );
}

#[test]
fn a_turn_waits_for_its_lines() {
    let mut room = question();
    let closed = room.turn(&[10, 11], 2);
    let input = record(0, &closed, 0);
    fold(&mut room.state, &input);
    assert_eq!(
        room.decide(&input),
        Decision::default(),
        "line 11 is not read yet"
    );
    let late = named(posted(11, ASKER, "please"), ASKER);
    let mut room = room.and(late.clone());
    let asked = asked(&room.decide(&record(2, &late, 0)));
    assert!(question_of(&asked).ends_with("please"));
    assert_eq!(considered(&room.hears(&asked, &found(7))).messages.len(), 2);
}

#[test]
fn one_turn_is_asked_at_a_time_and_the_next_one_when_that_is_answered() {
    let mut room = question();
    let first = asked(&room.closes(&[10]));
    room = room.says(20, ASKER, "and how do I get the sound back?");
    let closed = room.turn(&[20], 2);
    let input = record(1, &closed, 0);
    fold(&mut room.state, &input);
    let mut busy = facts("responder", at(room.now));
    busy.pending_calls = 1;
    let waiting = decide(&room.state, &input, &busy, &room.params);
    assert_eq!(waiting, Decision::default());
    let outcome = found(7);
    let next = room.decide(&heard(&first, &outcome));
    assert_eq!((next.events.len(), next.calls.len()), (2, 1));
    assert!(question_of(&next.calls[0].1).contains("sound"));
}

#[test]
fn what_was_taken_back_or_changed_meanwhile_is_not_answered() {
    let redacted = |n: u32| {
        let redacted = MessageRedacted {
            message: message(n),
            channel: channel(),
            redacted_at: at(11),
        };
        event(redacted, at(11))
    };
    let mut room = question().and(redacted(10));
    assert_eq!(silent(&room.closes(&[10])).0, TurnOutcome::Withdrawn);
    for change in [redacted(10), edited(10, 1, "solved, thanks")] {
        let mut room = question();
        let asked = asked(&room.closes(&[10]));
        let mut room = room.and(change);
        let outcome = considered(&room.hears(&asked, &found(7))).outcome;
        assert!(
            matches!(outcome, TurnOutcome::Withdrawn | TurnOutcome::Statement),
            "{outcome:?}"
        );
    }
}

#[test]
fn a_turn_that_was_considered_is_done_whatever_comes_again() {
    let mut room = question();
    let asked = asked(&room.closes(&[10]));
    room.hears(&asked, &found(7));
    assert_eq!(room.hears(&asked, &found(7)), []);
    assert_eq!(room.decide(&Input::Resume), Decision::default());
}

#[test]
fn ids_follow_from_the_turn_whatever_led_to_the_decision() {
    let ids = |now: i64| {
        let mut room = question();
        let asked = asked(&room.closes(&[10]));
        room.now = now;
        let outcome = found(7);
        let decision = room.decide(&heard(&asked, &outcome));
        let ids = decision.events.iter().map(|decided| decided.id);
        ids.collect::<Vec<_>>()
    };
    assert_eq!(ids(12), ids(13));
    assert!(ids(12).iter().all(Option::is_some));
}

#[test]
fn lines_are_bounded_and_the_state_is_stored_in_parts() {
    let mut room = Room::default();
    let count = u32::try_from(LINES).expect("few") + 10;
    for n in 1..=count {
        room = room.says(n, OTHER, "text");
    }
    assert_eq!(room.state.lines.len(), LINES);
    let closed = room.turn(&[count], room.lines);
    fold(&mut room.state, &record(0, &closed, 0));
    let parts = room.state.take_changed();
    let stored = serde_json::to_string(&room.state).expect("written");
    let mut read: ResponderState = serde_json::from_str(&stored).expect("read");
    for part in parts.into_iter().filter_map(|(_, part)| part) {
        read.put_part(part);
    }
    assert_eq!(read, room.state);
    assert_eq!(room.state.clock.now(Timestamp::EARLIEST), at(count.into()));
}
