//! Confirmations by reactions (C18, C19), refused decisions made again, and cases
//! whose words were taken back (C6).
//!
//! A case is erased when a message that states its problem or carries its solution
//! is redacted, or is edited while it stands in the window, unless the case was made
//! from those words already; what is left of it in the window is looked at again. Its
//! context lends it no words.

use threadlore_model::{
    Body, Case, CaseConfirmed, CaseErased, CaseSolved, ConfirmationWithdrawn, Decided, EraseReason,
    Event, Evidence, ExtractorState, Facts, MessageId, Part, PersonId,
};

use super::{evidence_of, is_ours};
use crate::signals::is_positive_emoji;

/// What a record leads to beside the next look.
pub(super) fn by_record(state: &ExtractorState, event: &Event, facts: &Facts) -> Vec<Decided> {
    match &event.body {
        Body::ReactionAdded(r) if is_positive_emoji(&r.emoji) => cases_with(state, r.message)
            .map(|c| confirmed(c, r.message, r.person, &r.emoji, facts))
            .collect(),
        Body::ReactionRemoved(r) if is_positive_emoji(&r.emoji) => cases_with(state, r.message)
            .map(|c| withdrawn(c, r.message, r.person, &r.emoji, facts))
            .collect(),
        Body::MessageRedacted(r) => quoting(state, |quoted| quoted.message == r.message)
            .filter(|case| is_in_log(state, case))
            .map(|case| erased(case, EraseReason::Redacted, facts))
            .collect(),
        Body::MessageEdited(e) if is_reworded(state, e.message, e.revision) => {
            quoting(state, |quoted| {
                quoted.message == e.message && quoted.revision < e.revision
            })
            .map(|case| erased(case, EraseReason::Edited, facts))
            .collect()
        }
        Body::CaseSolved(_) | Body::CaseOpened(_) if quotes_redacted(state, event) => {
            let case = event.body.case().and_then(|id| state.cases.get(&id));
            case.map(|case| erased(case, EraseReason::Redacted, facts))
                .into_iter()
                .collect()
        }
        Body::CaseSolved(solved) if is_ours(event) => match state.cases.get(&solved.case) {
            Some(case) if case.signal.is_none() => vec![again(solved, case, facts)],
            Some(case) => earlier_reactions(state, case, &solved.evidence, facts),
            None => Vec::new(),
        },
        Body::CaseSplit(split) => match state.cases.get(&split.case) {
            Some(case) => earlier_reactions(state, case, &case.evidence, facts),
            None => Vec::new(),
        },
        Body::CaseOpened(opened) if is_ours(event) => match state.cases.get(&opened.case) {
            Some(case) => earlier_reactions(state, case, &opened.evidence, facts),
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// After a lost state was rebuilt: reactions that stand and redactions, of which no
/// event in the log speaks. Cases are read before them then, so neither of the two
/// records saw the other.
pub(super) fn by_standing(state: &ExtractorState, facts: &Facts) -> Vec<Decided> {
    let gone = quoting(state, |quoted| state.redacted.contains(&quoted.message));
    let gone = gone.map(|case| erased(case, EraseReason::Redacted, facts));
    let live = state.cases.values().filter(|c| c.archived_at.is_none());
    gone.chain(live.flat_map(|case| earlier_reactions(state, case, &case.evidence, facts)))
        .collect()
}

/// Whether the log is known to have the case. Of one that it does not have yet,
/// reactions and redactions are looked at when it is read back.
fn is_in_log(state: &ExtractorState, case: &Case) -> bool {
    state.logged.get(&case.case) != Some(&None)
}

fn is_reworded(state: &ExtractorState, message: MessageId, revision: i64) -> bool {
    let mut lines = state.window.iter();
    lines.any(|l| l.line.message == message && l.reworded == Some(revision))
}

/// Whether a case that was read just now rests on what was redacted while it was on
/// its way.
fn quotes_redacted(state: &ExtractorState, event: &Event) -> bool {
    is_ours(event) && quoted(evidence_of(&event.body)).any(|q| state.redacted.contains(&q.message))
}

/// Cases whose words come from a message.
fn quoting(state: &ExtractorState, is: impl Fn(&Evidence) -> bool) -> impl Iterator<Item = &Case> {
    let cases = state.cases.values();
    cases.filter(move |case| quoted(&case.evidence).any(&is))
}

fn quoted(evidence: &[Evidence]) -> impl Iterator<Item = &Evidence> {
    evidence.iter().filter(|e| e.part != Part::Context)
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

/// The decision on the version that refused it.
fn again(solved: &CaseSolved, case: &Case, facts: &Facts) -> Decided {
    let again = CaseSolved {
        expected_version: Some(case.version),
        now: facts.now,
        ..solved.clone()
    };
    Body::from(again).into()
}

fn cases_with(state: &ExtractorState, message: MessageId) -> impl Iterator<Item = &Case> {
    state
        .cases
        .values()
        .filter(move |c| c.archived_at.is_none() && has(&c.evidence, message))
        .filter(|c| is_in_log(state, c))
}

fn has(evidence: &[Evidence], message: MessageId) -> bool {
    evidence.iter().any(|e| e.message == message)
}

/// Reactions on `evidence` of a case that stood before it was read back.
fn earlier_reactions(
    state: &ExtractorState,
    case: &Case,
    evidence: &[Evidence],
    facts: &Facts,
) -> Vec<Decided> {
    state
        .reactions
        .iter()
        .filter(|r| is_positive_emoji(&r.emoji) && !case.confirmations.contains(r))
        .filter(|r| has(evidence, r.message) && has(&case.evidence, r.message))
        .map(|r| confirmed(case, r.message, r.person, &r.emoji, facts))
        .collect()
}

/// Decided whether or not the case has it by now: an opposite decision may be on
/// its way to the log.
fn confirmed(
    case: &Case,
    message: MessageId,
    person: PersonId,
    emoji: &str,
    facts: &Facts,
) -> Decided {
    Body::from(CaseConfirmed {
        case: case.case,
        channel: case.channel.clone(),
        message,
        person,
        emoji: emoji.to_owned(),
        now: facts.now,
    })
    .into()
}

fn withdrawn(
    case: &Case,
    message: MessageId,
    person: PersonId,
    emoji: &str,
    facts: &Facts,
) -> Decided {
    Body::from(ConfirmationWithdrawn {
        case: case.case,
        channel: case.channel.clone(),
        message,
        person,
        emoji: emoji.to_owned(),
        now: facts.now,
    })
    .into()
}
