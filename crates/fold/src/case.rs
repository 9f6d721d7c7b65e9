//! The fold of one case: how an event of `knowledge.cases` changes it. The tables of readers and
//! the states of processors use the same function.

use threadlore_model::{
    Body, Case, CaseConfirmed, CaseErased, CaseId, CaseMerged, CaseOpened, CaseSolved, CaseSplit,
    CaseSuggested, Confirmation, ConfirmationWithdrawn, Event, Evidence, Part, Private, Signal,
    SpaceId, Status, Timestamp, text_of_case,
};

use crate::text::{clean, clean_emoji, clean_private, clean_time};

mod rows;

pub use rows::{ConfirmationRow, EvidenceRow};

/// The effect of folding an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folded {
    /// The row is another one now.
    Changed,
    /// The row is as it was, and why.
    Unchanged(&'static str),
}

/// Folds one event into one case. Total: an event that does not apply changes nothing and says
/// why. A case has one owner, who knows all its changes, so no event names the version that it was
/// decided on; repeats are dropped before the fold, by the sequence of their producer. The caller picks the case by the
/// event's case id; see [`crate::Row`] for keys.
///
/// Every change grows the version by one and moves `changed_at` on.
pub fn fold_case(case: &mut Option<Case>, event: &Event) -> Folded {
    let space = &event.envelope.space;
    match (&event.body, case.as_mut()) {
        (body, Some(case)) if case.erased_at.is_some() && body.case().is_some() => {
            Folded::Unchanged("the case is erased")
        }
        (Body::CaseOpened(_), Some(_)) => Folded::Unchanged("the case exists"),
        (Body::CaseOpened(opened), None) => {
            *case = Some(from_opened(space, opened));
            Folded::Changed
        }
        (Body::CaseSolved(solved), None) => {
            *case = Some(from_solved(space, solved));
            Folded::Changed
        }
        (Body::CaseSolved(solved), Some(case)) => {
            change(case, solved.now, |case| apply_solved(case, solved))
        }
        (Body::CaseSuggested(suggested), None) => {
            *case = Some(from_suggested(space, suggested));
            Folded::Changed
        }
        (Body::CaseSuggested(suggested), Some(case)) => suggest(case, suggested),
        (Body::CaseConfirmed(confirmed), Some(case)) => confirm(case, confirmed),
        (Body::ConfirmationWithdrawn(withdrawn), Some(case)) => withdraw(case, withdrawn),
        (Body::CaseArchived(_), Some(case)) if case.archived_at.is_some() => {
            Folded::Unchanged(NOT_LIVE)
        }
        (Body::CaseArchived(archived), Some(case)) => change(case, archived.now, |case| {
            case.archived_at = Some(clean_time(archived.now));
        }),
        (Body::CaseErased(erased), Some(case)) => erase(case, erased),
        (Body::CaseMerged(merged), Some(case)) => merge(case, merged),
        (Body::CaseSplit(split), Some(case)) => split_off(case, split),
        (body, None) if body.case().is_some() => Folded::Unchanged("the case is unknown"),
        _ => Folded::Unchanged("the event is not about a case"),
    }
}

/// The search text that a case has after the event is folded into it. The event holds all of the
/// text, so the case is not needed. Whether the case accepts the event is not known here.
#[must_use]
pub fn text_brought(event: &Event) -> Option<(CaseId, String)> {
    let space = &event.envelope.space;
    let case = match &event.body {
        Body::CaseOpened(opened) => from_opened(space, opened),
        Body::CaseSuggested(suggested) => from_suggested(space, suggested),
        Body::CaseSolved(solved) => from_solved(space, solved),
        _ => return None,
    };
    Some((case.case, text_of_case(&case)?))
}

const NOT_LIVE: &str = "the case left the live set before";

