//! Given memories, when something is asked for, what follows? Given exchanges, when answers turn out to
//! be worth something and time passes, where are they kept?

use std::collections::BTreeMap;

use proptest::prelude::*;
use threadlore_model::{
    AnswerId, AnswerOutcome, Body, CaseId, Event, EventId, MemoryErasureRequested, MemoryHome,
    MemoryId, MemoryRequested, OutcomeRecorded, OutcomeSource, Private,
};
use uuid::Uuid;

use super::*;
use crate::testing::{at, channel, event, facts, message, person, record};

const ANN: u128 = 1;
const BEN: u128 = 2;

fn memory(n: u128) -> MemoryId {
    MemoryId::from_uuid(Uuid::from_u128(n))
}

fn wanted(n: u128, who: u128, text: &str, now: i64) -> Body {
    MemoryRequested {
        memory: memory(n),
        home: MemoryHome::Bank,
        channel: channel(),
        person: person(who),
        message: Some(message(1)),
        text: Private::open(text),
        always: false,
        replaces: None,
        now: at(now),
    }
    .into()
}

fn unwanted(n: Option<u128>, who: u128, now: i64) -> Body {
    MemoryErasureRequested {
        home: MemoryHome::Bank,
        person: person(who),
        memory: n.map(memory),
        now: at(now),
    }
    .into()
}

/// What follows from each request, in few words, and what is told in the end.
fn asked(bodies: Vec<Body>) -> (Vec<String>, Vec<String>) {
    let mut state = PromoterState::default();
    let mut all = Vec::new();
    for (offset, body) in (0..).zip(bodies) {
        let event = event(body, at(0));
        let input = record(offset, &event, 0);
        Promoter.fold(&mut state, &input);
        let decision = Promoter.decide(&state, &input, &facts("promoter", at(0)));
        let decision = decision.expect("it is taken");
        let mut said: Vec<String> = decision.dropped.iter().map(|&why| why.to_owned()).collect();
        for decided in decision.events {
            let decided_at = decided.time.expect("the time of the request");
            said.push(in_words(&decided.body));
            Promoter.fold_decided(&mut state, &crate::testing::event(decided.body, decided_at));
        }
        all.push(said.join(", "));
    }
    let told = state.memories().values().map(|known| known.text.clone());
    (all, told.collect())
}

