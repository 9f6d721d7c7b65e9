//! `promoter`: the only decider of promotion, expiry and archiving (M17). In
//! this stage: open cases that nobody touched for a week expire (C31).

use threadlore_model::{
    ArchiveReason, Body, Case, CaseArchived, Decision, Facts, Input, PromoterParams, PromoterState,
    Status, Timestamp, WakeAt,
};

/// Archives what is due.
#[must_use]
pub fn decide(
    state: &PromoterState,
    input: &Input<'_>,
    facts: &Facts,
    params: &PromoterParams,
) -> Decision {
    if !matches!(input, Input::Wake { .. } | Input::Resume) {
        return Decision::default();
    }
    let events = candidates(state)
        .filter(|case| due(case, params) <= facts.now)
        .map(|case| {
            Body::from(CaseArchived {
                case: case.case,
                expected_version: case.version,
                channel: case.channel.clone(),
                reason: ArchiveReason::Expired,
                now: facts.now,
            })
            .into()
        })
        .collect();
    Decision {
        events,
        ..Decision::default()
    }
}

/// When the next open case expires.
#[must_use]
pub fn wake(state: &PromoterState, params: &PromoterParams) -> WakeAt {
    WakeAt {
        channel: candidates(state).map(|case| due(case, params)).min(),
        wall: None,
    }
}

/// Open cases on whose present version no expiry was decided yet.
fn candidates(state: &PromoterState) -> impl Iterator<Item = &Case> {
    state.watched.values().filter(|case| {
        case.status() == Status::Open && state.deciding.get(&case.case) != Some(&case.version)
    })
}

fn due(case: &Case, params: &PromoterParams) -> Timestamp {
    case.changed_at.plus(params.open_case_age)
}

#[cfg(test)]
mod tests;
