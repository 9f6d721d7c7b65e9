//! One type per event, in one file per topic. Each has one Avro schema of the same
//! name in `schemas/`.
//!
//! Every event has at most one subject, whose key seals all its private fields.

mod cases;
mod chat;
mod inbox;
mod log;
mod requests;
mod settings;
mod turns;
mod vectors;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{CaseId, ChannelId, Envelope, Event, Private, Subject, Topic};

pub use cases::{
    ArchiveReason, CaseArchived, CaseConfirmed, CaseErased, CaseMerged, CaseOpened, CaseSolved,
    CaseSplit, ConfirmationWithdrawn, EraseReason, Evidence, Part, Signal,
};
pub use chat::{
    HistoryEnded, MessageEdited, MessagePosted, MessageRedacted, ReactionAdded, ReactionRemoved,
};
pub use inbox::{
    PlatformEdit, PlatformHistoryEnded, PlatformMessage, PlatformReaction, PlatformRedaction,
};
pub use log::{DeadLetter, RecordSkipped};
pub use requests::ExtractionRequested;
pub use settings::ChannelConfigured;
pub use turns::{ReadyReason, WindowReady};
pub use vectors::VectorComputed;

macro_rules! bodies {
    ($($name:ident),+ $(,)?) => {
        /// What happened: one variant per event type.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
        #[expect(missing_docs, reason = "each variant is named after the type it holds")]
        pub enum Body { $($name($name)),+ }

        impl Body {
            /// Names of all event types, as in `ce_type` and in `schemas/`.
            pub const TYPES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// The event type's name.
            #[must_use]
            pub const fn type_name(&self) -> &'static str {
                match self { $(Self::$name(_) => stringify!($name)),+ }
            }
        }

        $(impl From<$name> for Body {
            fn from(body: $name) -> Self { Self::$name(body) }
        })+
    };
}

bodies!(
    PlatformMessage,
    PlatformEdit,
    PlatformRedaction,
    PlatformReaction,
    PlatformHistoryEnded,
    MessagePosted,
    MessageEdited,
    MessageRedacted,
    ReactionAdded,
    ReactionRemoved,
    HistoryEnded,
    WindowReady,
    CaseOpened,
    CaseSolved,
    CaseConfirmed,
    ConfirmationWithdrawn,
    CaseArchived,
    CaseErased,
    CaseMerged,
    CaseSplit,
    ExtractionRequested,
    ChannelConfigured,
    VectorComputed,
    RecordSkipped,
    DeadLetter,
);

impl Body {
    /// The topic this event type belongs to. `None` for dead letters, which go
    /// to the dead-letter topic of their source.
    #[must_use]
    pub const fn topic(&self) -> Option<Topic> {
        Some(match self {
            Self::PlatformMessage(_)
            | Self::PlatformEdit(_)
            | Self::PlatformRedaction(_)
            | Self::PlatformReaction(_)
            | Self::PlatformHistoryEnded(_) => Topic::ChatInbox,
            Self::MessagePosted(_)
            | Self::MessageEdited(_)
            | Self::MessageRedacted(_)
            | Self::ReactionAdded(_)
            | Self::ReactionRemoved(_)
            | Self::HistoryEnded(_) => Topic::ChatEvents,
            Self::WindowReady(_) => Topic::ChatTurns,
            Self::CaseOpened(_)
            | Self::CaseSolved(_)
            | Self::CaseConfirmed(_)
            | Self::ConfirmationWithdrawn(_)
            | Self::CaseArchived(_)
            | Self::CaseErased(_)
            | Self::CaseMerged(_)
            | Self::CaseSplit(_) => Topic::KnowledgeCases,
            Self::ExtractionRequested(_) => Topic::KnowledgeRequests,
            Self::ChannelConfigured(_) => Topic::Settings,
            Self::VectorComputed(_) => Topic::Vectors,
            Self::RecordSkipped(_) => Topic::LogSkips,
            Self::DeadLetter(letter) => return letter.topic.dead_letters(),
        })
    }

