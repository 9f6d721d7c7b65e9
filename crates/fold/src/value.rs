//! Values of columns, in a form that all stores share, and the types that columns hold.

use std::borrow::Cow;
use std::fmt;

use threadlore_model::{
    AnswerId, AnswerOutcome, Audience, CaseId, ChannelId, DeliveryAction, DeliveryResult, EventId,
    GateTag, MemoryArchiveReason, MemoryHome, MemoryId, MemoryTier, MessageId, Mode, OutcomeSource,
    Part, PersonId, Rating, Signal, SpaceId, Timestamp, TurnOutcome,
};
use uuid::Uuid;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// True or false.
    Bool,
    /// A whole number.
    Int,
    /// A text.
    Text,
    /// A UUID.
    Uuid,
    /// A moment.
    Time,
    /// Bytes.
    Bytes,
    /// UUIDs in an order that matters.
    Uuids,
    /// Texts in an order that matters.
    Texts,
}

/// A column's value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value<'a> {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A text.
    Text(&'a str),
    /// A UUID.
    Uuid(Uuid),
    /// Milliseconds since the Unix epoch.
    Time(i64),
    /// UUIDs in an order that matters.
    Uuids(Vec<Uuid>),
    /// Texts in an order that matters.
    Texts(Vec<Cow<'a, str>>),
    /// Bytes.
    Bytes(&'a [u8]),
}

impl Value<'_> {
    /// Writes the canonical form: a type byte and, where its length varies, the length as eight
    /// bytes.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let mut tagged = |tag: u8, bytes: &[u8]| {
            out.push(tag);
            out.extend_from_slice(bytes);
        };
        match self {
            Self::Null => tagged(0, &[]),
            Self::Bool(value) => tagged(1, &[u8::from(*value)]),
            Self::Int(value) => tagged(2, &value.to_be_bytes()),
            Self::Text(text) => {
                tagged(3, &(text.len() as u64).to_be_bytes());
                out.extend_from_slice(text.as_bytes());
            }
            Self::Uuid(id) => tagged(4, id.as_bytes()),
            Self::Time(ms) => tagged(5, &ms.to_be_bytes()),
            Self::Uuids(ids) => {
                tagged(6, &(ids.len() as u64).to_be_bytes());
                ids.iter().for_each(|id| Value::Uuid(*id).write(out));
            }
            Self::Texts(texts) => {
                tagged(6, &(texts.len() as u64).to_be_bytes());
                texts.iter().for_each(|text| Value::Text(text).write(out));
            }
            Self::Bytes(bytes) => {
                tagged(7, &(bytes.len() as u64).to_be_bytes());
                out.extend_from_slice(bytes);
            }
        }
    }
}

impl fmt::Display for Value<'_> {
    /// Shows keys only; no text of a message or a case is part of a key. The hash of a text can be,
    /// and is not shown, because it confirms a right guess.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("-"),
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) | Self::Time(value) => value.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Uuid(id) => id.fmt(f),
            Self::Uuids(ids) => write!(f, "{} values", ids.len()),
            Self::Texts(texts) => write!(f, "{} values", texts.len()),
            Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
        }
    }
}

/// A type that a column holds: how it becomes a [`Value`], and how it is read back.
pub trait ColumnType: Sized {
    /// The column's type.
    const KIND: Kind;
    /// The value.
    fn value(&self) -> Value<'_>;
    /// The type again; `None` for a value that was not made of it.
    fn read(value: &Value<'_>) -> Option<Self>;
}

/// Implements [`ColumnType`]: the kind of value, how it is made, how it is read.
macro_rules! column_type {
    ($($type:ty: $kind:ident, |$this:ident| $value:expr, |$read:pat_param| $back:expr;)+) => {$(
        impl ColumnType for $type {
            const KIND: Kind = Kind::$kind;
            fn value(&self) -> Value<'_> {
                let $this = self;
                Value::$kind($value)
            }
            fn read(value: &Value<'_>) -> Option<Self> {
                match value {
                    Value::$kind($read) => $back,
                    _ => None,
                }
            }
        }
    )+};
}

