//! What `promoter`'s own events make of its state.

use threadlore_model::{Body, Event};

use super::state::{KnownMemory, PromoterState};

/// Memories at most that are known to be erased.
const ERASED: usize = 1000;

pub(super) fn fold(state: &mut PromoterState, event: &Event) {
    match &event.body {
        Body::MemoryStored(stored) => {
            // What was erased meanwhile is not told any more.
            let Some(text) = stored.text.text() else {
                return;
            };
            let known = KnownMemory {
                memory: stored.memory,
                person: stored.person,
                text: text.to_owned(),
                said_at: stored.now,
            };
            state.memories.insert(stored.memory, known);
        }
        Body::MemoryArchived(archived) => {
            state.memories.remove(&archived.memory);
        }
        Body::MemoryErased(erased) => {
            state.memories.remove(&erased.memory);
            state.erased.push_back(erased.memory);
            let more = state.erased.len().saturating_sub(ERASED);
            state.erased.drain(..more);
        }
        _ => {}
    }
}
