//! `learner`: what an answer is worth.
//!
//! | what is known | outcome |
//! |---|---|
//! | an admin gave the case another solution | `failed` |
//! | who asked says that it helped, or that it failed | `worked`, `failed` |
//! | who asked says neither, and asks the same again | `failed` |
//! | more of the others say the one than the other | `worked`, `failed` |
//! | as many say the one as the other | `partial` |
//! | nobody says anything any more | `unknown` |
//!
//! Of each person the last word counts, so a flood of reactions counts once. Who wrote the words of the
//! answer says nothing of it. An outcome is told when it, or who says so, changes.

use threadlore_model::{
    AnswerOutcome, Body, MessageId, Offset, OutcomeRecorded, OutcomeSource, Rating,
};

use super::state::{KnownAnswer, LearnerState, Verdict, Worth};
use crate::{Decision, Facts, Input};

/// What a record changed.
#[must_use]
pub(super) fn decide(state: &LearnerState, input: &Input<'_>, facts: &Facts) -> Decision {
    let mut decision = Decision::default();
    let Input::Record { event, .. } = input else {
        return decision;
    };
    let answer = match &event.body {
        Body::AnswerRated(rated) => rated.answer,
        Body::AnswerWithdrawn(withdrawn) => withdrawn.answer,
        Body::TurnConsidered(turn) => match turn.asks_again {
            Some(answer) => answer,
            None => return decision,
        },
        _ => return decision,
    };
    let Some(known) = state.answer(answer) else {
        decision.dropped = Some("unknown_answer");
        return decision;
    };
    let changed = known.changed_by == Some(event.envelope.id);
    let told = facts.channel.clone().filter(|_| changed);
    decision.events.extend(told.map(|channel| {
        let Worth {
            outcome,
            source,
            helped,
            failed,
        } = worth(known);
        let recorded = OutcomeRecorded {
            answer,
            channel,
            turn: known.turn,
            case: known.case,
            version: known.version,
            memory: known.memory,
            outcome,
            source,
            helped,
            failed,
            evidence: evidence(known),
            given_at: known.given_at,
            now: facts.now,
        };
        Body::from(recorded).into()
    }));
    decision
}

/// What an answer is worth by all that is known of it.
pub(super) fn worth(known: &KnownAnswer) -> Worth {
    let is_author = |person| known.authors.contains(person);
    let heard = known.said.iter().filter(|(person, _)| !is_author(person));
    let (mut helped, mut failed, mut asker) = (0, 0, None);
    for (person, verdict) in heard {
        match verdict.rating {
            Rating::Helped => helped += 1,
            Rating::Failed => failed += 1,
        }
        if *person == known.asker {
            asker = Some(verdict.rating);
        }
    }
    let (outcome, source) = match (known.is_corrected, asker) {
        (true, _) => (AnswerOutcome::Failed, OutcomeSource::Correction),
        (false, Some(Rating::Helped)) => (AnswerOutcome::Worked, OutcomeSource::Asker),
        (false, Some(Rating::Failed)) => (AnswerOutcome::Failed, OutcomeSource::Asker),
        (false, None) if known.asked_again.is_some() => {
            (AnswerOutcome::Failed, OutcomeSource::AskedAgain)
        }
        (false, None) if helped + failed == 0 => (AnswerOutcome::Unknown, OutcomeSource::Nobody),
        (false, None) if helped > failed => (AnswerOutcome::Worked, OutcomeSource::Others),
        (false, None) if helped < failed => (AnswerOutcome::Failed, OutcomeSource::Others),
        (false, None) => (AnswerOutcome::Partial, OutcomeSource::Others),
    };
    Worth {
        outcome,
        source,
        helped,
        failed,
    }
}

/// The messages that say it, in the order of the log.
fn evidence(known: &KnownAnswer) -> Vec<MessageId> {
    let heard = known.said.iter();
    let heard = heard.filter(|(person, _)| !known.authors.contains(person));
    let mut said: Vec<(Offset, MessageId)> = heard
        .filter_map(
            |(
                _,
                Verdict {
                    message, offset, ..
                },
            )| Some((*offset, (*message)?)),
        )
        .collect();
    said.extend(known.asked_again);
    said.sort_unstable();
    said.into_iter().map(|(_, message)| message).collect()
}
