//! One type per event, in one file per topic. Each has one Avro schema of the same
//! name in `schemas/`.
//!
//! Every event has at most one subject, whose key seals all its private fields.

mod answers;
mod cases;
mod chat;
mod deliveries;
mod inbox;
mod log;
mod memories;
mod outcomes;
mod requests;
mod settings;
mod turns;
mod vectors;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{CaseId, ChannelId, Envelope, Event, Key, Private, SpaceId, Subject, Topic};

pub use answers::*;
pub use cases::*;
pub use chat::*;
pub use deliveries::*;
pub use inbox::*;
pub use log::*;
pub use memories::*;
pub use outcomes::*;
pub use requests::*;
pub use settings::*;
pub use turns::*;
pub use vectors::*;

/// Passes the table of events to a macro: an event type is an entry here, and no other list names
/// them all.
///
/// An entry is `Type [older versions] { topic, of [ids], private to subject [fields] }`:
/// - the older versions, such as `[1, 2]`, are those of its schema in `schemas/history/`, for a
///   type whose schema was changed since a release; the newest is `schemas/<Type>.avsc`;
/// - the topic is the one that the type belongs to;
/// - the ids say what the event is about: fields `channel` and `case`. A vector is not listed
///   under its case, because it changes no case;
/// - the key of the subject, `person`, `case` or `memory`, seals the private fields; that of an
///   `answer` is its case, or else its memory, or else its person. `threadlore schema
///   check` and a test find a private field that is missing here.
#[macro_export]
macro_rules! events {
    ($then:ident) => {
        $then! {
            PlatformMessage { ChatInbox, of [channel] }
            PlatformEdit { ChatInbox, of [channel] }
            PlatformRedaction { ChatInbox, of [channel] }
            PlatformReaction { ChatInbox, of [channel] }
            PlatformHistoryEnded { ChatInbox, of [channel] }
            PersonErasureAsked { ChatInbox, of [channel] }
            MessagePosted {
                ChatEvents, of [channel], private to person [author_native, author_name, text]
            }
            MessageEdited { ChatEvents, of [channel], private to person [text] }
            MessageRedacted { ChatEvents, of [channel] }
            ReactionAdded { ChatEvents, of [channel] }
            ReactionRemoved { ChatEvents, of [channel] }
            HistoryEnded { ChatEvents, of [channel] }
            PersonErased { ChatEvents, of [channel] }
            WindowReady { ChatTurns, of [channel] }
            TurnClosed { ChatTurns, of [channel] }
            CaseOpened {
                KnowledgeCases, of [channel, case], private to case [title, problem, tags]
            }
            CaseSuggested {
                KnowledgeCases, of [channel, case],
                private to case [title, problem, suggestion, tags]
            }
            CaseSolved {
                KnowledgeCases, of [channel, case], private to case [title, problem, solution, tags]
            }
            CaseConfirmed { KnowledgeCases, of [channel, case] }
            ConfirmationWithdrawn { KnowledgeCases, of [channel, case] }
            CaseArchived { KnowledgeCases, of [channel, case] }
            CaseErased { KnowledgeCases, of [channel, case] }
            CaseMerged { KnowledgeCases, of [channel, case] }
            CaseSplit { KnowledgeCases, of [channel, case] }
            MemoryStored { KnowledgeMemories, of [], private to memory [text] }
            MemoryScored { KnowledgeMemories, of [channel] }
            MemoryArchived { KnowledgeMemories, of [] }
            MemoryErased { KnowledgeMemories, of [] }
            ExtractionRequested { KnowledgeRequests, of [channel] }
            CorrectionRequested {
                KnowledgeRequests, of [channel], private to case [title, problem, solution, tags]
            }
            ErasureRequested { KnowledgeRequests, of [channel] }
            ArchiveRequested { KnowledgeRequests, of [channel] }
            MergeRequested { KnowledgeRequests, of [channel] }
            WithdrawalRequested { KnowledgeRequests, of [channel] }
            RatingRequested { KnowledgeRequests, of [channel] }
            MemoryRequested { KnowledgeRequests, of [], private to memory [text] }
            MemoryErasureRequested { KnowledgeRequests, of [] }
            ChannelConfigured { Settings, of [channel] }
            DecisionRunChanged { Settings, of [] }
            TurnConsidered { Answers, of [channel], private to person [record] }
            AnswerComposed { Answers, of [channel], private to answer [text] }
            AnswerWithdrawn { Answers, of [channel] }
            AnswerRated { Answers, of [channel] }
            DeliveryAttempted { Deliveries, of [channel] }
            AnswerDelivered { Deliveries, of [channel] }
            DeliveryFailed { Deliveries, of [channel] }
            OutcomeRecorded { Outcomes, of [channel, case] }
            VectorComputed { Vectors, of [channel], private to case [source, vector] }
            RecordSkipped { LogSkips, of [] }
            // Of the dead-letter topic of its source.
            DeadLetter {}
        }
    };
}

