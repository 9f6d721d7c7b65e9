//! Keys of subjects, wrapped under the master key, in a database of their own.
//!
//! A destroyed key cannot be read through this store any more. Its wrapped bytes
//! stay in the database's files until those are compacted and its journal is
//! recycled, readable only with the master key.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use threadlore_model::{Subject, SubjectKey};
use threadlore_ports::{Keystore, PortError, Unwrapped, Wrapping};

use crate::error::{blocking, database, io};
use crate::files;
use crate::group::Group;

const OPENING: &str = "opening the keystore";
const READING: &str = "reading the keystore";
const MAKING: &str = "making keys";
const DESTROYING: &str = "destroying a key";
/// Rows that are wrapped again with one fsync, while nobody makes or destroys a key.
const REWRAP_BATCH: usize = 1000;

/// A [`Keystore`] on `fjall`. Every change is on disk before a call returns.
pub struct LocalKeystore(Arc<Inner>);

struct Inner {
    dir: PathBuf,
    db: Database,
    keys: Keyspace,
    wrapping: Wrapping,
    /// Held while a key that is not there is made, so that two callers get one key.
    making: Mutex<()>,
    /// Callers that wait for new keys.
    group: Group<Vec<Subject>>,
}

impl LocalKeystore {
    /// Opens or creates the keystore in a directory.
    ///
    /// # Errors
    /// `Broken` when the master key is not the one it was made with, when the
    /// directory is in use, or when it cannot be used.
    pub fn open(dir: &Path, wrapping: Wrapping) -> Result<Self, PortError> {
        files::make_dir(dir).map_err(|e| io(OPENING, dir, e))?;
        let opened = Database::builder(dir).worker_threads(1).open();
        let db = opened.map_err(|e| database(OPENING, dir, e))?;
        let keys = db
            .keyspace("keys", KeyspaceCreateOptions::default)
            .map_err(|e| database(OPENING, dir, e))?;
        let inner = Inner {
            dir: dir.to_owned(),
            db,
            keys,
            wrapping,
            making: Mutex::new(()),
            group: Group::new(),
        };
        inner.check()?;
        Ok(Self(Arc::new(inner)))
    }
}

impl Inner {
    /// Refuses another master key than the first one.
    fn check(&self) -> Result<(), PortError> {
        match self.row(OPENING, Wrapping::CHECK)? {
            Some(row) if self.wrapping.open(Wrapping::CHECK, &row).is_some() => Ok(()),
            Some(_) => Err(PortError::broken(
                OPENING,
                format!(
                    "the master key is not the one that {} was made with: restore the right one \
                     from a backup",
                    self.dir.display()
                ),
            )),
            None => {
                let (row, _) = self.wrapping.make(OPENING, Wrapping::CHECK)?;
                self.write(OPENING, vec![(Wrapping::CHECK.to_owned(), row)])
            }
        }
    }

    fn row(&self, doing: &'static str, name: &str) -> Result<Option<Vec<u8>>, PortError> {
        let found = self.keys.get(name);
        let found = found.map_err(|e| database(doing, &self.dir, e))?;
        Ok(found.map(|row| row.to_vec()))
    }

    fn write(&self, doing: &'static str, rows: Vec<(String, Vec<u8>)>) -> Result<(), PortError> {
        let mut batch = self.db.batch().durability(Some(PersistMode::SyncAll));
        for (name, row) in rows {
            batch.insert(&self.keys, name, row);
        }
        batch.commit().map_err(|e| database(doing, &self.dir, e))
    }

    /// `Ok(None)` if there is no key, because it was destroyed or never made.
    fn key(&self, subject: &Subject) -> Result<Option<Unwrapped>, PortError> {
        let name = subject.to_string();
        let Some(row) = self.row(READING, &name)? else {
            return Ok(None);
        };
        match self.wrapping.open(&name, &row) {
            Some(unwrapped) => Ok(Some(unwrapped)),
            None => Err(PortError::broken(
                READING,
                format!(
                    "the key of {name} in {} does not open with the master key: restore the \
                     keystore from a backup",
                    self.dir.display()
                ),
            )),
        }
    }

    fn keys(&self, subjects: &[Subject]) -> Result<HashMap<Subject, SubjectKey>, PortError> {
        let mut found = HashMap::new();
        for subject in subjects {
            if let Some(Unwrapped::Key(key)) = self.key(subject)? {
                found.insert(subject.clone(), key);
            }
        }
        Ok(found)
    }

    fn ensure(&self, subjects: &[Subject]) -> Result<HashMap<Subject, SubjectKey>, PortError> {
        let (mut found, mut missing) = (HashMap::new(), Vec::new());
        for subject in subjects {
            match self.key(subject)? {
                Some(Unwrapped::Key(key)) => {
                    found.insert(subject.clone(), key);
                }
                Some(Unwrapped::Destroyed) => {}
                None => missing.push(subject.clone()),
            }
        }
        if !missing.is_empty() {
            let make = |waiting: Vec<Vec<Subject>>| self.make(waiting.into_iter().flatten());
            self.group.write(missing.clone(), make)?;
            found.extend(self.keys(&missing)?);
        }
        Ok(found)
    }