fn from_opened(space: &SpaceId, opened: &CaseOpened) -> Case {
    let now = clean_time(opened.now);
    let mut case = Case {
        space: space.clone(),
        case: opened.case,
        channel: opened.channel.clone(),
        version: 1,
        title: clean_private(&opened.title),
        problem: clean_private(&opened.problem),
        worded_in: 1,
        solution: None,
        suggestion: None,
        tags: tags(&opened.tags),
        evidence: Vec::new(),
        signal: None,
        confirmations: std::collections::BTreeSet::new(),
        closing_emoji: None,
        engine: clean(&opened.engine),
        opened_at: now,
        solved_at: None,
        archived_at: None,
        changed_at: now,
        erased_at: None,
        merged_into: None,
    };
    add_evidence(&mut case, &opened.evidence);
    case
}

fn from_solved(space: &SpaceId, solved: &CaseSolved) -> Case {
    let opened = CaseOpened {
        case: solved.case,
        channel: solved.channel.clone(),
        title: solved.title.clone(),
        problem: solved.problem.clone(),
        tags: Vec::new(),
        evidence: Vec::new(),
        engine: solved.engine.clone(),
        now: solved.now,
    };
    let mut case = from_opened(space, &opened);
    apply_solved(&mut case, solved);
    case.solved_at = Some(case.opened_at);
    case
}

fn from_suggested(space: &SpaceId, suggested: &CaseSuggested) -> Case {
    let opened = CaseOpened {
        case: suggested.case,
        channel: suggested.channel.clone(),
        title: suggested.title.clone(),
        problem: suggested.problem.clone(),
        tags: suggested.tags.clone(),
        evidence: Vec::new(),
        engine: suggested.engine.clone(),
        now: suggested.now,
    };
    let mut case = from_opened(space, &opened);
    apply_suggested(&mut case, suggested);
    case
}

fn suggest(case: &mut Case, suggested: &CaseSuggested) -> Folded {
    if case.signal.is_some() {
        return Folded::Unchanged("the case is solved");
    }
    if case.merged_into.is_some() {
        return Folded::Unchanged("the case is merged");
    }
    change(case, suggested.now, |case| apply_suggested(case, suggested))
}

fn apply_suggested(case: &mut Case, suggested: &CaseSuggested) {
    case.title = clean_private(&suggested.title);
    case.problem = clean_private(&suggested.problem);
    case.suggestion = clean_private(&suggested.suggestion).filter(|text| !text.is_empty());
    case.tags = tags(&suggested.tags);
    case.archived_at = None;
    drop_suggestion(case);
    add_evidence(case, &suggested.evidence);
}

/// What was suggested is context again.
fn drop_suggestion(case: &mut Case) {
    drop_part(case, Part::Suggestion);
}

/// Messages of this part are context again.
fn drop_part(case: &mut Case, part: Part) {
    for evidence in &mut case.evidence {
        if evidence.part == part {
            evidence.part = Part::Context;
        }
    }
}

fn apply_solved(case: &mut Case, solved: &CaseSolved) {
    case.title = clean_private(&solved.title);
    case.problem = clean_private(&solved.problem);
    case.solution = clean_private(&solved.solution);
    case.suggestion = None;
    drop_suggestion(case);
    if solved.signal == Signal::Admin {
        drop_part(case, Part::Solution);
    }
    case.tags = tags(&solved.tags);
    case.signal = Some(solved.signal);
    case.archived_at = None;
    case.merged_into = None;
    add_evidence(case, &solved.evidence);
}

fn confirm(case: &mut Case, event: &CaseConfirmed) -> Folded {
    let confirmation = Confirmation {
        message: event.message,
        person: event.person,
        emoji: clean_emoji(&event.emoji),
    };
    if case.confirmations.contains(&confirmation) {
        return Folded::Unchanged("the confirmation is known");
    }
    change(case, event.now, |case| {
        case.closing_emoji = Some(confirmation.emoji.clone());
        case.confirmations.insert(confirmation);
        // A case that was confirmed before its expiry has not expired. The order can be turned
        // round when history is read faster than the decisions about it.
        if case.merged_into.is_none() && case.archived_at > Some(clean_time(event.now)) {
            case.archived_at = None;
        }
    })
}

