//! Engines behind the model ports.
//!
//! [`Builtin`] needs no key, no network and no weights. It is the default, and the baseline that
//! models are measured against. [`ChatEngine`] uses any chat model that speaks OpenAI's protocol;
//! [`ChatReader`] has such a model say which case answers a question;
//! [`HttpTools`] are what it may ask outside;
//! [`HttpEmbedder`] gets vectors from a model of that protocol, [`HttpReranker`] has a model read a
//! question and a text together. Every event has the version of the
//! engine that led to it; a change of rules or prompts is a new version.

mod answer;
mod builtin;
mod embed;
mod engine;
mod facts;
mod gate;
mod openai;
mod reader;
mod remark;
mod rerank;
mod rewrite;
mod server;
mod tools;

pub use builtin::Builtin;
pub use embed::{EmbedSettings, HttpEmbedder};
pub use engine::ChatEngine;
pub use openai::{ChatSettings, Meter, Spent};
pub use reader::ChatReader;
pub use rerank::{HttpReranker, RerankForm, RerankSettings};
pub use server::ClientError;
pub use tools::{BadTool, HttpTool, HttpTools, ToolMeter, ToolSettings};
