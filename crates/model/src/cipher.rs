//! XChaCha20-Poly1305, the one cipher of the system.
//!
//! It is ChaCha20-Poly1305 (RFC 8439), as `ring` has it, under a key that HChaCha20 derives from
//! the key and the first 16 bytes of the nonce, as draft-irtf-cfrg-xchacha describes. Texts of
//! chat are short, and `ring` takes a fifth of the time of the crate `chacha20poly1305` for them.

use chacha20::cipher::consts::U10;
use chacha20::hchacha;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, Nonce, Tag, UnboundKey};

/// Bytes of a tag, which is behind the ciphertext.
const TAG: usize = 16;

/// Seals and opens bytes under one key.
#[derive(Clone, PartialEq, Eq)]
pub struct Cipher([u8; 32]);

impl Cipher {
    /// Bytes of a nonce.
    pub const NONCE: usize = 24;

    /// A cipher with this key.
    #[must_use]
    pub const fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    /// The key.
    #[must_use]
    pub const fn key(&self) -> &[u8; 32] {
        &self.0
    }

    /// Adds the ciphertext of `text` and its tag to `out`. A nonce must not be used for two texts.
    /// `None` when the text is too long for the cipher (256 GiB); then `out` has to be thrown away.
    #[must_use]
    pub fn seal(
        &self,
        nonce: &[u8; Self::NONCE],
        associated: &[u8],
        text: &[u8],
        mut out: Vec<u8>,
    ) -> Option<Vec<u8>> {
        let (key, nonce) = self.derived(nonce)?;
        let start = out.len();
        out.reserve(text.len() + TAG);
        out.extend_from_slice(text);
        let associated = Aad::from(associated);
        let tag = key.seal_in_place_separate_tag(nonce, associated, &mut out[start..]);
        out.extend_from_slice(tag.ok()?.as_ref());
        Some(out)
    }

    /// The text of which [`Cipher::seal`] made these bytes; `None` for any others.
    #[must_use]
    pub fn open(
        &self,
        nonce: &[u8; Self::NONCE],
        associated: &[u8],
        sealed: &[u8],
    ) -> Option<Vec<u8>> {
        let (text, tag) = sealed.split_last_chunk::<TAG>()?;
        let (key, nonce) = self.derived(nonce)?;
        let mut text = text.to_vec();
        let (associated, tag) = (Aad::from(associated), Tag::from(*tag));
        key.open_in_place_separate_tag(nonce, associated, tag, &mut text, 0..)
            .ok()?;
        Some(text)
    }

    /// Key and nonce of the inner cipher.
    fn derived(&self, nonce: &[u8; Self::NONCE]) -> Option<(LessSafeKey, Nonce)> {
        let (first, last) = nonce.split_at(16);
        let key = hchacha::<U10>((&self.0).into(), first.into());
        let mut inner = [0; 12];
        inner[4..].copy_from_slice(last);
        let key = UnboundKey::new(&CHACHA20_POLY1305, &key).ok()?;
        let nonce = Nonce::assume_unique_for_key(inner);
        Some((LessSafeKey::new(key), nonce))
    }
}

#[cfg(test)]
mod tests {
    use chacha20poly1305::aead::{Aead, KeyInit, Payload};
    use chacha20poly1305::{XChaCha20Poly1305, XNonce};
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_example_of_the_draft() {
        // draft-irtf-cfrg-xchacha-03, A.3.1
        let key = std::array::from_fn(|i| 0x80 + i as u8);
        let nonce = std::array::from_fn(|i| 0x40 + i as u8);
        let associated = [
            0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7,
        ];
        let text = b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip \
                     for the future, sunscreen would be it.";
        let sealed = Cipher::new(key).seal(&nonce, &associated, text, Vec::new());
        let sealed = sealed.expect("sealed");
        assert_eq!(sealed[..4], [0xbd, 0x6d, 0x17, 0x9d]);
        let tag = [
            0xc0, 0x87, 0x59, 0x24, 0xc1, 0xc7, 0x98, 0x79, 0x47, 0xde, 0xaf, 0xd8, 0x78, 0x0a,
            0xcf, 0x49,
        ];
        assert_eq!(sealed[text.len()..], tag);
        let opened = Cipher::new(key).open(&nonce, &associated, &sealed);
        assert_eq!(opened.as_deref(), Some(&text[..]));
    }

    proptest! {
        #[test]
        fn another_implementation_seals_the_same(
            key: [u8; 32],
            nonce: [u8; 24],
            associated: Vec<u8>,
            text: Vec<u8>,
            damaged: usize,
        ) {
            let payload = Payload { msg: &text, aad: &associated };
            let other = XChaCha20Poly1305::new((&key).into());
            let other = other.encrypt(XNonce::from_slice(&nonce), payload).expect("sealed");
            let cipher = Cipher::new(key);
            let sealed = cipher.seal(&nonce, &associated, &text, b"before".to_vec());
            prop_assert_eq!(sealed, Some([&b"before"[..], &other].concat()));
            prop_assert_eq!(cipher.open(&nonce, &associated, &other), Some(text));
            let mut bytes = other.clone();
            bytes[damaged % other.len()] ^= 1;
            prop_assert_eq!(cipher.open(&nonce, &associated, &bytes), None);
            prop_assert_eq!(cipher.open(&nonce, &associated, &other[..15]), None);
        }
    }
}
