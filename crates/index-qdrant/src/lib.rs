//! The index of cases on a Qdrant cluster (`qdrant-client`). Its tests need a server, or the double in
//! `tools/qdrant`, where they are.
//!
//! | module | holds |
//! |---|---|
//! | `point` | the fields of a point |
//! | `filter` | filters of points; never without a space |
//! | `cluster` | [`ClusterIndex`]: collections of servers |

mod cluster;
mod error;
mod filter;
mod point;

pub use cluster::{ClusterIndex, ClusterOptions};
