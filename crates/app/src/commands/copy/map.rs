//! The map from old to new offsets after a copy or a restore. New offsets have no gaps.

use std::collections::BTreeMap;

use serde::Serialize;
use threadlore_model::{Offset, TopicPartition};

/// The offset for records that were not copied: before every record.
pub(in crate::commands) const NOWHERE: Offset = Offset(-1);

/// A run of records that are adjacent in both logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct Run {
    old: Offset,
    new: Offset,
    count: i64,
}

/// Old and new offsets of a partition.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(in crate::commands) struct Offsets(Vec<Run>);

impl Offsets {
    /// Adds the next record of the old log. The first one gets offset 0 in the new log.
    pub(in crate::commands) fn push(&mut self, old: Offset) {
        let next = self.0.last().map_or(0, |run| run.new.0 + run.count);
        let new = Offset(next);
        match self.0.last_mut() {
            Some(run) if run.old.0 + run.count == old.0 => run.count += 1,
            _ => self.0.push(Run { old, new, count: 1 }),
        }
    }

    /// How many records there are.
    pub(in crate::commands) fn count(&self) -> i64 {
        self.0.iter().map(|run| run.count).sum()
    }

    /// Shifts the new offsets, so that they begin at `first`. Afterwards nothing may be pushed.
    pub(in crate::commands) fn begin_at(&mut self, first: Offset) {
        for run in &mut self.0 {
            run.new.0 += first.0;
        }
    }

    /// The new offset of the first record.
    pub(in crate::commands) fn first(&self) -> Option<Offset> {
        self.0.first().map(|run| run.new)
    }

    /// Whether records keep their offsets.
    pub(super) fn is_identity(&self) -> bool {
        self.0.iter().all(|run| run.old == run.new)
    }

    /// The new place of a record.
    fn of(&self, old: Offset) -> Option<Offset> {
        let (run, past) = self.run(old)?;
        (past < run.count).then_some(Offset(run.new.0 + past))
    }

    /// The new offset of the last record at or before `old`.
    fn up_to(&self, old: Offset) -> Option<Offset> {
        let (run, past) = self.run(old)?;
        Some(Offset(run.new.0 + past.min(run.count - 1)))
    }

    /// The last run that begins there or before, and how far the offset is behind that.
    fn run(&self, old: Offset) -> Option<(&Run, i64)> {
        let after = self.0.partition_point(|run| run.old <= old);
        let run = self.0[..after].last()?;
        Some((run, old.0 - run.old.0))
    }
}

/// A record's partition and offset.
pub(in crate::commands) type Place = (TopicPartition, Offset);

/// What a place in an event names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::commands) enum Names {
    /// That record and no other.
    Record,
    /// How far something came: all up to there.
    Position,
}

/// All partitions of a log.
#[derive(Debug, Clone, Default)]
pub(in crate::commands) struct Map(pub(in crate::commands) BTreeMap<TopicPartition, Offsets>);

impl Map {
    /// The new offset of a record; for one that was not copied, the offset before all records.
    fn of(&self, at: TopicPartition, old: Offset) -> Offset {
        let offsets = self.0.get(&at);
        let new = offsets.and_then(|offsets| offsets.of(old));
        new.unwrap_or(NOWHERE)
    }

    /// Whether it has this very record.
    pub(in crate::commands) fn has(&self, at: TopicPartition, old: Offset) -> bool {
        self.of(at, old) != NOWHERE
    }

    /// The new offset of a position "processed up to `old`". Records that were not copied count as
    /// processed; no other record does that did not before.
    fn up_to(&self, at: TopicPartition, old: Offset) -> Offset {
        let offsets = self.0.get(&at);
        let new = offsets.and_then(|offsets| offsets.up_to(old));
        new.unwrap_or(NOWHERE)
    }

    /// The new place of what names one: of that very record, or of how far something came.
    pub(in crate::commands) fn place(&self, (at, old): Place, names: Names) -> Place {
        let new = match names {
            Names::Record => self.of(at, old),
            Names::Position => self.up_to(at, old),
        };
        (at, new)
    }

    pub(super) fn records(&self) -> u64 {
        let counts = self.0.values().map(Offsets::count);
        u64::try_from(counts.sum::<i64>()).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use threadlore_model::{Partition, Topic};

    use super::*;

    const AT: TopicPartition = TopicPartition {
        topic: Topic::ChatInbox,
        partition: Partition(2),
    };

    fn map(old: impl IntoIterator<Item = i64>) -> Map {
        let mut offsets = Offsets::default();
        old.into_iter().for_each(|old| offsets.push(Offset(old)));
        Map([(AT, offsets)].into())
    }

    #[test]
    fn what_retention_dropped_stands_before_all() {
        let map = map(100..103);
        let of = |old| map.of(AT, Offset(old)).0;
        assert_eq!([of(99), of(100), of(102), of(103)], [-1, 0, 2, -1]);
        assert_eq!(map.up_to(AT, Offset(99)), NOWHERE);
        assert_eq!(map.records(), 3);
        assert!(!map.0[&AT].is_identity());
        assert_eq!(
            map.0[&AT].0.len(),
            1,
            "a run, and not a line for each record"
        );
    }

    #[test]
    fn a_partition_that_is_empty_has_nothing() {
        assert_eq!(map([]).up_to(AT, Offset(7)), NOWHERE);
        assert_eq!(Map::default().of(AT, Offset(0)), NOWHERE);
        assert!(map([]).0[&AT].is_identity());
    }

    #[test]
    fn what_is_put_behind_others_begins_there() {
        let mut map = map([100, 101, 105]);
        map.0.get_mut(&AT).expect("there").begin_at(Offset(40));
        let of = |old| map.of(AT, Offset(old)).0;
        assert_eq!(
            [of(99), of(100), of(101), of(104), of(105)],
            [-1, 40, 41, -1, 42]
        );
        assert_eq!(map.up_to(AT, Offset(104)), Offset(41));
        assert_eq!((map.up_to(AT, Offset(3)), map.records()), (NOWHERE, 3));
    }

    proptest! {
        /// Records are numbered from 0 in their order, and the order of all positions is kept.
        #[test]
        fn order_stays(old: BTreeSet<u8>) {
            let map = map(old.iter().map(|old| i64::from(*old)));
            for (new, old) in old.iter().enumerate() {
                let new = Offset(i64::try_from(new).expect("few"));
                prop_assert_eq!(map.of(AT, Offset((*old).into())), new);
                prop_assert_eq!(map.up_to(AT, Offset((*old).into())), new);
            }
            let places: Vec<Offset> = (-1..300).map(|old| map.up_to(AT, Offset(old))).collect();
            prop_assert!(places.is_sorted());
            let kept = (-1..300).filter(|place| map.of(AT, Offset(*place)) != NOWHERE);
            prop_assert_eq!(kept.count(), old.len());
            let gapless = old.iter().enumerate().all(|(new, old)| new == usize::from(*old));
            prop_assert_eq!(map.0[&AT].is_identity(), gapless);
        }
    }
}
