//! Private text: sealed in the log under a key per subject, open in memory,
//! erased for ever once the subject's key is destroyed.
//!
//! Cipher: XChaCha20-Poly1305. The nonce is synthetic: the first 24 bytes of
//! HMAC-SHA-256 over (event id, field, text) under a key derived from the
//! subject's. Two different texts therefore never share a nonce, sealing needs
//! no randomness, and sealing twice gives the same bytes. The event id and the
//! field name are associated data, so that a ciphertext cannot be moved.

use std::fmt;
use std::str::FromStr;

use hmac::{Hmac, Mac};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Sha256;

use crate::{CaseId, Cipher, EventId, MemoryId, PersonId, SpaceId};

const NONCE: usize = Cipher::NONCE;

/// The subject of a key: the person or case whose texts it seals.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Subject {
    /// A person: native ids, names, message text.
    Person(SpaceId, PersonId),
    /// A case: text derived from messages.
    Case(SpaceId, CaseId),
    /// A memory: what the system was told.
    Memory(SpaceId, MemoryId),
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person(space, id) => write!(f, "{space}/person/{id}"),
            Self::Case(space, id) => write!(f, "{space}/case/{id}"),
            Self::Memory(space, id) => write!(f, "{space}/memory/{id}"),
        }
    }
}

impl FromStr for Subject {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let parse = || {
            let mut parts = text.split('/');
            let space = SpaceId::parse(parts.next()?).ok()?;
            let (kind, id) = (parts.next()?, parts.next()?.parse().ok()?);
            let subject = match kind {
                "person" => Self::Person(space, PersonId::from_uuid(id)),
                "case" => Self::Case(space, CaseId::from_uuid(id)),
                "memory" => Self::Memory(space, MemoryId::from_uuid(id)),
                _ => return None,
            };
            parts.next().is_none().then_some(subject)
        };
        parse().ok_or_else(|| format!("{text:?} names no subject"))
    }
}

/// The secret key of one subject.
#[derive(Clone, PartialEq, Eq)]
pub struct SubjectKey(Cipher);

impl fmt::Debug for SubjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SubjectKey(***)")
    }
}

impl SubjectKey {
    /// Wraps key bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Cipher::new(bytes))
    }

    /// The key bytes, for the keystore to wrap.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        self.0.key()
    }

    fn mac(&self, label: &[u8]) -> Hmac<Sha256> {
        #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
        let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(self.0.key()).expect("any length");
        mac.update(label);
        mac
    }

    /// Seals bytes for one field of one event.
    ///
    /// # Errors
    /// When the text is too long for the cipher (256 GiB).
    pub fn seal(&self, event: EventId, field: &str, text: &[u8]) -> Result<Vec<u8>, SealError> {
        let mut mac = self.mac(b"threadlore nonce v1");
        let aad = associated(event, field);
        mac.update(&(aad.len() as u64).to_be_bytes());
        mac.update(&aad);
        mac.update(text);
        let mut nonce = [0; NONCE];
        nonce.copy_from_slice(&mac.finalize().into_bytes()[..NONCE]);
        self.0
            .seal(&nonce, &aad, text, nonce.to_vec())
            .ok_or_else(|| SealError::Refused {
                event,
                field: field.to_owned(),
            })
    }

    /// Opens the bytes that [`SubjectKey::seal`] made.
    ///
    /// # Errors
    /// When the bytes were altered, moved, or sealed under another key.
    pub fn open(&self, event: EventId, field: &str, sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        let refused = || SealError::Refused {
            event,
            field: field.to_owned(),
        };
        let (nonce, body) = sealed.split_first_chunk().ok_or_else(refused)?;
        let opened = self.0.open(nonce, &associated(event, field), body);
        opened.ok_or_else(refused)
    }
}

fn associated(event: EventId, field: &str) -> Vec<u8> {
    let mut aad = event.as_uuid().as_bytes().to_vec();
    aad.extend_from_slice(field.as_bytes());
    aad
}

/// Why sealing or opening failed. Never carries the text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// The cipher refused: altered, moved, or another key.
    #[error("field {field:?} of event {event} does not open with its subject's key")]
    Refused {
        /// The event that carries the field.
        event: EventId,
        /// The field's name.
        field: String,
    },
    /// A field that had to be sealed was not.
    #[error("a private field is not sealed")]
    NotSealed,
}

/// A text that must not be readable in the log.
///
/// Serialises only when sealed (as bytes); `Debug` never shows the text.
#[derive(Clone, PartialEq, Eq)]
pub enum Private {
    /// Readable; exists only in memory.
    Open(String),
    /// Ciphertext, as it is in the log.
    Sealed(Vec<u8>),
    /// The subject's key was destroyed.
    Erased,
}

impl Private {
    /// A readable text.
    #[must_use]
    pub fn open(text: impl Into<String>) -> Self {
        Self::Open(text.into())
    }

    /// The readable text, if it is open.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Open(text) => Some(text),
            Self::Sealed(_) | Self::Erased => None,
        }
    }
}

impl fmt::Debug for Private {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(text) => write!(f, "Open({} bytes)", text.len()),
            Self::Sealed(bytes) => write!(f, "Sealed({} bytes)", bytes.len()),
            Self::Erased => f.write_str("Erased"),
        }
    }
}

impl Serialize for Private {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Sealed(bytes) => serializer.serialize_bytes(bytes),
            // No ciphertext is empty (a nonce has 24 bytes), so an empty one means "erased".
            Self::Erased => serializer.serialize_bytes(&[]),
            Self::Open(_) => Err(serde::ser::Error::custom(SealError::NotSealed)),
        }
    }
}

impl<'de> Deserialize<'de> for Private {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = serde_bytes::ByteBuf::deserialize(deserializer)?.into_vec();
        Ok(if bytes.is_empty() {
            Self::Erased
        } else {
            Self::Sealed(bytes)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u128) -> EventId {
        EventId::from_uuid(uuid::Uuid::from_u128(n))
    }

    #[test]
    fn opens_only_in_its_place() {
        let key = SubjectKey::from_bytes([1; 32]);
        let sealed = key.seal(id(1), "text", b"hello").expect("seals");
        assert_eq!(key.open(id(1), "text", &sealed).expect("opens"), b"hello");
        assert!(key.open(id(2), "text", &sealed).is_err());
        assert!(key.open(id(1), "name", &sealed).is_err());
        assert!(
            SubjectKey::from_bytes([2; 32])
                .open(id(1), "text", &sealed)
                .is_err()
        );
        assert!(key.open(id(1), "text", &sealed[..10]).is_err());
    }

    #[test]
    fn nonces_differ_by_text_and_sealing_repeats() {
        let key = SubjectKey::from_bytes([1; 32]);
        let a = key.seal(id(1), "text", b"a").expect("seals");
        let b = key.seal(id(1), "text", b"b").expect("seals");
        assert_ne!(a[..NONCE], b[..NONCE]);
        assert_eq!(a, key.seal(id(1), "text", b"a").expect("seals"));
    }

    #[test]
    fn debug_never_shows_text() {
        assert_eq!(format!("{:?}", Private::open("secret")), "Open(6 bytes)");
    }
}
