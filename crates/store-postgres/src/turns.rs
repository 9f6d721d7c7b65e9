//! What people asked and what became of it, for who lists turns and looks at one.

use std::collections::BTreeMap;

use sqlx::Row as _;
use threadlore_model::{
    AnswerId, CaseId, ChannelId, EventId, GateTag, MessageId, PersonId, Rating, Timestamp,
    TurnOutcome,
};
use threadlore_ports::{PortError, Projection, Scope};
use uuid::Uuid;

use crate::PostgresStore;
use crate::error::failed;
use crate::reader::count;
use crate::rows::cell;
use crate::types::Moment;

/// Which turns are listed.
#[derive(Debug, Clone, Copy)]
pub struct TurnFilter<'a> {
    /// Only those of this channel.
    pub channel: Option<&'a ChannelId>,
    /// Only those with one of these outcomes.
    pub outcomes: &'a [TurnOutcome],
    /// Those considered before this one.
    pub after: Option<EventId>,
    /// Only those that this names.
    pub named: Option<&'a TurnName>,
    /// How many.
    pub limit: u32,
}

/// What a turn is named by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnName {
    /// The event that closed it.
    Turn(EventId),
    /// The event that closed it, its answer, or one of its messages.
    Id(Uuid),
    /// The id that the platform gave one of its messages, or a message of its answer.
    Native(String),
}

/// A turn that was considered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedTurn {
    /// The event that closed it.
    pub turn: EventId,
    /// Where.
    pub channel: ChannelId,
    /// Its messages, in the order of the log.
    pub messages: Vec<MessageId>,
    /// Earlier messages that it was read with, each with why it was chosen, oldest first.
    pub context: Vec<(MessageId, String)>,
    /// What became of it.
    pub outcome: TurnOutcome,
    /// What the gate said, where it was asked.
    pub tag: Option<GateTag>,
    /// Channel time of the decision.
    pub at: Timestamp,
    /// The answer, and what composed it.
    pub answer: Option<(AnswerId, String)>,
    /// The case that the answer rests on, or points at.
    pub case: Option<CaseId>,
    /// How many people say that the answer helped, and that it failed.
    pub rated: (u64, u64),
}

/// A message as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptMessage {
    /// Who wrote it.
    pub person: PersonId,
    /// The writer's name, unless erased or unknown.
    pub name: Option<String>,
    /// The text, unless erased or redacted.
    pub text: Option<String>,
    /// When it was sent.
    pub sent_at: Timestamp,
    /// Whether a bot wrote it.
    pub bot: bool,
}

/// What a gateway did with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedDelivery {
    /// `post` or `withdraw`.
    pub action: String,
    /// The gateway.
    pub gateway: String,
    /// `delivered` or `failed`; `None` while it is under way.
    pub result: Option<String>,
    /// Why it failed.
    pub reason: Option<String>,
    /// When it had its result.
    pub ended_at: Option<Timestamp>,
}