fn withdraw(case: &mut Case, event: &ConfirmationWithdrawn) -> Folded {
    let confirmation = Confirmation {
        message: event.message,
        person: event.person,
        emoji: clean_emoji(&event.emoji),
    };
    if !case.confirmations.contains(&confirmation) {
        return Folded::Unchanged("the confirmation is not there");
    }
    change(case, event.now, |case| {
        case.confirmations.remove(&confirmation);
        // A case that only reactions solved is open again when the last of them is withdrawn.
        if case.signal == Some(Signal::Reaction) && case.confirmations.is_empty() {
            case.signal = None;
        }
        let stands = |emoji| case.confirmations.iter().any(|c| &c.emoji == emoji);
        if !case.closing_emoji.as_ref().is_some_and(stands) {
            // The order of the other confirmations is not stored. Taking the last of the set gives
            // every fold the same result.
            case.closing_emoji = case.confirmations.last().map(|c| c.emoji.clone());
        }
    })
}

/// Keeps that there was a case, where and when, and nothing else of it.
fn erase(case: &mut Case, event: &CaseErased) -> Folded {
    change(case, event.now, |case| {
        let now = clean_time(event.now);
        case.title = None;
        case.problem = None;
        case.solution = None;
        case.suggestion = None;
        case.tags.clear();
        case.evidence.clear();
        case.signal = None;
        case.confirmations.clear();
        case.closing_emoji = None;
        case.archived_at = case.archived_at.or(Some(now));
        case.erased_at = Some(now);
        case.merged_into = None;
    })
}

fn merge(case: &mut Case, event: &CaseMerged) -> Folded {
    if event.into == case.case {
        return Folded::Unchanged("a case cannot be merged into itself");
    }
    if case.merged_into == Some(event.into) {
        return Folded::Unchanged("the case is merged into that one");
    }
    if case.archived_at.is_some() && case.merged_into.is_none() {
        return Folded::Unchanged(NOT_LIVE);
    }
    change(case, event.now, |case| {
        case.archived_at = Some(clean_time(event.now));
        case.merged_into = Some(event.into);
    })
}

fn split_off(case: &mut Case, event: &CaseSplit) -> Folded {
    if case.merged_into.is_none() {
        return Folded::Unchanged("the case is not merged");
    }
    change(case, event.now, |case| {
        case.archived_at = None;
        case.merged_into = None;
    })
}

/// Applies a change, and counts the version and the time of the change.
fn change(case: &mut Case, now: Timestamp, apply: impl FnOnce(&mut Case)) -> Folded {
    let now = clean_time(now);
    let answer = |case: &Case| case.solution.clone().or_else(|| case.suggestion.clone());
    let before = answer(case);
    apply(case);
    if case.signal.is_none() && case.confirmations.is_empty() {
        case.solved_at = None;
    } else if case.solved_at.is_none() && case.status() == Status::Solved {
        case.solved_at = Some(now);
    }
    case.version = case.version.saturating_add(1);
    // A rebuilt row never had the words of a case that is erased.
    if answer(case) != before || case.erased_at.is_some() {
        case.worded_in = case.version;
    }
    case.changed_at = case.changed_at.max(now);
    Folded::Changed
}

/// Adds messages that the case does not have yet. Context may become problem or solution; a
/// message that is problem or solution stays so.
fn add_evidence(case: &mut Case, evidence: &[Evidence]) {
    for one in evidence {
        let mut own = case.evidence.iter_mut();
        match own.find(|e| e.message == one.message) {
            Some(known) if known.part == Part::Context => *known = one.clone(),
            Some(_) => {}
            None => case.evidence.push(one.clone()),
        }
    }
}

/// Erased tags vanish: an empty tag would say nothing.
fn tags(tags: &[Private]) -> Vec<String> {
    tags.iter().filter_map(clean_private).collect()
}

#[cfg(test)]
mod tests;
