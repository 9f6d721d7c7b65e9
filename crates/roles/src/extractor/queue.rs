//! The order in which `extractor` works: records of `chat.events` and the windows
//! that `chat.turns` announces over them, merged into one sequence.
//!
//! The two topics are read at different speeds, so each record waits here for its
//! turn. A window is taken when every record that it covers was taken and none
//! behind it. A record of imported history is taken once a window that covers it is
//! announced, after the windows before it. So what is decided about history does not
//! depend on how far which topic was read. A live record does not wait for a window,
//! nor for a slow call: a redaction, for example, counts at once. Nor does what an admin or an
//! operator asks for.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use threadlore_model::{
    CaseId, Cause, ChannelClock, Confirmation, Line, MessageId, Offset, Timestamp, Topic,
};

use crate::Parts;

/// What a record says, as far as `extractor` needs it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChannelChange {
    /// A message was posted. Its time is at most five minutes after its arrival.
    Posted(Line),
    /// A message's text was replaced.
    Edited {
        /// The message.
        message: MessageId,
        /// Grows with each edit.
        revision: i64,
        /// The new text; empty where it was erased.
        text: String,
    },
    /// A message was redacted.
    Redacted(MessageId),
    /// A reaction was added, or removed.
    Reacted {
        /// The reaction.
        reaction: Confirmation,
        /// Added, or removed.
        added: bool,
    },
    /// A window up to this offset of `chat.events` is worth looking at.
    WindowReady(Offset),
    /// Imported history ended, which concerns no case; it keeps its place in the order.
    HistoryEnded,
    /// A case is to have another solution.
    Corrected(Box<Correction>),
    /// The texts of a case are to be erased.
    Erased(CaseId),
    /// A case is outdated, and to be archived.
    Archived(CaseId),
    /// A case is to be merged into another one, or to stand by itself again.
    Merged {
        /// The case.
        case: CaseId,
        /// The case that stays; `None` to undo a merge.
        into: Option<CaseId>,
    },
}

/// Another solution of a case, with its other texts as they are; `None` where they were erased.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correction {
    /// The case.
    pub case: CaseId,
    /// Its short name.
    pub title: Option<String>,
    /// Its problem.
    pub problem: Option<String>,
    /// Its solution from now on.
    pub solution: Option<String>,
    /// Its key words.
    pub tags: Vec<String>,
    /// The message that says so, where one of the channel does.
    pub message: Option<MessageId>,
    /// For a new case, the messages that state its problem.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<MessageId>,
}

impl ChannelChange {
    /// The type of the event that says so.
    #[must_use]
    pub const fn event_type(&self) -> &'static str {
        match self {
            Self::Posted(_) => "MessagePosted",
            Self::Edited { .. } => "MessageEdited",
            Self::Redacted(_) => "MessageRedacted",
            Self::Reacted { added: true, .. } => "ReactionAdded",
            Self::Reacted { added: false, .. } => "ReactionRemoved",
            Self::WindowReady(_) => "WindowReady",
            Self::HistoryEnded => "HistoryEnded",
            Self::Corrected(_) => "CorrectionRequested",
            Self::Erased(_) => "ErasureRequested",
            Self::Archived(_) => "ArchiveRequested",
            Self::Merged { .. } => "MergeRequested",
        }
    }
}

/// A record that waits for its turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedRecord {
    /// Which record.
    pub cause: Cause,
    /// The time of its event.
    pub time: Timestamp,
    /// When it was appended to the log.
    pub arrived: Timestamp,
    /// The trace that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// What it says.
    pub change: ChannelChange,
}

impl QueuedRecord {
    fn is_window(&self) -> bool {
        matches!(self.change, ChannelChange::WindowReady(_))
    }
}

/// Records of one channel that wait for their turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordQueue {
    /// Of `chat.events`, in its order.
    #[serde(skip)]
    events: Parts<Offset, QueuedRecord>,
    /// Windows, in the order in which they were announced.
    #[serde(skip)]
    windows: Parts<Offset, QueuedRecord>,
    /// Windows and requests whose turn came while a lost state was rebuilt, and of which the log
    /// does not say that they were decided on: that is done once all that was decided is known.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    postponed: VecDeque<QueuedRecord>,
    /// Requests that were not taken yet.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    requests: VecDeque<QueuedRecord>,
    /// Offset of the last record of `chat.events` that was read.
    read: Option<Offset>,
    /// Up to which offset of `chat.events` windows were announced.
    announced: Option<Offset>,
    /// Up to which offset of `chat.events` no record waits for a window.
    live: Option<Offset>,
    /// The last record of `chat.events` that was taken.
    taken_event: Option<Offset>,
    /// The last window that was taken, by its offset in `chat.turns`.
    taken_window: Option<Offset>,
}

