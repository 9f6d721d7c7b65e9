//! One statement and one reading per table: the way back from columns to the
//! rows that `threadlore-fold` folds, digests and compares.

use sqlx::postgres::PgRow;
use sqlx::{Error, Row as _};
use threadlore_fold::{
    ChannelRow, ConfirmationRow, EvidenceRow, MessageRow, ReactionRow, TableRow, VectorRow,
};
use threadlore_model::{
    Case, CaseId, ChannelId, Confirmation, Evidence, MessageId, Part, PersonId, Signal, SpaceId,
    Timestamp,
};
use threadlore_ports::Generation;
use uuid::Uuid;

use crate::types::Moment;

/// Puts the schema of a build into a statement. Safe as text: a schema's name is
/// a projection's name and a number.
pub(crate) fn of(statement: &str, generation: Generation) -> String {
    statement.replace("{schema}", &generation.schema())
}

/// A table row that can be read back.
pub(crate) trait Stored: TableRow + Sized + Send {
    /// Reads all rows; the table is called `t`.
    const SELECT: &'static str;
    /// The columns of the key.
    const ORDER: &'static str;
    /// One row.
    fn read(row: &PgRow) -> Result<Self, Error>;
}

fn parsed<T>(row: &PgRow, column: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, Error> {
    let text: &str = row.try_get(column)?;
    parse(text).ok_or_else(|| Error::ColumnDecode {
        index: column.to_owned(),
        source: "the value is none that Threadlore writes".into(),
    })
}

pub(crate) fn space(row: &PgRow) -> Result<SpaceId, Error> {
    parsed(row, "space", |text| SpaceId::parse(text).ok())
}

fn channel(row: &PgRow) -> Result<ChannelId, Error> {
    parsed(row, "channel", |text| ChannelId::parse(text).ok())
}

pub(crate) fn case(row: &PgRow) -> Result<CaseId, Error> {
    row.try_get("case_id").map(CaseId::from_uuid)
}

fn message(row: &PgRow) -> Result<MessageId, Error> {
    row.try_get("message").map(MessageId::from_uuid)
}

fn person(row: &PgRow) -> Result<PersonId, Error> {
    row.try_get("person").map(PersonId::from_uuid)
}

fn time(row: &PgRow, column: &str) -> Result<Timestamp, Error> {
    row.try_get(column).map(|Moment(at)| at)
}

fn time_or_null(row: &PgRow, column: &str) -> Result<Option<Timestamp>, Error> {
    let at: Option<Moment> = row.try_get(column)?;
    Ok(at.map(|Moment(at)| at))
}

fn people(row: &PgRow, column: &str) -> Result<Vec<PersonId>, Error> {
    let ids: Vec<Uuid> = row.try_get(column)?;
    Ok(ids.into_iter().map(PersonId::from_uuid).collect())
}

pub(crate) fn part(row: &PgRow) -> Result<Part, Error> {
    parsed(row, "part", |text| match text {
        "problem" => Some(Part::Problem),
        "solution" => Some(Part::Solution),
        "context" => Some(Part::Context),
        _ => None,
    })
}

fn signal(row: &PgRow) -> Result<Option<Signal>, Error> {
    let text: Option<&str> = row.try_get("signal")?;
    text.map(|_| {
        parsed(row, "signal", |text| match text {
            "reaction" => Some(Signal::Reaction),
            "thanks" => Some(Signal::Thanks),
            "thread_end" => Some(Signal::ThreadEnd),
            _ => None,
        })
    })
    .transpose()
}

impl Stored for MessageRow {
    const SELECT: &'static str = "SELECT space, message, channel, person, native_id, name, text, \
        bot, reply_to, mentions, sent_at, revision, edited_at, redacted_at FROM {schema}.messages t";
    const ORDER: &'static str = "space, message";
    fn read(row: &PgRow) -> Result<Self, Error> {
        let reply_to: Option<Uuid> = row.try_get("reply_to")?;
        let person: Option<Uuid> = row.try_get("person")?;
        Ok(Self {
            space: space(row)?,
            message: message(row)?,
            channel: channel(row)?,
            person: person.map(PersonId::from_uuid),
            native_id: row.try_get("native_id")?,
            name: row.try_get("name")?,
            text: row.try_get("text")?,
            bot: row.try_get("bot")?,
            reply_to: reply_to.map(MessageId::from_uuid),
            mentions: people(row, "mentions")?,
            sent_at: time_or_null(row, "sent_at")?,
            revision: row.try_get("revision")?,
            edited_at: time_or_null(row, "edited_at")?,
            redacted_at: time_or_null(row, "redacted_at")?,
        })
    }
}

impl Stored for ReactionRow {
    const SELECT: &'static str =
        "SELECT space, message, person, emoji, channel, at FROM {schema}.reactions t";
    const ORDER: &'static str = "space, message, person, emoji";
    fn read(row: &PgRow) -> Result<Self, Error> {
        Ok(Self {
            space: space(row)?,
            channel: channel(row)?,
            message: message(row)?,
            person: person(row)?,
            emoji: row.try_get("emoji")?,
            at: time(row, "at")?,
        })
    }
}

/// Without evidence and confirmations: they are rows of their own.
impl Stored for Case {
    const SELECT: &'static str = "SELECT space, case_id, channel, version, title, problem, \
        solution, tags, signal, closing_emoji, engine, opened_at, solved_at, archived_at, \
        changed_at, erased_at, merged_into FROM {schema}.cases t";
    const ORDER: &'static str = "space, case_id";
    fn read(row: &PgRow) -> Result<Self, Error> {
        Ok(Self {
            space: space(row)?,
            case: case(row)?,
            channel: channel(row)?,
            version: row.try_get("version")?,
            title: row.try_get("title")?,
            problem: row.try_get("problem")?,
            solution: row.try_get("solution")?,
            tags: row.try_get("tags")?,
            evidence: Vec::new(),
            signal: signal(row)?,
            confirmations: std::collections::BTreeSet::new(),
            closing_emoji: row.try_get("closing_emoji")?,
            engine: row.try_get("engine")?,
            opened_at: time(row, "opened_at")?,
            solved_at: time_or_null(row, "solved_at")?,
            archived_at: time_or_null(row, "archived_at")?,
            changed_at: time(row, "changed_at")?,
            erased_at: time_or_null(row, "erased_at")?,
            merged_into: row
                .try_get::<Option<Uuid>, _>("merged_into")?
                .map(CaseId::from_uuid),
        })
    }
}

impl Stored for EvidenceRow {
    const SELECT: &'static str =
        "SELECT space, case_id, position, message, part, revision FROM {schema}.case_evidence t";
    const ORDER: &'static str = "space, case_id, position";
    fn read(row: &PgRow) -> Result<Self, Error> {
        Ok(Self {
            space: space(row)?,
            case: case(row)?,
            position: row.try_get("position")?,
            evidence: Evidence {
                message: message(row)?,
                part: part(row)?,
                revision: row.try_get("revision")?,
            },
        })
    }
}

impl Stored for ConfirmationRow {
    const SELECT: &'static str =
        "SELECT space, case_id, message, person, emoji FROM {schema}.case_confirmations t";
    const ORDER: &'static str = "space, case_id, message, person, emoji";
    fn read(row: &PgRow) -> Result<Self, Error> {
        Ok(Self {
            space: space(row)?,
            case: case(row)?,
            confirmation: Confirmation {
                message: message(row)?,
                person: person(row)?,
                emoji: row.try_get("emoji")?,
            },
        })
    }
}

impl Stored for ChannelRow {
    const SELECT: &'static str =
        "SELECT space, channel, admins, configured_at FROM {schema}.channels t";
    const ORDER: &'static str = "space, channel";
    fn read(row: &PgRow) -> Result<Self, Error> {
        Ok(Self {
            space: space(row)?,
            channel: channel(row)?,
            admins: people(row, "admins")?,
            configured_at: time(row, "configured_at")?,
        })
    }
}

/// A source as it was written: 32 bytes.
pub(crate) fn source(row: &PgRow) -> Result<[u8; 32], Error> {
    let bytes: &[u8] = row.try_get("source")?;
    bytes.try_into().map_err(|_| Error::ColumnDecode {
        index: "source".to_owned(),
        source: "the value is none that Threadlore writes".into(),
    })
}

impl Stored for VectorRow {
    const SELECT: &'static str =
        "SELECT space, case_id, model, source, vector, computed_at FROM {schema}.vectors t";
    const ORDER: &'static str = "space, case_id, model, source";
    fn read(row: &PgRow) -> Result<Self, Error> {
        Ok(Self {
            space: space(row)?,
            case: case(row)?,
            model: row.try_get("model")?,
            source: source(row)?,
            vector: row.try_get("vector")?,
            computed_at: time(row, "computed_at")?,
        })
    }
}
