//! Topics, partitions, offsets, and the partitioner that every producer uses.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A topic of the log. `topics.yaml` says the rest: partitions, retention, key, writers, readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Topic {
    /// `chat.inbox`: events as gateways send them.
    ChatInbox,
    /// `chat.events`: deduplicated platform events.
    ChatEvents,
    /// `chat.turns`: turns of people and windows to examine, and the reason.
    ChatTurns,
    /// `knowledge.cases`: everything that changes a case.
    KnowledgeCases,
    /// `knowledge.memories`: what the system was told to remember.
    KnowledgeMemories,
    /// `knowledge.requests`: changes that others ask the owner of rows for.
    KnowledgeRequests,
    /// `answers`: what became of turns, and answers to them.
    Answers,
    /// `deliveries`: what gateways sent, and what they could not send.
    Deliveries,
    /// `outcomes`: what answers were worth.
    Outcomes,
    /// `settings`: configuration as events.
    Settings,
    /// `vectors`: vectors that models computed.
    Vectors,
    /// `log.skips`: records that readers skipped, honoured by every replay.
    LogSkips,
    /// `chat.inbox.dlq`
    ChatInboxDlq,
    /// `chat.events.dlq`
    ChatEventsDlq,
    /// `chat.turns.dlq`
    ChatTurnsDlq,
    /// `knowledge.cases.dlq`
    KnowledgeCasesDlq,
    /// `knowledge.memories.dlq`
    KnowledgeMemoriesDlq,
    /// `knowledge.requests.dlq`
    KnowledgeRequestsDlq,
    /// `answers.dlq`
    AnswersDlq,
    /// `deliveries.dlq`
    DeliveriesDlq,
    /// `outcomes.dlq`
    OutcomesDlq,
    /// `settings.dlq`
    SettingsDlq,
    /// `vectors.dlq`
    VectorsDlq,
}

impl Topic {
    /// Every topic, in the order of the enum.
    pub const ALL: [Self; 23] = [
        Self::ChatInbox,
        Self::ChatEvents,
        Self::ChatTurns,
        Self::KnowledgeCases,
        Self::KnowledgeMemories,
        Self::KnowledgeRequests,
        Self::Answers,
        Self::Deliveries,
        Self::Outcomes,
        Self::Settings,
        Self::Vectors,
        Self::LogSkips,
        Self::ChatInboxDlq,
        Self::ChatEventsDlq,
        Self::ChatTurnsDlq,
        Self::KnowledgeCasesDlq,
        Self::KnowledgeMemoriesDlq,
        Self::KnowledgeRequestsDlq,
        Self::AnswersDlq,
        Self::DeliveriesDlq,
        Self::OutcomesDlq,
        Self::SettingsDlq,
        Self::VectorsDlq,
    ];

