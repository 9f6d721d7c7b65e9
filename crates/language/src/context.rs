//! Which earlier messages a mention of the bot is about: "@bot thoughts?".
//!
//! 1. **What is certain.** A mention inside a reply is about the replied-to
//!    message, the anchor, and about what that one replies to, upwards
//!    ([`Params::depth`]). An anchor older than the log comes as a snapshot of
//!    its text. A reply to a topic root says where it was written, not what it
//!    is about, and decides nothing.
//! 2. **What is likely.** The link scorer ([`crate::threads`]) says for each
//!    line which earlier lines it may answer. Its scores become chances, and the
//!    chance that a line belongs to the trigger is followed through all of them
//!    (`chances`). Words, names, turns, questions and the room's rhythm are in
//!    those scores; time by itself is never a reason. A trigger without words of
//!    its own ("@bot ^", "any ideas?") continues something, so that it begins a
//!    conversation is left out.
//! 3. **How many.** With lines in order of their chance `p`, as many are taken
//!    as promise the best F1: the `n` for which `2·Σ(first n)p / (n + Σp)` is
//!    largest. Lines in between may be left out: of A B C D E it may be A, C
//!    and D.
//! 4. **What fits.** The anchor first, then its chain, then by chance, the
//!    nearer first, within [`Params::budget`] tokens and [`Params::most`] messages.
//!
//! Lines after the trigger are never used.

mod chances;
mod choose;
mod follow_up;
mod generic;
mod reasons;
mod room;
mod tokens;

use std::collections::BTreeSet;
use std::time::Duration;

use threadlore_model::{Line, MessageId, PersonId};

use crate::threads::Weights;

pub use follow_up::is_follow_up;
pub use generic::is_generic;
pub use tokens::tokens;

/// The parameters of a selection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Params {
    /// How many replies are followed upwards from the anchor. As the longest
    /// chains that people still read, set by hand.
    pub depth: usize,
    /// A longer silence ends a stretch of talk. A line for which nothing but
    /// chance and nearness speaks must be in the stretch of the trigger or anchor.
    pub gap: Duration,
    /// How many lines before the trigger (or around an older anchor) are judged. In a busy room a
    /// conversation's lines are spread far: 12 % of them are more than 100 lines back in
    /// `irc/train`.
    pub look_back: usize,
    /// Tokens of all chosen messages, by [`tokens`]. Counts as at least 32.
    pub budget: usize,
    /// Messages at most.
    pub most: usize,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            depth: 8,
            gap: Duration::from_secs(60 * 60),
            look_back: 200,
            budget: 2000,
            most: 10,
        }
    }
}

/// A mention of the bot, and the messages of the channel.
#[derive(Debug, Clone, Copy)]
pub struct Mention<'a> {
    /// Recent lines of the channel, oldest first. Lines after the trigger may be
    /// among them and do not count.
    pub lines: &'a [Line],
    /// The message that mentions the bot.
    pub trigger: &'a Line,
    /// The replied-to message from the platform's payload, in case it is not in `lines`.
    pub snapshot: Option<&'a Line>,
    /// The bot itself.
    pub bot: Option<PersonId>,
    /// Names by which a text mentions the bot without an `@`, one word each.
    pub names: &'a [&'a str],
    /// Messages known to be the root of a topic. Those that very many lines
    /// reply to are found without.
    pub roots: &'a BTreeSet<MessageId>,
}

/// Why a message was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The trigger replies to it.
    Anchor,
    /// The trigger replies to it, and only the platform's payload has it.
    Snapshot,
    /// The anchor replies to it, directly or through other replies.
    Chain,
    /// It and the trigger name each other's writers.
    Mention,
    /// It is of the conversation that the trigger continues.
    Thread,
    /// The trigger's writer wrote it.
    Own,
    /// It is likely to belong, and of the same stretch of talk.
    Near,
}

impl Reason {
    /// The name in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anchor => "anchor",
            Self::Snapshot => "snapshot",
            Self::Chain => "chain",
            Self::Mention => "mention",
            Self::Thread => "thread",
            Self::Own => "own",
            Self::Near => "near",
        }
    }
}

/// A chosen message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chosen {
    /// The message.
    pub message: MessageId,
    /// Why.
    pub reason: Reason,
    /// The chance that it belongs, in thousandths; 1000 for messages of the reply chain.
    pub score: u32,
    /// Characters of its text that fit; all of them but for an anchor larger than the budget.
    pub characters: usize,
    /// Its tokens, by [`tokens`].
    pub tokens: usize,
}

/// The messages that a mention is about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selection {
    /// Oldest first.
    pub chosen: Vec<Chosen>,
    /// The trigger replies to this message, which is neither in the lines nor sent along.
    pub missing: Option<MessageId>,
    /// The trigger asks nothing by itself.
    pub generic: bool,
}

/// Chooses the messages that a mention is about.
#[must_use]
pub fn select(mention: &Mention<'_>, params: &Params) -> Selection {
    select_with(mention, params, &chances::BUILT_IN)
}

/// [`select`] with other weights of the link scorer than the built-in ones.
#[must_use]
pub fn select_with(mention: &Mention<'_>, params: &Params, weights: &Weights) -> Selection {
    let room = room::Room::new(mention, params);
    let chances = chances::of(&room, weights);
    let chosen = choose::choose(&room, &chances, params);
    Selection {
        chosen,
        missing: room.missing,
        generic: room.generic,
    }
}

#[cfg(test)]
mod tests;
