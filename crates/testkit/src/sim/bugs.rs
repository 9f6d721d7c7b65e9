//! Bugs to plant, so that a run shows that it would notice them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use threadlore_fold::fold_case;
use threadlore_model::{Body, Case, CaseId, Group, Offset, Partition};
use threadlore_ports::Record;

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
    /// The fold does not look at `expected_version`.
    VersionIgnored,
}

impl Bug {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::PositionApart,
        Self::NoEpochOnInputs,
        Self::NoEpochOnTimers,
        Self::NoEpochOnOutbox,
        Self::NoDedup,
        Self::OutboxUnordered,
        Self::VersionIgnored,
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
            Self::VersionIgnored => "expected_version ignored",
        }
    }

    /// What the store in memory is told to break; the rest is done at the ports.
    pub(crate) fn faults(of: Option<Self>) -> Faults {
        Faults {
            position_apart_from_fold: of == Some(Self::PositionApart),
            skip_epoch_on_outbox: of == Some(Self::NoEpochOnOutbox),
            accept_duplicates: of == Some(Self::NoDedup),
            outbox_unordered: of == Some(Self::OutboxUnordered),
            skip_epoch_on_commit: false,
        }
    }
}

/// Makes every reader of `knowledge.cases` fold as if no version was expected:
/// each event comes with the version that its case has at that place.
#[derive(Default)]
pub(crate) struct Versions(Mutex<HashMap<Partition, Shadow>>);

#[derive(Default)]
struct Shadow {
    next: Offset,
    marks: HashMap<(Group, Partition), u64>,
    cases: BTreeMap<CaseId, Option<Case>>,
    seen: Vec<Record>,
}

impl Versions {
    /// The offset from which the partition was not seen yet.
    pub(crate) fn next(&self, partition: Partition) -> Offset {
        let mut shadows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shadows.entry(partition).or_default().next
    }

    /// Takes in new records, and rewrites those that are asked for.
    pub(crate) fn rewrite(&self, partition: Partition, new: Vec<Record>, asked: &mut [Record]) {
        let mut shadows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let shadow = shadows.entry(partition).or_default();
        for record in new {
            if record.offset >= shadow.next {
                shadow.take(record);
            }
        }
        for record in asked {
            if let Ok(place) = usize::try_from(record.offset.0)
                && let Some(seen) = shadow.seen.get(place)
            {
                *record = seen.clone();
            }
        }
    }
}

impl Shadow {
    fn take(&mut self, mut record: Record) {
        self.next = record.offset.next();
        if let Ok(event) = &mut record.body
            && let Some(producer) = event.envelope.producer.clone()
        {
            let mark = self
                .marks
                .entry((producer.group, producer.partition))
                .or_default();
            if let (true, Some(id)) = (producer.sequence > *mark, event.body.case()) {
                *mark = producer.sequence;
                let case = self.cases.entry(id).or_default();
                let version = case.as_ref().map(|c| c.version);
                match (&mut event.body, version) {
                    (Body::CaseSolved(e), version) => e.expected_version = version,
                    (Body::CaseArchived(e), Some(version)) => e.expected_version = version,
                    _ => {}
                }
                fold_case(case, event);
            }
        }
        self.seen.push(record);
    }
}