macro_rules! bodies {
    ($($name:ident $([$($older:literal),+])? {
        $($topic:ident, of [$($id:ident),*] $(, private to $subject:ident [$($field:ident),+])?)?
    })+) => {
        /// What happened: one variant per event type.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[expect(missing_docs, reason = "each variant is named after the type it holds")]
        pub enum Body { $($name($name)),+ }

        $(impl From<$name> for Body {
            fn from(body: $name) -> Self { Self::$name(body) }
        })+

        #[expect(unused_variables, reason = "not every event has each of these fields")]
        impl Body {
            /// Names of all event types, as in `ce_type` and in `schemas/`.
            pub const TYPES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// Names of the private fields of the types that have some.
            pub const PRIVATE: &'static [(&'static str, &'static [&'static str])] = &[$($($((
                stringify!($name), &[$(stringify!($field)),+]
            ),)?)?)+];

            /// The event type's name.
            #[must_use]
            pub const fn type_name(&self) -> &'static str {
                match self { $(Self::$name(_) => stringify!($name)),+ }
            }

            /// The topic this event type belongs to. `None` for a dead letter whose source
            /// has no topic for dead letters.
            #[must_use]
            pub const fn topic(&self) -> Option<Topic> {
                match self { $(Self::$name(e) => topic!(e $($topic)?)),+ }
            }

            /// The channel the event belongs to, for events of a channel.
            #[must_use]
            pub const fn channel(&self) -> Option<&ChannelId> {
                match self { $(Self::$name(e) => channel!(e $($($id)*)?)),+ }
            }

            /// The case that the event changes; `None` where it is not about one.
            #[must_use]
            pub const fn case(&self) -> Option<CaseId> {
                match self { $(Self::$name(e) => case!(e $($($id)*)?)),+ }
            }

            /// The private fields with their names, which are part of the seal.
            pub fn private_fields(&mut self) -> Vec<(Cow<'static, str>, &mut Private)> {
                let mut fields = Vec::new();
                match self { $(Self::$name(e) => {
                    $($($(e.$field.list(stringify!($field), &mut fields);)+)?)?
                })+ }
                fields
            }

            /// Whether a private field is still sealed.
            #[must_use]
            pub fn is_sealed(&self) -> bool {
                match self { $(Self::$name(e) => false $($($(|| e.$field.is_sealed())+)?)?),+ }
            }
        }

        impl Envelope {
            /// The subject whose key seals the private fields of `body`; `None` if it has no such
            /// field.
            #[must_use]
            #[expect(unused_variables, reason = "not every event has private fields")]
            pub fn subject(&self, body: &Body) -> Option<Subject> {
                match body { $(Body::$name(e) => subject!(self e $($($subject)?)?)),+ }
            }
        }
    };
}

/// The topic of an event, by its entry.
macro_rules! topic {
    ($event:ident) => {
        $event.topic.dead_letters()
    };
    ($event:ident $topic:ident) => {
        Some(Topic::$topic)
    };
}

/// The channel of an event, by the ids of its entry.
macro_rules! channel {
    ($event:ident channel $($rest:ident)*) => {
        Some(&$event.channel)
    };
    ($event:ident) => {
        None
    };
}

/// The case of an event, by the ids of its entry.
macro_rules! case {
    ($event:ident channel case) => {
        Some($event.case)
    };
    ($event:ident $($rest:ident)*) => {
        None
    };
}

