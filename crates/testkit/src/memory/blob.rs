//! Blobs in memory.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use threadlore_ports::{BlobStore, PortError, check_name};

/// A [`BlobStore`] in memory.
#[derive(Debug, Default)]
pub struct MemoryBlobs {
    blobs: Mutex<HashMap<String, Vec<u8>>>,
}

impl MemoryBlobs {
    fn change<T>(&self, change: impl FnOnce(&mut HashMap<String, Vec<u8>>) -> T) -> T {
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
}
