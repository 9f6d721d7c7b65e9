//! What the two loops over the log have in common: the loop of processors (`threadlore-runtime`)
//! and the loop of projections (`threadlore-replay`).
//!
//! All of it is built on the traits of `threadlore-ports`, names no role and no table, and takes
//! time from a [`Clock`](threadlore_ports::Clock) alone, so that the simulation can drive it.
//!
//! | module | holds |
//! |---|---|
//! | [`consumer`](Consumer) | reads the inputs of one shard: in order, each record once, private fields open |
//! | [`vault`](Vault) | seals and opens private fields with the keystore, and destroys keys |
//! | `skip` | what becomes of a record that cannot be taken: [`skip_events`], [`failed_call`] |
//! | [`keep`](keep_working) | starts a worker anew after a fault that passes; [`FoldPorts`], what every worker uses |
//! | [`spans`](Spans) | collects the spans of a batch, and reports them once it is committed |
//! | [`traffic`](Traffic) | whether live work goes on in this process, so that a replay can make room |
//!
//! In `threadlore-ports` is what adapters use as well: wrapping of keys by both keystores, and the
//! breaker by Kafka's registry client, by models and by retrieval.

mod consumer;
mod keep;
mod skip;
mod spans;
mod traffic;
mod vault;

pub use consumer::{Consumer, Polled, Refused, first_offset, load_skips};
pub use keep::{FoldPorts, keep_working};
pub use skip::{
    Failure, encode_dead_letter, encode_dead_letters, failed_call, skip_events, skip_events_of,
};
pub use spans::Spans;
pub use traffic::Traffic;
pub use vault::Vault;
