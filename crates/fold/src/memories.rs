//! The fold of memories, from `knowledge.memories`: what the system was told to remember.

use threadlore_model::{
    Body, ChannelId, Event, MemoryArchiveReason, MemoryArchived, MemoryHome, MemoryId,
    MemoryStored, MessageId, PersonId, SpaceId, Timestamp,
};

use crate::table::table;
use crate::text::{clean_private, clean_time};
use crate::{Folded, ProjectedRow};

/// What the system was told to remember.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryRow {
    /// The tenant.
    pub space: SpaceId,
    /// The memory.
    pub memory: MemoryId,
    /// Whom it is about.
    pub home: MemoryHome,
    /// The channel where it was said.
    pub channel: ChannelId,
    /// Who said it.
    pub person: PersonId,
    /// The message that says it.
    pub message: Option<MessageId>,
    /// What is remembered; `None` once it is erased.
    pub text: Option<String>,
    /// When it was said.
    pub said_at: Timestamp,
    /// Since when it is told no more.
    pub archived_at: Option<Timestamp>,
    /// Why it is told no more.
    pub archive_reason: Option<MemoryArchiveReason>,
    /// The memory that came in its place.
    pub archived_by: Option<MemoryId>,
    /// When it was erased.
    pub erased_at: Option<Timestamp>,
}

table!(
    MemoryRow: "memories",
    key [space, memory],
    columns [
        home, channel, person, message, text, said_at, archived_at, archive_reason, archived_by, erased_at,
    ]
);

impl ProjectedRow for MemoryRow {
    type Key = (SpaceId, MemoryId);

    fn touched(event: &Event) -> Option<Self::Key> {
        let memory = match &event.body {
            Body::MemoryStored(stored) => stored.memory,
            Body::MemoryArchived(archived) => archived.memory,
            Body::MemoryErased(erased) => erased.memory,
            _ => return None,
        };
        Some((event.envelope.space.clone(), memory))
    }

    fn key(&self) -> Self::Key {
        (self.space.clone(), self.memory)
    }

    fn fold(row: &mut Option<Self>, event: &Event) -> Folded {
        fold_memory(row, event)
    }
}

/// Folds an event into the memory that it is about; others change nothing. What was erased stays so.
pub fn fold_memory(row: &mut Option<MemoryRow>, event: &Event) -> Folded {
    match (&event.body, row.as_mut()) {
        (Body::MemoryStored(_), Some(_)) => Folded::Unchanged("the memory is known"),
        (Body::MemoryStored(stored), None) => {
            *row = Some(of(&event.envelope.space, stored));
            Folded::Changed
        }
        (Body::MemoryArchived(archived), Some(row)) if row.archived_at.is_none() => {
            let MemoryArchived {
                memory: _,
                reason,
                by,
                now,
            } = archived;
            row.archived_at = Some(clean_time(*now));
            row.archive_reason = Some(*reason);
            row.archived_by = Some(*by);
            Folded::Changed
        }
        (Body::MemoryErased(erased), Some(row)) if row.erased_at.is_none() => {
            row.text = None;
            row.erased_at = Some(clean_time(erased.now));
            Folded::Changed
        }
        (Body::MemoryArchived(_) | Body::MemoryErased(_), None) => {
            Folded::Unchanged("there is no such memory")
        }
        (Body::MemoryArchived(_) | Body::MemoryErased(_), Some(_)) => {
            Folded::Unchanged("the memory is so already")
        }
        _ => Folded::Unchanged("the event is not about a memory"),
    }
}

fn of(space: &SpaceId, stored: &MemoryStored) -> MemoryRow {
    let MemoryStored {
        memory,
        home,
        channel,
        person,
        message,
        text,
        now,
    } = stored;
    MemoryRow {
        space: space.clone(),
        memory: *memory,
        home: *home,
        channel: channel.clone(),
        person: *person,
        message: *message,
        text: clean_private(text),
        said_at: clean_time(*now),
        archived_at: None,
        archive_reason: None,
        archived_by: None,
        erased_at: None,
    }
}

#[cfg(test)]
mod tests {
    use threadlore_model::{MemoryErased, Private};
    use uuid::Uuid;

    use super::*;
    use crate::testing::{at, channel, event};

    fn memory(n: u128) -> MemoryId {
        MemoryId::from_uuid(Uuid::from_u128(n))
    }

    fn stored(text: Private) -> Event {
        event(MemoryStored {
            memory: memory(1),
            home: MemoryHome::Bank,
            channel: channel(),
            person: PersonId::from_uuid(Uuid::from_u128(2)),
            message: None,
            text,
            now: at(5),
        })
    }

    fn archived(n: u128, now: i64) -> Event {
        event(MemoryArchived {
            memory: memory(1),
            reason: MemoryArchiveReason::Replaced,
            by: memory(n),
            now: at(now),
        })
    }

    fn erased(now: i64) -> Event {
        event(MemoryErased {
            memory: memory(1),
            now: at(now),
        })
    }

    fn folded(events: &[Event]) -> (Option<MemoryRow>, usize) {
        let mut row = None;
        let changed = events
            .iter()
            .filter(|event| fold_memory(&mut row, event) == Folded::Changed);
        let changed = changed.count();
        (row, changed)
    }

    #[test]
    fn a_memory_is_archived_once_and_erased_for_good() {
        let text = || Private::open("we deploy\r\non Fridays");
        let (row, changed) = folded(&[
            archived(7, 6),
            stored(text()),
            stored(text()),
            archived(8, 10),
            archived(9, 11),
        ]);
        let row = row.expect("a row");
        assert_eq!(changed, 2);
        assert_eq!(
            (row.archived_by, row.archived_at),
            (Some(memory(8)), Some(at(10)))
        );
        assert!(row.text.is_some());
        let (row, _) = folded(&[stored(text()), erased(20), erased(30), stored(text())]);
        let row = row.expect("a row");
        assert_eq!((row.text, row.erased_at), (None, Some(at(20))));
    }

    /// A rebuild reads the text of an erased memory no more.
    #[test]
    fn a_rebuilt_row_of_an_erased_memory_is_the_same() {
        let live = folded(&[stored(Private::open("x")), archived(8, 10), erased(20)]);
        let rebuilt = folded(&[stored(Private::Erased), archived(8, 10), erased(20)]);
        assert_eq!(live, rebuilt);
    }
}
