//! The vocabulary of Threadlore: ids, time, topics, the event envelope, every
//! event body, and sealed fields.
//!
//! Nothing here performs I/O, reads a clock or draws randomness. Input from outside is parsed
//! into these types once, at the edge.
//!
//! | module | holds |
//! |---|---|
//! | [`ids`](SpaceId) | typed identifiers, validated on construction |
//! | [`time`](Timestamp) | milliseconds since the epoch, and the channel clock |
//! | [`sealed`](Private) | text that is encrypted in the log, per subject |
//! | [`topic`](Topic) | topics, partitions, offsets, the murmur2 partitioner |
//! | [`envelope`](Envelope) | the producer, space, key, time and cause of an event |
//! | [`events`](Body) | one type per event |
//! | [`window`](Window) | the input and the result of an extraction |
//! | [`case`](Case) | a case, as readers and deciders see it |
//! | [`answer`](Answer) | what memory has on a question, the answer, and its delivery |
//! | [`terms`](Terms) | the search terms of a text |
//! | [`projection`](Projection) | the projections and their tables |
//! | [`run`](Run) | the runs in which cases are decided |
//! | [`point`](Point) | a case as a point of the index |
//! | [`vector`](vector_text) | how a vector is written in an event |

mod answer;
mod case;
mod cipher;
mod envelope;
mod events;
mod ids;
mod point;
mod projection;
mod run;
mod sealed;
mod terms;
mod time;
mod topic;
mod trace;
mod vector;
mod window;

pub use answer::{Answer, Delivery, DeliveryKind, NearCase, Recalled};
pub use case::{Case, Confirmation, Status, text_of_case};
pub use cipher::Cipher;
pub use envelope::{Actor, Cause, Envelope, Event, Group, Producer, Role};
pub use events::*;
pub use ids::{
    AnswerId, CaseId, ChannelId, EventId, IdError, Key, MemoryId, MessageId, PersonHasher,
    PersonId, PlatformEvent, SpaceId,
};
pub use point::{Found, Point, PointRow, searched_text};
pub use projection::Projection;
pub use run::Run;
pub use sealed::{Private, SealError, Subject, SubjectKey};
pub use terms::{
    Leg, MOST_CHARACTERS, SparseVector, TERMS_VERSION, Terms, alike_terms, document_terms,
    query_terms, words_of,
};
pub use time::{ChannelClock, Timestamp};
pub use topic::{Offset, Partition, Topic, TopicPartition, partition_for};
pub use trace::TraceContext;
pub use vector::{
    parse_source, parse_vector, source_text, vector_bytes, vector_of_bytes, vector_source,
    vector_text,
};
pub use window::{Draft, Extraction, Hint, KnownCase, Line, Outcome, Resolved, Suggested, Window};
