//! Digests of tables: SHA-256 of each canonical row, combined by addition modulo
//! 2^256, so that neither the order of rows nor the storage matters; and the
//! same columns compared one by one.
//!
//! A canonical row is the table's name and the columns in the order given here,
//! each with a type byte and, where its length varies, its length as eight bytes.

use std::cmp::Ordering;
use std::fmt;

use sha2::{Digest as _, Sha256};
use threadlore_model::{
    Case, CaseId, Confirmation, Evidence, Part, Signal, SpaceId, Timestamp, Topic,
};
use uuid::Uuid;

use crate::{ChannelRow, MessageRow, ReactionRow, VectorRow};

/// A column's value in a form that all stores share.
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
    /// Whole numbers in an order that matters.
    Ints(Vec<i64>),
    /// UUIDs in an order that matters.
    Uuids(Vec<Uuid>),
    /// Texts in an order that matters.
    Texts(Vec<&'a str>),
    /// Bytes.
    Bytes(&'a [u8]),
}

impl Value<'_> {
    fn write(&self, out: &mut Vec<u8>) {
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
            Self::Ints(values) => {
                tagged(6, &(values.len() as u64).to_be_bytes());
                values
                    .iter()
                    .for_each(|value| Value::Int(*value).write(out));
            }
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
            Self::Ints(values) => write!(f, "{} values", values.len()),
            Self::Uuids(ids) => write!(f, "{} values", ids.len()),
            Self::Texts(texts) => write!(f, "{} values", texts.len()),
            Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
        }
    }
}

/// A row of one table, as digests and comparisons see it.
pub trait TableRow {
    /// The table's name.
    const TABLE: &'static str;
    /// How many of the columns, from the first on, are the key.
    const KEY: usize;
    /// The columns with their names, always in this order.
    fn columns(&self) -> Vec<(&'static str, Value<'_>)>;
}

/// A message that a case comes from, as a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceRow {
    /// The tenant.
    pub space: SpaceId,
    /// The case.
    pub case: CaseId,
    /// Its place among the case's evidence, from 0.
    pub position: i64,
    /// The message and its part.
    pub evidence: Evidence,
}

/// A confirmation of a case, as a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfirmationRow {
    /// The tenant.
    pub space: SpaceId,
    /// The case.
    pub case: CaseId,
    /// The confirmation.
    pub confirmation: Confirmation,
}

/// A case's evidence as rows.
pub fn evidence_rows(case: &Case) -> impl Iterator<Item = EvidenceRow> + '_ {
    (0..)
        .zip(&case.evidence)
        .map(|(position, evidence)| EvidenceRow {
            space: case.space.clone(),
            case: case.case,
            position,
            evidence: evidence.clone(),
        })
}

/// A case's confirmations as rows.
pub fn confirmation_rows(case: &Case) -> impl Iterator<Item = ConfirmationRow> + '_ {
    case.confirmations
        .iter()
        .map(|confirmation| ConfirmationRow {
            space: case.space.clone(),
            case: case.case,
            confirmation: confirmation.clone(),
        })
}

/// The signal as it is written in tables.
#[must_use]
pub const fn signal_name(signal: Signal) -> &'static str {
    match signal {
        Signal::Reaction => "reaction",
        Signal::Thanks => "thanks",
        Signal::ThreadEnd => "thread_end",
    }
}

/// The part as it is written in tables.
#[must_use]
pub const fn part_name(part: Part) -> &'static str {
    match part {
        Part::Problem => "problem",
        Part::Solution => "solution",
        Part::Context => "context",
    }
}

fn text(value: &Option<String>) -> Value<'_> {
    value.as_deref().map_or(Value::Null, Value::Text)
}

fn time(value: Timestamp) -> Value<'static> {
    Value::Time(value.as_millis())
}

fn time_or_null(value: Option<Timestamp>) -> Value<'static> {
    value.map_or(Value::Null, time)
}