impl RecordQueue {
    /// Adds a record of `chat.events`; one that was read before is left out.
    pub fn push_event(&mut self, record: QueuedRecord) {
        let offset = Some(record.cause.offset);
        if offset <= self.read {
            return;
        }
        self.read = offset;
        if ChannelClock::is_live_event(record.time, record.arrived) {
            self.live = offset;
        }
        self.events.insert(record.cause.offset, record);
    }

    /// Adds a window up to an offset of `chat.events`. One that was announced before is
    /// left out, unless it is `redriven`: asked for again by an operator.
    pub fn push_window(&mut self, record: QueuedRecord, up_to: Offset, redriven: bool) {
        let known = self.windows.last_key_value().map(|(offset, _)| *offset);
        let repeat = Some(record.cause.offset) <= known.max(self.taken_window);
        if repeat || Some(up_to) <= self.announced && !redriven {
            return;
        }
        self.announced = self.announced.max(Some(up_to));
        self.windows.insert(record.cause.offset, record);
    }

    /// Adds a request: it is the next record that is taken.
    pub fn push_request(&mut self, record: QueuedRecord) {
        self.requests.push_back(record);
    }

    /// The record whose turn it is. `busy`: a call about an earlier window is not answered.
    fn next(&self, busy: bool) -> Option<&QueuedRecord> {
        let event = self.events.first_key_value();
        let first = event.map(|(offset, _)| *offset);
        if let Some((_, window)) = self.windows.first_key_value().filter(|_| !busy)
            && let ChannelChange::WindowReady(up_to) = window.change
            && self.read >= Some(up_to)
            && first.is_none_or(|first| first > up_to)
        {
            return Some(window);
        }
        let (_, event) = event?;
        (first <= self.live || !busy && first <= self.announced).then_some(event)
    }

    /// Takes the record whose turn it is out of the queue. `busy`: a call about an earlier
    /// window is not answered. `rebuilding`: not all that was decided is known yet.
    pub fn take(&mut self, busy: bool, rebuilding: bool) -> Option<QueuedRecord> {
        if !busy && !rebuilding && !self.postponed.is_empty() {
            return self.postponed.pop_front();
        }
        if let Some(request) = self.requests.pop_front() {
            return Some(request);
        }
        let next = self.next(busy)?;
        let (offset, is_window) = (next.cause.offset, next.is_window());
        let (queue, taken) = if is_window {
            (&mut self.windows, &mut self.taken_window)
        } else {
            (&mut self.events, &mut self.taken_event)
        };
        *taken = Some(offset).max(*taken);
        queue.remove(&offset)
    }

    /// Has a window or a request that was taken be taken once more when all that was decided is known.
    pub fn postpone(&mut self, window: QueuedRecord) {
        self.postponed.push_back(window);
    }

    /// Whether the record's turn came already. What a request led to is folded as soon as all
    /// that was decided before it is, whether or not the request was read again.
    #[must_use]
    pub fn is_taken(&self, cause: &Cause) -> bool {
        let taken = match cause.at.topic {
            Topic::ChatEvents => self.taken_event,
            Topic::ChatTurns => self.taken_window,
            _ => return true,
        };
        Some(cause.offset) <= taken
    }

    /// Records that changed since this was last asked, by name.
    pub(super) fn take_changed(&mut self) -> Vec<(String, Option<QueuedRecord>)> {
        let events = self.events.take_changed();
        let events = events.map(|(at, record)| (format!("event:{at}"), record.cloned()));
        let windows = self.windows.take_changed();
        let windows = windows.map(|(at, record)| (format!("window:{at}"), record.cloned()));
        events.chain(windows).collect()
    }

    /// Takes in a record as it was stored.
    pub(super) fn put_stored(&mut self, record: QueuedRecord) {
        let queue = if record.is_window() {
            &mut self.windows
        } else {
            &mut self.events
        };
        queue.put_stored(record.cause.offset, record);
    }

    /// Records of `chat.events` that wait.
    #[must_use]
    pub fn waiting_events(&self) -> usize {
        self.events.len()
    }

    /// Windows that wait.
    #[must_use]
    pub fn waiting_windows(&self) -> usize {
        self.windows.len() + self.postponed.len()
    }

