//! The envelope of every event: its producer, its space and its cause.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::vector::{hex, vector_source};
use crate::{
    Body, EventId, Key, Offset, Partition, PersonId, SpaceId, Timestamp, Topic, TopicPartition,
};

/// A stream processor, or another writer of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Platform adapters and importers: they write `chat.inbox`, and send answers.
    Gateway,
    /// Deduplicates and seals platform events.
    Intake,
    /// Decides when a channel's window is worth looking at.
    Buffer,
    /// Finds cases.
    Extractor,
    /// Answers turns, or is silent.
    Responder,
    /// Says what answers were worth.
    Learner,
    /// Keeps what the system was told to remember.
    Promoter,
    /// Asks a model for the vectors of cases.
    Embedder,
    /// Folds events into tables.
    Projector,
    /// Makes points of rows.
    Indexer,
    /// Settings and requests of people.
    Api,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 11] = [
        Self::Gateway,
        Self::Intake,
        Self::Buffer,
        Self::Extractor,
        Self::Responder,
        Self::Learner,
        Self::Promoter,
        Self::Embedder,
        Self::Projector,
        Self::Indexer,
        Self::Api,
    ];

    /// The role's name in settings, groups, labels and headers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Intake => "intake",
            Self::Buffer => "buffer",
            Self::Extractor => "extractor",
            Self::Responder => "responder",
            Self::Learner => "learner",
            Self::Promoter => "promoter",
            Self::Embedder => "embedder",
            Self::Projector => "projector",
            Self::Indexer => "indexer",
            Self::Api => "api",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|role| role.name() == name)
            .ok_or_else(|| format!("no role is named {name:?}"))
    }
}

/// A consumer group: a role's name, `projector.<projection>.g<generation>`,
/// `embedder.<hash of the model>`, or `gateway.<name>`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Group(Arc<str>);

impl Group {
    /// The group in which all instances of a processor share the work.
    #[must_use]
    pub fn of_role(role: Role) -> Self {
        Self(role.name().into())
    }

    /// The group that feeds one generation of one projection.
    #[must_use]
    pub fn of_generation(projection: &str, generation: u32) -> Self {
        Self(format!("projector.{projection}.g{generation}").into())
    }

    /// The group that makes the points of one generation of one projection.
    #[must_use]
    pub fn of_points(projection: &str, generation: u32) -> Self {
        Self(format!("indexer.{projection}.g{generation}").into())
    }

    /// The group that computes the vectors of one model. Each model has its own group, so a new
    /// model begins at the start of the log and computes every vector.
    #[must_use]
    pub fn of_embedder(model: &str) -> Self {
        let hash = hex(&vector_source(model)[..8]);
        Self(format!("{}.{hash}", Role::Embedder.name()).into())
    }

    /// The group that sends what is to be sent through one gateway, such as `gateway.matrix`.
    #[must_use]
    pub fn of_gateway(name: &str) -> Self {
        Self(format!("{}.{name}", Role::Gateway.name()).into())
    }

    /// The name of its role: the first part of its own.
    #[must_use]
    pub fn role(&self) -> &str {
        self.as_str().split('.').next().unwrap_or_default()
    }

    /// A group, read from a header or a table.
    #[must_use]
    pub fn from_name(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// The group's name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Group {
    fn from(name: String) -> Self {
        Self(name.into())
    }
}

impl From<Group> for String {
    fn from(group: Group) -> Self {
        group.0.as_ref().to_owned()
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The producer of an event, with the event's place in the producer's order. Within one
/// partition of a topic the sequence of a producer only grows. A fold that keeps the highest
/// sequence can therefore recognise every repeat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Producer {
    /// The producing group.
    pub group: Group,
    /// The partition whose inputs led to the event.
    pub partition: Partition,
    /// Counts the producer's events from 1, without gaps.
    pub sequence: u64,
}

/// The input that led to an event. For timers, the last input of the same key
/// before the timer fired; for effects, the input that asked for the effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    /// Id of the causing event, or of the timer.
    pub event: EventId,
    /// The topic and partition of the causing record.
    pub at: TopicPartition,
    /// Its offset.
    pub offset: Offset,
}

/// Who asked for a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Actor {
    /// The operator: on the command line, or with its link to sign in.
    Operator,
    /// The account of this name.
    Account(String),
    /// The token of this name.
    Token(String),
    /// A person, in a room.
    Person(PersonId),
}

impl Actor {
    /// Who that is, in words.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Operator => "an operator".to_owned(),
            Self::Account(name) => name.clone(),
            Self::Token(name) => format!("the program {name}"),
            Self::Person(_) => "an admin in the room".to_owned(),
        }
    }

    /// The name of the account; `None` for others.
    #[must_use]
    pub fn account(&self) -> Option<&str> {
        match self {
            Self::Account(name) => Some(name),
            Self::Operator | Self::Token(_) | Self::Person(_) => None,
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Operator => f.write_str("operator"),
            Self::Account(name) => write!(f, "account:{name}"),
            Self::Token(name) => write!(f, "token:{name}"),
            Self::Person(person) => write!(f, "person:{person}"),
        }
    }
}

impl FromStr for Actor {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || format!("{text:?} names nobody who can ask for a change");
        match text.split_once(':') {
            None if text == "operator" => Ok(Self::Operator),
            Some(("account", name)) => Ok(Self::Account(name.to_owned())),
            Some(("token", name)) => Ok(Self::Token(name.to_owned())),
            Some(("person", id)) => id.parse().map(Self::Person).map_err(|_| unknown()),
            _ => Err(unknown()),
        }
    }
}

impl TryFrom<String> for Actor {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Actor> for String {
    fn from(actor: Actor) -> Self {
        actor.to_string()
    }
}

/// The part that all events have in common. In the log it is written to the record's headers
/// (CloudEvents binary mode).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope {
    /// Names the event for ever (`ce_id`).
    pub id: EventId,
    /// The tenant (`ce_space`).
    pub space: SpaceId,
    /// The record's key; decides the partition.
    pub key: Key,
    /// For platform events the platform's time, for decided events the `now` of
    /// the decision (`ce_time`).
    pub time: Timestamp,
    /// `None` for events from outside (gateways, commands).
    pub producer: Option<Producer>,
    /// `None` for events from outside.
    pub cause: Option<Cause>,
    /// Who asked for it, of requests and settings (`ce_actor`).
    pub actor: Option<Actor>,
    /// W3C trace context that follows a message through every role: see
    /// [`TraceContext`](crate::TraceContext). Nothing is decided by it, and no row has it.
    pub traceparent: Option<String>,
}

impl Envelope {
    /// The dead letter that this event redrives; `None` for any other event.
    #[must_use]
    pub fn redrives(&self) -> Option<&Cause> {
        let cause = self.cause.as_ref()?;
        let is_letter = cause.at.topic.letters_of().is_some();
        (is_letter && self.producer.is_none()).then_some(cause)
    }
}

impl Envelope {
    /// Whether this event was asked for once more, by a redrive or by a request.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        let cause = self.cause.as_ref();
        self.redrives().is_some() || cause.is_some_and(|c| c.at.topic == Topic::KnowledgeRequests)
    }
}

/// One event: its envelope and its body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Producer, space, key, time and cause.
    pub envelope: Envelope,
    /// The content.
    pub body: Body,
}
