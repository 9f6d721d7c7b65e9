//! The state of `promoter`: cases that may still expire.

use threadlore_model::{Body, Case, ChannelClock, Input, PromoterState};

use super::observe;
use crate::case::fold_case;

/// Follows the channel's cases as far as they may still expire.
pub fn promoter(state: &mut PromoterState, input: &Input<'_>) {
    if !announces_history(input) {
        observe(state, input);
    }
    let Input::Record { event, .. } = input else {
        return;
    };
    let Some(id) = event.body.case() else {
        return;
    };
    if let Body::CaseArchived(archived) = &event.body
        && state.deciding.get(&id) == Some(&archived.expected_version)
    {
        state.deciding.remove(&id);
    }
    let mut case = state.watched.remove(&id);
    let _outcome = fold_case(&mut case, event);
    match case.filter(may_expire) {
        Some(case) => {
            state.watched.insert(id, without_texts(case));
        }
        None => {
            state.deciding.remove(&id);
        }
    }
}

/// Windows of an import are announced faster than they are looked at. By their time
/// a case would expire as soon as it is found, before the looks that may solve it: in
/// history, time goes on with what the looks find.
fn announces_history(input: &Input<'_>) -> bool {
    match input {
        Input::Record { arrived, event, .. } => {
            matches!(event.body, Body::WindowReady(_))
                && !ChannelClock::is_live_event(event.envelope.time, *arrived)
        }
        _ => false,
    }
}

/// An expiry that was decided is not decided again before it is read back. In a
/// recovery it may have been read back before.
pub fn promoter_decided(state: &mut PromoterState, body: &Body) {
    if let Body::CaseArchived(archived) = body
        && let Some(case) = state.watched.get(&archived.case)
        && case.version == archived.expected_version
    {
        state
            .deciding
            .insert(archived.case, archived.expected_version);
    }
}

/// A merged case may stand by itself again.
fn may_expire(case: &Case) -> bool {
    case.signal.is_none() && (case.archived_at.is_none() || case.merged_into.is_some())
}

/// Expiry needs the version, the times and the confirmations only; a case that a
/// reaction confirmed may stay watched for ever, because it may be withdrawn.
fn without_texts(case: Case) -> Case {
    Case {
        title: None,
        problem: None,
        solution: None,
        tags: Vec::new(),
        evidence: Vec::new(),
        engine: String::new(),
        ..case
    }
}
