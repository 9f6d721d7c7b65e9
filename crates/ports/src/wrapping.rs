//! Keys of subjects as a keystore writes them down: wrapped under the master key.
//!
//! While one master key takes the place of another, rows under either are read.
//!
//! A row is `1, nonce, wrapped key` or, once destroyed, `0`. The subject is associated
//! data, so that a wrapped key cannot be moved. Keys and nonces come from the operating
//! system's randomness; nothing else does.

use threadlore_model::{Cipher, SubjectKey};

use crate::PortError;

const DESTROYED: u8 = 0;
const WRAPPED: u8 = 1;

/// What a row says.
pub enum Unwrapped {
    /// There was a key.
    Destroyed,
    /// A key.
    Key(SubjectKey),
}

/// Wraps keys.
pub struct Wrapping {
    cipher: Cipher,
    /// Of a second master key, whose rows are read too.
    second: Option<Cipher>,
}

impl Wrapping {
    /// The name of a row that opens only under the right master key. No subject has it.
    pub const CHECK: &str = "check";
    /// The row of a key that was destroyed.
    pub const DESTROYED: [u8; 1] = [DESTROYED];

    /// Wraps under this master key.
    #[must_use]
    pub fn under(master_key: [u8; 32]) -> Self {
        Self {
            cipher: Cipher::new(master_key),
            second: None,
        }
    }

    /// The same, that reads rows under a second master key too.
    #[must_use]
    pub fn reading(self, second: Option<[u8; 32]>) -> Self {
        Self {
            second: second.map(Cipher::new),
            ..self
        }
    }

    /// A new key, and the row that it is kept in under this name.
    ///
    /// # Errors
    /// `Broken` when there is no randomness.
    pub fn make(
        &self,
        doing: &'static str,
        name: &str,
    ) -> Result<(Vec<u8>, SubjectKey), PortError> {
        let key = SubjectKey::from_bytes(random(doing)?);
        Ok((self.wrap(doing, name, &key)?, key))
    }

    /// The row that a key is kept in under this name.
    ///
    /// # Errors
    /// As [`Wrapping::make`].
    pub fn wrap(
        &self,
        doing: &'static str,
        name: &str,
        key: &SubjectKey,
    ) -> Result<Vec<u8>, PortError> {
        let nonce: [u8; Cipher::NONCE] = random(doing)?;
        let row = [&[WRAPPED], &nonce[..]].concat();
        let wrapped = self
            .cipher
            .seal(&nonce, name.as_bytes(), key.as_bytes(), row);
        wrapped.ok_or_else(|| PortError::broken(doing, "the cipher refused to wrap a key"))
    }

    /// What the row under this name says; `None` where no master key opens it.
    #[must_use]
    pub fn open(&self, name: &str, row: &[u8]) -> Option<Unwrapped> {
        if row == Self::DESTROYED {
            return Some(Unwrapped::Destroyed);
        }
        let second = || opened(self.second.as_ref()?, name, row);
        opened(&self.cipher, name, row)
            .or_else(second)
            .map(Unwrapped::Key)
    }

    /// The row of a key that is under the second master key, under the first one; `None` of every other row.
    ///
    /// # Errors
    /// As [`Wrapping::make`].
    pub fn rewrap(
        &self,
        doing: &'static str,
        name: &str,
        row: &[u8],
    ) -> Result<Option<Vec<u8>>, PortError> {
        let second = || opened(self.second.as_ref()?, name, row);
        let key = match opened(&self.cipher, name, row) {
            Some(_) => None,
            None => second(),
        };
        key.map(|key| self.wrap(doing, name, &key)).transpose()
    }
}

/// The key in a row, where this cipher opens it.
fn opened(cipher: &Cipher, name: &str, row: &[u8]) -> Option<SubjectKey> {
    let (nonce, wrapped) = row.strip_prefix(&[WRAPPED])?.split_first_chunk()?;
    let key = cipher.open(nonce, name.as_bytes(), wrapped)?;
    Some(SubjectKey::from_bytes(key.try_into().ok()?))
}

fn random<const N: usize>(doing: &'static str) -> Result<[u8; N], PortError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|_| PortError::broken(doing, "the system gives no randomness"))?;
    Ok(bytes)
}