    /// The private fields with their names, which are part of the seal.
    pub fn private_fields(&mut self) -> Vec<(Cow<'static, str>, &mut Private)> {
        fn tagged<'a>(
            fields: Vec<(&'static str, &'a mut Private)>,
            tags: &'a mut [Private],
        ) -> Vec<(Cow<'static, str>, &'a mut Private)> {
            let named = fields
                .into_iter()
                .map(|(name, field)| (Cow::Borrowed(name), field));
            let tags = tags
                .iter_mut()
                .enumerate()
                .map(|(i, tag)| (Cow::Owned(format!("tags.{i}")), tag));
            named.chain(tags).collect()
        }
        match self {
            Self::MessagePosted(m) => {
                let mut fields = vec![
                    ("author_native", &mut m.author_native),
                    ("text", &mut m.text),
                ];
                fields.extend(m.author_name.as_mut().map(|name| ("author_name", name)));
                tagged(fields, &mut [])
            }
            Self::MessageEdited(m) => tagged(vec![("text", &mut m.text)], &mut []),
            Self::CaseOpened(c) => tagged(
                vec![("title", &mut c.title), ("problem", &mut c.problem)],
                &mut c.tags,
            ),
            Self::CaseSolved(c) => tagged(
                vec![
                    ("title", &mut c.title),
                    ("problem", &mut c.problem),
                    ("solution", &mut c.solution),
                ],
                &mut c.tags,
            ),
            Self::VectorComputed(v) => tagged(
                vec![("source", &mut v.source), ("vector", &mut v.vector)],
                &mut [],
            ),
            _ => Vec::new(),
        }
    }

    /// The channel the event belongs to, for events of a channel.
    #[must_use]
    pub const fn channel(&self) -> Option<&ChannelId> {
        Some(match self {
            Self::PlatformMessage(e) => &e.channel,
            Self::PlatformEdit(e) => &e.channel,
            Self::PlatformRedaction(e) => &e.channel,
            Self::PlatformReaction(e) => &e.channel,
            Self::PlatformHistoryEnded(e) => &e.channel,
            Self::MessagePosted(e) => &e.channel,
            Self::MessageEdited(e) => &e.channel,
            Self::MessageRedacted(e) => &e.channel,
            Self::ReactionAdded(e) => &e.channel,
            Self::ReactionRemoved(e) => &e.channel,
            Self::HistoryEnded(e) => &e.channel,
            Self::WindowReady(e) => &e.channel,
            Self::CaseOpened(e) => &e.channel,
            Self::CaseSolved(e) => &e.channel,
            Self::CaseConfirmed(e) => &e.channel,
            Self::ConfirmationWithdrawn(e) => &e.channel,
            Self::CaseArchived(e) => &e.channel,
            Self::CaseErased(e) => &e.channel,
            Self::CaseMerged(e) => &e.channel,
            Self::CaseSplit(e) => &e.channel,
            Self::ExtractionRequested(e) => &e.channel,
            Self::ChannelConfigured(e) => &e.channel,
            Self::VectorComputed(e) => &e.channel,
            Self::RecordSkipped(_) | Self::DeadLetter(_) => return None,
        })
    }
}

impl Body {
    /// The case that the event changes; `None` where it is not about one.
    #[must_use]
    pub const fn case(&self) -> Option<CaseId> {
        Some(match self {
            Self::CaseOpened(e) => e.case,
            Self::CaseSolved(e) => e.case,
            Self::CaseConfirmed(e) => e.case,
            Self::ConfirmationWithdrawn(e) => e.case,
            Self::CaseArchived(e) => e.case,
            Self::CaseErased(e) => e.case,
            Self::CaseMerged(e) => e.case,
            Self::CaseSplit(e) => e.case,
            _ => return None,
        })
    }
}

impl Envelope {
    /// The subject whose key seals the private fields of `body`; `None` if it has no such field.
    #[must_use]
    pub fn subject(&self, body: &Body) -> Option<Subject> {
        let space = self.space.clone();
        match body {
            Body::MessagePosted(m) => Some(Subject::Person(space, m.person)),
            Body::MessageEdited(m) => Some(Subject::Person(space, m.person)),
            Body::CaseOpened(c) => Some(Subject::Case(space, c.case)),
            Body::CaseSolved(c) => Some(Subject::Case(space, c.case)),
            Body::VectorComputed(v) => Some(Subject::Case(space, v.case)),
            _ => None,
        }
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
            _ => None,
        }
    }
}
