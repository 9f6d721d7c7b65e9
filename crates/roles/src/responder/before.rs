//! What was said before a turn: in which language its writer is answered, and what a model is shown.

use threadlore_language::wording::Language;
use threadlore_model::{Line, MessageId};

use super::state::{ResponderState, WaitingTurn};

/// So many lines before a turn may help to understand it.
const EARLIER: usize = 9;

/// The last lines before a turn.
pub(super) fn earlier(state: &ResponderState, turn: &WaitingTurn) -> Vec<MessageId> {
    let is_own = |message: &MessageId| turn.messages.contains(message);
    let lines = state.lines_in(state.thread_of(turn)).rev();
    let lines = lines.skip_while(|line| !is_own(&line.message));
    let lines = lines.filter(|line| !is_own(&line.message) && !line.text.trim().is_empty());
    let mut earlier: Vec<MessageId> = lines.map(|line| line.message).take(EARLIER).collect();
    earlier.reverse();
    earlier
}

/// The language in which a turn is answered: that of these texts, else of what its writer said before, else
/// of what others did, the newest first.
pub(super) fn language(state: &ResponderState, turn: &WaitingTurn, texts: &[&str]) -> Language {
    let lines = state.lines_in(state.thread_of(turn)).rev();
    let people = lines.filter(|line| !line.bot);
    let (own, others): (Vec<&Line>, Vec<&Line>) =
        people.partition(|line| line.person == turn.person);
    let earlier = own.into_iter().chain(others);
    let earlier = earlier.map(|line| line.text.as_str());
    Language::of(texts.iter().copied().chain(earlier))
}
