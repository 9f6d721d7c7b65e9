//! Given answers, when something happens, then this is sent.

use std::collections::VecDeque;

use threadlore_model::{
    AnswerComposed, AnswerId, AnswerWithdrawn, Body, CaseId, CitedCase, Delivery, DeliveryAction,
    DeliveryKind, Event, EventId, Private, TurnConsidered, TurnOutcome, WithdrawalReason,
};
use uuid::Uuid;

use super::decide::decide;
use super::fold::{fold, fold_decided};
use super::{Decision, Input};
use crate::testing::{at, channel, event, facts, message, person, record};
use crate::{Decided, GatewayParams, GatewayState, KeyState};

/// The platform's ids, or why it took nothing.
type Sent = Result<Vec<String>, String>;

/// A channel with its gateway.
struct Channel {
    state: GatewayState,
    params: GatewayParams,
    offset: i64,
    now: i64,
    pending: usize,
}

impl Default for Channel {
    fn default() -> Self {
        Self {
            state: GatewayState::default(),
            params: GatewayParams::of("webhook", &["irc".to_owned()]),
            offset: 0,
            now: 100,
            pending: 0,
        }
    }
}

impl Channel {
    fn decide(&self, input: &Input<'_>) -> Decision {
        let mut facts = facts("gateway.webhook", at(self.now));
        facts.pending_calls = self.pending;
        decide(&self.state, input, &facts, &self.params)
    }

    /// A record of `answers` is taken: what follows, with its events folded.
    fn takes(&mut self, event: &Event) -> (Vec<Decided>, Vec<Delivery>) {
        let input = record(self.offset, event, 0);
        self.offset += 1;
        fold(&mut self.state, &input, &self.params);
        let decision = self.decide(&input);
        self.folded(decision)
    }

    /// The call that is under way ends.
    fn ends(&mut self, call: &Delivery, sent: &Sent) -> (Vec<Decided>, Vec<Delivery>) {
        self.pending -= 1;
        let decision = self.decide(&Input::Answered {
            call,
            answer: sent.as_ref().map_err(String::as_str),
        });
        self.folded(decision)
    }

    /// Folds a decision, and what follows from each of its events.
    fn folded(&mut self, decision: Decision) -> (Vec<Decided>, Vec<Delivery>) {
        let mut events: VecDeque<Decided> = decision.events.into();
        let mut calls = decision.calls;
        self.pending += calls.len();
        let mut folded = Vec::new();
        while let Some(decided) = events.pop_front() {
            let own = event(decided.body.clone(), at(self.now));
            fold_decided(&mut self.state, &own);
            folded.push(decided);
            let follows = self.decide(&Input::Decided(&own));
            self.pending += follows.calls.len();
            events.extend(follows.events);
            calls.extend(follows.calls);
        }
        let calls = calls.into_iter().map(|(_, call)| call);
        (folded, calls.collect())
    }

    /// The state as it is after the store gave it back.
    fn stored(mut self) -> Self {
        let json = serde_json::to_string(&self.state).expect("a state that can be stored");
        let mut again: GatewayState = serde_json::from_str(&json).expect("a stored state");
        for waiting in self.state.waiting.values() {
            let json = serde_json::to_string(waiting).expect("a part that can be stored");
            again.put_part(serde_json::from_str(&json).expect("a stored part"));
        }
        self.state = again;
        self
    }
}

fn answer(n: u128) -> AnswerId {
    AnswerId::carried_by(EventId::from_uuid(Uuid::from_u128(n)))
}

fn composed(n: u128, text: &str) -> AnswerComposed {
    AnswerComposed {
        answer: answer(n),
        channel: channel(),
        turn: EventId::from_uuid(Uuid::from_u128(7)),
        person: person(1),
        reply_to: message(1),
        case: Some(CaseId::from_uuid(Uuid::from_u128(3))),
        memory: None,
        precedent: None,
        text: Private::open(text),
        cited: vec![CitedCase {
            case: CaseId::from_uuid(Uuid::from_u128(3)),
            close: 900,
            version: 1,
            evidence: vec![message(2)],
            authors: Vec::new(),
        }],
        composer: "rules-1".to_owned(),
        now: at(100),
        reply_to_native: "m1".to_owned(),
        thread_root: Some("m0".to_owned()),
    }
}

/// An answer, with an event id of its own.
fn asks(n: u128, body: impl Into<Body>) -> Event {
    let mut event = event(body, at(100));
    event.envelope.id = EventId::from_uuid(Uuid::from_u128(n));
    event
}

fn withdrawn(n: u128) -> AnswerWithdrawn {
    AnswerWithdrawn {
        answer: answer(n),
        channel: channel(),
        reason: WithdrawalReason::QuestionRedacted,
        now: at(100),
    }
}

fn delivered(ids: &[&str]) -> Sent {
    Ok(ids.iter().map(|id| (*id).to_owned()).collect())
}

