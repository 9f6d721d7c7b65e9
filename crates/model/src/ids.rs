//! Typed identifiers. Fields are private: a value of one of these types has
//! passed its checks, so the rest of the system never checks again. Those that are texts
//! share it when they are cloned.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use uuid::Uuid;

/// Why an identifier was refused. The message names the value's kind and rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind} {value:?} is not valid: {rule}")]
pub struct IdError {
    kind: &'static str,
    value: String,
    rule: &'static str,
}

impl IdError {
    fn new(kind: &'static str, value: &str, rule: &'static str) -> Self {
        let value = value.chars().take(80).collect();
        Self { kind, value, rule }
    }
}

/// Longest platform-native id that is accepted, in bytes.
const NATIVE_MAX: usize = 256;

/// A tenant. Lower-case letters, digits, `-` and `_`, 1 to 63 characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SpaceId(Arc<str>);

impl SpaceId {
    /// Parses a space name.
    ///
    /// # Errors
    /// When the name does not follow the pattern.
    pub fn parse(value: &str) -> Result<Self, IdError> {
        let ok = !value.is_empty()
            && value.len() <= 63
            && value.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
            && value
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_');
        if ok {
            Ok(Self(value.into()))
        } else {
            Err(IdError::new(
                "space",
                value,
                "use 1 to 63 of a-z, 0-9, '-' and '_', starting with a letter or digit",
            ))
        }
    }

    /// The space of events that concern all spaces, and of records that nobody can read. Who may do everything in
    /// it looks after the whole installation.
    #[must_use]
    pub fn system() -> Self {
        Self("system".into())
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A channel of one platform, written `platform:native`, for example
/// `irc:#ubuntu`. `/` in the native part is kept as `%2F`, because `/`
/// separates the parts of a record key.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ChannelId(Arc<str>);

impl ChannelId {
    /// Builds a channel id from a platform name and the platform's own id.
    ///
    /// # Errors
    /// When either part is empty, too long or has control characters.
    pub fn new(platform: &str, native: &str) -> Result<Self, IdError> {
        Self::parse(&format!("{platform}:{}", native.replace('/', "%2F")))
    }

    /// Parses `platform:native`.
    ///
    /// # Errors
    /// As [`ChannelId::new`].
    pub fn parse(value: &str) -> Result<Self, IdError> {
        const RULE: &str = "write platform:channel; platform of a-z, 0-9, '-'; channel of 1 to 256 \
                            characters without '/', blanks or control characters";
        let refuse = || IdError::new("channel", value, RULE);
        let (platform, native) = value.split_once(':').ok_or_else(refuse)?;
        let platform_ok = !platform.is_empty()
            && platform.len() <= 32
            && platform
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        let native_ok = !native.is_empty()
            && native.len() <= NATIVE_MAX
            && !native
                .chars()
                .any(|c| c == '/' || c.is_control() || c.is_whitespace());
        if platform_ok && native_ok {
            Ok(Self(value.into()))
        } else {
            Err(refuse())
        }
    }

    /// `platform:native` as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The platform part.
    #[must_use]
    pub fn platform(&self) -> &str {
        self.0.split_once(':').map_or("", |(platform, _)| platform)
    }

    /// The platform's own id of the channel (with `/` as `%2F`).
    #[must_use]
    pub fn native(&self) -> &str {
        self.0.split_once(':').map_or("", |(_, native)| native)
    }
}

macro_rules! text_id {
    ($name:ident) => {
        impl TryFrom<String> for $name {
            type Error = IdError;
            fn try_from(value: String) -> Result<Self, IdError> {
                Self::parse(&value)
            }
        }
        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0.as_ref().to_owned()
            }
        }
        impl FromStr for $name {
            type Err = IdError;
            fn from_str(value: &str) -> Result<Self, IdError> {
                Self::parse(value)
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}
text_id!(SpaceId);
text_id!(ChannelId);

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident, $kind:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps an id that was made by this system, for example one read back from a table.
            #[must_use]
            pub const fn from_uuid(id: Uuid) -> Self {
                Self(id)
            }
            /// The id as a UUID.
            #[must_use]
            pub const fn as_uuid(&self) -> Uuid {
                self.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
        impl FromStr for $name {
            type Err = IdError;
            fn from_str(value: &str) -> Result<Self, IdError> {
                Uuid::parse_str(value)
                    .map(Self)
                    .map_err(|_| IdError::new($kind, value, "write a UUID"))
            }
        }
    };
}
uuid_id!(
    /// Names one event for ever. Equal content from the same source has an equal id.
    EventId, "event id"
);
uuid_id!(
    /// Names one message; equal to the id of the event that posted it.
    MessageId, "message id"
);
uuid_id!(
    /// Names one case.
    CaseId, "case id"
);
uuid_id!(
    /// Names one answer.
    AnswerId, "answer id"
);
uuid_id!(
    /// Names one memory.
    MemoryId, "memory id"
);
uuid_id!(
    /// A sender as a keyed hash of (space, platform, native id), cut to 128 bits.
    PersonId, "person id"
);

/// Namespace of every UUIDv5 made here (itself a random UUID, fixed for ever).
const NAMESPACE: Uuid = Uuid::from_u128(0x7d1c_8a5e_42b7_4f0e_9c36_51f2_08ad_6e93);

/// UUIDv5 of the parts, each preceded by its length so that no two different
/// lists of parts read the same.
fn uuid_of(parts: &[&str]) -> Uuid {
    let mut bytes = Vec::with_capacity(parts.iter().map(|p| p.len() + 8).sum());
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
        bytes.extend_from_slice(part.as_bytes());
    }
    Uuid::new_v5(&NAMESPACE, &bytes)
}

impl EventId {
    /// Id of an event that a processor decided: (group, cause, ordinal).
    #[must_use]
    pub fn decided(group: &str, cause: EventId, ordinal: usize) -> Self {
        Self(uuid_of(&[
            "decided",
            group,
            &cause.to_string(),
            &ordinal.to_string(),
        ]))
    }

