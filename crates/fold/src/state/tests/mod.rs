//! Given some records, what does a processor know? Sentence-named, by role;
//! laws over any order of records are in `laws`.

mod extractor;
mod laws;
mod others;

use std::time::Duration;

use threadlore_model::{
    Body, Event, ExtractorParams, ExtractorState, Input, MessageEdited, MessagePosted,
    MessageRedacted, Offset, Partition, Private, ReactionAdded, ReactionRemoved, ReadyReason,
    Timestamp, Topic, TopicPartition, WindowReady,
};

use crate::testing::{at, channel, event, message, person};

/// A record: its offset and its event. Topics follow from the event.
type Record = (i64, Event);

/// Records are live: they arrive at their event's time, unless a test says otherwise.
fn timed(body: impl Into<Body>, seconds: i64) -> Event {
    let mut event = event(body);
    event.envelope.time = at(seconds);
    event
}

/// Message `n` stands at offset `n` and was sent at second `n`.
fn post(n: u32) -> Record {
    posted_at(n, i64::from(n))
}

fn posted_at(n: u32, seconds: i64) -> Record {
    let posted = MessagePosted {
        message: message(n.into()),
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
    };
    (n.into(), timed(posted, seconds))
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
        message: message(n.into()),
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
        message: message(n.into()),
        channel: channel(),
        redacted_at: at(offset),
    };
    (offset, timed(redacted, offset))
}

fn react(offset: i64, n: u32, who: u128) -> Record {
    let added = ReactionAdded {
        message: message(n.into()),
        channel: channel(),
        person: person(who),
        emoji: "👍".into(),
        at: at(offset),
    };
    (offset, timed(added, offset))
}

fn unreact(offset: i64, n: u32, who: u128) -> Record {
    let removed = ReactionRemoved {
        message: message(n.into()),
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
fn arrive<S>(state: &mut S, fold: impl Fn(&mut S, &Input<'_>), record: &Record, late: Duration) {
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
}

fn given(records: impl IntoIterator<Item = Record>) -> Known {
    let known = Known {
        state: ExtractorState::default(),
        params: ExtractorParams::default(),
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

    /// Reads a record and takes all whose turn it is; windows are looked at at once.
    fn read(&mut self, record: &Record, late: Duration) {
        let params = &self.params;
        let fold = |state: &mut ExtractorState, input: &Input<'_>| {
            super::extractor(state, input, params);
        };
        arrive(&mut self.state, fold, record, late);
        while let Some(record) = self.state.queue.take(false) {
            let input = Input::Turn {
                record: &record,
                decided: true,
            };
            super::extractor(&mut self.state, &input, &self.params);
        }
    }

    fn decided(mut self, event: &Event) -> Self {
        super::extractor_decided(&mut self.state, event, &self.params);
        self
    }

    fn lines(&self) -> Vec<i64> {
        self.state.window.iter().map(|l| l.offset.0).collect()
    }

    fn text(&self, n: u32) -> Option<&str> {
        let mut lines = self.state.window.iter().map(|l| &l.line);
        let line = lines.find(|l| l.message == message(n.into()))?;
        Some(&line.text)
    }
}
