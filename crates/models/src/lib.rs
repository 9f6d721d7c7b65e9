//! Engines behind the model ports.
//!
//! [`Builtin`] needs no key, no network and no weights: it is the default, and
//! the baseline that models are measured against. [`ChatEngine`] asks any chat
//! model that speaks OpenAI's protocol. The version of either is in every event it
//! led to; a change of rules or prompts is a new version.

mod builtin;
mod engine;
mod openai;

pub use builtin::{Builtin, extract};
pub use engine::ChatEngine;
pub use openai::{ChatError, ChatSettings};