    /// The topic's name on the log.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ChatInbox => "chat.inbox",
            Self::ChatEvents => "chat.events",
            Self::ChatTurns => "chat.turns",
            Self::KnowledgeCases => "knowledge.cases",
            Self::KnowledgeMemories => "knowledge.memories",
            Self::KnowledgeRequests => "knowledge.requests",
            Self::Answers => "answers",
            Self::Deliveries => "deliveries",
            Self::Outcomes => "outcomes",
            Self::Settings => "settings",
            Self::Vectors => "vectors",
            Self::LogSkips => "log.skips",
            Self::ChatInboxDlq => "chat.inbox.dlq",
            Self::ChatEventsDlq => "chat.events.dlq",
            Self::ChatTurnsDlq => "chat.turns.dlq",
            Self::KnowledgeCasesDlq => "knowledge.cases.dlq",
            Self::KnowledgeMemoriesDlq => "knowledge.memories.dlq",
            Self::KnowledgeRequestsDlq => "knowledge.requests.dlq",
            Self::AnswersDlq => "answers.dlq",
            Self::DeliveriesDlq => "deliveries.dlq",
            Self::OutcomesDlq => "outcomes.dlq",
            Self::SettingsDlq => "settings.dlq",
            Self::VectorsDlq => "vectors.dlq",
        }
    }

    /// Whether the topic is part of the truth: its records are kept for ever, and everything
    /// else can be rebuilt from them.
    #[must_use]
    pub const fn is_truth(self) -> bool {
        matches!(
            self,
            Self::ChatEvents
                | Self::ChatTurns
                | Self::KnowledgeCases
                | Self::KnowledgeMemories
                | Self::KnowledgeRequests
                | Self::Answers
                | Self::Deliveries
                | Self::Outcomes
                | Self::Settings
                | Self::Vectors
                | Self::LogSkips
        )
    }

    /// Whether its records move channel time and are what timers follow. A request is not part of
    /// what happened in its channel: it is written when a user asks.
    #[must_use]
    pub const fn moves_channel_time(self) -> bool {
        !matches!(self, Self::KnowledgeRequests)
    }

    /// The dead-letter topic for records of this topic. `None` for dead-letter topics and for
    /// `log.skips`.
    #[must_use]
    pub const fn dead_letters(self) -> Option<Self> {
        match self {
            Self::ChatInbox => Some(Self::ChatInboxDlq),
            Self::ChatEvents => Some(Self::ChatEventsDlq),
            Self::ChatTurns => Some(Self::ChatTurnsDlq),
            Self::KnowledgeCases => Some(Self::KnowledgeCasesDlq),
            Self::KnowledgeMemories => Some(Self::KnowledgeMemoriesDlq),
            Self::KnowledgeRequests => Some(Self::KnowledgeRequestsDlq),
            Self::Answers => Some(Self::AnswersDlq),
            Self::Deliveries => Some(Self::DeliveriesDlq),
            Self::Outcomes => Some(Self::OutcomesDlq),
            Self::Settings => Some(Self::SettingsDlq),
            Self::Vectors => Some(Self::VectorsDlq),
            _ => None,
        }
    }

    /// The topic whose dead letters this one holds; `None` where it holds none.
    #[must_use]
    pub fn letters_of(self) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|topic| topic.dead_letters() == Some(self))
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Topic {
    type Err = String;
    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|topic| topic.name() == name)
            .ok_or_else(|| format!("no topic is named {name:?}"))
    }
}

impl TryFrom<String> for Topic {
    type Error = String;
    fn try_from(name: String) -> Result<Self, String> {
        name.parse()
    }
}

impl From<Topic> for String {
    fn from(topic: Topic) -> String {
        topic.name().to_owned()
    }
}

/// A partition's number, from 0.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Partition(pub i32);

/// A record's place in its partition, from 0.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Offset(pub i64);

impl Offset {
    /// The offset after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One partition of one topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TopicPartition {
    /// The topic.
    pub topic: Topic,
    /// The partition.
    pub partition: Partition,
}

impl fmt::Display for TopicPartition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.topic, self.partition)
    }
}

/// The partition of a key among `count`, as Kafka's Java client chooses it:
/// positive murmur2 of the key's bytes, modulo the count.
#[must_use]
pub fn partition_for(key: &[u8], count: u32) -> Partition {
    let positive = murmur2(key) & 0x7fff_ffff;
    Partition((positive % count.max(1)) as i32)
}

/// 32-bit murmur2 with the seed that Kafka uses.
fn murmur2(data: &[u8]) -> u32 {
    const M: u32 = 0x5bd1_e995;
    const SEED: u32 = 0x9747_b28c;
    let mut h = SEED ^ data.len() as u32;
    let mut chunks = data.chunks_exact(4);
    for chunk in &mut chunks {
        let mut k = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        k = k.wrapping_mul(M);
        k ^= k >> 24;
        h = h.wrapping_mul(M) ^ k.wrapping_mul(M);
    }
    let rest = chunks.remainder();
    for (i, byte) in rest.iter().enumerate() {
        h ^= u32::from(*byte) << (8 * i);
    }
    if !rest.is_empty() {
        h = h.wrapping_mul(M);
    }
    h ^= h >> 13;
    h = h.wrapping_mul(M);
    h ^ (h >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors from the tests of Kafka's own `Utils.murmur2`.
    #[test]
    fn murmur2_is_kafkas() {
        for (key, hash) in [
            ("21", -973_932_308_i32),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            (
                "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8",
                -58_897_971,
            ),
            ("abc", 479_470_107),
        ] {
            assert_eq!(murmur2(key.as_bytes()) as i32, hash, "{key}");
        }
    }

    #[test]
    fn topics_parse_back() {
        for topic in Topic::ALL {
            assert_eq!(topic.name().parse::<Topic>(), Ok(topic));
        }
    }
}
