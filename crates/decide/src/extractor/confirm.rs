//! Confirmations by reactions (C18, C19), and refused decisions made again.

use threadlore_model::{
    Body, Case, CaseConfirmed, CaseSolved, ConfirmationWithdrawn, Decided, Event, Evidence,
    ExtractorState, Facts, MessageId, PersonId, Role,
};

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
        Body::CaseSolved(solved) if is_ours(event) => match state.cases.get(&solved.case) {
            Some(case) if case.signal.is_none() => vec![again(solved, case, facts)],
            Some(case) => earlier_reactions(state, case, &solved.evidence, facts),
            None => Vec::new(),
        },
        Body::CaseOpened(opened) if is_ours(event) => match state.cases.get(&opened.case) {
            Some(case) => earlier_reactions(state, case, &opened.evidence, facts),
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// After a lost state was rebuilt: reactions that stand and that no confirmation
/// in the log speaks of. Cases are read before reactions then, so neither of the
/// two records saw the other.
pub(super) fn by_standing_reactions(state: &ExtractorState, facts: &Facts) -> Vec<Decided> {
    let live = state.cases.values().filter(|c| c.archived_at.is_none());
    live.flat_map(|case| earlier_reactions(state, case, &case.evidence, facts))
        .collect()
}

fn is_ours(event: &Event) -> bool {
    event
        .envelope
        .producer
        .as_ref()
        .is_some_and(|p| p.group.as_str() == Role::Extractor.name())
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