impl PostgresStore {
    /// Turns of a space, those considered last first, and how many fit the filter in all.
    ///
    /// # Errors
    /// The database cannot be reached, or holds a row that cannot be understood.
    pub async fn turns(
        &self,
        scope: &Scope,
        filter: TurnFilter<'_>,
    ) -> Result<(Vec<ListedTurn>, u64), PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let (Some(turns), Some(messages), Some(deliveries)) = (
                live.of(Projection::Turns),
                live.of(Projection::Messages),
                live.of(Projection::Deliveries),
            ) else {
                return Ok((Vec::new(), 0));
            };
            let statement = "SELECT t.*, c.case_id, \
                     (SELECT count(*) FROM {turns}.turn_ratings r WHERE r.space = t.space \
                         AND r.turn = t.turn AND r.rating = 'helped') AS helped, \
                     (SELECT count(*) FROM {turns}.turn_ratings r WHERE r.space = t.space \
                         AND r.turn = t.turn AND r.rating = 'failed') AS failed \
                 FROM (SELECT f.* FROM (SELECT *, count(*) OVER () AS fitting FROM {turns}.turns t \
                     WHERE space = $1 AND ($2::text IS NULL OR channel = $2) \
                     AND outcome = ANY ($3) \
                     AND ($8::uuid IS NULL OR turn = $8) \
                     AND ($4::uuid IS NULL OR turn = $4 OR answer = $4 OR $4 = ANY (messages)) \
                     AND ($5::text IS NULL OR messages && ARRAY( \
                             SELECT message FROM {messages}.messages \
                             WHERE space = $1 AND native_id = $5) \
                         OR answer IN (SELECT answer FROM {deliveries}.deliveries \
                             WHERE space = $1 AND $5 = ANY (native_ids)))) f \
                     LEFT JOIN (SELECT considered_at AS last_at FROM {turns}.turns \
                         WHERE space = $1 AND turn = $7) l ON true \
                     WHERE $7::uuid IS NULL OR considered_at < last_at \
                         OR (considered_at = last_at AND turn > $7) \
                     ORDER BY considered_at DESC, turn LIMIT $6) t \
                 LEFT JOIN {turns}.turn_citations c \
                     ON c.space = t.space AND c.turn = t.turn AND c.position = 0 \
                 ORDER BY t.considered_at DESC, t.turn"
                .replace("{turns}", &turns.schema())
                .replace("{messages}", &messages.schema())
                .replace("{deliveries}", &deliveries.schema());
            let (turn, id, native) = match filter.named {
                Some(TurnName::Turn(turn)) => (Some(turn.as_uuid()), None, None),
                Some(TurnName::Id(id)) => (None, Some(*id), None),
                Some(TurnName::Native(native)) => (None, None, Some(native.as_str())),
                None => (None, None, None),
            };
            let outcomes: Vec<&str> = filter.outcomes.iter().map(|of| of.name()).collect();
            let rows = sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(filter.channel.map(ChannelId::as_str))
                .bind(outcomes)
                .bind(id)
                .bind(native)
                .bind(i64::from(filter.limit))
                .bind(filter.after.map(|turn| turn.as_uuid()))
                .bind(turn)
                .fetch_all(&mut *tx)
                .await?;
            let mut fitting = 0;
            let mut listed = Vec::new();
            for row in &rows {
                fitting = count(row.try_get("fitting")?);
                let answer: Option<AnswerId> = cell(row, "answer")?;
                let composer: Option<String> = row.try_get("composer")?;
                let case: Option<Uuid> = row.try_get("case_id")?;
                let context: Vec<MessageId> = cell(row, "context")?;
                let reasons: Vec<String> = row.try_get("context_reasons")?;
                listed.push(ListedTurn {
                    turn: cell(row, "turn")?,
                    channel: cell(row, "channel")?,
                    messages: cell(row, "messages")?,
                    context: context.into_iter().zip(reasons).collect(),
                    outcome: cell(row, "outcome")?,
                    tag: cell(row, "tag")?,
                    at: cell(row, "considered_at")?,
                    answer: answer.zip(composer),
                    case: case.map(CaseId::from_uuid),
                    rated: (count(row.try_get("helped")?), count(row.try_get("failed")?)),
                });
            }
            Ok((listed, fitting))
        };
        read.await.map_err(failed("listing turns"))
    }

    /// The turn of a channel that has a message, of those considered since some time.
    ///
    /// # Errors
    /// As [`PostgresStore::turns`].
    pub async fn turn_with(
        &self,
        scope: &Scope,
        (channel, message): (&ChannelId, MessageId),
        since: Timestamp,
    ) -> Result<Option<EventId>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(build) = live.of(Projection::Turns) else {
                return Ok(None);
            };
            let statement = "SELECT turn FROM {schema}.turns WHERE space = $1 AND channel = $2 \
                 AND considered_at >= $3 AND $4 = ANY (messages)"
                .replace("{schema}", &build.schema());
            let turn: Option<Uuid> = sqlx::query_scalar(&statement)
                .bind(scope.space().as_str())
                .bind(channel.as_str())
                .bind(Moment(since))
                .bind(message.as_uuid())
                .fetch_optional(&mut *tx)
                .await?;
            Ok(turn.map(EventId::from_uuid))
        };
        read.await.map_err(failed("looking for a turn"))
    }

    /// What a person says of the answer to a turn; `None` while they say nothing.
    ///
    /// # Errors
    /// As [`PostgresStore::turns`].
    pub async fn rating(
        &self,
        scope: &Scope,
        turn: EventId,
        person: PersonId,
    ) -> Result<Option<Rating>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(build) = live.of(Projection::Turns) else {
                return Ok(None);
            };
            let statement = "SELECT rating FROM {schema}.turn_ratings \
                 WHERE space = $1 AND turn = $2 AND person = $3"
                .replace("{schema}", &build.schema());
            let row = sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(turn.as_uuid())
                .bind(person.as_uuid())
                .fetch_optional(&mut *tx)
                .await?;
            row.as_ref().map(|row| cell(row, "rating")).transpose()
        };
        read.await.map_err(failed("reading a rating"))
    }

    /// These messages, as far as they have arrived.
    ///
    /// # Errors
    /// As [`PostgresStore::turns`].
    pub async fn kept(
        &self,
        scope: &Scope,
        messages: &[MessageId],
    ) -> Result<BTreeMap<MessageId, KeptMessage>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(build) = live.of(Projection::Messages) else {
                return Ok(BTreeMap::new());
            };
            let statement =
                "SELECT message, person, name, text, sent_at, bot FROM {schema}.messages \
                 WHERE space = $1 AND message = ANY ($2) AND sent_at IS NOT NULL"
                    .replace("{schema}", &build.schema());
            let ids: Vec<Uuid> = messages.iter().map(|id| id.as_uuid()).collect();
            let rows = sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(ids)
                .fetch_all(&mut *tx)
                .await?;
            let kept = |row| {
                let Moment(sent_at) = sqlx::Row::try_get(row, "sent_at")?;
                let kept = KeptMessage {
                    person: PersonId::from_uuid(sqlx::Row::try_get(row, "person")?),
                    name: sqlx::Row::try_get(row, "name")?,
                    text: sqlx::Row::try_get(row, "text")?,
                    sent_at,
                    bot: sqlx::Row::try_get(row, "bot")?,
                };
                Ok((
                    MessageId::from_uuid(sqlx::Row::try_get(row, "message")?),
                    kept,
                ))
            };
            rows.iter().map(kept).collect()
        };
        read.await.map_err(failed("reading messages"))
    }

    /// The case whose problem one of these messages states, the oldest of several; none that is merged
    /// or erased.
    ///
    /// # Errors
    /// As [`PostgresStore::turns`].
    pub async fn case_about(
        &self,
        scope: &Scope,
        messages: &[MessageId],
    ) -> Result<Option<CaseId>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(build) = live.of(Projection::Cases) else {
                return Ok(None);
            };
            let statement = "SELECT c.case_id FROM {schema}.case_evidence e \
                 JOIN {schema}.cases c ON c.space = e.space AND c.case_id = e.case_id \
                 WHERE e.space = $1 AND e.message = ANY ($2) AND e.part = 'problem' \
                 AND c.erased_at IS NULL AND c.merged_into IS NULL \
                 ORDER BY c.opened_at, c.case_id LIMIT 1"
                .replace("{schema}", &build.schema());
            let ids: Vec<Uuid> = messages.iter().map(|id| id.as_uuid()).collect();
            let case: Option<Uuid> = sqlx::query_scalar(&statement)
                .bind(scope.space().as_str())
                .bind(ids)
                .fetch_optional(&mut *tx)
                .await?;
            Ok(case.map(CaseId::from_uuid))
        };
        read.await.map_err(failed("looking for a case"))
    }

    /// What became of the sending of an answer, its posting first.
    ///
    /// # Errors
    /// As [`PostgresStore::turns`].
    pub async fn deliveries_of(
        &self,
        scope: &Scope,
        answer: AnswerId,
    ) -> Result<Vec<ListedDelivery>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(build) = live.of(Projection::Deliveries) else {
                return Ok(Vec::new());
            };
            let statement = "SELECT action, gateway, result, reason, ended_at \
                 FROM {schema}.deliveries WHERE space = $1 AND answer = $2 ORDER BY action"
                .replace("{schema}", &build.schema());
            let rows = sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(answer.as_uuid())
                .fetch_all(&mut *tx)
                .await?;
            let delivery = |row| {
                let ended_at: Option<Moment> = sqlx::Row::try_get(row, "ended_at")?;
                Ok(ListedDelivery {
                    action: sqlx::Row::try_get(row, "action")?,
                    gateway: sqlx::Row::try_get(row, "gateway")?,
                    result: sqlx::Row::try_get(row, "result")?,
                    reason: sqlx::Row::try_get(row, "reason")?,
                    ended_at: ended_at.map(|Moment(at)| at),
                })
            };
            rows.iter().map(delivery).collect()
        };
        read.await.map_err(failed("reading deliveries"))
    }
}
