//! The query side: from a question to the cases that it may be about, and from those to what
//! is said.
//!
//! | module | holds |
//! |---|---|
//! | `search` | the index, the rows of what it found, and the full-text search of the tables |
//! | [`ask`] | what is answered, or why nothing is |

pub mod ask;
mod search;

pub use search::{
    Asked, Degraded, FoundCase, Retrieval, RetrievalPorts, RetrievalRecord, Retrieved,
};