/// The subject of an event, by its entry.
macro_rules! subject {
    ($envelope:ident $event:ident) => {
        None
    };
    ($envelope:ident $event:ident person) => {
        Some(Subject::Person($envelope.space.clone(), $event.person))
    };
    ($envelope:ident $event:ident case) => {
        Some(Subject::Case($envelope.space.clone(), $event.case))
    };
    ($envelope:ident $event:ident memory) => {
        Some(Subject::Memory($envelope.space.clone(), $event.memory))
    };
    ($envelope:ident $event:ident answer) => {
        Some(match ($event.case, $event.memory) {
            (Some(case), _) => Subject::Case($envelope.space.clone(), case),
            (None, Some(memory)) => Subject::Memory($envelope.space.clone(), memory),
            (None, None) => Subject::Person($envelope.space.clone(), $event.person),
        })
    };
}

events!(bodies);

/// A field of an event that holds private text.
trait PrivateField {
    /// Adds the texts with their names.
    fn list<'a>(
        &'a mut self,
        name: &'static str,
        fields: &mut Vec<(Cow<'static, str>, &'a mut Private)>,
    );

    /// Whether a text is still sealed.
    fn is_sealed(&self) -> bool;
}

impl PrivateField for Private {
    fn list<'a>(
        &'a mut self,
        name: &'static str,
        fields: &mut Vec<(Cow<'static, str>, &'a mut Private)>,
    ) {
        fields.push((Cow::Borrowed(name), self));
    }

    fn is_sealed(&self) -> bool {
        matches!(self, Self::Sealed(_))
    }
}

impl PrivateField for Option<Private> {
    fn list<'a>(
        &'a mut self,
        name: &'static str,
        fields: &mut Vec<(Cow<'static, str>, &'a mut Private)>,
    ) {
        fields.extend(self.as_mut().map(|field| (Cow::Borrowed(name), field)));
    }

    fn is_sealed(&self) -> bool {
        self.as_ref().is_some_and(PrivateField::is_sealed)
    }
}

/// Each text has its place in its name, as `tags.0`.
impl PrivateField for Vec<Private> {
    fn list<'a>(
        &'a mut self,
        name: &'static str,
        fields: &mut Vec<(Cow<'static, str>, &'a mut Private)>,
    ) {
        let numbered = self.iter_mut().enumerate();
        fields.extend(numbered.map(|(at, field)| (Cow::Owned(format!("{name}.{at}")), field)));
    }

    fn is_sealed(&self) -> bool {
        self.iter().any(PrivateField::is_sealed)
    }
}

impl Body {
    /// What became of the thing that the event is about, for events that say so: it is counted in
    /// metrics. One of few words.
    #[must_use]
    pub const fn outcome(&self) -> Option<&'static str> {
        match self {
            Self::TurnConsidered(considered) => Some(considered.outcome.name()),
            Self::AnswerDelivered(_) => Some(DeliveryResult::Delivered.name()),
            Self::DeliveryFailed(_) => Some(DeliveryResult::Failed.name()),
            Self::OutcomeRecorded(recorded) => Some(recorded.outcome.name()),
            Self::MemoryScored(scored) => Some(scored.tier.name()),
            Self::MemoryArchived(archived) => Some(archived.reason.name()),
            _ => None,
        }
    }
}

impl Body {
    /// The key of its records in a space, where its content says it.
    #[must_use]
    pub fn key(&self, space: &SpaceId) -> Option<Key> {
        let home = match self {
            Self::ChannelConfigured(_) => return Some(Key::of_space(space)),
            Self::MemoryStored(e) => (e.home, e.person),
            Self::MemoryRequested(e) => (e.home, e.person),
            Self::MemoryErasureRequested(e) => (e.home, e.person),
            _ => return Some(Key::of_channel(space, self.channel()?)),
        };
        let (home, person) = home;
        Some(home.key(space, person))
    }
}

impl Event {
    /// The subject whose key seals this event's private fields; `None` if it has no such field.
    #[must_use]
    pub fn subject(&self) -> Option<Subject> {
        self.envelope.subject(&self.body)
    }

    /// The subject whose key must be destroyed once this event is in the log; `None` for most
    /// events.
    #[must_use]
    pub fn erased_subject(&self) -> Option<Subject> {
        match &self.body {
            Body::CaseErased(e) => Some(Subject::Case(self.envelope.space.clone(), e.case)),
            Body::MemoryErased(e) => Some(Subject::Memory(self.envelope.space.clone(), e.memory)),
            Body::PersonErased(e) => Some(Subject::Person(self.envelope.space.clone(), e.person)),
            _ => None,
        }
    }
}
