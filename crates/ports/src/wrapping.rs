//! Keys of subjects as a keystore writes them down: wrapped under the master key.
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

    /// What the row under this name says; `None` where the master key does not open it.
    #[must_use]
    pub fn open(&self, name: &str, row: &[u8]) -> Option<Unwrapped> {
        if row == Self::DESTROYED {
            return Some(Unwrapped::Destroyed);
        }
        let (nonce, wrapped) = row.strip_prefix(&[WRAPPED])?.split_first_chunk()?;
        let key = self.cipher.open(nonce, name.as_bytes(), wrapped)?;
        let key = SubjectKey::from_bytes(key.try_into().ok()?);
        Some(Unwrapped::Key(key))
    }
}

fn random<const N: usize>(doing: &'static str) -> Result<[u8; N], PortError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|_| PortError::broken(doing, "the system gives no randomness"))?;
    Ok(bytes)
}
