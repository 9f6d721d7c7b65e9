//! What a turn asks: its own words, with those of the question that it follows up ("and on
//! fedora?"); or where it has none ("@lore thoughts?"), those of the earlier messages that it is about:
//! the last of them that asks something, or all of them.

use std::collections::BTreeSet;

use threadlore_language::context::{Mention, Params, is_follow_up, is_generic, select};
use threadlore_model::{AnswerId, CaseId, ContextMessage, GateTag, Line};

use super::feedback::again;
use super::gate::{GOES_ON, asks, bare};
use super::params::ResponderParams;
use super::state::{ResponderState, WaitingTurn};

/// Characters of a question at most.
const LONGEST: usize = 2000;

/// What a turn asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Question {
    /// The text that is searched.
    pub(super) text: String,
    /// Earlier messages that it was read with, oldest first.
    pub(super) context: Vec<ContextMessage>,
    /// The answer that its writer had to the same question a short time before, and its case.
    pub(super) again: Option<(AnswerId, CaseId)>,
}

/// The question of a turn. `lines` are its lines, oldest first, never empty.
pub(super) fn question(
    (turn, lines): (&WaitingTurn, &[&Line]),
    tag: GateTag,
    state: &ResponderState,
    params: &ResponderParams,
) -> Question {
    Question {
        again: again(turn, lines, state, params),
        ..said(lines, tag, state, params)
    }
}

/// Its words, with what they are read with.
fn said(
    lines: &[&Line],
    tag: GateTag,
    state: &ResponderState,
    params: &ResponderParams,
) -> Question {
    let own = lines
        .iter()
        .map(|line| without_names(&line.text, &params.names));
    let own = own.collect::<Vec<_>>().join("\n");
    let names: Vec<&str> = params.names.iter().map(String::as_str).collect();
    if tag != GateTag::Mention || !is_generic(&own, &names) {
        let before = match is_follow_up(&own) {
            true => before(lines, state, params),
            false => None,
        };
        let Some((asked, text)) = before else {
            return Question {
                text: clean(&own),
                ..Question::default()
            };
        };
        return Question {
            text: clean(&format!("{text}\n{own}")),
            context: vec![ContextMessage {
                message: asked.message,
                reason: FOLLOW_UP.to_owned(),
            }],
            ..Question::default()
        };
    }
    let trigger = lines[lines.len() - 1];
    let room: Vec<Line> = state.lines.values().map(|line| line.line.clone()).collect();
    let mention = Mention {
        lines: &room,
        trigger,
        snapshot: None,
        bot: None,
        names: &names,
        roots: &BTreeSet::new(),
    };
    let chosen = select(&mention, &Params::default()).chosen;
    let is_own = |line: &Line| lines.iter().any(|one| one.message == line.message);
    let about = chosen.iter().filter_map(|chosen| {
        let line = room.iter().find(|line| line.message == chosen.message)?;
        (!line.bot && !is_own(line)).then_some(line)
    });
    let about: Vec<&Line> = about.collect();
    let texts = match about.iter().rfind(|line| asks(line)) {
        Some(asked) => asked.text.clone(),
        None => about
            .iter()
            .map(|line| line.text.as_str())
            .collect::<Vec<_>>()
            .join("\n"),
    };
    let context = chosen.iter().map(|chosen| ContextMessage {
        message: chosen.message,
        reason: chosen.reason.name().to_owned(),
    });
    Question {
        text: clean(&texts),
        context: context.collect(),
        ..Question::default()
    }
}

/// Why a question was read with one before it.
const FOLLOW_UP: &str = "follow_up";

/// The question that a turn follows up: that of the answer to which it replies, or else the last one that
/// its writer asked a short time before and that stands by itself.
fn before<'s>(
    lines: &[&Line],
    state: &'s ResponderState,
    params: &ResponderParams,
) -> Option<(&'s Line, String)> {
    let (first, person) = (lines[0].at, lines[0].person);
    let text = |line: &Line| without_names(&line.text, &params.names);
    let stands = |line: &&Line| !line.bot && asks(line) && !is_follow_up(&text(line));
    let replied = lines.iter().rev().find_map(|line| line.reply_to);
    let replied = replied.and_then(|message| state.line_of(message));
    let answered = replied.and_then(|of| match (of.line.bot, of.line.reply_to) {
        (true, Some(question)) => state.line_of(question),
        _ => Some(of),
    });
    let answered = answered.map(|of| &of.line).filter(stands);
    let earlier = state.lines_in(lines[0].thread).rev();
    let earlier = earlier.filter(|line| line.person == person && line.at < first);
    let mut recent = earlier.take_while(|line| line.at > first.minus(GOES_ON));
    let asked = answered.or_else(|| recent.find(stands))?;
    Some((asked, text(asked)))
}

/// The text without the bot's names.
#[must_use]
pub fn without_names(text: &str, names: &[String]) -> String {
    let is_name = |word: &&str| {
        let named = names.contains(&bare(word).to_lowercase());
        named && (word.starts_with('@') || word.ends_with([':', ',']))
    };
    let words = text.split_whitespace().filter(|word| !is_name(word));
    words.collect::<Vec<_>>().join(" ")
}

/// Trimmed, without control characters, and cut at the longest that is searched.
fn clean(text: &str) -> String {
    let kept = text.chars().filter(|c| *c == '\n' || !c.is_control());
    let cut: String = kept.take(LONGEST).collect();
    cut.trim().to_owned()
}
