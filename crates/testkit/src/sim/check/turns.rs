//! Turns, and what became of them.

use std::collections::{HashMap, HashSet};

use threadlore_model::{Body, ChannelClock, EventId, MessageId, PersonId, Topic};

use super::{Taken, Violation};

/// Every turn has exactly one outcome; one that speaks has exactly one answer, and no other has any.
pub(super) fn turns(taken: &Taken, found: &mut Vec<Violation>) {
    const RULE: &str = "every turn has one outcome, and an answer where that speaks";
    let mut writers: HashMap<MessageId, (PersonId, bool)> = HashMap::new();
    for event in taken.of(Topic::ChatEvents) {
        if let Body::MessagePosted(posted) = &event.body {
            writers.insert(posted.message, (posted.person, posted.bot));
        }
    }
    let mut closed = HashSet::new();
    let mut in_turns = HashMap::new();
    for event in taken.of(Topic::ChatTurns) {
        let Body::TurnClosed(turn) = &event.body else {
            continue;
        };
        closed.insert(event.envelope.id);
        for message in &turn.messages {
            if let Some(other) = in_turns.insert(*message, event.envelope.id) {
                let both = format!("{other} and {}", event.envelope.id);
                let what = format!("message {message} is in the turns {both}");
                found.push(Violation::new(RULE, what));
            }
            if writers.get(message) != Some(&(turn.person, false)) {
                let what = format!("message {message} is not of the person of its turn");
                found.push(Violation::new(RULE, what));
            }
        }
    }
    let mut outcomes = HashMap::new();
    let mut answers: HashMap<EventId, usize> = HashMap::new();
    for event in taken.of(Topic::Answers) {
        match &event.body {
            Body::TurnConsidered(considered) => {
                let before = outcomes.insert(considered.turn, considered.outcome);
                if before.is_some() || !closed.contains(&considered.turn) {
                    let what = format!("turn {} has two outcomes, or is none", considered.turn);
                    found.push(Violation::new(RULE, what));
                }
            }
            Body::AnswerComposed(composed) => *answers.entry(composed.turn).or_default() += 1,
            _ => {}
        }
    }
    for turn in closed {
        let spoke = outcomes.get(&turn).map(|outcome| outcome.speaks());
        let expected = spoke.map(usize::from);
        let count = answers.get(&turn).copied().unwrap_or_default();
        if expected != Some(count) {
            let what =
                format!("turn {turn} has {count} answers, and {spoke:?} says whether it may");
            found.push(Violation::new(RULE, what));
        }
    }
    every_live_message(taken, &in_turns, found);
}

/// What a person wrote live is in a turn.
fn every_live_message(
    taken: &Taken,
    in_turns: &HashMap<MessageId, EventId>,
    found: &mut Vec<Violation>,
) {
    let now = taken
        .of(Topic::ChatEvents)
        .iter()
        .map(|event| event.envelope.time)
        .max();
    let Some(now) = now else { return };
    for event in taken.of(Topic::ChatEvents) {
        let Body::MessagePosted(posted) = &event.body else {
            continue;
        };
        let is_live = ChannelClock::is_live_event(posted.sent_at, now);
        if is_live && !posted.bot && !in_turns.contains_key(&posted.message) {
            let what = format!("message {} is in none", posted.message);
            found.push(Violation::new("what is written live is in a turn", what));
        }
    }
}