impl TableRow for MessageRow {
    const TABLE: &'static str = "messages";
    const KEY: usize = 2;
    fn columns(&self) -> Vec<(&'static str, Value<'_>)> {
        let id_or_null = |id: Option<Uuid>| id.map_or(Value::Null, Value::Uuid);
        let mentions = self.mentions.iter().map(|p| p.as_uuid());
        vec![
            ("space", Value::Text(self.space.as_str())),
            ("message", Value::Uuid(self.message.as_uuid())),
            ("channel", Value::Text(self.channel.as_str())),
            ("person", id_or_null(self.person.map(|p| p.as_uuid()))),
            ("native_id", text(&self.native_id)),
            ("name", text(&self.name)),
            ("text", text(&self.text)),
            ("bot", Value::Bool(self.bot)),
            ("reply_to", id_or_null(self.reply_to.map(|m| m.as_uuid()))),
            ("mentions", Value::Uuids(mentions.collect())),
            ("sent_at", time_or_null(self.sent_at)),
            ("revision", Value::Int(self.revision)),
            ("edited_at", time_or_null(self.edited_at)),
            ("redacted_at", time_or_null(self.redacted_at)),
        ]
    }
}

impl TableRow for ReactionRow {
    const TABLE: &'static str = "reactions";
    const KEY: usize = 4;
    fn columns(&self) -> Vec<(&'static str, Value<'_>)> {
        vec![
            ("space", Value::Text(self.space.as_str())),
            ("message", Value::Uuid(self.message.as_uuid())),
            ("person", Value::Uuid(self.person.as_uuid())),
            ("emoji", Value::Text(&self.emoji)),
            ("channel", Value::Text(self.channel.as_str())),
            ("at", time(self.at)),
        ]
    }
}

/// The table `cases` only: evidence and confirmations are rows of their own.
impl TableRow for Case {
    const TABLE: &'static str = "cases";
    const KEY: usize = 2;
    fn columns(&self) -> Vec<(&'static str, Value<'_>)> {
        let tags = self.tags.iter().map(String::as_str).collect();
        let signal = self.signal.map(signal_name);
        vec![
            ("space", Value::Text(self.space.as_str())),
            ("case_id", Value::Uuid(self.case.as_uuid())),
            ("channel", Value::Text(self.channel.as_str())),
            ("version", Value::Int(self.version)),
            ("title", text(&self.title)),
            ("problem", text(&self.problem)),
            ("solution", text(&self.solution)),
            ("tags", Value::Texts(tags)),
            ("signal", signal.map_or(Value::Null, Value::Text)),
            ("closing_emoji", text(&self.closing_emoji)),
            ("engine", Value::Text(&self.engine)),
            ("opened_at", time(self.opened_at)),
            ("solved_at", time_or_null(self.solved_at)),
            ("archived_at", time_or_null(self.archived_at)),
            ("changed_at", time(self.changed_at)),
            ("erased_at", time_or_null(self.erased_at)),
            (
                "merged_into",
                self.merged_into
                    .map_or(Value::Null, |id| Value::Uuid(id.as_uuid())),
            ),
        ]
    }
}

impl TableRow for EvidenceRow {
    const TABLE: &'static str = "case_evidence";
    const KEY: usize = 3;
    fn columns(&self) -> Vec<(&'static str, Value<'_>)> {
        vec![
            ("space", Value::Text(self.space.as_str())),
            ("case_id", Value::Uuid(self.case.as_uuid())),
            ("position", Value::Int(self.position)),
            ("message", Value::Uuid(self.evidence.message.as_uuid())),
            ("part", Value::Text(part_name(self.evidence.part))),
            ("revision", Value::Int(self.evidence.revision)),
        ]
    }
}

impl TableRow for ConfirmationRow {
    const TABLE: &'static str = "case_confirmations";
    const KEY: usize = 5;
    fn columns(&self) -> Vec<(&'static str, Value<'_>)> {
        let one = &self.confirmation;
        vec![
            ("space", Value::Text(self.space.as_str())),
            ("case_id", Value::Uuid(self.case.as_uuid())),
            ("message", Value::Uuid(one.message.as_uuid())),
            ("person", Value::Uuid(one.person.as_uuid())),
            ("emoji", Value::Text(&one.emoji)),
        ]
    }
}

impl TableRow for ChannelRow {
    const TABLE: &'static str = "channels";
    const KEY: usize = 2;
    fn columns(&self) -> Vec<(&'static str, Value<'_>)> {
        let admins = self.admins.iter().map(|p| p.as_uuid());
        vec![
            ("space", Value::Text(self.space.as_str())),
            ("channel", Value::Text(self.channel.as_str())),
            ("admins", Value::Uuids(admins.collect())),
            ("configured_at", time(self.configured_at)),
        ]
    }
}

