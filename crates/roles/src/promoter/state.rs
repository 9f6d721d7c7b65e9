//! The state of `promoter`.

use std::collections::{BTreeMap, VecDeque};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use threadlore_language::retrieve::{Weighed, similar, weighed};
use threadlore_model::{
    AnswerId, AnswerOutcome, CaseId, ChannelClock, MemoryId, PersonId, Timestamp,
};

use crate::promotion::{ExchangeScore, Place};
use crate::{KeyState, Parts};

/// A memory that is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownMemory {
    /// The memory.
    pub memory: MemoryId,
    /// Who said it.
    pub person: PersonId,
    /// What is remembered.
    pub text: String,
    /// When it was said.
    pub said_at: Timestamp,
}

/// An exchange: a question with the answers that it got from a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownExchange {
    /// The memory.
    pub memory: MemoryId,
    /// The case, and the version of it whose words were given last; `None` before an outcome of it was
    /// read: a rebuilt state may learn so in this order.
    pub case: Option<(CaseId, i64)>,
    /// Its last answers, the oldest first, with what each was worth.
    pub answers: VecDeque<(AnswerId, AnswerOutcome)>,
    /// What the answers before these were worth.
    pub before: ExchangeScore,
    /// When it was given last.
    pub used_at: Timestamp,
    /// What was said of it last; `None` before anything was.
    pub said: Option<Standing>,
}

/// What is said of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// What its answers were worth.
    pub score: ExchangeScore,
    /// When it was given last.
    pub used_at: Timestamp,
    /// Where it is kept.
    pub place: Place,
}

impl Standing {
    /// The same, as if it were kept: that it is not is said by itself.
    #[must_use]
    pub(super) const fn kept(mut self) -> Self {
        self.place.gone = None;
        self
    }
}

impl KnownExchange {
    /// Whether it is told.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.said.is_some_and(|said| said.place.gone.is_none())
    }
}

/// What `promoter` knows of a home: of a person, of the bank of a space, or of a channel.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PromoterState {
    /// The home's clock. Outcomes move it, and requests do not.
    pub clock: ChannelClock,
    /// The last ones that were erased: the same request may come again.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub erased: VecDeque<MemoryId>,
    /// What is told.
    #[serde(skip)]
    memories: Parts<MemoryId, KnownMemory>,
    /// What memories are compared by; it follows from them, and is found when it is needed.
    #[serde(skip)]
    weighed: BTreeMap<MemoryId, OnceLock<Weighed>>,
    /// The exchanges of a channel.
    #[serde(skip)]
    pub exchanges: Parts<MemoryId, KnownExchange>,
}

/// By what is stored.
impl PartialEq for PromoterState {
    fn eq(&self, other: &Self) -> bool {
        self.clock == other.clock
            && self.erased == other.erased
            && self.memories == other.memories
            && self.exchanges == other.exchanges
    }
}

impl Eq for PromoterState {}

impl PromoterState {
    /// What is told.
    #[must_use]
    pub const fn memories(&self) -> &Parts<MemoryId, KnownMemory> {
        &self.memories
    }

    /// How similar what is told is to a text.
    pub(super) fn similarity(&self, known: &KnownMemory, text: &Weighed) -> f32 {
        match self.weighed.get(&known.memory) {
            Some(own) => similar(own.get_or_init(|| weighed(&known.text)), text),
            None => similar(&weighed(&known.text), text),
        }
    }

    pub(super) fn tell(&mut self, known: KnownMemory) {
        self.weighed.insert(known.memory, OnceLock::new());
        self.memories.insert(known.memory, known);
    }

    pub(super) fn tell_no_more(&mut self, memory: MemoryId) {
        self.weighed.remove(&memory);
        self.memories.remove(&memory);
    }
}

/// What of the state is stored by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PromoterPart {
    /// What was said to be remembered.
    Memory(KnownMemory),
    /// An exchange.
    Exchange(KnownExchange),
}

impl KeyState for PromoterState {
    type Part = PromoterPart;

    fn take_changed(&mut self) -> Vec<(String, Option<PromoterPart>)> {
        let memories = self.memories.take_changed();
        let memories = memories.map(|(id, memory)| {
            let part = memory.cloned().map(PromoterPart::Memory);
            (id.to_string(), part)
        });
        let exchanges = self.exchanges.take_changed();
        let exchanges = exchanges.map(|(id, exchange)| {
            let part = exchange.cloned().map(PromoterPart::Exchange);
            (id.to_string(), part)
        });
        memories.chain(exchanges).collect()
    }

    fn put_part(&mut self, part: PromoterPart) {
        match part {
            PromoterPart::Memory(memory) => {
                self.weighed.insert(memory.memory, OnceLock::new());
                self.memories.put_stored(memory.memory, memory);
            }
            PromoterPart::Exchange(exchange) => {
                self.exchanges.put_stored(exchange.memory, exchange);
            }
        }
    }

    fn drop_derived(&mut self) {
        self.weighed.values_mut().for_each(|own| drop(own.take()));
    }

    fn clock(&self) -> &ChannelClock {
        &self.clock
    }

    fn clock_mut(&mut self) -> &mut ChannelClock {
        &mut self.clock
    }
}
