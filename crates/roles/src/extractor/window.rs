//! What an engine gets to see of a channel.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use threadlore_language::is_positive_emoji;
use threadlore_model::{
    Case, ChannelId, KnownCase, Line, MessageId, Offset, PersonId, Timestamp, Window,
};

use super::decide::waits;
use super::state::age;
use super::{ExtractorParams, ExtractorState, WindowLine};

/// The window up to `up_to`: without evidence of cases that are closed.
pub(super) fn of(
    state: &ExtractorState,
    channel: ChannelId,
    up_to: Offset,
    params: &ExtractorParams,
) -> Window {
    let covered = state.covered(up_to, params);
    let here: HashSet<MessageId> = covered.iter().map(|l| l.line.message).collect();
    let closed = state.cases.values().filter(|c| !waits(c));
    let evidence = closed.flat_map(|c| &c.evidence).map(|e| e.message);
    let gone: HashSet<MessageId> = evidence.filter(|message| here.contains(message)).collect();
    let reactors = reactors(state);
    let mut window = Window {
        channel,
        lines: Vec::new(),
        links: Vec::new(),
        hints: Vec::new(),
        open: Vec::new(),
    };
    let mut places: HashMap<MessageId, usize> = HashMap::new();
    for WindowLine {
        line, link, hint, ..
    } in covered
    {
        if gone.contains(&line.message) {
            continue;
        }
        // A line that answers one that is not shown starts a conversation here.
        let link = link.and_then(|earlier| places.get(&earlier).copied());
        places.insert(line.message, window.lines.len());
        window.links.push(link);
        window.hints.push(*hint);
        window.lines.push(Line {
            positive: positive(&reactors, line),
            ..line.clone()
        });
    }
    // One with a suggestion stays open, but is no longer waited for.
    let now = window
        .lines
        .last()
        .map_or(Timestamp::EARLIEST, |line| line.at);
    let shown = |case: &Case| case.evidence.iter().any(|e| here.contains(&e.message));
    let is_open =
        |c: &&Case| waits(c) && (c.changed_at.plus(params.open_case_age) > now || shown(c));
    let mut open: Vec<&Case> = state.cases.values().filter(is_open).collect();
    open.sort_unstable_by_key(|case| age(case));
    let known = |c: &Case| KnownCase {
        case: c.case,
        title: c.title.clone().unwrap_or_default(),
        problem: c.problem.clone().unwrap_or_default(),
        suggestion: c.suggestion.clone(),
        evidence: c.evidence.iter().map(|e| e.message).collect(),
    };
    window.open = open.into_iter().map(known).collect();
    window
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