    /// Id of the cause that a timer is: (group, key, timer, due time in ms).
    #[must_use]
    pub fn timer(group: &str, key: &Key, name: &str, due_ms: i64) -> Self {
        Self(uuid_of(&[
            "timer",
            group,
            key.as_str(),
            name,
            &due_ms.to_string(),
        ]))
    }

    /// Id of an event that is named by its content, for example a skip of one record.
    #[must_use]
    pub fn of_content(kind: &str, parts: &[&str]) -> Self {
        let mut all = vec!["content", kind];
        all.extend_from_slice(parts);
        Self(uuid_of(&all))
    }
}

impl CaseId {
    /// Id of a case that an extractor found: named by the event that first carries it.
    #[must_use]
    pub fn first_carried_by(event: EventId) -> Self {
        Self(uuid_of(&["case", &event.to_string()]))
    }
}

impl AnswerId {
    /// Id of an answer: named by the event that carries it.
    #[must_use]
    pub fn carried_by(event: EventId) -> Self {
        Self(uuid_of(&["answer", &event.to_string()]))
    }
}

impl MemoryId {
    /// Id of a memory: named by its home and what it is because of, so that the same wish makes one.
    #[must_use]
    pub fn of_request(home: &Key, because: &str) -> Self {
        Self(uuid_of(&["memory", home.as_str(), because]))
    }

