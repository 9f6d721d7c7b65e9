//! The loop that every processor runs in.
//!
//! ```text
//! poll a batch of one shard → fold and decide each input → seal what was decided
//!   → ONE transaction { states, outbox, effects, positions, marks } where epoch = mine
//!   → publish the outbox in order → forget what was published
//! slow calls run beside the loop, in order per key; each answer is a new input
//! ```
//!
//! Guarantee: at-least-once delivery with idempotent folds, effectively once in
//! the store. A worker that fails is dropped whole and started anew from the
//! store; one whose state is lost is rebuilt from the log (see `recovery`).
//!
//! | module | holds |
//! |---|---|
//! | `batch` | inputs of one round, and what they change |
//! | `kept` | one key's state, its encoding and when it wants to wake |
//! | `effects` | slow calls beside the loop |
//! | `recovery` | what was decided before the state was lost |
//! | [`worker`](Worker) | one owner of one shard |

mod batch;
mod effects;
mod kept;
mod recovery;
mod worker;

pub use worker::{Limits, Ports, Worker, keep_running};
