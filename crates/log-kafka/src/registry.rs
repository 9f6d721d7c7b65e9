//! A schema registry that speaks Confluent's protocol: conversion of values to and from its wire
//! format.
//!
//! With a registry, a value is `00`, the schema's id (4 bytes, big endian) and the datum. Without
//! one, the datum follows the fingerprint of Avro's single-object encoding. A schema's subject is
//! `<topic>-<full name of the record>` (`TopicRecordNameStrategy`), because a topic has several
//! types. Values in either form can always be read.
//!
//! An id never changes its meaning, so known ids are cached for ever, and a registry that is away
//! stops only values with unknown ids. While the registry is away nothing becomes a dead letter; a
//! value whose id does not exist does.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use threadlore_model::{Role, Topic};
use threadlore_ports::{Clock, PortError};
use threadlore_schema::{Codec, Fingerprint, TopicSpec, Topics, WriterSchema, Written};
use tokio::sync::OnceCell;

mod error;
mod http;
mod settings;

pub use error::RegistryError;
pub use settings::RegistrySettings;

use error::{broken, unavailable};
use http::{Answer, Http};

/// Marks Confluent's wire format.
const MAGIC: u8 = 0;

/// How long a batch waits, once, for an id that its registry does not have.
const LAG: Duration = Duration::from_millis(200);

/// The schema of an id, or why no value with this id can be read.
type Meaning = Result<WriterSchema, String>;

/// A client of a schema registry, with all that it ever learnt.
pub struct Registry {
    http: Http,
    codec: Codec,
    /// Schemas that this process writes, by their fingerprint.
    written: HashMap<Fingerprint, Written>,
    may_register: bool,
    ids: Once<(Topic, Fingerprint), u32>,
    meanings: Once<u32, Arc<Meaning>>,
}

/// A value as a codec reads it.
#[derive(Clone)]
pub struct Readable {
    /// The value in single-object encoding, or the unchanged bytes if they are in no known
    /// encoding.
    pub value: Vec<u8>,
    /// Reads this value.
    pub codec: Codec,
}

impl fmt::Debug for Readable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Values from gateways are plain text, so only the length is shown.
        let bytes = self.value.len();
        f.debug_struct("Readable")
            .field("bytes", &bytes)
            .finish_non_exhaustive()
    }
}

impl Registry {
    /// A client; nothing is asked yet.
    ///
    /// # Errors
    /// `Broken` when the URL or the credentials cannot be used.
    pub fn new(settings: &RegistrySettings, clock: Arc<dyn Clock>) -> Result<Self, PortError> {
        let codec = Codec::new();
        Ok(Self {
            http: Http::new(settings, clock)?,
            written: codec.written().map(|one| (one.fingerprint, one)).collect(),
            codec,
            may_register: settings.register,
            ids: Once::default(),
            meanings: Once::default(),
        })
    }

    /// Asks for the ids of all that these roles write, so that a registry which refuses
    /// one is found out at the start.
    ///
    /// # Errors
    /// As [`Registry::to_wire`].
    pub async fn prepare(&self, topics: &Topics, roles: &BTreeSet<Role>) -> Result<(), PortError> {
        for spec in topics.iter() {
            for schema in self.written.values() {
                let writers = spec.events.get(schema.type_name);
                if writers.is_some_and(|writers| !writers.is_disjoint(roles)) {
                    self.id(spec.topic, schema.fingerprint).await?;
                }
            }
        }
        Ok(())
    }

    /// Converts values from single-object encoding to the registry's wire format.
    ///
    /// # Errors
    /// `Unavailable` while an id is unknown and the registry does not answer. `Broken` when the
    /// registry refuses a schema, does not have it and none may be registered, or gives the id of
    /// another schema. No value is converted then.
    pub async fn to_wire(&self, values: Vec<(Topic, Vec<u8>)>) -> Result<Vec<Vec<u8>>, PortError> {
        let mut framed = Vec::with_capacity(values.len());
        for (topic, value) in values {
            let found = Fingerprint::split(&value).map_err(broken)?;
            let (fingerprint, datum) = found;
            let id = self.id(topic, fingerprint).await?;
            framed.push([&[MAGIC], &id.to_be_bytes()[..], datum].concat());
        }
        Ok(framed)
    }

    /// Whether a value is a single object of a schema that is written here, of an event
    /// that belongs on the topic: then it can be framed.
    #[must_use]
    pub fn writes(&self, topic: &TopicSpec, value: &[u8]) -> bool {
        let written = Fingerprint::split(value).ok();
        let written = written.and_then(|(schema, _)| self.written.get(&schema));
        written.is_some_and(|schema| topic.events.contains_key(schema.type_name))
    }

    /// Converts values of either form to the form that a codec reads. A value that cannot be read
    /// gives the sentence for its dead letter, which holds the value as it is in the log.
    ///
    /// The result is in order, and ends before the first value whose schema cannot be fetched now:
    /// ask again for the rest.
    ///
    /// # Errors
    /// When the schema of the first value cannot be fetched: `Unavailable` while the registry does
    /// not answer, `Broken` when its answer cannot be used.
    pub async fn from_wire(
        &self,
        values: &[&[u8]],
    ) -> Result<Vec<Result<Readable, String>>, PortError> {
        let mut readable = Vec::with_capacity(values.len());
        let mut missing = Missing::default();
        for value in values {
            match self.readable(value, &mut missing).await {
                Ok(found) => readable.push(found),
                Err(error) if readable.is_empty() => return Err(error),
                Err(_) => break,
            }
        }
        Ok(readable)
    }

