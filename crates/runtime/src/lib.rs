//! The loop that every processor runs in.
//!
//! ```text
//! reader     polls, decodes and opens; one batch ahead of the engine
//! engine     for each input: fold, decide; then seal and encode what was decided
//! committer  ONE transaction { states, outbox, effects, positions, marks } where epoch = mine,
//!            in which the rows that are published leave the outbox
//! publisher  appends what is committed, in order
//! slow calls run beside them, in order per key; each answer is a new input
//! ```
//!
//! The four overlap: while batch N is decided, N+1 is read, N-1 is committed, and those
//! before it are published. Batches are decided and committed in order, and nothing of a
//! batch is published, asked or reported before it is committed. All of it is one future.
//!
//! Guarantee: at-least-once delivery with idempotent folds, effectively once in
//! the store. A worker that fails is dropped whole and started anew from the
//! store; one whose state is lost is rebuilt from the log (see `recovery`).
//!
//! | module | holds |
//! |---|---|
//! | `reader`, `committer`, `publisher` | three of the four |
//! | `pipeline` | these three, going on beside the engine |
//! | `batch` | the engine: inputs of one round, and what they change |
//! | `key_entry` | one key's state and last input, and their encoding |
//! | `state_cache` | the states that were used last |
//! | `timers` | when keys want to be woken |
//! | `backpressure` | topics that are not read because a key has enough of them |
//! | [`calls`](Caller) | slow calls beside the loop |
//! | `recovery` | what was decided before the state was lost |
//! | [`worker`](Worker) | one owner of one shard |

mod backpressure;
mod batch;
mod calls;
mod committer;
mod key_entry;
mod pipeline;
mod publisher;
mod reader;
mod recovery;
mod state_cache;
#[cfg(test)]
mod testing;
mod timers;
mod worker;

pub use calls::{Caller, NoCaller, Patience};
pub use worker::{Limits, Worker, keep_running};
