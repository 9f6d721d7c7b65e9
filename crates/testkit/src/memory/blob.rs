//! Blobs in memory.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use threadlore_ports::{BlobStore, PortError, check_name};

/// A [`BlobStore`] in memory.
#[derive(Debug, Default)]
pub struct MemoryBlobs {
    blobs: Mutex<BTreeMap<String, Vec<u8>>>,
}

impl MemoryBlobs {
    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<String, Vec<u8>>) -> T) -> T {
        change(&mut self.blobs.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl BlobStore for MemoryBlobs {
    async fn put(&self, name: &str, bytes: &[u8]) -> Result<(), PortError> {
        check_name(name)?;
        self.change(|blobs| blobs.insert(name.to_owned(), bytes.to_vec()));
        Ok(())
    }

    async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, PortError> {
        check_name(name)?;
        Ok(self.change(|blobs| blobs.get(name).cloned()))
    }

    async fn delete(&self, name: &str) -> Result<(), PortError> {
        check_name(name)?;
        self.change(|blobs| blobs.remove(name));
        Ok(())
    }

    async fn names(&self, after: Option<&str>, max: usize) -> Result<Vec<String>, PortError> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let range = (from, Bound::Unbounded);
        Ok(self.change(|blobs| {
            let names = blobs.range::<str, _>(range).map(|(name, _)| name.clone());
            names.take(max).collect()
        }))
    }
}
