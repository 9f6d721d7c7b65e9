//! Ports: the traits that every store, log and engine implements, with the
//! guarantees an implementation must give. The conformance suites that
//! run on every implementation, and in-memory twins, are in `threadlore-testkit`;
//! what the loops over the log share is built on these traits in `threadlore-stream`.
//!
//! | port | guarantees in one line |
//! |---|---|
//! | [`EventLog`] | an append that returned is durable and in order per partition |
//! | [`RawLog`] | what it gives out as bytes it takes as bytes |
//! | [`Membership`] | every partition is some member's; the epoch says whose
//! | [`Store`] | one transaction per batch, refused when the epoch is not ours |
//! | [`Generations`] | builds of projections side by side, one live, compared by digest |
//! | [`Keystore`] | a key is durable before anything is sealed with it |
//! | [`BlobStore`] | a put that returned is whole and durable |
//! | [`EmbedEngine`] | makes vectors of texts; may be slow, may fail |
//! | [`RankEngine`] | reads a question and a text together; may be slow, may fail |
//! | [`ExtractEngine`] | finds cases in a window; may be slow, may fail |
//! | [`Gateway`] | what it handed over is in the log; a delivery is sent at least once |
//! | [`Inbox`] | what it took is durable |
//! | [`CaseReader`] | reads only inside a [`Scope`] |
//! | [`CaseIndex`] | finds cases by vectors, only inside a [`Scope`] |
//! | [`IndexSource`] | knows which points are not as their rows |
//! | [`Clock`] | the only source of time and of waiting |

mod authority;
mod blob;
mod breaker;
mod clock;
mod engine;
mod error;
mod gateway;
mod generations;
mod index;
mod keystore;
mod log;
mod membership;
mod observer;
mod raw;
mod reader;
mod span;
mod store;
mod wrapping;

pub use authority::{Authority, Denied, Right, Scope};
pub use blob::{BlobStore, check_name};
pub use breaker::{Admitted, Breaker};
pub use clock::Clock;
pub use engine::{
    EmbedEngine, EmbedFor, ExtractEngine, Judgement, Passage, PassageOf, RankEngine, ReadEngine,
    Reading, Tokens, Tool, ToolCall, ToolEngine, Verdict,
};
pub use error::{Class, PortError, RESTORING};
pub use gateway::{Gateway, Inbox, SentMessage};
pub use generations::{Cell, Digests, Generation, Generations};
pub use index::{
    CaseIndex, CaseVector, Dense, DenseModel, IndexPorts, IndexSource, Opened, Query, Unindexed,
    Within,
};
pub use keystore::Keystore;
pub use log::{
    Body, ENCODING, EncodedRecord, EventLog, NewRecord, Record, RecordHeader, Undecodable,
    all_partitions, before_newer, place,
};
pub use membership::{Change, Membership, Released};
pub use observer::{ClientStats, Observer, Silent};
pub use raw::{RawLog, RawRecord};
pub use reader::{
    CaseHit, CaseReader, CaseScore, Counts, EvidenceLine, Fact, Layer, Precedent, RECENT, Readable,
};
pub use span::{Span, Work};
pub use store::{
    Changes, EffectRow, FoldBatch, Marks, OutboxRow, Ownership, PartRow, Positions, Shard,
    StateRow, Store, Wake,
};
pub use threadlore_model::Projection;
pub use wrapping::{Unwrapped, Wrapping};