    /// Id of the exchange that begins with an answer.
    #[must_use]
    pub fn of_exchange(answer: AnswerId) -> Self {
        Self(uuid_of(&["exchange", &answer.to_string()]))
    }
}

/// The parts of a platform event's id.
#[derive(Debug, Clone, Copy)]
pub enum PlatformEvent<'a> {
    /// A message, by its native id.
    Message(&'a str),
    /// An edit of a message: native id and revision.
    Edit(&'a str, i64),
    /// A redaction of a message.
    Redaction(&'a str),
    /// A reaction added (`true`) or removed: message, person's native id, emoji,
    /// and the platform's update id or, without one, its time.
    Reaction(&'a str, &'a str, &'a str, bool, &'a str),
    /// The end of imported history, by the gateway's name for that history.
    HistoryEnded(&'a str),
    /// The erasure of a person, who is named by the id that stands for them.
    PersonErasure(&'a str),
}

impl PlatformEvent<'_> {
    /// The event id: UUIDv5 of (space, channel, native id, kind, and the revision or occurrence
    /// that distinguishes repeats).
    #[must_use]
    pub fn id(&self, space: &SpaceId, channel: &ChannelId) -> EventId {
        let (space, channel) = (space.as_str(), channel.as_str());
        EventId(match self {
            Self::Message(native) => uuid_of(&[space, channel, native, "message"]),
            Self::Edit(native, revision) => {
                uuid_of(&[space, channel, native, "edit", &revision.to_string()])
            }
            Self::Redaction(native) => uuid_of(&[space, channel, native, "redaction"]),
            Self::Reaction(native, person, emoji, added, occurrence) => {
                let kind = if *added {
                    "reaction"
                } else {
                    "reaction-removed"
                };
                uuid_of(&[space, channel, native, kind, person, emoji, occurrence])
            }
            Self::HistoryEnded(native) => uuid_of(&[space, channel, native, "history-ended"]),
            Self::PersonErasure(person) => uuid_of(&[space, channel, person, "person-erasure"]),
        })
    }
}

impl MessageId {
    /// The id of the message with this native id, whether or not it was seen yet.
    #[must_use]
    pub fn of_native(space: &SpaceId, channel: &ChannelId, native: &str) -> Self {
        Self(PlatformEvent::Message(native).id(space, channel).as_uuid())
    }
}

/// Turns native sender ids into [`PersonId`]s with a secret key (HMAC-SHA-256).
/// Without the key a hash cannot be tied to a native id by guessing.
#[derive(Clone)]
pub struct PersonHasher(Hmac<Sha256>);

impl fmt::Debug for PersonHasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PersonHasher(***)")
    }
}

impl PersonHasher {
    /// A hasher with a 32-byte key.
    #[must_use]
    #[expect(clippy::missing_panics_doc, reason = "HMAC takes keys of any length")]
    pub fn new(key: &[u8; 32]) -> Self {
        #[expect(clippy::expect_used, reason = "HMAC takes keys of any length")]
        Self(Hmac::new_from_slice(key).expect("HMAC takes keys of any length"))
    }

    /// The person behind a platform's native sender id in a space.
    #[must_use]
    pub fn person(&self, space: &SpaceId, platform: &str, native: &str) -> PersonId {
        let mut mac = self.0.clone();
        for part in [space.as_str(), platform, native] {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        let digest = mac.finalize().into_bytes();
        let mut cut = [0; 16];
        cut.copy_from_slice(&digest[..16]);
        PersonId(Uuid::from_bytes(cut))
    }
}

/// The key of a record: `space/channel`, `space/bank` and `space/person/id` of memories, `space`, or
/// `topic/partition` on `log.skips`. Decides the partition; never empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Key(Arc<str>);

impl Key {
    /// The key of everything that happens in a channel.
    #[must_use]
    pub fn of_channel(space: &SpaceId, channel: &ChannelId) -> Self {
        Self(format!("{space}/{channel}").into())
    }

    /// The key of a space's settings.
    #[must_use]
    pub fn of_space(space: &SpaceId) -> Self {
        Self(Arc::clone(&space.0))
    }

    /// The key of what everybody in a space may be told.
    #[must_use]
    pub fn of_bank(space: &SpaceId) -> Self {
        Self(format!("{space}/bank").into())
    }

    /// The key of what is remembered of a person.
    #[must_use]
    pub fn of_person(space: &SpaceId, person: PersonId) -> Self {
        Self(format!("{space}/person/{person}").into())
    }

    /// A key, read from a record.
    ///
    /// # Errors
    /// When it is empty, over 512 bytes or has control characters.
    pub fn parse(value: &str) -> Result<Self, IdError> {
        if value.is_empty() || value.len() > 512 || value.chars().any(char::is_control) {
            return Err(IdError::new(
                "record key",
                value,
                "use 1 to 512 bytes without control characters",
            ));
        }
        Ok(Self(value.into()))
    }

    /// The space at the beginning of the key; the rest is ignored.
    ///
    /// # Errors
    /// When the key does not begin with a space.
    pub fn space(&self) -> Result<SpaceId, IdError> {
        let space = self
            .0
            .split_once('/')
            .map_or(self.as_str(), |(space, _)| space);
        SpaceId::parse(space)
    }

    /// The space and channel of a `space/channel` key.
    ///
    /// # Errors
    /// When the key has another form.
    pub fn channel(&self) -> Result<(SpaceId, ChannelId), IdError> {
        let (space, channel) = self
            .0
            .split_once('/')
            .ok_or_else(|| IdError::new("record key", &self.0, "write space/platform:channel"))?;
        Ok((SpaceId::parse(space)?, ChannelId::parse(channel)?))
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Key {
    fn from(key: String) -> Self {
        Self(key.into())
    }
}

impl From<Key> for String {
    fn from(key: Key) -> Self {
        key.0.as_ref().to_owned()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests;
