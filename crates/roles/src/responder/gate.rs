//! Whether a turn asks for an answer: by rules, which also say where a model may know better.

use std::time::Duration;

use threadlore_language::{hint, may_want_help, resolution};
use threadlore_model::{GateTag, Line, Outcome};

use super::feedback;
use super::params::ResponderParams;
use super::state::ResponderState;

/// Letters that a text must have to say anything.
const LETTERS: usize = 2;
/// How long a question is gone on about.
pub(super) const GOES_ON: Duration = Duration::from_secs(10 * 60);

/// What a turn is by the rules, and whether they are sure of it: who is spoken to is plain, whether
/// something is asked may not be. `lines` are its lines, oldest first, never empty.
pub(super) fn tag(
    lines: &[&Line],
    state: &ResponderState,
    params: &ResponderParams,
) -> (GateTag, bool) {
    if lines.iter().any(|line| is_to_bot(line, state, params)) {
        return (GateTag::Mention, true);
    }
    let letters = |line: &&Line| {
        without_links(&line.text)
            .chars()
            .filter(|c| c.is_alphabetic())
            .count()
    };
    if lines.iter().map(letters).sum::<usize>() < LETTERS {
        return (GateTag::Noise, true);
    }
    if lines.iter().any(|line| is_to_somebody(line, state)) {
        return (GateTag::Statement, true);
    }
    // Who says in the same breath that it works wants no help with it.
    let is_solved = lines.iter().any(|line| resolution(&line.text).is_some());
    let asks_something = lines
        .iter()
        .any(|line| asks(line) || !is_solved && may_want_help(&line.text));
    let tag = match asks_something {
        false => GateTag::Statement,
        true if goes_on(lines, state) => GateTag::OngoingDiscussion,
        true => GateTag::NewQuestion,
    };
    (tag, false)
}

/// Asks something, or says that something does not work.
pub(super) fn asks(line: &Line) -> bool {
    let hint = hint(&line.text);
    hint.question || hint.outcome == Some(Outcome::Fails)
}

/// The writer asked something a short time ago, so this goes on about it.
fn goes_on(lines: &[&Line], state: &ResponderState) -> bool {
    let first = lines[0];
    let earlier = state.lines_in(first.thread);
    let earlier = earlier.filter(|line| line.at < first.at && line.at > first.at.minus(GOES_ON));
    let mut own = earlier.filter(|line| line.person == first.person);
    own.any(asks)
}

/// The platform says so, the bot is named, or its line is replied to.
pub(super) fn is_to_bot(line: &Line, state: &ResponderState, params: &ResponderParams) -> bool {
    let by_platform = state.line_of(line.message).is_some_and(|line| line.to_bot);
    let is_name = |name: &str| params.names.iter().any(|own| *own == name.to_lowercase());
    let replied = line.reply_to.and_then(|message| state.line_of(message));
    let to_own =
        replied.is_some_and(|of| of.line.bot && of.line.name.as_deref().is_some_and(is_name));
    let mut at = line
        .text
        .split_whitespace()
        .filter_map(|word| word.strip_prefix('@'));
    let to_answer = || {
        let message = line.reply_to?;
        feedback::posted_as(state, message)
    };
    by_platform
        || to_own
        || to_answer().is_some()
        || at.any(|word| is_name(bare(word)))
        || addressee(&line.text).is_some_and(is_name)
}

/// Another person is replied to, mentioned, or named at the beginning or at the end.
fn is_to_somebody(line: &Line, state: &ResponderState) -> bool {
    let replied = line.reply_to.and_then(|message| state.line_of(message));
    let replies = replied.is_some_and(|of| of.line.person != line.person);
    let mentions = line.mentions.iter().any(|person| *person != line.person);
    replies || mentions || names_somebody(line, state)
}

fn names_somebody(line: &Line, state: &ResponderState) -> bool {
    let is_other = |name: &str| {
        let others = state
            .lines
            .values()
            .filter(|other| other.line.person != line.person);
        let mut names = others.filter_map(|other| other.line.name.as_deref());
        names.any(|other| other.to_lowercase() == name.to_lowercase())
    };
    let words: Vec<&str> = line.text.split_whitespace().collect();
    let last = words.last().copied().filter(|_| words.len() > 1);
    let before_last = words.len().checked_sub(2).and_then(|at| words.get(at));
    // "how was it, dave?"; without the comma it may be the subject of the sentence.
    let at_end = last.filter(|_| before_last.is_some_and(|word| word.ends_with(',')));
    let at_sign = line
        .text
        .split_whitespace()
        .any(|word| word.len() > 1 && word.starts_with('@'));
    at_sign
        || addressee(&line.text).is_some_and(is_other)
        || words.first().is_some_and(|first| is_other(bare(first)))
        || at_end.is_some_and(|word| is_other(bare(word)))
}

/// The name that a text begins with, as in "dave: how was it?".
pub(super) fn addressee(text: &str) -> Option<&str> {
    let first = text.split_whitespace().next()?;
    let name = first.strip_suffix([':', ','])?;
    let name = bare(name);
    (!name.is_empty()).then_some(name)
}

/// A name without the signs around it.
pub(super) fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-'))
}

fn without_links(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| !word.contains("://"));
    words.collect::<Vec<_>>().join(" ")
}
