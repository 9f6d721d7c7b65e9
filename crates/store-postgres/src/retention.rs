//! Messages that are older than a space keeps them, but for those that something rests on.

use threadlore_model::{ChannelId, MessageId, Timestamp};
use threadlore_ports::{PortError, Projection, Scope};
use uuid::Uuid;

use crate::PostgresStore;
use crate::error::failed;
use crate::people::{MessagePlace, place};
use crate::reader::{Live, count};
use crate::rows::cell;
use crate::types::Moment;

/// Old messages of a channel that can still be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldMessages {
    /// The channel.
    pub channel: ChannelId,
    /// How many nothing rests on.
    pub unneeded: u64,
    /// How many a case, a memory or an exchange rests on.
    pub needed: u64,
}

/// The messages that something rests on: problems and solutions of cases, what somebody had the bot remember, and
/// questions of exchanges that a search reads.
const NEEDED: &str = "WITH needed AS MATERIALIZED ( \
         SELECT e.message FROM {cases}.case_evidence e \
         JOIN {cases}.cases c ON c.space = e.space AND c.case_id = e.case_id \
         WHERE e.space = $1 AND e.part <> 'context' AND c.erased_at IS NULL \
         UNION SELECT message FROM {memories}.memories \
         WHERE space = $1 AND message IS NOT NULL AND erased_at IS NULL \
         UNION SELECT unnest(t.messages || t.context) FROM {memories}.memories k \
         JOIN {outcomes}.outcomes o ON o.space = k.space AND o.memory = k.memory \
         JOIN {turns}.turns t ON t.space = o.space AND t.turn = o.turn \
         WHERE k.space = $1 AND k.erased_at IS NULL \
             AND (k.archived_at IS NULL OR k.archive_reason = 'failed')) ";

impl PostgresStore {
    /// How many messages of a space were sent before a time and can still be read, by channel.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn old_messages(
        &self,
        scope: &Scope,
        before: Timestamp,
    ) -> Result<Vec<OldMessages>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(statement) = statement(
                &live,
                "SELECT m.channel, count(*) FILTER (WHERE n.message IS NULL) AS unneeded, \
                     count(n.message) AS needed \
                 FROM {messages}.messages m LEFT JOIN needed n ON n.message = m.message \
                 WHERE m.space = $1 AND m.sent_at < $2 AND m.redacted_at IS NULL \
                 GROUP BY m.channel ORDER BY m.channel",
            ) else {
                return Ok(Vec::new());
            };
            let rows = sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(Moment(before))
                .fetch_all(&mut *tx)
                .await?;
            let old = |row| {
                Ok(OldMessages {
                    channel: cell(row, "channel")?,
                    unneeded: count(sqlx::Row::try_get(row, "unneeded")?),
                    needed: count(sqlx::Row::try_get(row, "needed")?),
                })
            };
            rows.iter().map(old).collect()
        };
        read.await.map_err(failed("counting old messages"))
    }

    /// Messages that were sent before a time, can still be read and that nothing rests on, up to `limit`, in the
    /// order of their ids, after one.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn unneeded_messages(
        &self,
        scope: &Scope,
        before: Timestamp,
        (after, limit): (Option<MessageId>, u32),
    ) -> Result<Vec<MessagePlace>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(statement) = statement(
                &live,
                "SELECT m.message, m.channel, m.native_id \
                 FROM {messages}.messages m LEFT JOIN needed n ON n.message = m.message \
                 WHERE m.space = $1 AND m.sent_at < $2 AND m.redacted_at IS NULL \
                     AND n.message IS NULL AND m.message > $3 ORDER BY m.message LIMIT $4",
            ) else {
                return Ok(Vec::new());
            };
            let rows = sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(Moment(before))
                .bind(after.map_or(Uuid::nil(), |message| message.as_uuid()))
                .bind(i64::from(limit))
                .fetch_all(&mut *tx)
                .await?;
            rows.iter().map(place).collect()
        };
        read.await.map_err(failed("listing old messages"))
    }
}

/// A statement on the messages of a space that knows which of them something rests on; `None` while a table that says so
/// is none yet.
fn statement(live: &Live, statement: &str) -> Option<String> {
    let tables = [
        ("{messages}", Projection::Messages),
        ("{cases}", Projection::Cases),
        ("{memories}", Projection::Memories),
        ("{outcomes}", Projection::Outcomes),
        ("{turns}", Projection::Turns),
    ];
    let whole = format!("{NEEDED}{statement}");
    tables.into_iter().try_fold(whole, |statement, (name, of)| {
        Some(statement.replace(name, &live.of(of)?.schema()))
    })
}