fn in_words(body: &Body) -> String {
    match body {
        Body::MemoryStored(stored) => format!("stored {}", stored.memory.as_uuid().as_u128()),
        Body::MemoryArchived(archived) => format!(
            "{} {}",
            archived.reason.name(),
            archived.memory.as_uuid().as_u128()
        ),
        Body::MemoryErased(erased) => format!("erased {}", erased.memory.as_uuid().as_u128()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_said_is_stored_once() {
    let (said, told) = asked(vec![
        wanted(1, ANN, "we deploy on Fridays", 10),
        wanted(1, ANN, "we deploy on Fridays", 10),
        wanted(2, BEN, "we deploy on Fridays", 20),
        wanted(3, BEN, "the wiki is at wiki.example.org", 30),
    ]);
    let known = "a memory that is known";
    assert_eq!(said, ["stored 1", known, known, "stored 3"]);
    assert_eq!(
        told,
        ["we deploy on Fridays", "the wiki is at wiki.example.org"]
    );
}

#[test]
fn nearly_the_same_replaces_the_older_words() {
    let (said, told) = asked(vec![
        wanted(
            1,
            ANN,
            "the staging server is reachable at stage.example.org",
            10,
        ),
        wanted(
            2,
            ANN,
            "The staging server is reachable at stage.example.org!",
            20,
        ),
        wanted(3, ANN, "the production server is db1", 30),
    ]);
    assert_eq!(said, ["stored 1", "stored 2, replaced 1", "stored 3"]);
    assert_eq!(told.len(), 2);
}

#[test]
fn what_comes_in_the_place_of_another_replaces_it_whatever_its_words() {
    let instead = |n, text: &str, other| {
        let mut body = wanted(n, ANN, text, n as i64 * 10);
        if let Body::MemoryRequested(asked) = &mut body {
            asked.replaces = Some(memory(other));
        }
        body
    };
    let (said, told) = asked(vec![
        wanted(1, ANN, "we deploy on Fridays", 10),
        instead(2, "releases go out with each merge", 1),
        instead(3, "releases go out with each merge", 2),
        instead(4, "we deploy on Fridays", 9),
    ]);
    let replaced = [
        "stored 1",
        "stored 2, replaced 1",
        "stored 3, replaced 2",
        "stored 4",
    ];
    assert_eq!(said, replaced);
    assert_eq!(
        told,
        ["releases go out with each merge", "we deploy on Fridays"]
    );
}

#[test]
fn a_full_bank_forgets_its_oldest() {
    let all = (0..1001).map(|n| {
        let word: String = format!("{n:04}")
            .bytes()
            .map(|b| char::from(b + 49))
            .collect();
        wanted(n + 1, ANN, &format!("{word}{word}"), 5000 - n as i64)
    });
    let (said, told) = asked(all.collect());
    assert_eq!(told.len(), 1000);
    // The one before the last was said earliest.
    assert_eq!(
        said.last().map(String::as_str),
        Some("stored 1001, full 1000")
    );
}

#[test]
fn what_is_to_be_forgotten_is_erased_whether_it_is_told_or_not_and_others_memories_are_not() {
    let (said, told) = asked(vec![
        wanted(1, ANN, "we deploy on Fridays", 10),
        wanted(2, BEN, "the wiki is down", 10),
        unwanted(Some(2), ANN, 20),
        unwanted(Some(1), ANN, 20),
        unwanted(Some(9), ANN, 20),
        unwanted(Some(9), ANN, 20),
        wanted(3, BEN, "lunch is at noon", 30),
        unwanted(None, BEN, 40),
    ]);
    assert_eq!(
        said,
        [
            "stored 1",
            "stored 2",
            "a memory of somebody else",
            "erased 1",
            "erased 9",
            "a memory that is erased",
            "stored 3",
            "erased 2, erased 3",
        ]
    );
    assert!(told.is_empty());
}

#[test]
fn what_was_erased_before_it_came_is_dropped() {
    let mut body = wanted(1, ANN, "x", 10);
    if let Body::MemoryRequested(asked) = &mut body {
        asked.text = Private::Erased;
    }
    let (said, told) = asked(vec![body]);
    assert_eq!(
        (said[0].as_str(), told.len()),
        ("a memory that is erased", 0)
    );
}

/// A request, for the law below.
fn request() -> impl Strategy<Value = Body> {
    let words = prop::sample::select(vec![
        "we deploy on Fridays",
        "the wiki is down",
        "lunch is at noon",
        "We deploy on fridays!",
        "the router is in the cellar",
    ]);
    prop_oneof![
        (0_u128..8, 1_u128..3, words, 0_i64..100)
            .prop_map(|(n, who, text, now)| wanted(n, who, text, now)),
        (prop::option::of(0_u128..8), 1_u128..3, 0_i64..100)
            .prop_map(|(n, who, now)| unwanted(n, who, now)),
    ]
}

proptest! {
    /// Whatever is asked in whatever order: nothing is told twice, nothing is told that was erased and
    /// not stored again, and a state that is rebuilt from what was published is the same.
    #[test]
    fn what_is_told_is_what_was_published(bodies in prop::collection::vec(request(), 0..40)) {
        let mut state = PromoterState::default();
        let mut published: Vec<Event> = Vec::new();
        for (offset, body) in (0..).zip(bodies) {
            let event = event(body, at(0));
            let input = record(offset, &event, 0);
            let decision = Promoter.decide(&state, &input, &facts("promoter", at(0)));
            for decided in decision.expect("it is taken").events {
                let event = crate::testing::event(decided.body, at(0));
                Promoter.fold_decided(&mut state, &event);
                published.push(event);
            }
        }
        let mut rebuilt = PromoterState::default();
        let mut told = BTreeMap::new();
        for event in &published {
            Promoter.fold_decided(&mut rebuilt, event);
            match &event.body {
                Body::MemoryStored(stored) => {
                    prop_assert!(told.insert(stored.memory, stored.text.clone()).is_none());
                }
                Body::MemoryArchived(archived) => {
                    prop_assert!(told.remove(&archived.memory).is_some());
                    prop_assert!(archived.by.is_some_and(|by| told.contains_key(&by)));
                }
                Body::MemoryErased(erased) => {
                    told.remove(&erased.memory);
                }
                other => prop_assert!(false, "{:?}", other),
            }
        }
        prop_assert_eq!(&rebuilt.memories().len(), &told.len());
        let all = |state: &PromoterState| {
            state.memories().values().cloned().collect::<Vec<KnownMemory>>()
        };
        prop_assert_eq!(all(&rebuilt), all(&state));
        let texts: std::collections::BTreeSet<String> =
            all(&state).into_iter().map(|known| known.text).collect();
        prop_assert_eq!(texts.len(), told.len());
    }
}

const HOUR: i64 = 60 * 60;

fn exchange(n: u128) -> MemoryId {
    MemoryId::from_uuid(Uuid::from_u128(n))
}

/// An answer of an exchange, given at this hour, turned out to be worth so much an hour later.
fn outcome(of: u128, answer: u128, outcome: AnswerOutcome, hour: i64) -> (Body, i64) {
    let recorded = OutcomeRecorded {
        answer: AnswerId::from_uuid(Uuid::from_u128(answer)),
        channel: channel(),
        turn: EventId::of_content("turn", &[&answer.to_string()]),
        case: CaseId::from_uuid(Uuid::from_u128(7)),
        version: 1,
        memory: exchange(of),
        outcome,
        source: OutcomeSource::Asker,
        helped: 1,
        failed: 0,
        evidence: Vec::new(),
        given_at: at(hour * HOUR),
        now: at((hour + 1) * HOUR),
    };
    (recorded.into(), hour + 1)
}

/// A channel, with what was published of it.
#[derive(Default)]
struct Room {
    state: PromoterState,
    published: Vec<Event>,
    records: i64,
}

impl Room {
    /// What follows from an outcome, in few words.
    fn hears(&mut self, (body, hour): (Body, i64)) -> String {
        let event = event(body, at(hour * HOUR));
        let input = record(self.records, &event, 0);
        self.records += 1;
        Promoter.fold(&mut self.state, &input);
        self.decides(&input, hour)
    }

    /// What follows from time that passes.
    fn waits_until(&mut self, hour: i64) -> String {
        self.decides(&Input::Wake { idle: false }, hour)
    }

    fn decides(&mut self, input: &Input<'_>, hour: i64) -> String {
        let now = at(hour * HOUR);
        let decision = Promoter.decide(&self.state, input, &facts("promoter", now));
        let decision = decision.expect("it is taken");
        let mut said = Vec::new();
        for decided in decision.events {
            said.push(match &decided.body {
                Body::MemoryScored(scored) => {
                    let uses = scored.worked + scored.failed + scored.partial;
                    format!("{} {}/{uses}", scored.tier.name(), scored.worked)
                }
                other => in_words(other),
            });
            let event = event(decided.body, now);
            Promoter.fold_decided(&mut self.state, &event);
            self.published.push(event);
        }
        said.join(", ")
    }

    fn wakes_at(&self) -> Option<i64> {
        let at = Promoter.wake(&self.state).channel?;
        Some(at.as_millis() / 1000 / HOUR)
    }
}

#[test]
fn an_exchange_that_works_again_and_again_is_kept_for_ever() {
    use AnswerOutcome::Worked;
    let mut room = Room::default();
    assert_eq!(room.hears(outcome(1, 10, Worked, 0)), "working 1/1");
    assert_eq!(room.hears(outcome(1, 10, Worked, 0)), "", "the same again");
    assert_eq!(room.wakes_at(), Some(24));
    assert_eq!(room.waits_until(23), "");
    assert_eq!(room.waits_until(24), "history 1/1");
    assert_eq!(room.wakes_at(), Some(30 * 24));
    assert_eq!(room.hears(outcome(1, 11, Worked, 100)), "history 2/2");
    assert_eq!(room.hears(outcome(1, 12, Worked, 200)), "patterns 3/3");
    assert_eq!(room.wakes_at(), None);
    // It fails twice: it is in history again, and goes a month after it was given last.
    let failed = AnswerOutcome::Failed;
    assert_eq!(room.hears(outcome(1, 13, failed, 300)), "patterns 3/4");
    assert_eq!(room.hears(outcome(1, 14, failed, 400)), "history 3/5");
    assert_eq!(room.waits_until(400 + 30 * 24), "expired 1");
    assert_eq!(room.waits_until(10_000), "");
    // Somebody gets it again, and it works.
    assert_eq!(room.hears(outcome(1, 15, Worked, 2000)), "history 4/6");
}

#[test]
fn what_nobody_needs_and_what_fails_goes() {
    use AnswerOutcome::{Failed, Partial, Unknown, Worked};
    let mut room = Room::default();
    assert_eq!(room.hears(outcome(1, 10, Partial, 0)), "working 0/1");
    assert_eq!(room.hears(outcome(2, 20, Failed, 0)), "working 0/1");
    assert_eq!(
        room.hears(outcome(2, 21, Failed, 2)),
        "working 0/2, failed 2"
    );
    assert_eq!(room.waits_until(24), "expired 1");
    // Somebody takes his word back.
    assert_eq!(room.hears(outcome(2, 21, Unknown, 2)), "working 0/1");
    assert_eq!(room.hears(outcome(3, 30, Worked, 30)), "working 1/1");
    assert_eq!(room.hears(outcome(3, 30, Unknown, 30)), "working 0/0");
}

#[test]
fn a_full_channel_lets_the_exchange_of_the_least_worth_go() {
    let mut room = Room::default();
    for n in 0..1000 {
        let worth = match n {
            500 => AnswerOutcome::Failed,
            _ => AnswerOutcome::Worked,
        };
        room.hears(outcome(n, 10_000 + n, worth, 0));
    }
    let said = room.hears(outcome(2000, 5, AnswerOutcome::Worked, 1));
    assert_eq!(said, "working 1/1, full 500");
}

#[test]
fn answers_of_long_ago_count_on() {
    let mut room = Room::default();
    for n in 0..250 {
        room.hears(outcome(1, n, AnswerOutcome::Worked, n as i64));
    }
    let known = room.state.exchanges.values().next().expect("one");
    assert_eq!(known.answers.len(), 100);
    let said = room.hears(outcome(1, 249, AnswerOutcome::Failed, 249));
    assert_eq!(said, "patterns 249/250");
}

proptest! {
    /// Whatever is said of answers, withdrawn, said again, and however long nobody says anything: an
    /// exchange has the last outcomes of its answers, is in one tier, and a state that is rebuilt from
    /// what was read and what was published is the same.
    #[test]
    fn scores_are_those_of_the_outcomes(
        all in prop::collection::vec(
            (0_u128..4, 0_u128..3, prop::sample::select(AnswerOutcome::ALL.to_vec()), 0_i64..400),
            0..60,
        ),
    ) {
        let mut room = Room::default();
        let mut last = BTreeMap::new();
        let mut read = Vec::new();
        let mut hour = 0;
        for (of, answer, worth, later) in all {
            hour += later;
            while let Some(at) = room.wakes_at().filter(|at| *at <= hour) {
                let said = room.waits_until(at.max(hour));
                prop_assert!(!said.is_empty(), "it wakes for nothing");
            }
            let heard = outcome(of, of * 10 + answer, worth, hour);
            read.push(heard.clone());
            room.hears(heard);
            last.insert((of, answer), worth);
        }
        for known in room.state.exchanges.values() {
            let score = known.said.expect("something is said of each").score;
            let of = known.memory.as_uuid().as_u128();
            let count = |worth| {
                let of_it = last.iter().filter(|((one, _), last)| *one == of && **last == worth);
                of_it.count() as u32
            };
            prop_assert_eq!(score.worked, count(AnswerOutcome::Worked));
            prop_assert_eq!(score.failed, count(AnswerOutcome::Failed));
            prop_assert_eq!(score.partial, count(AnswerOutcome::Partial));
        }
        // What was published may be known before what led to it.
        let mut rebuilt = PromoterState::default();
        for event in &room.published {
            Promoter.fold_decided(&mut rebuilt, event);
        }
        for (offset, (body, hour)) in (0..).zip(read) {
            let event = event(body, at(hour * HOUR));
            Promoter.fold(&mut rebuilt, &record(offset, &event, 0));
        }
        let known = |state: &PromoterState| {
            state.exchanges.values().cloned().collect::<Vec<KnownExchange>>()
        };
        prop_assert_eq!(known(&rebuilt), known(&room.state));
    }
}
