//! Engines behind the model ports.
//!
//! [`Builtin`] needs no key, no network and no weights: it is the default, and
//! the baseline that models are measured against. Its version is in every event
//! it led to; a change of its rules is a new version.

mod builtin;

pub use builtin::{Builtin, extract};
