//! A log with cases, and with answers from them that somebody rated.

use std::sync::Arc;
use std::time::Duration;

use threadlore_model::{
    AnswerComposed, AnswerId, AnswerRated, Body, CaseId, CaseSolved, ChannelId, CitedCase, EventId,
    GateTag, Key, MemoryHome, MemoryId, MemoryRequested, MessageId, MessagePosted, PersonId,
    Private, Rating, Role, Signal, SpaceId, Timestamp, Topic, TurnConsidered, TurnOutcome,
};
use threadlore_stream::FoldPorts;
use uuid::Uuid;

use crate::writer::LogWriter;

/// Answers whose events are sealed and appended at a time.
const BATCH: usize = 2000;
/// Exchanges of a channel: as many as are kept of one.
const OF_CHANNEL: usize = 1000;
/// So many answers are given before somebody says something of the first.
const RATED_AFTER: usize = 2000;
const PEOPLE: usize = 500;
/// What the space and each person ask to remember.
const OF_BANK: usize = 1000;
const OF_PERSON: usize = 100;
/// Milliseconds from one answer to the next. All are of one day, so that every exchange is kept.
const STEP: i64 = 100;

/// Cases, as many answers, each to a question of its own, and a rating of each; and as much that was to be
/// remembered.
pub(super) struct History {
    answers: usize,
    texts: Arc<Vec<String>>,
    space: SpaceId,
    /// When the first answer is given.
    start: Timestamp,
}

impl History {
    /// The last rating was given at `now`.
    pub(super) fn new(
        answers: usize,
        texts: Arc<Vec<String>>,
        now: Timestamp,
    ) -> anyhow::Result<Self> {
        let lasts = STEP.unsigned_abs() * (answers + RATED_AFTER) as u64;
        Ok(Self {
            answers,
            texts,
            space: SpaceId::parse("bench")?,
            start: now.minus(Duration::from_millis(lasts)),
        })
    }

    pub(super) fn space(&self) -> &SpaceId {
        &self.space
    }

    /// A question, in words of the chat.
    pub(super) fn question(&self, n: usize) -> &str {
        self.text(n * 37)
    }

    /// Appends cases, questions, answers and ratings, sealed, as the roles would have.
    pub(super) async fn append_answers(&self, ports: &FoldPorts) -> anyhow::Result<()> {
        let mut log = LogWriter::new(ports.clone(), self.space.clone());
        for first in (0..self.answers + RATED_AFTER).step_by(BATCH) {
            for n in first..first + BATCH {
                if n < self.answers {
                    self.answer(n, &mut log)?;
                }
                if (RATED_AFTER..self.answers + RATED_AFTER).contains(&n) {
                    self.rated(n - RATED_AFTER, &mut log)?;
                }
            }
            log.publish().await?;
        }
        Ok(())
    }

    /// Appends what people ask to remember.
    pub(super) async fn append_wishes(&self, ports: &FoldPorts) -> anyhow::Result<()> {
        let mut log = LogWriter::new(ports.clone(), self.space.clone());
        for first in (0..self.answers).step_by(BATCH) {
            for n in first..(first + BATCH).min(self.answers) {
                self.wish(n, &mut log)?;
            }
            log.publish().await?;
        }
        Ok(())
    }

