//! The query side: from a question to candidate cases, and from these to the reply.
//!
//! | module | holds |
//! |---|---|
//! | `search` | the index, the rows of its candidates, and the full-text search of the tables |
//! | [`backdrop`] | how far the vector of a case stands out for a question |
//! | [`closeness`] | the chance that a case answers a question |
//! | [`ask`] | the choice of the reply |
//! | `read` | a model that says which candidate answers |
//! | `remark` | a model that says what a message tells of an answer |
//! | `record` | how the candidates were found, as it is stored with the answer |
//! | `measure` | what other settings would have given, and how long the stages took |
//! | `memory` | the one way from a question to what is said |
//! | [`precedents`] | what earlier questions say of a case |
//! | `facts` | what the system was told to remember, as an answer |
//! | `recent` | earlier questions and facts, as they were read a moment ago |
//! | [`judge`] | what a reply is worth where the right one is known |

pub mod ask;
pub mod backdrop;
mod budget;
pub mod closeness;
mod facts;
mod gate;
mod inquiry;
pub mod judge;
mod measure;
mod memory;
pub mod precedents;
mod read;
mod recent;
mod record;
mod remark;
mod rerank;
mod rewrite;
mod search;

pub use facts::{FACT_COMPOSER, Note, alike, day_of};
pub use gate::GateRecord;
pub use inquiry::Inquiry;
pub use measure::{By, Took};
pub use memory::{AskedIn, COMPOSER, CONSOLE, Memory, PER_LAYER, Said, Source, reply_to};
pub use read::{Instructions, ReadRecord, Reader, ToolRecord};
pub use record::{Degraded, FoundCase, RetrievalRecord};
pub use remark::{Remark, RemarkRecord};
pub use rerank::Reranker;
pub use rewrite::RewriteRecord;
pub use search::{Retrieval, RetrievalPorts, Retrieved};
