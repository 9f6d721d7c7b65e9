//! What a person wrote, and what rests on it: what is to be erased with them.

use sqlx::Row as _;
use threadlore_model::{
    AnswerId, CaseId, ChannelId, MemoryHome, MemoryId, MessageId, PersonId, Timestamp,
};
use threadlore_ports::{PortError, Projection, Scope};
use uuid::Uuid;

use crate::PostgresStore;
use crate::error::failed;
use crate::reader::count;
use crate::rows::cell;
use crate::types::Moment;

/// A message that can be redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessagePlace {
    /// The message.
    pub message: MessageId,
    /// The channel.
    pub channel: ChannelId,
    /// The platform's id of it.
    pub native_id: String,
}

/// What there is of a person in a space.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PersonSummary {
    /// The name of their last message that has one, of some channel.
    pub name: Option<String>,
    /// The channels in which they wrote, with how many messages that can still be read.
    pub channels: Vec<(ChannelId, u64)>,
    /// Cases that have words of theirs, as problem, solution or suggestion, with their channels.
    pub cases: Vec<(ChannelId, CaseId)>,
    /// What they had remembered, with whom it is about.
    pub memories: Vec<(MemoryHome, MemoryId)>,
    /// Messages of others that mention them, by the platform's marks.
    pub mentioned: u64,
}