    /// Makes the keys that are still missing, and writes them with one fsync.
    fn make(&self, subjects: impl Iterator<Item = Subject>) -> Result<(), PortError> {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let mut made = BTreeMap::new();
        for subject in subjects {
            let name = subject.to_string();
            if !made.contains_key(&name) && self.row(MAKING, &name)?.is_none() {
                let (row, _) = self.wrapping.make(MAKING, &name)?;
                made.insert(name, row);
            }
        }
        if made.is_empty() {
            return Ok(());
        }
        self.write(MAKING, made.into_iter().collect())
    }

    fn walk(
        &self,
        after: Option<&Subject>,
        max: usize,
    ) -> Result<Vec<(Subject, Option<SubjectKey>)>, PortError> {
        let from = after.map_or(Bound::Unbounded, |s| Bound::Excluded(s.to_string()));
        let mut rows = Vec::new();
        for found in self.keys.range((from, Bound::Unbounded)) {
            if rows.len() >= max {
                break;
            }
            let name = found.key().map_err(|e| database(READING, &self.dir, e))?;
            let name = String::from_utf8_lossy(&name);
            if name == Wrapping::CHECK {
                continue;
            }
            let subject: Subject = name.parse().map_err(|why: String| {
                PortError::broken(READING, format!("{why} in {}", self.dir.display()))
            })?;
            if let Some(unwrapped) = self.key(&subject)? {
                let key = match unwrapped {
                    Unwrapped::Key(key) => Some(key),
                    Unwrapped::Destroyed => None,
                };
                rows.push((subject, key));
            }
        }
        Ok(rows)
    }

    fn put(&self, keys: &[(Subject, Option<SubjectKey>)]) -> Result<(), PortError> {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let row = |(subject, key): &(Subject, Option<SubjectKey>)| {
            let name = subject.to_string();
            let row = match key {
                Some(key) => self.wrapping.wrap(MAKING, &name, key)?,
                None => Wrapping::DESTROYED.to_vec(),
            };
            Ok((name, row))
        };
        let rows: Result<Vec<_>, PortError> = keys.iter().map(row).collect();
        self.write(MAKING, rows?)
    }

    fn rewrap(&self) -> Result<u64, PortError> {
        let (mut after, mut count) = (Bound::Unbounded, 0);
        loop {
            let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
            let (mut last, mut rows) = (None, Vec::new());
            let some = self.keys.range((after, Bound::Unbounded));
            for found in some.take(REWRAP_BATCH) {
                let found = found.into_inner();
                let (name, row) = found.map_err(|e| database(MAKING, &self.dir, e))?;
                let name = String::from_utf8_lossy(&name).into_owned();
                if let Some(row) = self.wrapping.rewrap(MAKING, &name, &row)? {
                    rows.push((name.clone(), row));
                }
                last = Some(name);
            }
            let Some(last) = last else {
                return Ok(count);
            };
            count += rows.len() as u64;
            self.write(MAKING, rows)?;
            after = Bound::Excluded(last);
        }
    }

    fn destroy(&self, subject: &Subject) -> Result<(), PortError> {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        self.write(
            DESTROYING,
            vec![(subject.to_string(), Wrapping::DESTROYED.to_vec())],
        )
    }
}

#[async_trait]
impl Keystore for LocalKeystore {
    async fn ensure(
        &self,
        subjects: &[Subject],
    ) -> Result<HashMap<Subject, SubjectKey>, PortError> {
        let (inner, subjects) = (self.0.clone(), subjects.to_vec());
        blocking(MAKING, move || inner.ensure(&subjects)).await
    }

    async fn keys(&self, subjects: &[Subject]) -> Result<HashMap<Subject, SubjectKey>, PortError> {
        let (inner, subjects) = (self.0.clone(), subjects.to_vec());
        blocking(READING, move || inner.keys(&subjects)).await
    }

    async fn destroy(&self, subject: &Subject) -> Result<(), PortError> {
        let (inner, subject) = (self.0.clone(), subject.clone());
        blocking(DESTROYING, move || inner.destroy(&subject)).await
    }

    async fn walk(
        &self,
        after: Option<&Subject>,
        max: usize,
    ) -> Result<Vec<(Subject, Option<SubjectKey>)>, PortError> {
        let (inner, after) = (self.0.clone(), after.cloned());
        blocking(READING, move || inner.walk(after.as_ref(), max)).await
    }

    async fn rewrap(&self) -> Result<u64, PortError> {
        let inner = self.0.clone();
        blocking(MAKING, move || inner.rewrap()).await
    }

    async fn put(&self, keys: Vec<(Subject, Option<SubjectKey>)>) -> Result<(), PortError> {
        let inner = self.0.clone();
        blocking(MAKING, move || inner.put(&keys)).await
    }
}
