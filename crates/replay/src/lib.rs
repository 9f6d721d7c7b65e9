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
//! | [`rebuild`](rebuild()) | a new generation from offset 0, and its comparison with the live one |

mod indexer;
mod points;
mod projector;
mod rebuild;

pub use indexer::{Drift, Indexer, keep_indexing};
pub use projector::{Projector, keep_folding};
pub use rebuild::{Comparison, Rebuilt, Verdict, compare, rebuild};
pub use threadlore_ports::FoldPorts;
