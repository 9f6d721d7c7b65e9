//! A log full of what people did, or of what was made of it.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::Context;
use threadlore_model::{
    Body, CaseConfirmed, CaseId, CaseOpened, CaseSolved, ChannelId, Envelope, Event, EventId,
    Evidence, Group, Key, MessageEdited, MessageId, MessagePosted, MessageRedacted, Part,
    Partition, PersonId, Private, Producer, ReactionAdded, ReactionRemoved, Role, Signal, SpaceId,
    Timestamp, partition_for,
};
use threadlore_ports::{NewRecord, Projection};
use threadlore_stream::FoldPorts;
use threadlore_testkit::Rng;
use uuid::Uuid;

/// Events sealed and appended at a time.
const BATCH: usize = 2000;
/// One second later for every event.
const START: Timestamp = Timestamp::from_millis(1_500_000_000_000);
/// People, of whom few write most.
const PEOPLE: usize = 5000;
/// What an edit, a redaction or a reaction is about: four times in five one of so many latest
/// messages of the channel, else any.
const LATEST: usize = 50;

/// Steps in which a share of the whole is drawn.
const FINE: usize = 1 << 32;

/// What is in the log.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// Of 100 events 70 messages, 10 edits, 5 redactions, 15 reactions, of which 3 are taken back.
    Messages { channels: usize },
    /// Of 100 events 40 cases opened, 35 solved, 25 confirmed.
    Cases { channels: usize },
}

/// Events in channels, of which few have most (Zipf: the n-th has 1/n of the first).
pub(super) struct History {
    kind: Kind,
    events: usize,
    texts: Arc<Vec<String>>,
    space: SpaceId,
}

/// What was written in one channel.
#[derive(Default)]
struct Channel {
    written: Vec<(Uuid, PersonId)>,
}

impl History {
    pub(super) fn new(kind: Kind, events: usize, texts: Arc<Vec<String>>) -> anyhow::Result<Self> {
        Ok(Self {
            kind,
            events,
            texts,
            space: SpaceId::parse("bench")?,
        })
    }

    pub(super) fn projection(&self) -> Projection {
        match self.kind {
            Kind::Messages { .. } => Projection::Messages,
            Kind::Cases { .. } => Projection::Cases,
        }
    }

    pub(super) fn events(&self) -> usize {
        self.events
    }

    /// Appends all of it, sealed, as its owner would have.
    pub(super) async fn append(&self, ports: &FoldPorts) -> anyhow::Result<()> {
        let (Kind::Messages { channels } | Kind::Cases { channels }) = self.kind;
        let mut random = Rng::new(1);
        let (places, people) = (Zipf::new(channels), Zipf::new(PEOPLE));
        let mut written: Vec<Channel> = (0..channels).map(|_| Channel::default()).collect();
        let mut sequences = HashMap::new();
        for first in (0..self.events).step_by(BATCH) {
            let mut events = Vec::new();
            for n in first..(first + BATCH).min(self.events) {
                let at = places.draw(&mut random);
                let person = PersonId::from_uuid(id("person", people.draw(&mut random)));
                let channel = ChannelId::parse(&format!("bench:{at}"))?;
                let body = match self.kind {
                    Kind::Messages { .. } => {
                        self.said(n, (&channel, person), &mut written[at], &mut random)
                    }
                    Kind::Cases { .. } => {
                        self.found(n, (&channel, person), &mut written[at], &mut random)
                    }
                };
                events.push(self.event(n, &channel, body, ports, &mut sequences)?);
            }
            ports.vault.seal(&mut events).await?;
            let topic = self.projection().topic();
            let records = events.into_iter().map(|event| NewRecord { topic, event });
            ports.log.publish(records.collect()).await?;
        }
        Ok(())
    }

    fn event(
        &self,
        n: usize,
        channel: &ChannelId,
        body: Body,
        ports: &FoldPorts,
        sequences: &mut HashMap<Partition, u64>,
    ) -> anyhow::Result<Event> {
        let key = Key::of_channel(&self.space, channel);
        let topic = body.topic().context("an event of ours")?;
        let partition = partition_for(key.as_str().as_bytes(), ports.log.partitions(topic));
        let sequence = sequences.entry(partition).or_default();
        *sequence += 1;
        let role = match self.kind {
            Kind::Messages { .. } => Role::Intake,
            Kind::Cases { .. } => Role::Extractor,
        };
        Ok(Event {
            envelope: Envelope {
                id: EventId::of_content("bench", &[&n.to_string()]),
                space: self.space.clone(),
                key,
                time: at(n),
                producer: Some(Producer {
                    group: Group::of_role(role),
                    partition,
                    sequence: *sequence,
                }),
                cause: None,
                actor: None,
                traceparent: None,
            },
            body,
        })
    }

