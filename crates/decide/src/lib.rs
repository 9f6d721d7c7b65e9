//! Pure rules: what to do about an input, given what is known. Nothing here
//! performs I/O, reads a clock or draws randomness.

mod signals;
mod threads;

pub use signals::{hints, is_positive_emoji, is_question, outcome, resolution};
pub use threads::link;
