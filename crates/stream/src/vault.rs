//! Sealing and opening events with the keystore, with a bounded cache of keys.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use threadlore_model::{Event, Private, SealError, Subject, SubjectKey};
use threadlore_ports::{Keystore, PortError};

/// Keys held in memory at most; the cache starts afresh above it.
const CACHED: usize = 50_000;

/// Seals what goes to the log and opens what comes from it.
#[derive(Clone)]
pub struct Vault {
    keys: Arc<dyn Keystore>,
    cache: Arc<Mutex<HashMap<Subject, SubjectKey>>>,
}

impl Vault {
    /// A vault over a keystore.
    #[must_use]
    pub fn new(keys: Arc<dyn Keystore>) -> Self {
        Self {
            keys,
            cache: Arc::default(),
        }
    }

    /// Seals the private fields of all events. A subject whose key was destroyed
    /// has its fields erased instead.
    ///
    /// # Errors
    /// What the keystore says; `Refused` when the cipher does.
    pub async fn seal(&self, events: &mut [Event]) -> Result<(), PortError> {
        let keys = self.keys_of(events, true).await?;
        for event in events {
            let (id, subject) = (event.envelope.id, event.subject());
            let Some(subject) = subject else { continue };
            let key = keys.get(&subject);
            for (name, field) in event.body.private_fields() {
                let Private::Open(text) = &*field else {
                    continue;
                };
                *field = match key {
                    None => Private::Erased,
                    Some(key) => {
                        Private::Sealed(key.seal(id, &name, text.as_bytes()).map_err(|e| {
                            PortError::Refused {
                                doing: "sealing a private field",
                                reason: e.to_string(),
                            }
                        })?)
                    }
                };
            }
        }
        Ok(())
    }

    /// Opens the private fields of all events, in order; what has no key any more
    /// is erased. An event whose field does not open with its key is given back as
    /// the reason, so that the others go on.
    ///
    /// # Errors
    /// What the keystore says.
    pub async fn open(
        &self,
        mut events: Vec<Event>,
    ) -> Result<Vec<Result<Event, String>>, PortError> {
        let keys = self.keys_of(&events, false).await?;
        Ok(events
            .drain(..)
            .map(|mut event| match open_one(&mut event, &keys) {
                Ok(()) => Ok(event),
                Err(e) => Err(e.to_string()),
            })
            .collect())
    }

    /// Destroys the keys of subjects for ever: what they sealed cannot be opened any more,
    /// here at once, and in other processes when their caches drop them. A subject that has
    /// no key costs a read, not a write.
    ///
    /// # Errors
    /// Those of the keystore.
    pub async fn destroy(&self, subjects: &[Subject]) -> Result<(), PortError> {
        if subjects.is_empty() {
            return Ok(());
        }
        for subject in self.keys.keys(subjects).await?.keys() {
            self.keys.destroy(subject).await?;
        }
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        for subject in subjects {
            cache.remove(subject);
        }
        Ok(())
    }

    /// Whether a subject has a key.
    ///
    /// # Errors
    /// Those of the keystore.
    pub async fn has(&self, subject: &Subject) -> Result<bool, PortError> {
        let found = self.keys.keys(std::slice::from_ref(subject)).await?;
        Ok(!found.is_empty())
    }

    async fn keys_of(
        &self,
        events: &[Event],
        make: bool,
    ) -> Result<HashMap<Subject, SubjectKey>, PortError> {
        let mut found = HashMap::new();
        let mut missing = Vec::new();
        {
            let cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            for subject in events.iter().filter_map(Event::subject) {
                match cache.get(&subject) {
                    Some(key) => {
                        found.insert(subject, key.clone());
                    }
                    None => missing.push(subject),
                }
            }
        }
        missing.sort();
        missing.dedup();
        if !missing.is_empty() {
            let got = if make {
                self.keys.ensure(&missing).await?
            } else {
                self.keys.keys(&missing).await?
            };
            let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            if cache.len() + got.len() > CACHED {
                cache.clear();
            }
            cache.extend(got.iter().map(|(s, k)| (s.clone(), k.clone())));
            found.extend(got);
        }
        Ok(found)
    }
}

fn open_one(event: &mut Event, keys: &HashMap<Subject, SubjectKey>) -> Result<(), SealError> {
    let Some(subject) = event.subject() else {
        return Ok(());
    };
    let (id, key) = (event.envelope.id, keys.get(&subject));
    for (name, field) in event.body.private_fields() {
        let Private::Sealed(bytes) = &*field else {
            continue;
        };
        *field = match key {
            None => Private::Erased,
            Some(key) => {
                Private::Open(String::from_utf8(key.open(id, &name, bytes)?).map_err(|_| {
                    SealError::Refused {
                        event: id,
                        field: name.into_owned(),
                    }
                })?)
            }
        };
    }
    Ok(())
}
