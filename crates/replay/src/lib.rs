//! Folding the log into projections, live and in a replay: the same loop, so
//! that what was rebuilt equals what was lived.
//!
//! There is no model and no sender here, and nothing to reach one with: a
//! replay reads events, opens their private fields and folds them.
//!
//! | module | holds |
//! |---|---|
//! | [`projector`](Projector) | feeds one partition of one generation |
//! | [`indexer`](Indexer) | makes the points of one generation from its rows |
//! | [`fill`] | a new generation from offset 0, in bulk |
//! | [`compare`](compare()) | two generations side by side |

mod compare;
mod indexer;
mod points;
mod projector;
mod reader;
mod rebuild;
mod writer;
mod written;

pub use compare::{Comparison, Verdict, compare};
pub use indexer::{Drift, Indexer, keep_indexing};
pub use projector::{Projector, keep_folding};
pub use reader::Bounds;
pub use rebuild::{
    Ends, Filled, Rebuilt, Resources, StopHere, ends, fill, fill_points, first_since, rebuild,
};
pub use threadlore_stream::FoldPorts;
