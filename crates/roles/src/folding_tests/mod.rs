//! Given some records, what does a processor know? Sentence-named, by role;
//! laws over any order of records are in `laws`.

mod extractor;
mod laws;
mod others;

use std::collections::BTreeMap;
use std::time::Duration;

use threadlore_model::{
    Body, Event, MessageEdited, MessagePosted, MessageRedacted, Offset, Partition, Private,
    ReactionAdded, ReactionRemoved, ReadyReason, Timestamp, Topic, TopicPartition, WindowReady,
};

use crate::extractor::fold::{fold, fold_decided};
use crate::testing::{at, channel, event, message, person};
use crate::{ExtractorParams, ExtractorPart, ExtractorState, Input, KeyState};

/// A record: its offset and its event. Topics follow from the event.
type Record = (i64, Event);

/// Records are live: they arrive at their event's time, unless a test says otherwise.
fn timed(body: impl Into<Body>, seconds: i64) -> Event {
    event(body, at(seconds))
}

/// Message `n` is at offset `n` and was sent at second `n`.
fn post(n: u32) -> Record {
    posted_at(n, i64::from(n))
}

fn posted_at(n: u32, seconds: i64) -> Record {
    let posted = MessagePosted {
        message: message(n),
        channel: channel(),
        person: person(1),
        native_id: n.to_string(),
        author_native: Private::open("ann"),
        author_name: Some(Private::open("ann")),
        text: Private::open(format!("text {n}")),
        bot: false,
        reply_to: None,
        mentions: Vec::new(),
        sent_at: at(seconds),
        thread_root: None,
        to_bot: false,
    };
    (n.into(), timed(posted, seconds))
}

fn spoken(n: u32, who: u128, text: &str) -> Record {
    let (offset, mut event) = post(n);
    if let Body::MessagePosted(posted) = &mut event.body {
        posted.person = person(who);
        posted.text = Private::open(text);
    }
    (offset, event)
}

fn bot(n: u32) -> Record {
    let (offset, mut event) = post(n);
    if let Body::MessagePosted(posted) = &mut event.body {
        posted.bot = true;
    }
    (offset, event)
}

fn edit(offset: i64, n: u32, revision: i64, text: &str) -> Record {
    let edited = MessageEdited {
        message: message(n),
        channel: channel(),
        person: person(1),
        revision,
        text: Private::open(text),
        edited_at: at(offset),
    };
    (offset, timed(edited, offset))
}

fn redact(offset: i64, n: u32) -> Record {
    let redacted = MessageRedacted {
        message: message(n),
        channel: channel(),
        redacted_at: at(offset),
    };
    (offset, timed(redacted, offset))
}

fn react(offset: i64, n: u32, who: u128) -> Record {
    let added = ReactionAdded {
        message: message(n),
        channel: channel(),
        person: person(who),
        emoji: "👍".into(),
        at: at(offset),
    };
    (offset, timed(added, offset))
}

fn unreact(offset: i64, n: u32, who: u128) -> Record {
    let removed = ReactionRemoved {
        message: message(n),
        channel: channel(),
        person: person(who),
        emoji: "👍".into(),
        at: at(offset),
    };
    (offset, timed(removed, offset))
}

fn ready(offset: i64, up_to: i64) -> Record {
    let ready = WindowReady {
        channel: channel(),
        reason: ReadyReason::Pause,
        messages: 1,
        up_to: Offset(up_to),
        now: at(up_to),
    };
    (offset, timed(ready, up_to))
}

/// Hands a record to a fold as it arrives from the log, so long after its event's time.
fn arrive<S, C, A>(
    state: &mut S,
    fold: impl Fn(&mut S, &Input<'_, C, A>),
    record: &Record,
    late: Duration,
) {
    let (offset, event) = record;
    let at = TopicPartition {
        topic: event.body.topic().unwrap_or(Topic::ChatEvents),
        partition: Partition(0),
    };
    let input = Input::Record {
        at,
        offset: Offset(*offset),
        arrived: event.envelope.time.max(Timestamp::EARLIEST).plus(late),
        event,
    };
    fold(state, &input);
}

/// What `extractor` knows after `records`, and how to go on.
struct Known {
    state: ExtractorState,
    params: ExtractorParams,
    /// What is stored beside the state's body.
    parts: BTreeMap<String, ExtractorPart>,
}

fn given(records: impl IntoIterator<Item = Record>) -> Known {
    let known = Known {
        state: ExtractorState::default(),
        params: ExtractorParams::default(),
        parts: BTreeMap::new(),
    };
    known.and(records)
}

impl Known {
    fn and(mut self, records: impl IntoIterator<Item = Record>) -> Self {
        for record in records {
            self.read(&record, Duration::ZERO);
        }
        self
    }

    /// Reads a record and takes all whose turn it is; windows are examined at once.
    fn read(&mut self, record: &Record, late: Duration) {
        let params = &self.params;
        let take = |state: &mut ExtractorState, input: &Input<'_, _, _>| {
            fold(state, input, params);
        };
        arrive(&mut self.state, take, record, late);
        while let Some(record) = self.state.queue.take(false, false) {
            let input = Input::Queued {
                record: &record,
                decided: true,
            };
            fold(&mut self.state, &input, &self.params);
        }
    }

    fn decided(mut self, event: &Event) -> Self {
        fold_decided(&mut self.state, event, &self.params);
        self
    }

    /// What the next owner reads of what this one stored.
    fn stored(mut self) -> Self {
        let parts = self.state.take_changed();
        for (name, part) in parts {
            match part {
                Some(part) => self.parts.insert(name, part),
                None => self.parts.remove(&name),
            };
        }
        let body = serde_json::to_string(&self.state).expect("written");
        self.state = serde_json::from_str(&body).expect("read");
        for part in self.parts.values().cloned() {
            self.state.put_part(part);
        }
        self
    }

    /// What an extraction up to here covers.
    fn shown(&self, up_to: i64) -> Vec<i64> {
        let covered = self.state.covered(Offset(up_to), &self.params);
        covered.iter().map(|l| l.offset.0).collect()
    }

    fn lines(&self) -> Vec<i64> {
        self.state.lines().map(|l| l.offset.0).collect()
    }

    fn text(&self, n: u32) -> Option<&str> {
        let mut lines = self.state.lines().map(|l| &l.line);
        let line = lines.find(|l| l.message == message(n))?;
        Some(&line.text)
    }
}
