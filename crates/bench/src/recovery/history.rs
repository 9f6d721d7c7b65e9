//! A log in which one shard of every role has read and published something.

use std::sync::Arc;

use anyhow::ensure;
use threadlore_model::{
    CaseId, CaseOpened, CaseSolved, ChannelId, EventId, Evidence, Key, MessageId, MessagePosted,
    Part, Partition, PersonId, PlatformMessage, Private, ReadyReason, Role, Signal, SpaceId,
    Timestamp, Topic, WindowReady, partition_for,
};
use threadlore_node::Node;
use threadlore_stream::FoldPorts;
use threadlore_testkit::Rng;
use uuid::Uuid;

use crate::writer::LogWriter;

/// Where everything is.
pub(super) const PARTITION: Partition = Partition(0);

/// Messages whose events are sealed and appended at a time.
const BATCH: usize = 2000;
/// Channels with equally much in them.
const CHANNELS: usize = 16;
/// Messages of a channel after which a window is announced.
const WINDOW: usize = 40;
const PEOPLE: usize = 500;
/// One second later for every message.
const START: Timestamp = Timestamp::from_millis(1_500_000_000_000);

/// Messages in channels of one partition. Every fortieth of a channel announced a window, in
/// which a case was opened and solved. Some messages more than asked for fill the last windows.
pub(super) struct History {
    messages: usize,
    texts: Arc<Vec<String>>,
    space: SpaceId,
    channels: Vec<ChannelId>,
}

impl History {
    pub(super) fn new(
        node: &Node,
        messages: usize,
        texts: Arc<Vec<String>>,
    ) -> anyhow::Result<Self> {
        let space = SpaceId::parse("bench")?;
        let partitions = node.log.partitions(Topic::ChatEvents);
        let mut channels = Vec::new();
        for n in 0..CHANNELS * 100 {
            let channel = ChannelId::parse(&format!("bench:{n}"))?;
            let key = Key::of_channel(&space, &channel);
            if partition_for(key.as_str().as_bytes(), partitions) == PARTITION {
                channels.push(channel);
            }
        }
        ensure!(
            channels.len() >= CHANNELS,
            "{partitions} partitions are too many"
        );
        channels.truncate(CHANNELS);
        Ok(Self {
            messages,
            texts,
            space,
            channels,
        })
    }

    /// Appends all of it, sealed, as the roles would have.
    pub(super) async fn append(&self, ports: &FoldPorts) -> anyhow::Result<()> {
        let mut random = Rng::new(1);
        let mut written: Vec<Vec<MessageId>> = vec![Vec::new(); CHANNELS];
        let mut log = LogWriter::new(ports.clone(), self.space.clone());
        for first in (0..self.messages).step_by(BATCH) {
            for n in first..(first + BATCH).min(self.messages) {
                let at = random.below(CHANNELS);
                self.message(n, at, &mut written[at], &mut random, &mut log);
            }
            log.publish().await?;
        }
        // Every message is in a window, so that a recovered role has nothing left to decide.
        let mut n = self.messages;
        for (at, written) in written.iter_mut().enumerate() {
            while !written.is_empty() {
                self.message(n, at, written, &mut random, &mut log);
                n += 1;
            }
        }
        log.publish().await
    }

    /// A message, and what follows from it.
    fn message(
        &self,
        n: usize,
        at: usize,
        written: &mut Vec<MessageId>,
        random: &mut Rng,
        log: &mut LogWriter,
    ) {
        let (channel, now) = (&self.channels[at], time(n));
        let key = || (Key::of_channel(&self.space, channel), now);
        let (author, text) = (random.below(PEOPLE).to_string(), self.text(random));
        let sent = PlatformMessage {
            channel: channel.clone(),
            native_id: n.to_string(),
            author_id: author.clone(),
            author_name: Some(author.clone()),
            author_is_bot: false,
            text: text.clone(),
            sent_at: now,
            reply_to: None,
            mentions: Vec::new(),
            thread_root: None,
            to_bot: false,
        };
        let by = (Topic::ChatInbox, None);
        let sent = log.push(by, key(), None, sent.into());
        let message = MessageId::from_uuid(id("message", n));
        let posted = MessagePosted {
            message,
            channel: channel.clone(),
            person: PersonId::from_uuid(id("person", random.below(PEOPLE))),
            native_id: n.to_string(),
            author_native: Private::open(author.clone()),
            author_name: Some(Private::open(author)),
            text: Private::open(text),
            bot: false,
            reply_to: None,
            mentions: Vec::new(),
            sent_at: now,
            thread_root: None,
            to_bot: false,
        };
        let by = (Topic::ChatEvents, Some(Role::Intake));
        let posted = log.push(by, key(), Some(sent), posted.into());
        written.push(message);
        if written.len() < WINDOW {
            return;
        }
        let ready = WindowReady {
            channel: channel.clone(),
            reason: ReadyReason::Count,
            messages: WINDOW as u32,
            up_to: posted.offset,
            now,
        };
        let by = (Topic::ChatTurns, Some(Role::Buffer));
        let ready = log.push(by, key(), Some(posted), ready.into());
        let case = CaseId::from_uuid(id("case", n));
        let line = |place: usize, part| Evidence {
            message: written[place],
            part,
            revision: 0,
        };
        let opened = CaseOpened {
            case,
            channel: channel.clone(),
            title: Private::open(self.text(random)),
            problem: Private::open(self.text(random)),
            tags: vec![Private::open("wifi")],
            evidence: vec![line(0, Part::Problem), line(1, Part::Context)],
            engine: "bench-1".to_owned(),
            now,
        };
        let solved = CaseSolved {
            case,
            channel: channel.clone(),
            title: opened.title.clone(),
            problem: opened.problem.clone(),
            solution: Private::open(self.text(random)),
            tags: opened.tags.clone(),
            evidence: vec![line(2, Part::Solution)],
            signal: Signal::Thanks,
            signal_message: None,
            engine: "bench-1".to_owned(),
            now,
        };
        for body in [opened.into(), solved.into()] {
            let by = (Topic::KnowledgeCases, Some(Role::Extractor));
            log.push(by, key(), Some(ready.clone()), body);
        }
        written.clear();
    }

    fn text(&self, random: &mut Rng) -> String {
        self.texts[random.below(self.texts.len())].clone()
    }
}

fn time(n: usize) -> Timestamp {
    Timestamp::from_millis(START.as_millis() + n as i64 * 1000)
}

fn id(what: &str, n: usize) -> Uuid {
    EventId::of_content("bench", &[what, &n.to_string()]).as_uuid()
}
