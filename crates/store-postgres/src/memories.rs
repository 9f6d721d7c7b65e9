//! What the system was told to remember, for who is told, and all memories for who lists them.

use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Row as _};
use threadlore_model::{
    CaseId, ChannelId, MemoryArchiveReason, MemoryHome, MemoryId, MemoryTier, MessageId, PersonId,
    SpaceId, Timestamp,
};
use threadlore_ports::{Fact, PortError, Projection, Readable, Scope};

use crate::PostgresStore;
use crate::error::failed;
use crate::reader::{Live, count};
use crate::rows::cell;
use crate::search::names_of;

/// Which memories are listed.
#[derive(Debug, Clone, Copy, Default)]
pub struct MemoryFilter<'a> {
    /// Only this one.
    pub memory: Option<MemoryId>,
    /// Only those of this tier.
    pub tier: Option<MemoryTier>,
    /// Only those that were said in this channel.
    pub channel: Option<&'a ChannelId>,
    /// Only what this person said.
    pub person: Option<PersonId>,
    /// Only those in whose place this one came.
    pub replaced_by: Option<MemoryId>,
    /// Also those that are told no more.
    pub all: bool,
    /// Only what everybody was told, and is told no more.
    pub gone: bool,
    /// Those behind this one, in the order of the list.
    pub after: Option<MemoryId>,
    /// How many.
    pub limit: u32,
}

/// A memory as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedMemory {
    /// The memory.
    pub memory: MemoryId,
    /// How long it is kept.
    pub tier: MemoryTier,
    /// Whom it is about; `None` for an exchange.
    pub home: Option<MemoryHome>,
    /// The channel where it was said, or asked.
    pub channel: ChannelId,
    /// Who said it; `None` for an exchange.
    pub person: Option<PersonId>,
    /// Their name, unless erased or unknown.
    pub name: Option<String>,
    /// The message that says it.
    pub message: Option<MessageId>,
    /// What is remembered, unless erased; of an exchange, the question that was asked last.
    pub text: Option<String>,
    /// Whether a model that reads knows it with every question.
    pub always: bool,
    /// What is known of an exchange.
    pub exchange: Option<ListedExchange>,
    /// When it was said.
    pub said_at: Timestamp,
    /// Since when it is told no more, and why.
    pub archived: Option<(Timestamp, MemoryArchiveReason)>,
    /// What came in its place.
    pub archived_by: Option<MemoryId>,
    /// When it was erased.
    pub erased_at: Option<Timestamp>,
    /// How many answers quote it.
    pub told: u64,
}

/// What is known of an exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedExchange {
    /// The case whose words it has.
    pub case: CaseId,
    /// The title of the case, unless erased.
    pub title: Option<String>,
    /// The chance that it works when it is given again, in thousandths.
    pub score: i64,
    /// How many answers from it worked.
    pub worked: i64,
    /// How many failed.
    pub failed: i64,
    /// Of how many as many people say the one as the other.
    pub partial: i64,
    /// When it was given last.
    pub used_at: Timestamp,
    /// When it leaves its tier; `None` where it does not.
    pub until: Option<Timestamp>,
}

impl PostgresStore {
    /// Memories of a space, first what somebody said, the newest first, then the exchanges of which most
    /// answers worked, and how many fit the filter in all.
    ///
    /// # Errors
    /// The database cannot be reached, or holds a row that cannot be understood.
    pub async fn memories(
        &self,
        scope: &Scope,
        filter: MemoryFilter<'_>,
    ) -> Result<(Vec<ListedMemory>, u64), PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let (Some(memories), Some(messages), Some(turns), Some(cases), Some(outcomes)) = (
                live.of(Projection::Memories),
                live.of(Projection::Messages),
                live.of(Projection::Turns),
                live.of(Projection::Cases),
                live.of(Projection::Outcomes),
            ) else {
                return Ok((Vec::new(), 0));
            };
            let statement = "SELECT m.*, said.name, c.title, asked.question, \
                     (SELECT count(*) FROM {turns}.turns t \
                         WHERE t.space = m.space AND t.memory = m.memory) AS told \
                 FROM (SELECT * FROM \
                     (SELECT *, count(*) OVER () AS fitting FROM {memories}.memories \
                     WHERE space = $1 AND ($2::uuid IS NULL OR memory = $2) \
                     AND ($3::text IS NULL OR channel = $3) \
                     AND ($4::uuid IS NULL OR person = $4) \
                     AND ($5 OR (archived_at IS NULL AND erased_at IS NULL)) \
                     AND ($7::text IS NULL OR tier = $7) \
                     AND ($8::uuid IS NULL OR archived_by = $8) \
                     AND (NOT $9 OR (home = 'bank' AND archived_at IS NOT NULL \
                         AND erased_at IS NULL))) f \
                     WHERE $10::uuid IS NULL \
                         OR (home IS NULL, -worked, -extract(epoch FROM said_at), memory) > ( \
                             SELECT home IS NULL, -worked, -extract(epoch FROM said_at), memory \
                             FROM {memories}.memories WHERE space = $1 AND memory = $10) \
                     ORDER BY home IS NULL, worked DESC, said_at DESC, memory LIMIT $6) m \
                 LEFT JOIN {messages}.messages said \
                     ON said.space = m.space AND said.message = m.message \
                 LEFT JOIN {cases}.cases c ON c.space = m.space AND c.case_id = m.case_id \
                 LEFT JOIN LATERAL (SELECT string_agg(w.text, E'\\n' \
                         ORDER BY array_position(t.messages, w.message)) AS question \
                     FROM (SELECT o.turn FROM {outcomes}.outcomes o \
                         WHERE o.space = m.space AND o.case_id = m.case_id \
                         AND o.memory = m.memory \
                         ORDER BY o.given_at DESC, o.answer LIMIT 1) o \
                     JOIN {turns}.turns t ON t.space = m.space AND t.turn = o.turn \
                     JOIN {messages}.messages w \
                         ON w.space = t.space AND w.message = ANY (t.messages)) asked ON TRUE \
                 ORDER BY m.home IS NULL, m.worked DESC, m.said_at DESC, m.memory"
                .replace("{memories}", &memories.schema())
                .replace("{messages}", &messages.schema())
                .replace("{turns}", &turns.schema())
                .replace("{cases}", &cases.schema())
                .replace("{outcomes}", &outcomes.schema());
            let rows = sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(filter.memory.map(|memory| memory.as_uuid()))
                .bind(filter.channel.map(ChannelId::as_str))
                .bind(filter.person.map(|person| person.as_uuid()))
                .bind(
                    filter.all
                        || filter.gone
                        || filter.memory.is_some()
                        || filter.replaced_by.is_some(),
                )
                .bind(i64::from(filter.limit))
                .bind(filter.tier.map(MemoryTier::name))
                .bind(filter.replaced_by.map(|memory| memory.as_uuid()))
                .bind(filter.gone)
                .bind(filter.after.map(|memory| memory.as_uuid()))
                .fetch_all(&mut *tx)
                .await?;
            let fitting = match rows.first() {
                Some(row) => count(row.try_get("fitting")?),
                None => 0,
            };
            let listed: Result<Vec<ListedMemory>, sqlx::Error> = rows.iter().map(listed).collect();
            Ok((listed?, fitting))
        };
        read.await.map_err(failed("listing memories"))
    }
}

