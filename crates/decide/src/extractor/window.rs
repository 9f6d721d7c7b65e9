//! What an engine gets to see of a channel.

use std::collections::{BTreeMap, BTreeSet};

use threadlore_model::{
    ChannelId, ExtractorParams, ExtractorState, KnownCase, Line, MessageId, Offset, PersonId,
    Window,
};

use super::waits;
use crate::signals::{hints, is_positive_emoji};
use crate::threads::link;

/// The window up to `up_to`: without evidence of cases that are closed.
pub(super) fn of(
    state: &ExtractorState,
    channel: ChannelId,
    up_to: Offset,
    params: &ExtractorParams,
) -> Window {
    let closed = state.cases.values().filter(|c| !waits(c));
    let gone: BTreeSet<MessageId> = closed
        .flat_map(|c| &c.evidence)
        .map(|e| e.message)
        .collect();
    let reactors = reactors(state);
    let lines: Vec<Line> = state
        .covered(up_to, params)
        .into_iter()
        .map(|l| &l.line)
        .filter(|line| !gone.contains(&line.message))
        .map(|line| Line {
            positive: positive(&reactors, line),
            ..line.clone()
        })
        .collect();
    let open = state
        .cases
        .values()
        .filter(|c| waits(c))
        .map(|c| KnownCase {
            case: c.case,
            title: c.title.clone().unwrap_or_default(),
            problem: c.problem.clone().unwrap_or_default(),
            evidence: c.evidence.iter().map(|e| e.message).collect(),
        });
    Window {
        channel,
        links: link(&lines),
        hints: hints(&lines),
        lines,
        open: open.collect(),
    }
}

/// Who reacted positively to each message.
fn reactors(state: &ExtractorState) -> BTreeMap<MessageId, BTreeSet<PersonId>> {
    let mut reactors: BTreeMap<MessageId, BTreeSet<PersonId>> = BTreeMap::new();
    for r in &state.reactions {
        if is_positive_emoji(&r.emoji) {
            reactors.entry(r.message).or_default().insert(r.person);
        }
    }
    reactors
}

/// People other than the writer who reacted positively.
fn positive(reactors: &BTreeMap<MessageId, BTreeSet<PersonId>>, line: &Line) -> u32 {
    let people = reactors.get(&line.message).into_iter().flatten();
    let others = people.filter(|person| **person != line.person).count();
    u32::try_from(others).unwrap_or(u32::MAX)
}