fn only(calls: &[Delivery]) -> &Delivery {
    match calls {
        [delivery] => delivery,
        other => panic!("not one delivery: {other:?}"),
    }
}

fn reason(events: &[Decided]) -> &str {
    match events {
        [
            Decided {
                body: Body::DeliveryFailed(failed),
                ..
            },
        ] => &failed.reason,
        other => panic!("not one failure: {other:?}"),
    }
}

#[test]
fn an_answer_is_sent_as_a_reply_and_the_attempt_is_on_the_log_before() {
    let mut place = Channel::default();
    let (events, requests) = place.takes(&asks(11, composed(1, "Restart it.")));
    assert!(matches!(&events[0].body, Body::DeliveryAttempted(attempt)
        if attempt.answer == answer(1)
            && attempt.gateway == "webhook"
            && attempt.what == DeliveryAction::Post));
    let sent = only(&requests);
    assert_eq!(sent.until, at(100 + 15 * 60));
    assert_eq!(sent.channel, channel());
    assert_eq!(
        sent.what,
        DeliveryKind::Answer {
            text: "Restart it.".to_owned(),
            reply_to: "m1".to_owned(),
            thread: Some("m0".to_owned()),
        }
    );
}

#[test]
fn what_the_platform_took_is_delivered_with_its_ids() {
    let mut place = Channel::default();
    let (_, requests) = place.takes(&asks(11, composed(1, "Restart it.")));
    let (events, next) = place.ends(&requests[0], &delivered(&["m7", "m8"]));
    assert!(
        matches!(&events[..], [Decided { body: Body::AnswerDelivered(delivered), .. }]
        if delivered.answer == answer(1) && delivered.native_ids == ["m7", "m8"])
    );
    assert!(next.is_empty());
    assert!(place.state.waiting.values().next().is_none());
}

#[test]
fn what_the_platform_does_not_take_fails_with_its_reason() {
    let mut place = Channel::default();
    let (_, requests) = place.takes(&asks(11, composed(1, "Restart it.")));
    let refused = Err("the bot was removed from the room".to_owned());
    let (events, _) = place.ends(&requests[0], &refused);
    assert_eq!(reason(&events), "the bot was removed from the room");
    assert!(place.state.waiting.values().next().is_none());
    assert!(place.state.sent.is_empty());
}

#[test]
fn the_second_answer_waits_for_the_first() {
    let mut place = Channel::default();
    let (_, first) = place.takes(&asks(11, composed(1, "One.")));
    let (events, requests) = place.takes(&asks(12, composed(2, "Two.")));
    assert!(events.is_empty() && requests.is_empty());
    let (events, requests) = place.ends(&first[0], &delivered(&["m7"]));
    assert_eq!(
        events.len(),
        2,
        "the end of the first, the begin of the second"
    );
    assert_eq!(only(&requests).answer, answer(2));
}

#[test]
fn an_answer_of_another_platform_is_left_to_its_gateway() {
    let mut place = Channel::default();
    place.params.platforms = vec!["matrix".to_owned()];
    let (events, requests) = place.takes(&asks(11, composed(1, "Restart it.")));
    assert!(events.is_empty() && requests.is_empty());
    assert_eq!(place.state, GatewayState::default());
}

#[test]
fn an_answer_that_is_too_old_is_not_sent() {
    let mut place = Channel {
        now: 100 + 15 * 60 + 1,
        ..Channel::default()
    };
    let (events, requests) = place.takes(&asks(11, composed(1, "Restart it.")));
    assert!(requests.is_empty());
    assert_eq!(
        reason(&events),
        "it was not sent in time, because the gateway did not run"
    );
}

#[test]
fn an_answer_that_cannot_be_read_any_more_is_not_sent() {
    let mut unreadable = composed(1, "");
    unreadable.text = Private::Erased;
    let (events, requests) = Channel::default().takes(&asks(11, unreadable));
    assert!(requests.is_empty());
    assert_eq!(reason(&events), "its case was erased");
}

#[test]
fn what_was_sent_is_taken_back_by_the_ids_that_the_platform_gave() {
    let mut place = Channel::default();
    let (_, requests) = place.takes(&asks(11, composed(1, "Restart it.")));
    place.ends(&requests[0], &delivered(&["m7", "m8"]));
    let mut place = place.stored();
    let (events, requests) = place.takes(&asks(12, withdrawn(1)));
    assert!(matches!(&events[0].body, Body::DeliveryAttempted(attempt)
        if attempt.what == DeliveryAction::Withdraw));
    assert_eq!(
        only(&requests).what,
        DeliveryKind::Withdrawal {
            native_ids: vec!["m7".to_owned(), "m8".to_owned()]
        }
    );
    let (events, _) = place.ends(&requests[0], &delivered(&[]));
    assert!(
        matches!(&events[..], [Decided { body: Body::AnswerDelivered(delivered), .. }]
        if delivered.what == DeliveryAction::Withdraw)
    );
    assert!(
        place.state.sent.is_empty(),
        "it is not in the room any more"
    );
}