impl PostgresStore {
    /// What there is of a person in a space.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn of_person(
        &self,
        scope: &Scope,
        person: PersonId,
    ) -> Result<PersonSummary, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(messages) = live.of(Projection::Messages) else {
                return Ok(PersonSummary::default());
            };
            let of = |statement: &str| statement.replace("{messages}", &messages.schema());
            let statement = of("SELECT channel, \
                     count(*) FILTER (WHERE text IS NOT NULL OR name IS NOT NULL) AS readable, \
                     (array_agg(name ORDER BY sent_at DESC) FILTER (WHERE name IS NOT NULL))[1] AS name \
                 FROM {messages}.messages WHERE space = $1 AND person = $2 \
                 GROUP BY channel ORDER BY channel");
            let rows = sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(person.as_uuid())
                .fetch_all(&mut *tx)
                .await?;
            let mut found = PersonSummary::default();
            for row in &rows {
                let readable = count(row.try_get("readable")?);
                found.channels.push((channel(row)?, readable));
                found.name = found.name.take().or(row.try_get("name")?);
            }
            let statement = of("SELECT count(*) FROM {messages}.messages \
                 WHERE space = $1 AND person <> $2 AND $2 = ANY (mentions) \
                 AND redacted_at IS NULL");
            let mentioned: i64 = sqlx::query_scalar(&statement)
                .bind(scope.space().as_str())
                .bind(person.as_uuid())
                .fetch_one(&mut *tx)
                .await?;
            found.mentioned = count(mentioned);
            if let Some(memories) = live.of(Projection::Memories) {
                let statement = "SELECT home, memory FROM {memories}.memories \
                     WHERE space = $1 AND person = $2 AND erased_at IS NULL ORDER BY memory"
                    .replace("{memories}", &memories.schema());
                let rows = sqlx::query(&statement)
                    .bind(scope.space().as_str())
                    .bind(person.as_uuid())
                    .fetch_all(&mut *tx)
                    .await?;
                for row in &rows {
                    found
                        .memories
                        .push((cell(row, "home")?, cell(row, "memory")?));
                }
            }
            let Some(cases) = live.of(Projection::Cases) else {
                return Ok(found);
            };
            let statement = of("SELECT DISTINCT c.channel, c.case_id FROM {cases}.cases c \
                 JOIN {cases}.case_evidence e ON e.space = c.space AND e.case_id = c.case_id \
                 JOIN {messages}.messages m ON m.space = e.space AND m.message = e.message \
                 WHERE c.space = $1 AND m.person = $2 AND e.part <> 'context' \
                 AND c.erased_at IS NULL ORDER BY c.channel, c.case_id")
            .replace("{cases}", &cases.schema());
            let rows = sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(person.as_uuid())
                .fetch_all(&mut *tx)
                .await?;
            for row in &rows {
                let case: Uuid = row.try_get("case_id")?;
                found.cases.push((channel(row)?, CaseId::from_uuid(case)));
            }
            Ok(found)
        };
        read.await.map_err(failed("reading what a person wrote"))
    }

    /// The memories that a message told, as far as they are not erased.
    ///
    /// # Errors
    /// As [`PostgresStore::of_person`].
    pub async fn memories_of_message(
        &self,
        scope: &Scope,
        message: MessageId,
    ) -> Result<Vec<(MemoryHome, PersonId, MemoryId)>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(memories) = live.of(Projection::Memories) else {
                return Ok(Vec::new());
            };
            let statement = "SELECT home, person, memory FROM {memories}.memories \
                 WHERE space = $1 AND message = $2 AND erased_at IS NULL ORDER BY memory"
                .replace("{memories}", &memories.schema());
            let rows = sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(message.as_uuid())
                .fetch_all(&mut *tx)
                .await?;
            let one = |row| {
                Ok((
                    cell(row, "home")?,
                    cell(row, "person")?,
                    cell(row, "memory")?,
                ))
            };
            rows.iter().map(one).collect()
        };
        read.await.map_err(failed("reading what a message told"))
    }

    /// Messages of a person that can still be read, up to `limit`, in the order of their ids, after
    /// one.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn messages_of(
        &self,
        scope: &Scope,
        person: PersonId,
        (after, limit): (Option<MessageId>, u32),
    ) -> Result<Vec<MessagePlace>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(messages) = live.of(Projection::Messages) else {
                return Ok(Vec::new());
            };
            let statement = "SELECT message, channel, native_id FROM {messages}.messages \
                 WHERE space = $1 AND person = $2 AND native_id IS NOT NULL \
                 AND (text IS NOT NULL OR name IS NOT NULL) AND message > $3 ORDER BY message LIMIT $4"
                .replace("{messages}", &messages.schema());
            let rows = sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(person.as_uuid())
                .bind(after.map_or(Uuid::nil(), |message| message.as_uuid()))
                .bind(i64::from(limit))
                .fetch_all(&mut *tx)
                .await?;
            rows.iter().map(place).collect()
        };
        read.await
            .map_err(failed("listing the messages of a person"))
    }

    /// Whether a gateway sent an answer, or gave it up.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn is_sent(&self, scope: &Scope, answer: AnswerId) -> Result<bool, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(deliveries) = live.of(Projection::Deliveries) else {
                return Ok(false);
            };
            let statement = "SELECT EXISTS (SELECT FROM {deliveries}.deliveries \
                 WHERE space = $1 AND answer = $2 AND ended_at IS NOT NULL)"
                .replace("{deliveries}", &deliveries.schema());
            sqlx::query_scalar(&statement)
                .bind(scope.space().as_str())
                .bind(answer.as_uuid())
                .fetch_one(&mut *tx)
                .await
        };
        read.await.map_err(failed("reading a delivery"))
    }

    /// Answers that quote one of these memories and were given since a moment.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn answers_quoting(
        &self,
        scope: &Scope,
        memories: &[MemoryId],
        since: Timestamp,
    ) -> Result<Vec<(ChannelId, AnswerId)>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(turns) = live.of(Projection::Turns) else {
                return Ok(Vec::new());
            };
            let statement = "SELECT channel, answer FROM {turns}.turns \
                 WHERE space = $1 AND memory = ANY ($2) AND answer IS NOT NULL AND considered_at >= $3"
                .replace("{turns}", &turns.schema());
            let ids: Vec<Uuid> = memories.iter().map(|memory| memory.as_uuid()).collect();
            let rows = sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(ids)
                .bind(Moment(since))
                .fetch_all(&mut *tx)
                .await?;
            rows.iter().map(answer).collect()
        };
        read.await
            .map_err(failed("listing the answers that quote memories"))
    }

    /// Answers with the words of a case that were given since a moment, in other channels than its own;
    /// `quoting`: without those that only point at it.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn answers_with(
        &self,
        scope: &Scope,
        (case, own): (CaseId, &ChannelId),
        (since, quoting): (Timestamp, bool),
    ) -> Result<Vec<(ChannelId, AnswerId)>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(turns) = live.of(Projection::Turns) else {
                return Ok(Vec::new());
            };
            let statement = "SELECT t.channel, t.answer FROM {turns}.turn_citations c \
                 JOIN {turns}.turns t ON t.space = c.space AND t.turn = c.turn \
                 WHERE c.space = $1 AND c.case_id = $2 AND c.position = 0 \
                 AND (NOT $5 OR cardinality(c.evidence) > 0) AND t.answer IS NOT NULL \
                 AND t.considered_at >= $3 AND t.channel <> $4"
                .replace("{turns}", &turns.schema());
            let rows = sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(case.as_uuid())
                .bind(Moment(since))
                .bind(own.as_str())
                .bind(quoting)
                .fetch_all(&mut *tx)
                .await?;
            rows.iter().map(answer).collect()
        };
        read.await
            .map_err(failed("listing the answers with the words of a case"))
    }
}

fn answer(row: &sqlx::postgres::PgRow) -> Result<(ChannelId, AnswerId), sqlx::Error> {
    Ok((channel(row)?, AnswerId::from_uuid(row.try_get("answer")?)))
}

/// The place of a message.
pub(crate) fn place(row: &sqlx::postgres::PgRow) -> Result<MessagePlace, sqlx::Error> {
    Ok(MessagePlace {
        message: cell(row, "message")?,
        channel: channel(row)?,
        native_id: row.try_get("native_id")?,
    })
}

fn channel(row: &sqlx::postgres::PgRow) -> Result<ChannelId, sqlx::Error> {
    ChannelId::parse(row.try_get("channel")?).map_err(|e| sqlx::Error::Decode(Box::new(e)))
}
