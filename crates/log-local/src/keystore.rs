//! Keys of subjects, wrapped under the master key, in a database of their own.
//!
//! A row is `subject -> 1, nonce, wrapped key` or, once destroyed, `subject -> 0`.
//! The subject is associated data, so that a wrapped key cannot be moved. Keys
//! and nonces come from the operating system's randomness; nothing else does.
//!
//! A destroyed key cannot be read through this store any more. Its wrapped bytes
//! stay in the database's files until those are compacted and its journal is
//! recycled, readable only with the master key.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use threadlore_model::{Subject, SubjectKey};
use threadlore_ports::{Keystore, PortError};

use crate::error::{blocking, database, io};
use crate::secret::random_32;

const OPENING: &str = "opening the keystore";
const READING: &str = "reading the keystore";
const MAKING: &str = "making keys";
const DESTROYING: &str = "destroying a key";

const DESTROYED: u8 = 0;
const WRAPPED: u8 = 1;
const NONCE: usize = 24;

/// A row that opens only under the right master key. No subject has this name.
const CHECK: &str = "check";

/// A [`Keystore`] on `fjall`. Every change is on disk before a call returns.
pub struct LocalKeystore(Arc<Inner>);

struct Inner {
    dir: PathBuf,
    db: Database,
    keys: Keyspace,
    cipher: XChaCha20Poly1305,
    /// Held while a key that is not there is made, so that two callers get one key.
    making: Mutex<()>,
}

impl LocalKeystore {
    /// Opens or creates the keystore in a directory.
    ///
    /// # Errors
    /// `Broken` when the master key is not the one it was made with, when the
    /// directory is in use, or when it cannot be used.
    pub fn open(dir: &Path, master_key: [u8; 32]) -> Result<Self, PortError> {
        std::fs::create_dir_all(dir).map_err(|e| io(OPENING, dir, e))?;
        let opened = Database::builder(dir).worker_threads(1).open();
        let db = opened.map_err(|e| database(OPENING, dir, e))?;
        let keys = db
            .keyspace("keys", KeyspaceCreateOptions::default)
            .map_err(|e| database(OPENING, dir, e))?;
        let inner = Inner {
            dir: dir.to_owned(),
            db,
            keys,
            cipher: XChaCha20Poly1305::new((&master_key).into()),
            making: Mutex::new(()),
        };
        inner.check()?;
        Ok(Self(Arc::new(inner)))
    }
}

impl Inner {
    /// Refuses another master key than the first one.
    fn check(&self) -> Result<(), PortError> {
        match self.row(OPENING, CHECK)? {
            Some(row) if self.unwrap(CHECK, &row).is_some() => Ok(()),
            Some(_) => Err(PortError::broken(
                OPENING,
                format!(
                    "the master key is not the one that {} was made with: restore the right one \
                     from a backup",
                    self.dir.display()
                ),
            )),
            None => {
                let (row, _) = self.new_row(CHECK)?;
                self.write(OPENING, vec![(CHECK.to_owned(), row)])
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

    fn new_row(&self, name: &str) -> Result<(Vec<u8>, SubjectKey), PortError> {
        let key = random_32(MAKING)?;
        let nonce = &random_32(MAKING)?[..NONCE];
        let payload = Payload {
            msg: &key,
            aad: name.as_bytes(),
        };
        let wrapped = self
            .cipher
            .encrypt(XNonce::from_slice(nonce), payload)
            .map_err(|_| PortError::broken(MAKING, "the cipher refused to wrap a key"))?;
        let row = [&[WRAPPED], nonce, &wrapped].concat();
        Ok((row, SubjectKey::from_bytes(key)))
    }

    fn unwrap(&self, name: &str, row: &[u8]) -> Option<SubjectKey> {
        let (nonce, wrapped) = row.strip_prefix(&[WRAPPED])?.split_at_checked(NONCE)?;
        let payload = Payload {
            msg: wrapped,
            aad: name.as_bytes(),
        };
        let key = self.cipher.decrypt(XNonce::from_slice(nonce), payload);
        Some(SubjectKey::from_bytes(key.ok()?.try_into().ok()?))
    }

    /// `Ok(None)` where there is no key, destroyed or never made.
    fn key(&self, subject: &Subject) -> Result<Option<Row>, PortError> {
        let name = subject.to_string();
        let Some(row) = self.row(READING, &name)? else {
            return Ok(None);
        };
        if row == [DESTROYED] {
            return Ok(Some(Row::Destroyed));
        }
        match self.unwrap(&name, &row) {
            Some(key) => Ok(Some(Row::Key(key))),
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
            if let Some(Row::Key(key)) = self.key(subject)? {
                found.insert(subject.clone(), key);
            }
        }
        Ok(found)
    }

    fn ensure(&self, subjects: &[Subject]) -> Result<HashMap<Subject, SubjectKey>, PortError> {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = HashMap::new();
        let mut made = Vec::new();
        for subject in subjects {
            if found.contains_key(subject) {
                continue;
            }
            match self.key(subject)? {
                Some(Row::Destroyed) => {}
                Some(Row::Key(key)) => {
                    found.insert(subject.clone(), key);
                }
                None => {
                    let name = subject.to_string();
                    let (row, key) = self.new_row(&name)?;
                    made.push((name, row));
                    found.insert(subject.clone(), key);
                }
            }
        }
        if !made.is_empty() {
            self.write(MAKING, made)?;
        }
        Ok(found)
    }

    fn destroy(&self, subject: &Subject) -> Result<(), PortError> {
        let _making = self.making.lock().unwrap_or_else(PoisonError::into_inner);
        self.write(DESTROYING, vec![(subject.to_string(), vec![DESTROYED])])
    }
}

enum Row {
    Key(SubjectKey),
    Destroyed,
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
}