#[test]
fn an_answer_that_is_withdrawn_while_it_is_sent_is_taken_back_after_that() {
    let mut place = Channel::default();
    let (_, requests) = place.takes(&asks(11, composed(1, "Restart it.")));
    let (events, none) = place.takes(&asks(12, withdrawn(1)));
    assert!(events.is_empty() && none.is_empty());
    let (_, requests) = place.ends(&requests[0], &delivered(&["m7"]));
    assert!(matches!(
        only(&requests).what,
        DeliveryKind::Withdrawal { .. }
    ));
}

#[test]
fn an_answer_that_is_withdrawn_before_it_is_sent_never_is() {
    let mut place = Channel::default();
    let (_, requests) = place.takes(&asks(11, composed(1, "One.")));
    place.takes(&asks(12, composed(2, "Two.")));
    place.takes(&asks(13, withdrawn(2)));
    let (events, next) = place.ends(&requests[0], &delivered(&["m7"]));
    assert!(next.is_empty());
    let failed = events.iter().filter_map(|decided| match &decided.body {
        Body::DeliveryFailed(failed) => Some((failed.what, failed.reason.as_str())),
        _ => None,
    });
    assert_eq!(
        failed.collect::<Vec<_>>(),
        [
            (DeliveryAction::Post, "it was withdrawn before it was sent"),
            (
                DeliveryAction::Withdraw,
                "it was not sent within the last day"
            ),
        ]
    );
}

#[test]
fn an_answer_is_remembered_for_a_day() {
    let mut place = Channel::default();
    let (_, requests) = place.takes(&asks(11, composed(1, "One.")));
    place.ends(&requests[0], &delivered(&["m7"]));
    place.now += 24 * 60 * 60 + 1;
    let mut late = composed(2, "Two.");
    late.now = at(place.now);
    let (_, requests) = place.takes(&asks(12, late));
    place.ends(&requests[0], &delivered(&["m8"]));
    let sent: Vec<_> = place.state.sent.iter().map(|sent| sent.answer).collect();
    assert_eq!(sent, [answer(2)]);
}

#[test]
fn what_was_begun_before_a_crash_is_tried_again_with_the_same_key_even_if_late() {
    let mut place = Channel::default();
    let (_, first) = place.takes(&asks(11, composed(1, "Restart it.")));
    // Its call was lost with the process, and the time is over.
    let mut place = place.stored();
    place.pending = 0;
    place.now += 60 * 60;
    let (events, again) = place.takes(&asks(12, considered()));
    assert!(events.is_empty(), "the attempt is on the log already");
    assert_eq!(only(&again).key(), only(&first).key());
}

#[test]
fn while_a_state_is_rebuilt_a_delivery_may_end_before_it_is_asked_for() {
    let mut place = Channel::default();
    let late = record_of(&mut Channel {
        now: 100 + 60 * 60,
        ..Channel::default()
    });
    fold_decided(&mut place.state, &event(late, at(place.now)));
    let (events, requests) = place.takes(&asks(11, composed(1, "Restart it.")));
    assert!(events.is_empty() && requests.is_empty());
    assert_eq!(place.state.early.len(), 0);
    assert!(place.state.waiting.values().next().is_none());
}

#[test]
fn while_a_state_is_rebuilt_a_delivery_may_begin_before_it_is_asked_for() {
    let mut place = Channel::default();
    let begun = record_of(&mut Channel::default());
    fold_decided(&mut place.state, &event(begun, at(place.now)));
    let (events, requests) = place.takes(&asks(11, composed(1, "Restart it.")));
    assert!(events.is_empty(), "the attempt is on the log already");
    assert_eq!(only(&requests).answer, answer(1));
}

/// The first event that follows from the answer 1 in a place.
fn record_of(place: &mut Channel) -> Body {
    let (mut events, _) = place.takes(&asks(11, composed(1, "Restart it.")));
    events.remove(0).body
}

#[test]
fn the_same_delivery_has_the_same_event_ids() {
    let ids = |place: &mut Channel| {
        let (begun, requests) = place.takes(&asks(11, composed(1, "Restart it.")));
        let (ended, _) = place.ends(&requests[0], &delivered(&["m7"]));
        let ids = begun.iter().chain(&ended).map(|decided| decided.id);
        ids.collect::<Vec<_>>()
    };
    let once = ids(&mut Channel::default());
    assert_eq!(once, ids(&mut Channel::default()));
    assert!(once[0].is_some() && once[0] != once[1]);
}

/// A record of `answers` that asks a gateway for nothing.
fn considered() -> TurnConsidered {
    TurnConsidered {
        channel: channel(),
        turn: EventId::from_uuid(Uuid::from_u128(8)),
        person: person(1),
        messages: vec![message(1)],
        outcome: TurnOutcome::Answered,
        tag: None,
        context: Vec::new(),
        record: None,
        asks_again: None,
        model_tokens: 0,
        now: at(100),
    }
}