column_type! {
    bool: Bool, |this| *this, |value| Some(*value);
    i64: Int, |this| *this, |value| Some(*value);
    String: Text, |this| this, |text| Some((*text).to_owned());
    SpaceId: Text, |this| this.as_str(), |text| SpaceId::parse(text).ok();
    ChannelId: Text, |this| this.as_str(), |text| ChannelId::parse(text).ok();
    CaseId: Uuid, |this| this.as_uuid(), |id| Some(Self::from_uuid(*id));
    MessageId: Uuid, |this| this.as_uuid(), |id| Some(Self::from_uuid(*id));
    MemoryId: Uuid, |this| this.as_uuid(), |id| Some(Self::from_uuid(*id));
    AnswerId: Uuid, |this| this.as_uuid(), |id| Some(Self::from_uuid(*id));
    EventId: Uuid, |this| this.as_uuid(), |id| Some(Self::from_uuid(*id));
    PersonId: Uuid, |this| this.as_uuid(), |id| Some(Self::from_uuid(*id));
    Timestamp: Time, |this| this.as_millis(), |ms| Some(Self::from_millis(*ms));
    Vec<u8>: Bytes, |this| this, |bytes| Some(bytes.to_vec());
    [u8; 32]: Bytes, |this| this, |bytes| (*bytes).try_into().ok();
    Vec<PersonId>: Uuids,
        |this| this.iter().map(PersonId::as_uuid).collect(),
        |ids| Some(ids.iter().copied().map(PersonId::from_uuid).collect());
    Vec<MessageId>: Uuids,
        |this| this.iter().map(MessageId::as_uuid).collect(),
        |ids| Some(ids.iter().copied().map(MessageId::from_uuid).collect());
    Vec<String>: Texts,
        |this| this.iter().map(Cow::from).collect(),
        |texts| Some(texts.iter().map(|text| text.to_string()).collect());
    TurnOutcome: Text, |this| this.name(), |text| named(&Self::ALL, text);
    DeliveryAction: Text, |this| this.name(), |text| named(&Self::ALL, text);
    DeliveryResult: Text, |this| this.name(), |text| named(&Self::ALL, text);
    MemoryHome: Text, |this| this.name(), |text| named(&Self::ALL, text);
    MemoryTier: Text, |this| this.name(), |text| named(&Self::ALL, text);
    MemoryArchiveReason: Text, |this| this.name(), |text| named(&Self::ALL, text);
    AnswerOutcome: Text, |this| this.name(), |text| named(&Self::ALL, text);
    OutcomeSource: Text, |this| this.name(), |text| named(&Self::ALL, text);
    Rating: Text, |this| this.name(), |text| named(&Self::ALL, text);
    Audience: Text, |this| this.name(), |text| named(&Self::ALL, text);
    Mode: Text, |this| this.name(), |text| named(&Self::ALL, text);
    GateTag: Text, |this| this.name(), |text| named(&Self::ALL, text);
    Signal: Text,
        |this| match this {
            Self::Admin => "admin",
            Self::Reaction => "reaction",
            Self::Thanks => "thanks",
            Self::ThreadEnd => "thread_end",
        },
        |text| named(&[Self::Admin, Self::Reaction, Self::Thanks, Self::ThreadEnd], text);
    Part: Text,
        |this| match this {
            Self::Problem => "problem",
            Self::Solution => "solution",
            Self::Suggestion => "suggestion",
            Self::Context => "context",
        },
        |text| named(&[Self::Problem, Self::Solution, Self::Suggestion, Self::Context], text);
}

/// The one of `all` that is written so.
fn named<T: ColumnType + Copy>(all: &[T], text: &str) -> Option<T> {
    let mut all = all.iter().copied();
    all.find(|one| one.value() == Value::Text(text))
}

/// A column that may hold nothing.
impl<T: ColumnType> ColumnType for Option<T> {
    const KIND: Kind = T::KIND;
    fn value(&self) -> Value<'_> {
        self.as_ref().map_or(Value::Null, T::value)
    }
    fn read(value: &Value<'_>) -> Option<Self> {
        match value {
            Value::Null => Some(None),
            value => T::read(value).map(Some),
        }
    }
}
