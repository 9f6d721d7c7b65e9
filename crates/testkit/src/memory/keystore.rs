//! The keystore in memory.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use threadlore_model::{EventId, Subject, SubjectKey};
use threadlore_ports::{Keystore, PortError};

/// A [`Keystore`] in memory. Keys follow from the subject's text, so that two
/// runs of one test seal alike.
#[derive(Debug, Default)]
pub struct MemoryKeystore {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    made: HashSet<Subject>,
    destroyed: HashSet<Subject>,
}

fn key_of(subject: &Subject) -> SubjectKey {
    let text = subject.to_string();
    let mut key = [0; 32];
    for (half, chunk) in ["a", "b"].iter().zip(key.chunks_exact_mut(16)) {
        let id = EventId::of_content("key of a test", &[&text, half]);
        chunk.copy_from_slice(id.as_uuid().as_bytes());
    }
    SubjectKey::from_bytes(key)
}

impl MemoryKeystore {
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Keystore for MemoryKeystore {
    async fn ensure(
        &self,
        subjects: &[Subject],
    ) -> Result<HashMap<Subject, SubjectKey>, PortError> {
        self.change(|state| {
            let alive = subjects.iter().filter(|s| !state.destroyed.contains(s));
            state.made.extend(alive.cloned());
        });
        self.keys(subjects).await
    }

    async fn keys(&self, subjects: &[Subject]) -> Result<HashMap<Subject, SubjectKey>, PortError> {
        Ok(self.change(|state| {
            let known = subjects.iter().filter(|s| state.made.contains(s));
            known.map(|s| (s.clone(), key_of(s))).collect()
        }))
    }

    async fn destroy(&self, subject: &Subject) -> Result<(), PortError> {
        self.change(|state| {
            state.made.remove(subject);
            state.destroyed.insert(subject.clone());
        });
        Ok(())
    }
}
