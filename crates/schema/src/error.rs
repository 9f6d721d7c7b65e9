//! Errors: an event that cannot be written, or embedded files that cannot be used.

use threadlore_model::EventId;

/// Errors of this crate. None carries text of a record.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// A private field is readable.
    #[error("a private field of event {0} is not sealed: seal it before it goes to the log")]
    NotSealed(EventId),
    /// The envelope and the body say different things, or the topic is not the event's.
    #[error("event {event} cannot be written: {reason}")]
    Inconsistent {
        /// The event.
        event: EventId,
        /// The inconsistency.
        reason: String,
    },
    /// The body does not fit its schema.
    #[error("event {event} does not fit the schema of {type_name}")]
    Unfit {
        /// The event.
        event: EventId,
        /// Its type.
        type_name: &'static str,
    },
    /// `topics.yaml` breaks a rule.
    #[error("topics.yaml: {0}")]
    Topics(String),
}
