//! Blobs: bytes by name.

use async_trait::async_trait;

use crate::PortError;

/// Bytes by name. Names are of `a-z 0-9 . _ - /`, without `..`, at most 200 bytes.
///
/// Guarantees: a `put` that returned is durable and whole; a reader never sees a
/// part of one; `get` of what is not there gives `None`.
#[async_trait]
pub trait BlobStore: Send + Sync {
    /// Stores or replaces.
    ///
    /// # Errors
    /// `Refused` for a bad name; `Unavailable` when it cannot be written.
    async fn put(&self, name: &str, bytes: &[u8]) -> Result<(), PortError>;

    /// Reads.
    ///
    /// # Errors
    /// `Refused` for a bad name; `Unavailable` when it cannot be read.
    async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, PortError>;

    /// Removes; what is not there is no error.
    ///
    /// # Errors
    /// `Refused` for a bad name; `Unavailable` when it cannot be removed.
    async fn delete(&self, name: &str) -> Result<(), PortError>;

    /// Names after this one, in their order, at most `max`.
    ///
    /// # Errors
    /// `Unavailable` when they cannot be read.
    async fn names(&self, after: Option<&str>, max: usize) -> Result<Vec<String>, PortError>;
}

/// Checks a blob's name.
///
/// # Errors
/// `Refused` with the rule.
pub fn check_name(name: &str) -> Result<(), PortError> {
    let ok = !name.is_empty()
        && name.len() <= 200
        && !name.starts_with('/')
        && name
            .split('/')
            .all(|part| !part.is_empty() && part != "." && part != "..")
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-/".contains(c));
    if ok {
        return Ok(());
    }
    Err(PortError::Refused {
        doing: "checking a blob's name",
        reason: "use 1 to 200 of a-z, 0-9, '.', '_', '-' and '/', without '..'".to_owned(),
    })
}