impl TableRow for VectorRow {
    const TABLE: &'static str = "vectors";
    const KEY: usize = 4;
    fn columns(&self) -> Vec<(&'static str, Value<'_>)> {
        vec![
            ("space", Value::Text(self.space.as_str())),
            ("case_id", Value::Uuid(self.case.as_uuid())),
            ("model", Value::Text(&self.model)),
            ("source", Value::Bytes(&self.source)),
            ("vector", Value::Bytes(&self.vector)),
            ("computed_at", time(self.computed_at)),
        ]
    }
}

/// Tables of the projection that is folded from a topic; none for other topics.
#[must_use]
pub const fn tables(topic: Topic) -> &'static [&'static str] {
    match topic {
        Topic::ChatEvents => &["messages", "reactions"],
        Topic::KnowledgeCases => &["cases", "case_evidence", "case_confirmations"],
        Topic::Settings => &["channels"],
        Topic::Vectors => &["vectors"],
        _ => &[],
    }
}

/// Digest of a table: the sum of its rows' SHA-256, modulo 2^256.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Digest {
    rows: u64,
    sum: [u8; 32],
}

impl Digest {
    /// Adds a row.
    pub fn add<R: TableRow>(&mut self, row: &R) {
        let mut bytes = Vec::with_capacity(256);
        Value::Text(R::TABLE).write(&mut bytes);
        for (_, value) in row.columns() {
            value.write(&mut bytes);
        }
        let hash: [u8; 32] = Sha256::digest(&bytes).into();
        let mut carry = 0;
        for (byte, add) in self.sum.iter_mut().zip(hash).rev() {
            let sum = u16::from(*byte) + u16::from(add) + carry;
            *byte = (sum & 0xff) as u8;
            carry = sum >> 8;
        }
        self.rows += 1;
    }

    /// Rows added.
    #[must_use]
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// The sum as 64 hexadecimal digits.
    #[must_use]
    pub fn hex(&self) -> String {
        self.sum.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A difference between two rows or two sorted tables: the row's key and the column, or `*` if the
/// whole row is missing on one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The table.
    pub table: &'static str,
    /// The key's values, joined by `/`.
    pub row: String,
    /// The column.
    pub column: &'static str,
}

/// The order of two rows of one table by their keys.
#[must_use]
pub fn by_key<R: TableRow>(a: &R, b: &R) -> Ordering {
    let (a, b) = (a.columns(), b.columns());
    a[..R::KEY]
        .iter()
        .map(|(_, value)| value)
        .cmp(b[..R::KEY].iter().map(|(_, value)| value))
}

/// The differences between two rows of one key; one of the rows may be missing.
#[must_use]
pub fn differences<R: TableRow>(a: Option<&R>, b: Option<&R>) -> Vec<Difference> {
    let Some(columns) = a.or(b).map(TableRow::columns) else {
        return Vec::new();
    };
    let key: Vec<String> = columns[..R::KEY]
        .iter()
        .map(|(_, value)| value.to_string())
        .collect();
    let at = |column| Difference {
        table: R::TABLE,
        row: key.join("/"),
        column,
    };
    match (a, b) {
        (Some(_), Some(b)) => columns
            .iter()
            .zip(b.columns())
            .filter(|(a, b)| a.1 != b.1)
            .map(|(a, _)| at(a.0))
            .collect(),
        _ => vec![at("*")],
    }
}

/// The differences between two tables, each ascending by key.
pub fn merge<R: TableRow>(
    a: impl Iterator<Item = R>,
    b: impl Iterator<Item = R>,
) -> Vec<Difference> {
    let (mut a, mut b) = (a.peekable(), b.peekable());
    let mut found = Vec::new();
    loop {
        let order = match (a.peek(), b.peek()) {
            (None, None) => return found,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => by_key(a, b),
        };
        let left = if order.is_le() { a.next() } else { None };
        let right = if order.is_ge() { b.next() } else { None };
        found.extend(differences(left.as_ref(), right.as_ref()));
    }
}

#[cfg(test)]
mod tests;