    fn text(&self, random: &mut Rng) -> Private {
        Private::open(self.texts[random.below(self.texts.len())].clone())
    }

    fn said(
        &self,
        n: usize,
        (channel, person): (&ChannelId, PersonId),
        before: &mut Channel,
        random: &mut Rng,
    ) -> Body {
        let (what, about) = (random.below(100), before.pick(random));
        let channel = channel.clone();
        let Some((message, author)) = about.filter(|_| what >= 70) else {
            let message = id("message", n);
            before.written.push((message, person));
            return MessagePosted {
                message: MessageId::from_uuid(message),
                channel,
                person,
                native_id: n.to_string(),
                author_native: Private::open(person.to_string()),
                author_name: Some(Private::open(format!(
                    "person {}",
                    person.as_uuid().as_fields().0
                ))),
                text: self.text(random),
                bot: false,
                reply_to: None,
                mentions: Vec::new(),
                sent_at: at(n),
                thread_root: None,
                to_bot: false,
            }
            .into();
        };
        let message = MessageId::from_uuid(message);
        let emoji = "👍".to_owned();
        match what {
            70..80 => MessageEdited {
                message,
                channel,
                person: author,
                revision: n as i64,
                text: self.text(random),
                edited_at: at(n),
            }
            .into(),
            80..85 => MessageRedacted {
                message,
                channel,
                redacted_at: at(n),
            }
            .into(),
            85..97 => ReactionAdded {
                message,
                channel,
                person,
                emoji,
                at: at(n),
            }
            .into(),
            _ => ReactionRemoved {
                message,
                channel,
                person,
                emoji,
                at: at(n),
            }
            .into(),
        }
    }

    fn found(
        &self,
        n: usize,
        (channel, person): (&ChannelId, PersonId),
        before: &mut Channel,
        random: &mut Rng,
    ) -> Body {
        let (what, about) = (random.below(100), before.pick(random));
        let channel = channel.clone();
        let line = |place: usize, part| Evidence {
            message: MessageId::from_uuid(id("message", n * 10 + place)),
            part,
            revision: 0,
        };
        let (title, problem) = (self.text(random), self.text(random));
        let Some((case, _)) = about.filter(|_| what >= 40) else {
            let case = id("case", n);
            before.written.push((case, person));
            return CaseOpened {
                case: CaseId::from_uuid(case),
                channel,
                title,
                problem,
                tags: vec![Private::open("wifi"), Private::open("driver")],
                evidence: vec![line(0, Part::Problem), line(1, Part::Context)],
                engine: "bench-1".to_owned(),
                now: at(n),
            }
            .into();
        };
        let case = CaseId::from_uuid(case);
        if what < 75 {
            return CaseSolved {
                case,
                channel,
                title,
                problem,
                solution: self.text(random),
                tags: vec![Private::open("wifi"), Private::open("driver")],
                evidence: vec![line(2, Part::Solution), line(3, Part::Solution)],
                signal: Signal::Thanks,
                signal_message: None,
                engine: "bench-1".to_owned(),
                now: at(n),
            }
            .into();
        }
        CaseConfirmed {
            case,
            channel,
            message: MessageId::from_uuid(id("message", n)),
            person,
            emoji: "👍".to_owned(),
            now: at(n),
        }
        .into()
    }
}

impl Channel {
    /// What something new is about.
    fn pick(&self, random: &mut Rng) -> Option<(Uuid, PersonId)> {
        let all = self.written.len();
        let far = if random.below(5) == 0 {
            all
        } else {
            LATEST.min(all)
        };
        let back = random.below(far.max(1)) + 1;
        self.written.get(all.checked_sub(back)?).copied()
    }
}

fn at(n: usize) -> Timestamp {
    Timestamp::from_millis(START.as_millis() + n as i64 * 1000)
}

fn id(what: &str, n: usize) -> Uuid {
    EventId::of_content("bench", &[what, &n.to_string()]).as_uuid()
}

/// The n-th of some is drawn 1/n as often as the first.
struct Zipf(Vec<f64>);

impl Zipf {
    fn new(count: usize) -> Self {
        let mut sum = 0.0;
        let sums = (1..=count).map(|n| {
            sum += 1.0 / n as f64;
            sum
        });
        Self(sums.collect())
    }

    fn draw(&self, random: &mut Rng) -> usize {
        let all = self.0.last().copied().unwrap_or(1.0);
        let at = random.below(FINE) as f64 / FINE as f64 * all;
        self.0
            .partition_point(|sum| *sum < at)
            .min(self.0.len() - 1)
    }
}
