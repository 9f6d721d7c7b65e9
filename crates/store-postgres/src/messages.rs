//! The messages of a channel, as they were said, and the cases that they are evidence of.

use sqlx::Row as _;
use sqlx::postgres::PgRow;
use threadlore_model::{CaseId, ChannelId, MessageId, Part, PersonId, Timestamp};
use threadlore_ports::{PortError, Projection, Scope};
use uuid::Uuid;

use crate::PostgresStore;
use crate::error::failed;
use crate::rows::{cell, of};
use crate::types::Moment;

/// A message whose post has arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelMessage {
    /// The message.
    pub message: MessageId,
    /// The id that the platform gave it.
    pub native_id: String,
    /// Who wrote it.
    pub person: PersonId,
    /// The writer's name, unless erased or unknown.
    pub name: Option<String>,
    /// The text, unless erased or redacted.
    pub text: Option<String>,
    /// When.
    pub sent_at: Timestamp,
    /// The message that it replies to, where the platform says so.
    pub reply_to: Option<MessageId>,
    /// The message with which its thread begins, where the platform says so.
    pub thread: Option<MessageId>,
    /// The people that it mentions, according to the platform.
    pub mentions: Vec<PersonId>,
    /// Written by a bot.
    pub bot: bool,
}

/// Where messages of a channel end that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessagesEnd {
    /// At the latest one.
    Latest,
    /// Before this one.
    Before(MessageId),
    /// With this one.
    With(MessageId),
}

/// The order of messages: those of the same moment by the platform's ids, of which longer ones are later, as numbers
/// are.
const PLACE: &str = "sent_at, length(native_id), native_id COLLATE \"C\", message";

impl PostgresStore {
    /// Messages of a channel, up to `limit`, the latest first. Those of the same moment stand in
    /// the order of the platform's ids, of which longer ones are later: that of numbers.
    ///
    /// # Errors
    /// The database cannot be reached, or holds a row that cannot be understood.
    pub async fn messages(
        &self,
        scope: &Scope,
        channel: &ChannelId,
        (end, limit): (MessagesEnd, u32),
    ) -> Result<Vec<ChannelMessage>, PortError> {
        let (last, within) = match end {
            MessagesEnd::Latest => (None, "<"),
            MessagesEnd::Before(message) => (Some(message), "<"),
            MessagesEnd::With(message) => (Some(message), "<="),
        };
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(build) = live.of(Projection::Messages) else {
                return Ok(Vec::new());
            };
            // The first condition on the place lets the index begin there.
            let statement = "SELECT message, native_id, person, name, text, sent_at, reply_to, thread, mentions, bot \
                 FROM {schema}.messages \
                 WHERE space = $1 AND channel = $2 AND sent_at IS NOT NULL AND ($3::uuid IS NULL OR ( \
                     sent_at <= (SELECT sent_at FROM {schema}.messages WHERE space = $1 AND message = $3) \
                     AND ({place}) {within} \
                         (SELECT {place} FROM {schema}.messages WHERE space = $1 AND message = $3))) \
                 ORDER BY sent_at DESC, length(native_id) DESC, native_id COLLATE \"C\" DESC, message DESC \
                 LIMIT $4"
                .replace("{place}", PLACE)
                .replace("{within}", within);
            sqlx::query(&of(&statement, build))
                .bind(scope.space().as_str())
                .bind(channel.as_str())
                .bind(last.map(|message| message.as_uuid()))
                .bind(i64::from(limit))
                .fetch_all(&mut *tx)
                .await?
                .iter()
                .map(message)
                .collect()
        };
        read.await
            .map_err(failed("reading the messages of a channel"))
    }

    /// The last of up to `limit` messages behind one in its channel; the message itself where it is the latest.
    ///
    /// # Errors
    /// As [`PostgresStore::messages`].
    pub async fn later(
        &self,
        scope: &Scope,
        (channel, message): (&ChannelId, MessageId),
        limit: u32,
    ) -> Result<MessageId, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(build) = live.of(Projection::Messages) else {
                return Ok(None);
            };
            let statement = "SELECT message FROM {schema}.messages \
                 WHERE space = $1 AND channel = $2 AND sent_at IS NOT NULL \
                     AND sent_at >= (SELECT sent_at FROM {schema}.messages WHERE space = $1 AND message = $3) \
                     AND ({place}) > \
                         (SELECT {place} FROM {schema}.messages WHERE space = $1 AND message = $3) \
                 ORDER BY {place} LIMIT $4"
                .replace("{place}", PLACE);
            let later: Vec<Uuid> = sqlx::query_scalar(&of(&statement, build))
                .bind(scope.space().as_str())
                .bind(channel.as_str())
                .bind(message.as_uuid())
                .bind(i64::from(limit))
                .fetch_all(&mut *tx)
                .await?;
            Ok(later.last().copied().map(MessageId::from_uuid))
        };
        let last = read
            .await
            .map_err(failed("reading what was said behind a message"))?;
        Ok(last.unwrap_or(message))
    }

    /// The cases that these messages are evidence of, with their part. A merged case is replaced by the one it was merged
    /// into, and an erased one is left out.
    ///
    /// # Errors
    /// As [`PostgresStore::messages`].
    pub async fn cases_from(
        &self,
        scope: &Scope,
        messages: &[MessageId],
    ) -> Result<Vec<(MessageId, Part, CaseId)>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(build) = live.of(Projection::Cases) else {
                return Ok(Vec::new());
            };
            let statement = "SELECT DISTINCT e.message, e.part, coalesce(c.merged_into, c.case_id) AS kept_case \
                 FROM {schema}.case_evidence e \
                 JOIN {schema}.cases c ON c.space = e.space AND c.case_id = e.case_id \
                 WHERE e.space = $1 AND e.message = ANY ($2) AND c.erased_at IS NULL \
                 ORDER BY e.message, kept_case";
            let ids: Vec<Uuid> = messages.iter().map(|id| id.as_uuid()).collect();
            sqlx::query(&of(statement, build))
                .bind(scope.space().as_str())
                .bind(ids)
                .fetch_all(&mut *tx)
                .await?
                .iter()
                .map(|row| {
                    Ok((
                        MessageId::from_uuid(row.try_get("message")?),
                        cell(row, "part")?,
                        CaseId::from_uuid(row.try_get("kept_case")?),
                    ))
                })
                .collect()
        };
        read.await.map_err(failed("reading the cases of messages"))
    }
}

fn message(row: &PgRow) -> Result<ChannelMessage, sqlx::Error> {
    let Moment(sent_at) = row.try_get("sent_at")?;
    let reply_to: Option<Uuid> = row.try_get("reply_to")?;
    let thread: Option<Uuid> = row.try_get("thread")?;
    let mentions: Vec<Uuid> = row.try_get("mentions")?;
    Ok(ChannelMessage {
        message: MessageId::from_uuid(row.try_get("message")?),
        native_id: row.try_get("native_id")?,
        person: PersonId::from_uuid(row.try_get("person")?),
        name: row.try_get("name")?,
        text: row.try_get("text")?,
        sent_at,
        reply_to: reply_to.map(MessageId::from_uuid),
        thread: thread.map(MessageId::from_uuid),
        mentions: mentions.into_iter().map(PersonId::from_uuid).collect(),
        bot: row.try_get("bot")?,
    })
}
