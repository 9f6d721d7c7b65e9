//! The index of cases: on Qdrant's own engine in this process (`qdrant-edge`), and on
//! a Qdrant cluster (`qdrant-client`).
//!
//! | module | holds |
//! |---|---|
//! | `point` | the fields of a point, for both engines |
//! | `filter` | filters of points; never without a space |
//! | `edge` | [`EdgeIndex`]: shards of the engine in a directory of this machine |
//! | `cluster` | [`ClusterIndex`]: collections of servers |

mod cluster;
mod edge;
mod error;
mod filter;
mod point;

pub use cluster::{ClusterIndex, ClusterOptions};
pub use edge::EdgeIndex;
