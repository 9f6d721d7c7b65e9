//! Confirmations by reactions, and cases whose words were taken back.
//!
//! A positive reaction on a message that was suggested to a problem without a solution
//! solves it: that message is the solution.
//!
//! A case is erased when a message that states its problem or carries its solution
//! is redacted, or is edited while it is in the window, unless the case was made
//! from those words already; what is left of it in the window is examined again. Its
//! context lends it no words.

use threadlore_model::{
    Body, Case, CaseConfirmed, CaseErased, CaseSolved, Confirmation, ConfirmationWithdrawn,
    EraseReason, Event, Evidence, MessageId, Part, Private, Signal,
};

use super::decide::{evidence_of, private};
use crate::{ChannelChange, Decided, ExtractorState, Facts};
use threadlore_language::is_positive_emoji;

/// What a record leads to.
pub(super) fn by_change(
    state: &ExtractorState,
    change: &ChannelChange,
    facts: &Facts,
) -> Vec<Decided> {
    match change {
        ChannelChange::Reacted { reaction, added } if is_positive_emoji(&reaction.emoji) => {
            let cases = cases_with(state, reaction.message);
            if *added {
                cases
                    .map(|case| confirmed(state, case, reaction, facts))
                    .collect()
            } else {
                cases.map(|case| withdrawn(case, reaction, facts)).collect()
            }
        }
        ChannelChange::Redacted(message) => quoting(state, |quoted| quoted.message == *message)
            .map(|case| erased(case, EraseReason::Redacted, facts))
            .collect(),
        ChannelChange::Edited {
            message, revision, ..
        } if is_reworded(state, *message, *revision) => quoting(state, |quoted| {
            quoted.message == *message && quoted.revision < *revision
        })
        .map(|case| erased(case, EraseReason::Edited, facts))
        .collect(),
        _ => Vec::new(),
    }
}

/// What follows from a decision: reactions confirm a case that they came before.
pub(super) fn by_decision(state: &ExtractorState, event: &Event, facts: &Facts) -> Vec<Decided> {
    let case = event.body.case().and_then(|id| state.cases.get(&id));
    let Some(case) = case.filter(|case| case.archived_at.is_none()) else {
        return Vec::new();
    };
    let evidence = match &event.body {
        Body::CaseOpened(_) | Body::CaseSuggested(_) | Body::CaseSolved(_) => {
            evidence_of(&event.body)
        }
        Body::CaseSplit(_) => &case.evidence,
        _ => return Vec::new(),
    };
    earlier_reactions(state, case, evidence, facts)
}

fn is_reworded(state: &ExtractorState, message: MessageId, revision: i64) -> bool {
    let line = state.line_of(message);
    line.is_some_and(|line| line.reworded == Some(revision))
}

/// Cases whose words come from a message.
fn quoting(state: &ExtractorState, is: impl Fn(&Evidence) -> bool) -> impl Iterator<Item = &Case> {
    let quoted = move |case: &&Case| {
        let mut quoted = case.evidence.iter().filter(|e| e.part != Part::Context);
        quoted.any(&is)
    };
    state.cases.values().filter(quoted)
}

fn erased(case: &Case, reason: EraseReason, facts: &Facts) -> Decided {
    Body::from(CaseErased {
        case: case.case,
        channel: case.channel.clone(),
        reason,
        now: facts.now,
    })
    .into()
}

fn cases_with(state: &ExtractorState, message: MessageId) -> impl Iterator<Item = &Case> {
    let cases = state.cases.values();
    cases.filter(move |c| c.archived_at.is_none() && has(&c.evidence, message))
}

fn has(evidence: &[Evidence], message: MessageId) -> bool {
    evidence.iter().any(|e| e.message == message)
}

/// Reactions on `evidence` that came before the case had it. Of those that would solve
/// the case the first does; the rest follow from that.
fn earlier_reactions(
    state: &ExtractorState,
    case: &Case,
    evidence: &[Evidence],
    facts: &Facts,
) -> Vec<Decided> {
    let on_evidence = |r: &&Confirmation| {
        is_positive_emoji(&r.emoji)
            && !case.confirmations.contains(r)
            && has(evidence, r.message)
            && has(&case.evidence, r.message)
    };
    let mut reactions = state.reactions.iter().filter(on_evidence);
    let solves = |r: &&Confirmation| suggestion(state, case, r).is_some();
    match reactions.clone().find(solves) {
        Some(first) => vec![confirmed(state, case, first, facts)],
        None => reactions
            .by_ref()
            .map(|r| confirmed(state, case, r, facts))
            .collect(),
    }
}

/// The case is confirmed, or solved by the message that was reacted to; its
/// confirmation follows from that.
fn confirmed(
    state: &ExtractorState,
    case: &Case,
    reaction: &Confirmation,
    facts: &Facts,
) -> Decided {
    if let Some((evidence, solution)) = suggestion(state, case, reaction) {
        return Body::from(CaseSolved {
            case: case.case,
            channel: case.channel.clone(),
            title: private(case.title.as_deref()),
            problem: private(case.problem.as_deref()),
            solution: Private::open(solution),
            tags: case.tags.iter().map(Private::open).collect(),
            evidence: vec![evidence],
            signal: Signal::Reaction,
            signal_message: Some(reaction.message),
            engine: case.engine.clone(),
            now: facts.now,
        })
        .into();
    }
    let Confirmation {
        message,
        person,
        emoji,
    } = reaction.clone();
    Body::from(CaseConfirmed {
        case: case.case,
        channel: case.channel.clone(),
        message,
        person,
        emoji,
        now: facts.now,
    })
    .into()
}

/// The text that a reaction makes the solution of a case that has none: of a message in
/// the window that does not state the problem, of a person other than who reacts.
fn suggestion<'a>(
    state: &'a ExtractorState,
    case: &Case,
    reaction: &Confirmation,
) -> Option<(Evidence, &'a str)> {
    if case.signal.is_some() {
        return None;
    }
    let mut evidence = case.evidence.iter();
    let states_problem = |e: &Evidence| e.message == reaction.message && e.part == Part::Problem;
    if evidence.any(states_problem) {
        return None;
    }
    let line = state.line_of(reaction.message)?;
    let text = line.line.text.trim();
    let others = !line.line.bot && line.line.person != reaction.person;
    let evidence = Evidence {
        message: reaction.message,
        part: Part::Solution,
        revision: line.revision,
    };
    (others && !text.is_empty()).then_some((evidence, text))
}

fn withdrawn(case: &Case, reaction: &Confirmation, facts: &Facts) -> Decided {
    let Confirmation {
        message,
        person,
        emoji,
    } = reaction.clone();
    Body::from(ConfirmationWithdrawn {
        case: case.case,
        channel: case.channel.clone(),
        message,
        person,
        emoji,
        now: facts.now,
    })
    .into()
}
