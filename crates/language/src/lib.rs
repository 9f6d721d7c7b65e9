//! Analysis of texts and conversations, for any platform: pure functions of text.
//!
//! | module | finds |
//! |---|---|
//! | [`clean`] | what in a model's answer is no part of it |
//! | [`threads`] | who answers whom |
//! | `secrets` | what looks like a key or a card number |
//! | `signals` | what a message says about the state of a problem |
//! | [`context`] | which earlier messages a mention of the bot is about |
//! | [`retrieve`] | the order of an index's results; the similarity of two texts |
//! | [`wording`] | the language of a text; what the bot says in it |

pub mod clean;
pub mod context;
mod everyday;
pub mod retrieve;
mod secrets;
mod signals;
pub mod threads;
pub mod wording;

pub use everyday::EVERYDAY;
pub use secrets::{Secret, secret};
pub use signals::{
    has_denial, hint, is_negative_emoji, is_positive_emoji, is_question, may_want_help, outcome,
    rejects, resolution,
};
pub use threads::link;
