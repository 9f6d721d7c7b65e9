//! The index of cases on Qdrant's own engine, in this process (`qdrant-edge`).
//!
//! | on disk | holds |
//! |---|---|
//! | `LOCK` | the lock of the process that owns the directory |
//! | `cases_g1/`, … | one shard of the engine for each build |
//! | `cases_g1/SHAPE` | what the shard was made for, written when it was whole |
//!
//! What the engine leaves to its user is done here:
//! - It reads nothing back from its own write-ahead log, so points that were not
//!   flushed are gone with the process: every change is flushed before it returns.
//! - It never shortens that log either: what it does not read is removed.
//! - It panics where others return an error, and flushing beside another change is
//!   one such place: changes go one at a time, and a panic becomes an error.
//! - After a failed change it refuses all others: the shard is loaded again.
//!
//! A shard that cannot be loaded is removed and made anew, because its points are
//! made of rows that are kept elsewhere.

mod collection;
mod edge;
mod error;
mod point;
mod search;
mod shape;

pub use edge::EdgeIndex;
