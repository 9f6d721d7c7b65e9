//! Keys of subjects.

use std::collections::HashMap;

use async_trait::async_trait;
use threadlore_model::{Subject, SubjectKey};

use crate::PortError;

/// Keys that seal private fields.
///
/// Guarantees: a key returned by `ensure` is durable, and every later call gives
/// the same one until it is destroyed; a destroyed key is never made again under
/// the same subject, so `ensure` leaves it out.
#[async_trait]
pub trait Keystore: Send + Sync {
    /// Keys of the subjects, made where there was none. Destroyed ones are left out.
    ///
    /// # Errors
    /// `Unavailable` as the name says; `Broken` when the master key does not fit.
    async fn ensure(&self, subjects: &[Subject])
    -> Result<HashMap<Subject, SubjectKey>, PortError>;

    /// Keys of the subjects that have one.
    ///
    /// # Errors
    /// As [`Keystore::ensure`].
    async fn keys(&self, subjects: &[Subject]) -> Result<HashMap<Subject, SubjectKey>, PortError>;

    /// Destroys a key for ever. Destroying one that is not there is no error.
    ///
    /// # Errors
    /// As [`Keystore::ensure`].
    async fn destroy(&self, subject: &Subject) -> Result<(), PortError>;

    /// Subjects after this one with their keys, `None` for a key that was destroyed; at
    /// most `max`, in an order of the store's own, which stays.
    ///
    /// # Errors
    /// As [`Keystore::ensure`].
    async fn walk(
        &self,
        after: Option<&Subject>,
        max: usize,
    ) -> Result<Vec<(Subject, Option<SubjectKey>)>, PortError>;

    /// Wraps every key again that is not under the first master key yet; how many there were. One that is destroyed
    /// meanwhile stays so. Nothing to do for a store without master keys.
    ///
    /// # Errors
    /// As [`Keystore::ensure`].
    async fn rewrap(&self) -> Result<u64, PortError> {
        Ok(0)
    }

    /// Takes over keys of another store, instead of what is here.
    ///
    /// # Errors
    /// As [`Keystore::ensure`].
    async fn put(&self, keys: Vec<(Subject, Option<SubjectKey>)>) -> Result<(), PortError>;
}
