//! Given memories, when something is asked for, what follows?

use std::collections::BTreeMap;

use proptest::prelude::*;
use threadlore_model::{
    Body, Event, MemoryErasureRequested, MemoryHome, MemoryId, MemoryRequested, Private,
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
    let told = state.memories.values().map(|known| known.text.clone());
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
                    prop_assert!(told.contains_key(&archived.by));
                }
                Body::MemoryErased(erased) => {
                    told.remove(&erased.memory);
                }
                other => prop_assert!(false, "{:?}", other),
            }
        }
        prop_assert_eq!(&rebuilt.memories.len(), &told.len());
        let all = |state: &PromoterState| {
            state.memories.values().cloned().collect::<Vec<KnownMemory>>()
        };
        prop_assert_eq!(all(&rebuilt), all(&state));
        let texts: std::collections::BTreeSet<String> =
            all(&state).into_iter().map(|known| known.text).collect();
        prop_assert_eq!(texts.len(), told.len());
    }
}
