//! What a turn asks: its own words, or where it has none ("@lore thoughts?"), those of the earlier
//! messages that it is about: the last of them that asks something, or all of them.

use std::collections::BTreeSet;

use threadlore_language::context::{Mention, Params, is_generic, select};
use threadlore_model::{ContextMessage, GateTag, Line};

use super::gate::{asks, bare};
use super::params::ResponderParams;
use super::state::ResponderState;

/// Characters of a question at most.
const LONGEST: usize = 2000;

/// What a turn asks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Question {
    /// The text that is searched.
    pub(super) text: String,
    /// Earlier messages that it was read with, oldest first.
    pub(super) context: Vec<ContextMessage>,
}

/// The question of a turn. `lines` are its lines, oldest first, never empty.
pub(super) fn question(
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
        return Question {
            text: clean(&own),
            context: Vec::new(),
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
    }
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