    /// A case, a question, and the answer to it from that case.
    fn answer(&self, n: usize, log: &mut LogWriter) -> anyhow::Result<()> {
        let (channel, now) = (self.channel(n)?, self.time(n));
        let key = || (Key::of_channel(&self.space, &channel), now);
        let text = |n: usize| Private::open(self.text(n));
        let (asker, message) = (person(n), MessageId::from_uuid(id("question", n)));
        let posted = MessagePosted {
            message,
            channel: channel.clone(),
            person: asker,
            native_id: n.to_string(),
            author_native: Private::open(asker.to_string()),
            author_name: None,
            text: text(n * 13 + 7),
            bot: false,
            reply_to: None,
            mentions: Vec::new(),
            sent_at: now,
            thread_root: None,
            to_bot: false,
        };
        let by = (Topic::ChatEvents, Some(Role::Intake));
        let posted = log.push(by, key(), None, posted.into());
        let case = CaseId::from_uuid(id("case", n));
        let solved = CaseSolved {
            case,
            channel: channel.clone(),
            title: text(n),
            problem: text(n * 31 + 11),
            solution: text(n * 17 + 5),
            tags: Vec::new(),
            evidence: Vec::new(),
            signal: Signal::Thanks,
            signal_message: None,
            engine: "bench-1".to_owned(),
            now,
        };
        let by = (Topic::KnowledgeCases, Some(Role::Extractor));
        log.push(by, key(), Some(posted.clone()), solved.into());
        let considered = TurnConsidered {
            channel: channel.clone(),
            turn: turn(n),
            person: asker,
            messages: vec![message],
            outcome: TurnOutcome::Answered,
            tag: Some(GateTag::NewQuestion),
            context: Vec::new(),
            record: None,
            asks_again: None,
            model_tokens: 0,
            now,
        };
        let composed = AnswerComposed {
            answer: answer(n),
            channel: channel.clone(),
            turn: turn(n),
            person: asker,
            reply_to: message,
            case: Some(case),
            memory: None,
            precedent: None,
            text: text(n * 17 + 5),
            cited: vec![CitedCase {
                case,
                close: 900,
                version: 1,
                evidence: vec![message],
                authors: vec![person(n + 1)],
            }],
            composer: "bench-1".to_owned(),
            now,
            reply_to_native: n.to_string(),
            thread_root: None,
        };
        for body in [Body::from(considered), composed.into()] {
            log.push(ANSWERS, key(), Some(posted.clone()), body);
        }
        Ok(())
    }

    /// Of ten answers eight helped.
    fn rated(&self, n: usize, log: &mut LogWriter) -> anyhow::Result<()> {
        let (channel, now) = (self.channel(n)?, self.time(n + RATED_AFTER));
        let key = Key::of_channel(&self.space, &channel);
        let rated = AnswerRated {
            answer: answer(n),
            channel,
            turn: turn(n),
            person: person(n),
            rating: Some(match n % 10 {
                0 | 5 => Rating::Failed,
                _ => Rating::Helped,
            }),
            message: None,
            now,
        };
        log.push(ANSWERS, (key, now), None, rated.into());
        Ok(())
    }

    /// The bank is full first, then person after person.
    fn wish(&self, n: usize, log: &mut LogWriter) -> anyhow::Result<()> {
        let (home, person) = match n.checked_sub(OF_BANK) {
            None => (MemoryHome::Bank, person(n)),
            Some(n) => (MemoryHome::Person, person(PEOPLE + n / OF_PERSON)),
        };
        let key = home.key(&self.space, person);
        let asked = MemoryRequested {
            memory: MemoryId::of_request(&key, &n.to_string()),
            home,
            channel: self.channel(n)?,
            person,
            message: None,
            text: Private::open(self.text(n * 41 + 3)),
            always: false,
            replaces: None,
            now: self.time(n),
        };
        let by = (Topic::KnowledgeRequests, None);
        log.push(by, (key, self.time(n)), None, asked.into());
        Ok(())
    }

    fn time(&self, n: usize) -> Timestamp {
        Timestamp::from_millis(self.start.as_millis() + STEP * n as i64)
    }

    fn channel(&self, n: usize) -> anyhow::Result<ChannelId> {
        let channels = self.answers.div_ceil(OF_CHANNEL);
        Ok(ChannelId::parse(&format!("irc:#{}", n % channels))?)
    }

    fn text(&self, n: usize) -> &str {
        &self.texts[n % self.texts.len()]
    }
}

const ANSWERS: (Topic, Option<Role>) = (Topic::Answers, Some(Role::Responder));

fn answer(n: usize) -> AnswerId {
    AnswerId::from_uuid(id("answer", n))
}

fn turn(n: usize) -> EventId {
    EventId::of_content("turn", &[&n.to_string()])
}

fn person(n: usize) -> PersonId {
    PersonId::from_uuid(id("person", n))
}

fn id(what: &str, n: usize) -> Uuid {
    EventId::of_content(what, &[&n.to_string()]).as_uuid()
}
