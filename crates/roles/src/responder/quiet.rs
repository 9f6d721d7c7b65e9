//! When an answer that was found is not given.

use std::time::Duration;

use threadlore_language::threads::link;
use threadlore_model::{Answer, GateTag, Line, MessageId, Timestamp, TurnOutcome};

use super::params::ResponderParams;
use super::state::{GivenAnswer, ResponderState, WaitingTurn};

/// Lines in which a person's answer is looked for.
const LOOKED_AT: usize = 60;
const MINUTE: Duration = Duration::from_secs(60);
/// How long an answer is remembered.
pub(super) const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Why an answer is not given; `None` where it is.
pub(super) fn reason(
    answer: &Answer,
    turn: &WaitingTurn,
    tag: GateTag,
    state: &ResponderState,
    (now, params): (Timestamp, &ResponderParams),
) -> Option<TurnOutcome> {
    if is_answered(turn, state) {
        return Some(TurnOutcome::AnsweredByPerson);
    }
    let thread = state.thread_of(turn);
    let case = answer.cited.first().map(|cited| cited.case);
    let recent = given_in(thread, state);
    let mut recent = recent.filter(|given| given.at > now.minus(params.repeat_after));
    let is_given = |given: &GivenAnswer| {
        let is_case = given.case.is_some() && given.case == case;
        is_case || (given.memory.is_some() && given.memory == answer.memory)
    };
    if tag != GateTag::Mention && recent.any(is_given) {
        return Some(TurnOutcome::Repeated);
    }
    is_full(thread, state, (now, params)).then_some(TurnOutcome::TooMany)
}

/// Answers that were given in a thread; `None` is the channel outside of its threads.
fn given_in(
    thread: Option<MessageId>,
    state: &ResponderState,
) -> impl Iterator<Item = &GivenAnswer> {
    let given = state.given.iter();
    given.filter(move |given| given.thread == thread)
}

/// Whether a thread, or the channel outside of its threads, had as many answers as it may have in this time.
pub(super) fn is_full(
    thread: Option<MessageId>,
    state: &ResponderState,
    (now, params): (Timestamp, &ResponderParams),
) -> bool {
    let since = |age: Duration| {
        let given = given_in(thread, state);
        given.filter(|given| given.at > now.minus(age)).count()
    };
    since(MINUTE) >= params.per_minute || since(DAY) >= params.per_day
}

/// Another person wrote a line since, that answers the turn.
fn is_answered(turn: &WaitingTurn, state: &ResponderState) -> bool {
    let lines = state.lines_in(state.thread_of(turn)).rev();
    let mut lines: Vec<Line> = lines.take(LOOKED_AT).cloned().collect();
    lines.reverse();
    let is_later = |at: usize| {
        let line = &lines[at];
        !line.bot && line.person != turn.person
    };
    let asked = |at: usize| turn.messages.contains(&lines[at].message);
    let links = link(&lines);
    let mut linked = links.iter().enumerate();
    linked.any(|(at, to)| is_later(at) && to.is_some_and(asked))
}
