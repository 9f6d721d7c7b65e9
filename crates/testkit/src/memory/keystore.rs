//! The keystore in memory.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use threadlore_model::{EventId, Subject, SubjectKey};
use threadlore_ports::{Keystore, PortError};

/// A [`Keystore`] in memory. Keys follow from the subject's text, so that two
/// runs of one test seal alike.
#[derive(Debug, Default)]
pub struct MemoryKeystore {
    /// `None` where a key was destroyed.
    keys: Mutex<BTreeMap<Subject, Option<SubjectKey>>>,
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
    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<Subject, Option<SubjectKey>>) -> T) -> T {
        change(&mut self.keys.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Keystore for MemoryKeystore {
    async fn ensure(
        &self,
        subjects: &[Subject],
    ) -> Result<HashMap<Subject, SubjectKey>, PortError> {
        self.change(|keys| {
            for subject in subjects {
                let made = || Some(key_of(subject));
                keys.entry(subject.clone()).or_insert_with(made);
            }
        });
        self.keys(subjects).await
    }

    async fn keys(&self, subjects: &[Subject]) -> Result<HashMap<Subject, SubjectKey>, PortError> {
        Ok(self.change(|keys| {
            let known = subjects.iter();
            let known = known.filter_map(|s| Some((s.clone(), keys.get(s)?.clone()?)));
            known.collect()
        }))
    }

    async fn destroy(&self, subject: &Subject) -> Result<(), PortError> {
        self.change(|keys| keys.insert(subject.clone(), None));
        Ok(())
    }

    async fn walk(
        &self,
        after: Option<&Subject>,
        max: usize,
    ) -> Result<Vec<(Subject, Option<SubjectKey>)>, PortError> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        Ok(self.change(|keys| {
            let rows = keys.range((from, Bound::Unbounded)).take(max);
            rows.map(|(subject, key)| (subject.clone(), key.clone()))
                .collect()
        }))
    }

    async fn put(&self, new: Vec<(Subject, Option<SubjectKey>)>) -> Result<(), PortError> {
        self.change(|keys| keys.extend(new));
        Ok(())
    }
}