fn listed(row: &PgRow) -> Result<ListedMemory, sqlx::Error> {
    let archived_at: Option<Timestamp> = cell(row, "archived_at")?;
    let reason: Option<MemoryArchiveReason> = cell(row, "archive_reason")?;
    let case: Option<CaseId> = cell(row, "case_id")?;
    let (score, used_at): (Option<i64>, Option<Timestamp>) =
        (cell(row, "score")?, cell(row, "used_at")?);
    let exchange = match (case, score, used_at) {
        (Some(case), Some(score), Some(used_at)) => Some(ListedExchange {
            case,
            title: cell(row, "title")?,
            score,
            worked: cell(row, "worked")?,
            failed: cell(row, "failed")?,
            partial: cell(row, "partial")?,
            used_at,
            until: cell(row, "told_until")?,
        }),
        _ => None,
    };
    let text: Option<String> = match exchange {
        Some(_) => cell(row, "question")?,
        None => cell(row, "text")?,
    };
    Ok(ListedMemory {
        memory: cell(row, "memory")?,
        tier: cell(row, "tier")?,
        home: cell(row, "home")?,
        channel: cell(row, "channel")?,
        person: cell(row, "person")?,
        name: cell(row, "name")?,
        message: cell(row, "message")?,
        text,
        always: row.try_get("always")?,
        exchange,
        said_at: cell(row, "said_at")?,
        archived: archived_at.zip(reason),
        archived_by: cell(row, "archived_by")?,
        erased_at: cell(row, "erased_at")?,
        told: count(row.try_get("told")?),
    })
}

/// See [`CaseReader::facts`](threadlore_ports::CaseReader::facts).
pub(crate) async fn facts(
    tx: &mut PgConnection,
    live: &Live,
    (space, readable): (&SpaceId, &Readable),
    of: Option<PersonId>,
) -> Result<Vec<Fact>, sqlx::Error> {
    let (Some(memories), Some(messages)) =
        (live.of(Projection::Memories), live.of(Projection::Messages))
    else {
        return Ok(Vec::new());
    };
    let statement =
        "SELECT m.memory, m.home, m.channel, m.person, m.text, m.always, m.said_at, said.name \
         FROM {memories}.memories m LEFT JOIN {messages}.messages said \
             ON said.space = m.space AND said.message = m.message \
         WHERE m.space = $1 AND ($2::text[] IS NULL OR m.channel = ANY ($2)) \
         AND CASE WHEN $3::uuid IS NULL THEN m.home = 'bank' \
             ELSE m.home = 'person' AND m.person = $3 END \
         AND m.archived_at IS NULL AND m.erased_at IS NULL AND m.text IS NOT NULL \
         ORDER BY m.said_at DESC, m.memory"
            .replace("{memories}", &memories.schema())
            .replace("{messages}", &messages.schema());
    let channels = names_of(readable);
    sqlx::query(&statement)
        .bind(space.as_str())
        .bind(channels)
        .bind(of.map(|person| person.as_uuid()))
        .fetch_all(tx)
        .await?
        .iter()
        .map(|row| {
            Ok(Fact {
                memory: cell(row, "memory")?,
                home: cell(row, "home")?,
                channel: cell(row, "channel")?,
                person: cell(row, "person")?,
                name: cell(row, "name")?,
                text: cell(row, "text")?,
                always: row.try_get("always")?,
                said_at: cell(row, "said_at")?,
            })
        })
        .collect()
}
