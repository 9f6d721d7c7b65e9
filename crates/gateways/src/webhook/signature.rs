//! Signatures of Standard Webhooks: HMAC-SHA-256 of id, time and body with a shared secret.

use std::fmt;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use threadlore_model::Timestamp;

pub(super) const ID: &str = "webhook-id";
pub(super) const TIMESTAMP: &str = "webhook-timestamp";
pub(super) const SIGNATURE: &str = "webhook-signature";

/// How far the time of a call may be from ours, in both directions.
pub(super) const TOLERANCE: Duration = Duration::from_secs(5 * 60);
/// Fewest bytes of a secret.
const LEAST: usize = 24;
/// Longest id of a call, in bytes.
const ID_MAX: usize = 256;
/// What a secret begins with.
const PREFIX: &str = "whsec_";
/// What a signature of the one known kind begins with.
const VERSION: &str = "v1,";

/// Why a text is no secret. It has nothing of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadSecret {
    Prefix,
    Base64,
    Short,
}

impl BadSecret {
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Prefix => "it does not begin with whsec_",
            Self::Base64 => "what follows whsec_ is not base64",
            Self::Short => "it has fewer than 24 bytes",
        }
    }
}

/// A secret that both sides know.
#[derive(Clone)]
pub(super) struct Secret(Hmac<Sha256>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(***)")
    }
}

/// Why a call is not believed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unsigned {
    #[error(
        "The header {0} is missing, or is no plain text. Sign every call as Standard Webhooks does."
    )]
    Missing(&'static str),
    #[error(
        "The header webhook-id is not valid. Write 1 to 256 ASCII characters without blanks and \
         full stops."
    )]
    Id,
    #[error(
        "The header webhook-timestamp is not valid. Write the time of the call in whole seconds \
         since 1970."
    )]
    Time,
    #[error(
        "The header webhook-timestamp is {0} seconds in the past, and more than 300 are not \
         accepted. Sign the call anew when you send it again, and compare the clocks."
    )]
    Old(u64),
    #[error(
        "The header webhook-timestamp is {0} seconds in the future, and more than 300 are not \
         accepted. Compare the clocks."
    )]
    Future(u64),
    #[error(
        "The header webhook-signature has no signature that begins with \"v1,\". Write v1, and \
         behind the comma the base64 of the HMAC-SHA-256."
    )]
    Version,
    #[error(
        "No signature matches. Compare the secrets, and sign the bytes of the body exactly as they \
         are sent, as {{id}}.{{timestamp}}.{{body}}."
    )]
    Wrong,
}

/// The headers of a signed call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Signed<'a> {
    pub(super) id: &'a str,
    pub(super) timestamp: &'a str,
    pub(super) signature: &'a str,
}

impl Secret {
    /// Reads `whsec_` with base64.
    pub(super) fn parse(text: &str) -> Result<Self, BadSecret> {
        let text = text.strip_prefix(PREFIX).ok_or(BadSecret::Prefix)?;
        let bytes = STANDARD.decode(text).map_err(|_| BadSecret::Base64)?;
        if bytes.len() < LEAST {
            return Err(BadSecret::Short);
        }
        // HMAC takes keys of any length.
        let mac = Hmac::new_from_slice(&bytes).map_err(|_| BadSecret::Short)?;
        Ok(Self(mac))
    }

    fn mac(&self, id: &str, timestamp: &str, body: &[u8]) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        for part in [id.as_bytes(), b".", timestamp.as_bytes(), b".", body] {
            mac.update(part);
        }
        mac
    }

    /// The values of `webhook-timestamp` and `webhook-signature`.
    pub(super) fn sign(&self, id: &str, now: Timestamp, body: &[u8]) -> (String, String) {
        let timestamp = now.as_millis().div_euclid(1000).to_string();
        let mac = self.mac(id, &timestamp, body).finalize().into_bytes();
        let signature = format!("{VERSION}{}", STANDARD.encode(mac));
        (timestamp, signature)
    }

    /// Whether a call of about now was signed with this secret. Signatures are compared in
    /// constant time.
    pub(super) fn verify(
        &self,
        signed: Signed<'_>,
        body: &[u8],
        now: Timestamp,
    ) -> Result<(), Unsigned> {
        let Signed {
            id,
            timestamp,
            signature,
        } = signed;
        // A full stop would let one signature be good for two ways to cut the text.
        let is_plain = |b: u8| b.is_ascii_graphic() && b != b'.';
        if id.is_empty() || id.len() > ID_MAX || !id.bytes().all(is_plain) {
            return Err(Unsigned::Id);
        }
        timely(timestamp, now)?;
        let mut signatures = signature
            .split_ascii_whitespace()
            .filter_map(|one| one.strip_prefix(VERSION))
            .peekable();
        signatures.peek().ok_or(Unsigned::Version)?;
        let mac = self.mac(id, timestamp, body);
        let matches = |one: &str| match STANDARD.decode(one) {
            Ok(bytes) => mac.clone().verify_slice(&bytes).is_ok(),
            Err(_) => false,
        };
        match signatures.any(matches) {
            true => Ok(()),
            false => Err(Unsigned::Wrong),
        }
    }
}

fn timely(timestamp: &str, now: Timestamp) -> Result<(), Unsigned> {
    // At most twelve digits, so that milliseconds do not overflow; no sign.
    let is_number = timestamp.bytes().all(|b| b.is_ascii_digit()) && timestamp.len() <= 12;
    let seconds: i64 = match timestamp.parse() {
        Ok(seconds) if is_number => seconds,
        _ => return Err(Unsigned::Time),
    };
    let at = Timestamp::from_millis(seconds * 1000);
    // Whole seconds are compared, as both sides send them.
    let now = Timestamp::from_millis(now.as_millis().div_euclid(1000) * 1000);
    if now.since(at) > TOLERANCE {
        Err(Unsigned::Old(now.since(at).as_secs()))
    } else if at.since(now) > TOLERANCE {
        Err(Unsigned::Future(at.since(now).as_secs()))
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
