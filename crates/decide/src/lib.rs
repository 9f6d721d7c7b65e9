//! Pure rules: what to do about an input, given what is known. Nothing here
//! performs I/O, reads a clock or draws randomness; folding is in `threadlore-fold`.
//!
//! | module | decides |
//! |---|---|
//! | [`intake`] | which platform events are taken, and under which id |
//! | [`buffer`] | when a channel's window is worth looking at |
//! | [`extractor`] | which cases there are, and who confirmed them |
//! | [`embedder`] | which texts a model is asked for the vectors of |
//! | `promotion` | which cases expire |
//! | [`redrive`] | what is tried again of what was put aside |
//! | [`context`] | which earlier messages a mention of the bot is about |
//! | [`retrieve`] | which of the things that an index found come first; whether two texts say the same |

pub mod ask;
pub mod buffer;
pub mod context;
pub mod embedder;
pub mod extractor;
pub mod intake;
mod promotion;
pub mod redrive;
pub mod retrieve;
mod signals;
#[cfg(test)]
mod testing;
pub mod threads;

pub use signals::{hints, is_positive_emoji, is_question, outcome, resolution};
pub use threads::link;
