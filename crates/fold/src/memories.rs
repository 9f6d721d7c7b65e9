//! The fold of memories, from `knowledge.memories`: what the system was told to remember, and the
//! exchanges that it keeps.

use threadlore_model::{
    Body, CaseId, ChannelId, Event, MemoryArchiveReason, MemoryArchived, MemoryHome, MemoryId,
    MemoryScored, MemoryStored, MemoryTier, MessageId, PersonId, SpaceId, Timestamp,
};

use crate::table::table;
use crate::text::{clean_private, clean_time};
use crate::{Folded, ProjectedRow};

/// What the system was told to remember, or an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryRow {
    /// The tenant.
    pub space: SpaceId,
    /// The memory.
    pub memory: MemoryId,
    /// How long it is kept.
    pub tier: MemoryTier,
    /// Whom it is about; `None` for an exchange.
    pub home: Option<MemoryHome>,
    /// The channel where it was said, or asked.
    pub channel: ChannelId,
    /// Who said it; `None` for an exchange.
    pub person: Option<PersonId>,
    /// The message that says it.
    pub message: Option<MessageId>,
    /// What is remembered; `None` once it is erased, and for an exchange.
    pub text: Option<String>,
    /// Whether a model that reads is to know it with every question.
    pub always: bool,
    /// The case whose words an exchange has.
    pub case_id: Option<CaseId>,
    /// The version of the case that these words are of.
    pub case_version: Option<i64>,
    /// The chance that an exchange works when it is given again, in thousandths.
    pub score: Option<i64>,
    /// How many answers from an exchange worked.
    pub worked: i64,
    /// How many failed.
    pub failed: i64,
    /// Of how many as many people say the one as the other.
    pub partial: i64,
    /// When it was said; of an exchange, when something was first said of its answer.
    pub said_at: Timestamp,
    /// When an exchange was given last.
    pub used_at: Option<Timestamp>,
    /// When it leaves its tier.
    pub told_until: Option<Timestamp>,
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
        tier, home, channel, person, message, text, always, case_id, case_version, score, worked, failed, partial, said_at,
        used_at, told_until, archived_at, archive_reason, archived_by, erased_at,
    ]
);

impl ProjectedRow for MemoryRow {
    type Key = (SpaceId, MemoryId);

    fn touched(event: &Event) -> Option<Self::Key> {
        let memory = match &event.body {
            Body::MemoryStored(stored) => stored.memory,
            Body::MemoryScored(scored) => scored.memory,
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
        (Body::MemoryScored(_), Some(known)) if known.tier == MemoryTier::MemoryBank => {
            Folded::Unchanged("the memory is no exchange")
        }
        (Body::MemoryScored(scored), known) => {
            let said_at = known.map(|known| known.said_at);
            let new = Some(exchange(&event.envelope.space, scored, said_at));
            if *row == new {
                return Folded::Unchanged("the exchange is so already");
            }
            *row = new;
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
            row.archived_by = *by;
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
        always,
        now,
    } = stored;
    MemoryRow {
        space: space.clone(),
        memory: *memory,
        tier: MemoryTier::MemoryBank,
        home: Some(*home),
        channel: channel.clone(),
        person: Some(*person),
        message: *message,
        text: clean_private(text),
        always: *always,
        case_id: None,
        case_version: None,
        score: None,
        worked: 0,
        failed: 0,
        partial: 0,
        said_at: clean_time(*now),
        used_at: None,
        told_until: None,
        archived_at: None,
        archive_reason: None,
        archived_by: None,
        erased_at: None,
    }
}

/// An exchange as it is from now on; what is said of it again is told again.
fn exchange(space: &SpaceId, scored: &MemoryScored, said_at: Option<Timestamp>) -> MemoryRow {
    let MemoryScored {
        memory,
        channel,
        case,
        version,
        tier,
        score,
        worked,
        failed,
        partial,
        used_at,
        until,
        now,
    } = scored;
    MemoryRow {
        space: space.clone(),
        memory: *memory,
        tier: *tier,
        home: None,
        channel: channel.clone(),
        person: None,
        message: None,
        text: None,
        always: false,
        case_id: Some(*case),
        case_version: Some(*version),
        score: Some(i64::from(*score)),
        worked: i64::from(*worked),
        failed: i64::from(*failed),
        partial: i64::from(*partial),
        said_at: said_at.unwrap_or_else(|| clean_time(*now)),
        used_at: Some(clean_time(*used_at)),
        told_until: until.map(clean_time),
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
            always: false,
            now: at(5),
        })
    }

    fn archived(n: u128, now: i64) -> Event {
        event(MemoryArchived {
            memory: memory(1),
            reason: MemoryArchiveReason::Replaced,
            by: Some(memory(n)),
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

    fn scored(tier: MemoryTier, worked: u32, now: i64) -> Event {
        event(MemoryScored {
            memory: memory(1),
            channel: channel(),
            case: CaseId::from_uuid(Uuid::from_u128(3)),
            version: 2,
            tier,
            score: 800,
            worked,
            failed: 0,
            partial: 0,
            used_at: at(now),
            until: Some(at(now + 50)),
            now: at(now),
        })
    }

    #[test]
    fn an_exchange_is_as_it_was_said_last_and_comes_back() {
        let expired = |now| {
            event(MemoryArchived {
                memory: memory(1),
                reason: MemoryArchiveReason::Expired,
                by: None,
                now: at(now),
            })
        };
        let first = scored(MemoryTier::Working, 1, 10);
        let (row, changed) = folded(&[first.clone(), first.clone(), expired(60), expired(61)]);
        let row = row.expect("a row");
        assert_eq!((changed, row.archived_at), (2, Some(at(60))));
        let (row, _) = folded(&[first, expired(60), scored(MemoryTier::History, 2, 70)]);
        let row = row.expect("a row");
        assert_eq!(
            (row.tier, row.worked, row.archived_at),
            (MemoryTier::History, 2, None)
        );
        assert_eq!((row.said_at, row.used_at), (at(10), Some(at(70))));
        assert_eq!(row.told_until, Some(at(120)));
    }

    /// A rebuild reads the text of an erased memory no more.
    #[test]
    fn a_rebuilt_row_of_an_erased_memory_is_the_same() {
        let live = folded(&[stored(Private::open("x")), archived(8, 10), erased(20)]);
        let rebuilt = folded(&[stored(Private::Erased), archived(8, 10), erased(20)]);
        assert_eq!(live, rebuilt);
    }
}
