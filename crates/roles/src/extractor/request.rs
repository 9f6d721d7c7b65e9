//! What an admin or an operator asked for: another solution of a case, a new case, an archived
//! case, a merge, or an erasure.
//!
//! A request counts also where its case is no longer remembered. It has the texts that the decision
//! needs, sealed under the key of the case: of an erased case they cannot be read any more.

use threadlore_model::{
    ArchiveReason, Body, CaseArchived, CaseErased, CaseSolved, ChannelId, EraseReason, Evidence,
    MessageId, Part, Private, Signal,
};

use super::decide::private;
use super::queue::Correction;
use super::{Decision, merge};
use crate::{ChannelChange, ExtractorState, Facts};

/// What stands for the engine in a correction: none found it.
const BY_ADMIN: &str = "admin";

/// What a request leads to; other records lead to nothing here.
pub(super) fn decide(state: &ExtractorState, change: &ChannelChange, facts: &Facts) -> Decision {
    let mut decision = Decision::default();
    let Some(channel) = facts.channel.clone() else {
        return decision;
    };
    match change {
        ChannelChange::Corrected(correction) => {
            match corrected(state, correction, channel, facts) {
                Ok(body) => decision.events.push(body.into()),
                Err(reason) => decision.dropped = Some(reason),
            }
        }
        ChannelChange::Erased(case) => {
            let erased = CaseErased {
                case: *case,
                channel,
                reason: EraseReason::Requested,
                now: facts.now,
            };
            decision.events.push(Body::from(erased).into());
        }
        // Of one that is not remembered any more its fold knows whether it is archived.
        ChannelChange::Archived(case) => {
            let is_archived =
                (state.cases.get(case)).is_some_and(|known| known.archived_at.is_some());
            if is_archived {
                decision.dropped = Some("the case is archived");
            } else {
                let archived = CaseArchived {
                    case: *case,
                    channel,
                    reason: ArchiveReason::Requested,
                    now: facts.now,
                };
                decision.events.push(Body::from(archived).into());
            }
        }
        ChannelChange::Merged { case, into } => {
            match merge::requested(state, *case, *into, facts) {
                Ok(events) => decision.events.extend(events),
                Err(reason) => decision.dropped = Some(reason),
            }
        }
        _ => {}
    }
    decision
}

fn corrected(
    state: &ExtractorState,
    correction: &Correction,
    channel: ChannelId,
    facts: &Facts,
) -> Result<Body, &'static str> {
    let solution = correction.solution.as_deref();
    let Some(solution) = solution.filter(|text| !text.is_empty()) else {
        return Err("a correction of an erased case");
    };
    let known = state.cases.get(&correction.case);
    let is_so = known.is_some_and(|case| {
        case.signal == Some(Signal::Admin) && case.solution.as_deref() == Some(solution)
    });
    if is_so {
        return Err("repeated correction");
    }
    let of = |part| {
        move |message: &MessageId| Evidence {
            message: *message,
            part,
            revision: 0,
        }
    };
    let asked = correction.asked.iter().map(of(Part::Problem));
    let evidence = asked.chain(correction.message.iter().map(of(Part::Solution)));
    Ok(CaseSolved {
        case: correction.case,
        channel,
        title: private(correction.title.as_deref()),
        problem: private(correction.problem.as_deref()),
        solution: Private::open(solution),
        tags: correction.tags.iter().map(Private::open).collect(),
        evidence: evidence.collect(),
        signal: Signal::Admin,
        signal_message: correction.message,
        engine: BY_ADMIN.to_owned(),
        now: facts.now,
    }
    .into())
}
