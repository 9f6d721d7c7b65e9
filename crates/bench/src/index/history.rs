//! A log full of cases and of the vectors of their texts.

use std::collections::HashMap;

use anyhow::Context;
use threadlore_fold::fold_case;
use threadlore_model::text_of_case;
use threadlore_model::{
    Body, CaseId, CaseOpened, CaseSolved, ChannelId, Envelope, Event, EventId, Group, Key,
    Partition, Private, Producer, Role, Signal, SpaceId, Timestamp, Topic, VectorComputed,
    partition_for, source_text, vector_source, vector_text,
};
use threadlore_ports::NewRecord;
use threadlore_stream::FoldPorts;

use crate::vectors::Vectors;

/// Cases sealed and appended at a time.
const BATCH: usize = 1000;
const CHANNELS: usize = 30;
/// One minute later for every case.
const START: Timestamp = Timestamp::from_millis(1_760_000_000_000);

/// Cases in a space, each made of texts of a set, with the vector of the first of them.
pub(super) struct History {
    vectors: Vectors,
    cases: usize,
    model: String,
    space: SpaceId,
}

impl History {
    pub(super) fn new(vectors: Vectors, cases: usize, model: &str) -> anyhow::Result<Self> {
        Ok(Self {
            vectors,
            cases,
            model: model.to_owned(),
            space: SpaceId::parse("bench")?,
        })
    }

    pub(super) fn space(&self) -> SpaceId {
        self.space.clone()
    }

    pub(super) fn case(&self, n: usize) -> CaseId {
        CaseId::from_uuid(EventId::of_content("bench", &[&n.to_string()]).as_uuid())
    }

    /// The vectors of all cases, in their order.
    pub(super) fn vectors(&self) -> Vec<Vec<f32>> {
        (0..self.cases).map(|n| self.vector(n)).collect()
    }

    /// A text as a question, near to but not the same as that of some cases.
    pub(super) fn question(&self, n: usize) -> (&str, Vec<f32>) {
        let text = n * 37;
        let vector = self.vectors.jittered(text, u64::MAX - n as u64);
        (self.vectors.text(text), vector)
    }

    /// Appends all of it, as the extractor and the embedder would have.
    pub(super) async fn append(&self, ports: &FoldPorts) -> anyhow::Result<()> {
        let mut sequences = HashMap::new();
        for first in (0..self.cases).step_by(BATCH) {
            let mut events = Vec::new();
            for n in first..(first + BATCH).min(self.cases) {
                let found = self.found(n)?;
                let vector = self.computed(n, &found)?;
                events.extend([found, vector]);
            }
            for event in &mut events {
                let topic = event.body.topic().context("an event of ours")?;
                let partition = partition_for(
                    event.envelope.key.as_str().as_bytes(),
                    ports.log.partitions(topic),
                );
                let producer = self.producer(topic, partition, &mut sequences);
                event.envelope.producer = Some(producer);
            }
            ports.vault.seal(&mut events).await?;
            let record = |event: Event| {
                let topic = event.body.topic()?;
                Some(NewRecord { topic, event })
            };
            let records = events.into_iter().filter_map(record);
            ports.log.publish(records.collect()).await?;
        }
        Ok(())
    }

    fn producer(
        &self,
        topic: Topic,
        partition: Partition,
        sequences: &mut HashMap<(Topic, Partition), u64>,
    ) -> Producer {
        let sequence = sequences.entry((topic, partition)).or_default();
        *sequence += 1;
        Producer {
            group: match topic {
                Topic::Vectors => Group::of_embedder(&self.model),
                _ => Group::of_role(Role::Extractor),
            },
            partition,
            sequence: *sequence,
        }
    }

    /// Two of three cases are solved.
    fn found(&self, n: usize) -> anyhow::Result<Event> {
        let text = |n: usize| Private::open(self.vectors.text(n));
        let (title, problem, solution) = (text(n), text(n * 31 + 11), text(n * 17 + 5));
        let (case, channel, now) = (self.case(n), channel(n)?, at(n));
        let (tags, evidence, engine) = (Vec::new(), Vec::new(), "bench".to_owned());
        let body: Body = match n % 3 {
            0 => CaseOpened {
                case,
                channel,
                title,
                problem,
                tags,
                evidence,
                engine,
                now,
            }
            .into(),
            _ => CaseSolved {
                case,
                channel,
                title,
                problem,
                solution,
                tags,
                evidence,
                signal: Signal::Thanks,
                signal_message: None,
                engine,
                now,
            }
            .into(),
        };
        self.event(n, "found", body)
    }

    fn computed(&self, n: usize, found: &Event) -> anyhow::Result<Event> {
        let mut case = None;
        let _folded = fold_case(&mut case, found);
        let text = case.as_ref().and_then(text_of_case);
        let text = text.context("a case has a text")?;
        let computed = VectorComputed {
            case: self.case(n),
            channel: channel(n)?,
            model: self.model.clone(),
            source: Private::open(source_text(&vector_source(&text))),
            vector: Private::open(vector_text(&self.vector(n))),
            now: at(n),
        };
        self.event(n, "computed", computed.into())
    }

    fn event(&self, n: usize, what: &str, body: Body) -> anyhow::Result<Event> {
        let space = self.space();
        Ok(Event {
            envelope: Envelope {
                id: EventId::of_content(what, &[&n.to_string()]),
                key: Key::of_channel(&space, &channel(n)?),
                space,
                time: at(n),
                producer: None,
                cause: None,
                actor: None,
                traceparent: None,
            },
            body,
        })
    }

    fn vector(&self, n: usize) -> Vec<f32> {
        self.vectors.jittered(n, n as u64)
    }
}

fn channel(n: usize) -> anyhow::Result<ChannelId> {
    Ok(ChannelId::parse(&format!("irc:#{}", n % CHANNELS))?)
}

fn at(n: usize) -> Timestamp {
    Timestamp::from_millis(START.as_millis() + 60_000 * n as i64)
}
