//! The state of `promoter`.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use threadlore_model::{ChannelClock, MemoryId, PersonId, Timestamp};

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

/// What `promoter` knows of a home: of a person, or of the bank of a space.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromoterState {
    /// The home's clock. Requests do not move it.
    pub clock: ChannelClock,
    /// The last ones that were erased: the same request may come again.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub erased: VecDeque<MemoryId>,
    /// What is told.
    #[serde(skip)]
    pub memories: Parts<MemoryId, KnownMemory>,
}

impl KeyState for PromoterState {
    type Part = KnownMemory;

    fn take_changed(&mut self) -> Vec<(String, Option<KnownMemory>)> {
        let changed = self.memories.take_changed();
        changed
            .map(|(id, memory)| (id.to_string(), memory.cloned()))
            .collect()
    }

    fn put_part(&mut self, memory: KnownMemory) {
        self.memories.put_stored(memory.memory, memory);
    }

    fn clock(&self) -> &ChannelClock {
        &self.clock
    }

    fn clock_mut(&mut self) -> &mut ChannelClock {
        &mut self.clock
    }
}