    /// Whether the next window waits for records of `chat.events` that were not read yet.
    #[must_use]
    pub fn wants_events(&self) -> bool {
        self.windows.first_key_value().is_some_and(|(_, window)| {
            matches!(window.change, ChannelChange::WindowReady(up_to) if self.read < Some(up_to))
        })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use threadlore_model::{EventId, Partition, TopicPartition};

    fn record(topic: Topic, offset: i64, time: i64, change: ChannelChange) -> QueuedRecord {
        let at = TopicPartition {
            topic,
            partition: Partition(0),
        };
        let event = EventId::from_uuid(Uuid::from_u128(1));
        QueuedRecord {
            cause: Cause {
                event,
                at,
                offset: Offset(offset),
            },
            time: Timestamp::from_millis(time),
            arrived: Timestamp::from_millis(1_000_000_000),
            traceparent: None,
            change,
        }
    }

    /// One topic's record: an event of history, a live one, or a window over events.
    #[derive(Clone, Copy, Debug)]
    enum Given {
        History(i64),
        Live(i64),
        Window(i64, i64),
    }

    fn push(queue: &mut RecordQueue, given: Given) {
        match given {
            Given::History(offset) => {
                queue.push_event(record(
                    Topic::ChatEvents,
                    offset,
                    0,
                    ChannelChange::HistoryEnded,
                ));
            }
            Given::Live(offset) => {
                let now = 1_000_000_000;
                queue.push_event(record(
                    Topic::ChatEvents,
                    offset,
                    now,
                    ChannelChange::HistoryEnded,
                ));
            }
            Given::Window(offset, up_to) => {
                let change = ChannelChange::WindowReady(Offset(up_to));
                let window = record(Topic::ChatTurns, offset, 0, change);
                queue.push_window(window, Offset(up_to), false);
            }
        }
    }

    fn taken(queue: &mut RecordQueue, busy: bool) -> Vec<String> {
        std::iter::from_fn(|| queue.take(busy, false))
            .map(|record| match record.change {
                ChannelChange::WindowReady(up_to) => format!("w{}", up_to.0),
                _ => record.cause.offset.0.to_string(),
            })
            .collect()
    }

    fn all(given: &[Given]) -> Vec<String> {
        let mut queue = RecordQueue::default();
        let mut out = Vec::new();
        for given in given {
            push(&mut queue, *given);
            out.extend(taken(&mut queue, false));
        }
        out
    }

    #[test]
    fn history_is_taken_in_one_order_however_the_topics_are_read() {
        use Given::{History, Window};
        let events = [
            History(1),
            History(2),
            History(3),
            History(5),
            History(6),
            History(8),
        ];
        let windows = [Window(0, 2), Window(1, 6)];
        let wanted = ["1", "2", "w2", "3", "5", "6", "w6"];
        // Every way to merge two sequences of six and two.
        for first in 0..=events.len() {
            for second in first..=events.len() {
                let mut order: Vec<Given> = events[..first].to_vec();
                order.push(windows[0]);
                order.extend(&events[first..second]);
                order.push(windows[1]);
                order.extend(&events[second..]);
                assert_eq!(all(&order), wanted, "{order:?}");
            }
        }
    }

    #[test]
    fn a_live_record_waits_for_no_window_and_no_call() {
        use Given::{History, Live, Window};
        assert_eq!(all(&[History(1), Live(2), Live(3)]), ["1", "2", "3"]);
        let mut queue = RecordQueue::default();
        for given in [Live(1), Window(0, 1), Live(2), Window(1, 2)] {
            push(&mut queue, given);
        }
        assert_eq!(taken(&mut queue, true), ["1", "2"]);
        assert_eq!(taken(&mut queue, false), ["w1", "w2"]);
    }

    #[test]
    fn history_waits_for_the_answer_about_the_window_before_it() {
        use Given::{History, Window};
        let mut queue = RecordQueue::default();
        for given in [History(1), Window(0, 1), History(2), Window(1, 2)] {
            push(&mut queue, given);
        }
        let taken_now =
            |queue: &mut RecordQueue| queue.take(false, false).map(|r| r.cause.offset.0);
        assert_eq!(
            (taken_now(&mut queue), taken_now(&mut queue)),
            (Some(1), Some(0))
        );
        assert_eq!(taken(&mut queue, true), Vec::<String>::new());
        assert_eq!(taken(&mut queue, false), ["2", "w2"]);
    }

    #[test]
    fn a_postponed_window_is_taken_once_everything_is_known() {
        use Given::{History, Window};
        let mut queue = RecordQueue::default();
        for given in [History(1), Window(0, 1), History(2), Window(1, 2)] {
            push(&mut queue, given);
        }
        queue.take(false, true);
        let window = queue.take(false, true).expect("the first window");
        queue.postpone(window);
        assert_eq!(queue.take(false, true).map(|r| r.cause.offset.0), Some(2));
        assert_eq!(taken(&mut queue, true), Vec::<String>::new());
        assert_eq!(taken(&mut queue, false), ["w1", "w2"]);
    }

    #[test]
    fn repeats_are_left_out_and_what_was_asked_for_again_is_not() {
        let mut queue = RecordQueue::default();
        for given in [
            Given::History(1),
            Given::Window(0, 1),
            Given::History(1),
            Given::Window(0, 1),
        ] {
            push(&mut queue, given);
        }
        assert_eq!(taken(&mut queue, false), ["1", "w1"]);
        let change = ChannelChange::WindowReady(Offset(1));
        let again = record(Topic::ChatTurns, 5, 0, change);
        assert!(queue.is_taken(&record(Topic::ChatTurns, 0, 0, ChannelChange::HistoryEnded).cause));
        queue.push_window(again.clone(), Offset(1), false);
        assert_eq!(queue.waiting_windows(), 0);
        queue.push_window(again, Offset(1), true);
        assert_eq!(taken(&mut queue, false), ["w1"]);
    }
}