    async fn readable(
        &self,
        value: &[u8],
        missing: &mut Missing,
    ) -> Result<Result<Readable, String>, PortError> {
        let Some((&MAGIC, rest)) = value.split_first() else {
            // In single-object encoding, or not readable at all, which the codec reports.
            return Ok(Ok(Readable {
                value: value.to_vec(),
                codec: self.codec.clone(),
            }));
        };
        let Some((id, datum)) = rest.split_first_chunk::<4>() else {
            return Ok(Err("the value ends within the schema's id".to_owned()));
        };
        let id = u32::from_be_bytes(*id);
        let url = self.http.url();
        let Some(meaning) = self.meaning(id, missing).await? else {
            return Ok(Err(format!(
                "the schema registry at {url} says that no schema has the id {id}"
            )));
        };
        Ok(match meaning.as_ref() {
            Ok(writer) => Ok(Readable {
                value: writer.fingerprint().join(datum),
                codec: match writer.is_foreign() {
                    true => self.codec.reading(writer),
                    false => self.codec.clone(),
                },
            }),
            Err(why) => Err(format!(
                "no event can be read by schema {id} of the registry at {url}: {why}"
            )),
        })
    }

    /// The id of a schema that is written here, under its subject on a topic.
    async fn id(&self, topic: Topic, fingerprint: Fingerprint) -> Result<u32, PortError> {
        let cell = self.ids.cell((topic, fingerprint));
        let ask = || async {
            let schema = self.written.get(&fingerprint).ok_or_else(|| {
                broken(format!("nothing is written here by schema {fingerprint}"))
            })?;
            let subject = format!("{topic}-{}", schema.full_name());
            let id = match self.may_register {
                true => self.http.register(&subject, schema.text).await?,
                false => self.http.look_up(&subject, schema.text).await?,
            };
            self.confirm(&subject, id, fingerprint).await?;
            Ok(id)
        };
        cell.get_or_try_init(ask).await.copied()
    }

    /// Asks for an id that was just given, before anything is written with it.
    async fn confirm(
        &self,
        subject: &str,
        id: u32,
        fingerprint: Fingerprint,
    ) -> Result<(), PortError> {
        let url = self.http.url();
        let meaning = self.ask(id).await?.ok_or_else(|| {
            // A copy of the registry that lags behind.
            let why = format!("it gave {id} for subject {subject} and does not know it yet");
            unavailable("the schema registry", RegistryError::new(url, why))
        })?;
        let is = |meaning: &Meaning| matches!(meaning, Ok(writer) if writer.fingerprint() == fingerprint);
        let known = self.meanings.cell(id);
        let known = known
            .get_or_init(|| async { Arc::new(meaning.clone()) })
            .await;
        if is(&meaning) && is(known) {
            return Ok(());
        }
        Err(broken(format!(
            "the schema registry at {url} gave id {id} for subject {subject}, but by that id it \
             has, or had before, another schema: nothing can be written with it; look at which \
             registry this is, and restore its topic _schemas if it lost that"
        )))
    }

    /// The schema of an id; `None` if the id does not exist, in which case the next batch asks
    /// again.
    async fn meaning(
        &self,
        id: u32,
        missing: &mut Missing,
    ) -> Result<Option<Arc<Meaning>>, PortError> {
        if missing.ids.contains(&id) {
            return Ok(None);
        }
        loop {
            match self.find(id).await {
                Ok(meaning) => return Ok(Some(meaning)),
                Err(Not::Now(error)) => return Err(error),
                // One replica of a registry may lag behind the one that gave the id.
                Err(Not::There) if !missing.waited => {
                    missing.waited = true;
                    self.http.pause(LAG).await;
                }
                Err(Not::There) => {
                    missing.ids.insert(id);
                    return Ok(None);
                }
            }
        }
    }

    async fn find(&self, id: u32) -> Result<Arc<Meaning>, Not> {
        let cell = self.meanings.cell(id);
        let ask = || async {
            match self.ask(id).await {
                Ok(Some(meaning)) => Ok(Arc::new(meaning)),
                Ok(None) => Err(Not::There),
                Err(error) => Err(Not::Now(error)),
            }
        };
        let found = cell.get_or_try_init(ask).await.cloned();
        if matches!(found, Err(Not::There)) {
            // Invented ids must not fill the memory.
            self.meanings.forget(&id);
        }
        found
    }

    async fn ask(&self, id: u32) -> Result<Option<Meaning>, PortError> {
        Ok(match self.http.schema(id).await? {
            Answer::Missing => None,
            Answer::Other(why) => Some(Err(why)),
            Answer::Avro(text) => Some(self.codec.writer(&text)),
        })
    }
}

/// Ids of one batch that do not exist.
#[derive(Default)]
struct Missing {
    ids: HashSet<u32>,
    waited: bool,
}

/// Why an id's meaning is not known.
enum Not {
    There,
    Now(PortError),
}

/// A cache whose values are fetched once: the first caller fetches, the others wait for it.
struct Once<K, V>(Mutex<HashMap<K, Arc<OnceCell<V>>>>);

impl<K, V> Default for Once<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V> Once<K, V> {
    fn cell(&self, key: K) -> Arc<OnceCell<V>> {
        let mut cells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(cells.entry(key).or_default())
    }

    /// Lets go of a key that nothing was found out about.
    fn forget(&self, key: &K) {
        let mut cells = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if cells.get(key).is_some_and(|cell| cell.get().is_none()) {
            cells.remove(key);
        }
    }
}
