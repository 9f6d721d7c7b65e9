//! Bugs to plant, so that a run shows that it would notice them.

use crate::Faults;

/// A promise of the runtime, the fold or the store that can be broken on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bug {
    /// Positions are saved before, and apart from, what the records led to.
    PositionApart,
    /// A commit of records, answers or rows does not look at the epoch.
    NoEpochOnInputs,
    /// A commit of a timer does not look at the epoch.
    NoEpochOnTimers,
    /// Marking events as published does not look at the epoch.
    NoEpochOnOutbox,
    /// Platform events are accepted again.
    NoDedup,
    /// The outbox is read in the wrong order.
    OutboxUnordered,
    /// The key of an erased case is not destroyed.
    KeyKept,
    /// The vectors of an erased case stay in their tables.
    VectorsKept,
    /// An append overtakes the one before it.
    AppendsOvertake,
    /// Events that are published stay in the outbox.
    PublishedKept,
    /// A commit has the positions of what was read ahead.
    ReadAheadCommitted,
    /// The log refuses an event only when it is appended.
    RefusedLate,
    /// A new owner begins after the requests that were made before it, decided on or not.
    RequestLost,
    /// The positions of a replay are saved before the rows of its batch.
    CheckpointAhead,
}

impl Bug {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::PositionApart,
        Self::NoEpochOnInputs,
        Self::NoEpochOnTimers,
        Self::NoEpochOnOutbox,
        Self::NoDedup,
        Self::OutboxUnordered,
        Self::KeyKept,
        Self::VectorsKept,
        Self::AppendsOvertake,
        Self::PublishedKept,
        Self::ReadAheadCommitted,
        Self::RefusedLate,
        Self::RequestLost,
        Self::CheckpointAhead,
    ];

    /// The name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::PositionApart => "position apart from fold",
            Self::NoEpochOnInputs => "epoch check off on inputs",
            Self::NoEpochOnTimers => "epoch check off on timers",
            Self::NoEpochOnOutbox => "epoch check off on the outbox",
            Self::NoDedup => "dedup off",
            Self::OutboxUnordered => "outbox order broken",
            Self::KeyKept => "key of an erased case kept",
            Self::VectorsKept => "vectors of an erased case kept",
            Self::AppendsOvertake => "an append overtakes the one before it",
            Self::PublishedKept => "published events kept in the outbox",
            Self::ReadAheadCommitted => "positions of what was read ahead",
            Self::RefusedLate => "an event refused when it is published",
            Self::RequestLost => "a request lost",
            Self::CheckpointAhead => "a checkpoint ahead of its rows",
        }
    }

    /// What the store in memory is made to break; the rest is done at the ports.
    pub(crate) fn faults(of: Option<Self>) -> Faults {
        Faults {
            position_apart_from_fold: of == Some(Self::PositionApart),
            skip_epoch_on_outbox: of == Some(Self::NoEpochOnOutbox),
            accept_duplicates: of == Some(Self::NoDedup),
            outbox_unordered: of == Some(Self::OutboxUnordered),
            keep_vectors_of_erased: of == Some(Self::VectorsKept),
            keep_published: of == Some(Self::PublishedKept),
            skip_epoch_on_commit: false,
        }
    }
}
