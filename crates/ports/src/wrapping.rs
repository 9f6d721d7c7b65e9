//! Keys of subjects as a keystore writes them down: wrapped under the master key.
//!
//! A row is `1, nonce, wrapped key` or, once destroyed, `0`. The subject is associated
//! data, so that a wrapped key cannot be moved. Keys and nonces come from the operating
//! system's randomness; nothing else does.

use chacha20poly1305::aead::rand_core::RngCore;
use chacha20poly1305::aead::{Aead, KeyInit, OsRng, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use threadlore_model::SubjectKey;

use crate::PortError;

const DESTROYED: u8 = 0;
const WRAPPED: u8 = 1;
const NONCE: usize = 24;

/// What a row says.
pub enum Unwrapped {
    /// There was a key.
    Destroyed,
    /// A key.
    Key(SubjectKey),
}

/// Wraps keys.
pub struct Wrapping {
    cipher: XChaCha20Poly1305,
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
            cipher: XChaCha20Poly1305::new((&master_key).into()),
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
        let nonce: [u8; NONCE] = random(doing)?;
        let payload = Payload {
            msg: key.as_bytes(),
            aad: name.as_bytes(),
        };
        let wrapped = self
            .cipher
            .encrypt(XNonce::from_slice(&nonce), payload)
            .map_err(|_| PortError::broken(doing, "the cipher refused to wrap a key"))?;
        Ok([&[WRAPPED], &nonce[..], &wrapped].concat())
    }

    /// What the row under this name says; `None` where the master key does not open it.
    #[must_use]
    pub fn open(&self, name: &str, row: &[u8]) -> Option<Unwrapped> {
        if row == Self::DESTROYED {
            return Some(Unwrapped::Destroyed);
        }
        let (nonce, wrapped) = row.strip_prefix(&[WRAPPED])?.split_at_checked(NONCE)?;
        let payload = Payload {
            msg: wrapped,
            aad: name.as_bytes(),
        };
        let key = self.cipher.decrypt(XNonce::from_slice(nonce), payload);
        let key = SubjectKey::from_bytes(key.ok()?.try_into().ok()?);
        Some(Unwrapped::Key(key))
    }
}

fn random<const N: usize>(doing: &'static str) -> Result<[u8; N], PortError> {
    let mut bytes = [0; N];
    OsRng
        .try_fill_bytes(&mut bytes)
        .map_err(|_| PortError::broken(doing, "the system gives no randomness"))?;
    Ok(bytes)
}
