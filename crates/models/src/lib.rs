//! Engines behind the model ports.
//!
//! [`Builtin`] needs no key, no network and no weights: it is the default, and
//! the baseline that models are measured against. [`ChatEngine`] asks any chat
//! model that speaks OpenAI's protocol; [`HttpEmbedder`] asks a model of that protocol
//! for vectors. The version of either is in every event it
//! led to; a change of rules or prompts is a new version.

mod builtin;
mod embed;
mod engine;
mod openai;
mod server;

pub use builtin::Builtin;
pub use embed::{EmbedSettings, HttpEmbedder};
pub use engine::ChatEngine;
pub use openai::{ChatSettings, Spent};
pub use server::ClientError;
