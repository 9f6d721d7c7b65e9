//! Which cases are about the same problem.
//!
//! A case is compared when it is opened or solved, with the live cases of its
//! channel that share a tag with it. The one with a solution stays, else the older.
//! What was merged stays as it was, archived, so that a merge can be undone: it is
//! when the case that stayed is erased, and when somebody who may says so. They may also say
//! that two cases are the same.

use std::borrow::Cow;

use threadlore_model::{
    Body, Case, CaseId, CaseMerged, CaseSplit, ChannelId, Event, SparseVector, Status,
};

use super::state::age;
use crate::{Decided, ExtractorParams, ExtractorState, Facts};

use threadlore_language::retrieve::{COMPARER, Rarity, similar};

/// Merges and splits that follow from a decision.
pub(super) fn by_decision(
    state: &ExtractorState,
    event: &Event,
    facts: &Facts,
    params: &ExtractorParams,
) -> Vec<Decided> {
    let Some(id) = event.body.case() else {
        return Vec::new();
    };
    match &event.body {
        Body::CaseOpened(_) | Body::CaseSuggested(_) | Body::CaseSolved(_) => {
            let case = state.cases.get(&id).filter(|case| is_live(case));
            case.map_or_else(Vec::new, |case| merge(state, case, facts, params))
        }
        Body::CaseErased(_) => merged_into(state, &id)
            .map(|case| split(case.case, &case.channel, facts))
            .collect(),
        _ => Vec::new(),
    }
}

fn is_live(case: &Case) -> bool {
    case.archived_at.is_none()
}

fn merged_into<'a>(state: &'a ExtractorState, id: &'a CaseId) -> impl Iterator<Item = &'a Case> {
    let cases = state.cases.values();
    cases.filter(move |case| case.merged_into == Some(*id))
}

/// Merges the case with the most alike one, if that is alike enough. What was merged
/// into the one that leaves follows it.
fn merge(
    state: &ExtractorState,
    case: &Case,
    facts: &Facts,
    params: &ExtractorParams,
) -> Vec<Decided> {
    let Some((other, similarity)) = nearest(state, case) else {
        return Vec::new();
    };
    if similarity < params.merge_at {
        return Vec::new();
    }
    let (leaves, stays) = if rank(case) < rank(other) {
        (other, case)
    } else {
        (case, other)
    };
    merged(
        state,
        leaves.case,
        (stays.case, similarity, COMPARER),
        facts,
    )
}

/// A case and those that were merged into it are merged into another one of their channel.
fn merged(
    state: &ExtractorState,
    leaves: CaseId,
    (into, similarity, comparer): (CaseId, i64, &str),
    facts: &Facts,
) -> Vec<Decided> {
    let Some(channel) = &facts.channel else {
        return Vec::new();
    };
    let followers = merged_into(state, &leaves).map(|case| case.case);
    let all = std::iter::once(leaves).chain(followers);
    let merged = all.map(|case| CaseMerged {
        case,
        channel: channel.clone(),
        into,
        similarity,
        comparer: comparer.to_owned(),
        now: facts.now,
    });
    merged.map(|body| Body::from(body).into()).collect()
}

/// What follows where somebody says that two cases are about the same problem, or, without `into`, that a merged
/// one is not; or why nothing does. Of a case that is not remembered its fold knows how it stands.
pub(super) fn requested(
    state: &ExtractorState,
    case: CaseId,
    into: Option<CaseId>,
    facts: &Facts,
) -> Result<Vec<Decided>, &'static str> {
    let known = state.cases.get(&case);
    let Some(into) = into else {
        return match (known, &facts.channel) {
            (Some(known), _) if known.merged_into.is_none() => Err("the case is not merged"),
            (_, Some(channel)) => Ok(vec![split(case, channel, facts)]),
            (_, None) => Ok(Vec::new()),
        };
    };
    let stays = state.cases.get(&into);
    match known {
        _ if case == into => Err("a case cannot be merged into itself"),
        _ if stays.is_some_and(|stays| !is_live(stays)) => {
            Err("the case that should stay is archived")
        }
        Some(known) if known.merged_into == Some(into) => Err("the case is merged into that one"),
        Some(known) if !is_live(known) && known.merged_into.is_none() => {
            Err("the case is archived")
        }
        _ => Ok(merged(state, case, (into, 0, CaseMerged::REQUESTED), facts)),
    }
}

/// Smaller stays.
fn rank(case: &Case) -> impl Ord {
    (
        case.solution.is_none(),
        case.status() != Status::Solved,
        age(case),
    )
}

/// The live case most alike, and how much, in thousandths.
fn nearest<'a>(state: &'a ExtractorState, case: &Case) -> Option<(&'a Case, i64)> {
    let candidates: Vec<(&Case, Cow<'_, SparseVector>)> = state
        .cases
        .values()
        .filter(|other| other.case != case.case && is_live(other))
        .filter(|other| other.tags.iter().any(|tag| case.tags.contains(tag)))
        .map(|other| (other, state.terms_of(other)))
        .collect();
    let own = state.terms_of(case);
    let known = candidates.iter().map(|(_, terms)| terms.as_ref());
    let rarity = Rarity::of(known.chain([own.as_ref()]));
    let own = rarity.weigh(&own);
    candidates
        .iter()
        .map(|(other, terms)| (*other, thousandths(similar(&own, &rarity.weigh(terms)))))
        .max_by_key(|(other, similarity)| (*similarity, std::cmp::Reverse(age(other))))
}

fn thousandths(similarity: f32) -> i64 {
    (similarity * 1000.0).round() as i64
}

fn split(case: CaseId, channel: &ChannelId, facts: &Facts) -> Decided {
    Body::from(CaseSplit {
        case,
        channel: channel.clone(),
        now: facts.now,
    })
    .into()
}
