//! The index of cases of one machine: exact, in memory, with a snapshot file beside it.
//!
//! An index holds nothing that the rows do not have, so this one keeps itself simple: each search
//! looks at every point that it may, and nothing is approximated. The sparse legs have posting lists,
//! the dense leg compares vectors of 16-bit numbers one by one.
//!
//! A snapshot makes a start quick and is never trusted over the rows: the indexer compares points
//! with rows at every start. It is written when the index is put in order and when it is closed, whole
//! and under another name first. One that is damaged, half written, of another version or of another
//! model is passed over, and the index is made again of the rows.
//!
//! | module | holds |
//! |---|---|
//! | `postings` | which points have a term, compressed |
//! | `vectors` | vectors, and their cosines |
//! | `collection` | the points of one build: changes and searches |
//! | `snapshot` | a collection in a file |
//! | [`LocalIndex`] | the port |

mod collection;
mod index;
mod postings;
mod snapshot;
mod vectors;

pub use index::LocalIndex;
