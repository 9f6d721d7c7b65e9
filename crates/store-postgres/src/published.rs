//! The solved cases of published channels, which anybody can read.

use sqlx::Row as _;
use threadlore_model::{CaseId, ChannelId, SpaceId, Timestamp};
use threadlore_ports::{PortError, Projection, Scope};

use crate::PostgresStore;
use crate::error::failed;
use crate::rows::of;
use crate::types::Moment;

/// Messages of a channel before a moment, and after it, whose writers are those that people there call by their names.
const AROUND: [u32; 2] = [2000, 200];

/// A solved case of a published channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedCase {
    /// The space.
    pub space: SpaceId,
    /// The case.
    pub case: CaseId,
    /// Its title.
    pub title: String,
    /// The names of who wrote in its conversation; none where the filter does not ask for them.
    pub names: Vec<String>,
    /// Channel time of its last change.
    pub changed_at: Timestamp,
}

/// Which of them.
#[derive(Debug, Clone, Copy, Default)]
pub struct PublishedFilter<'a> {
    /// Only those of this space.
    pub space: Option<&'a SpaceId>,
    /// Only these, and those that these were merged into.
    pub cases: Option<&'a [CaseId]>,
    /// Whether to look up who wrote in each. Whoever shows a title needs it: titles name people.
    pub with_names: bool,
    /// How many.
    pub limit: u32,
}

impl PostgresStore {
    /// The names of those who wrote in a channel around a moment, without bots: 2,000 messages before it, and 200 after.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn names_around(
        &self,
        scope: &Scope,
        channel: &ChannelId,
        at: Timestamp,
    ) -> Result<Vec<String>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(messages) = live.of(Projection::Messages) else {
                return Ok(Vec::new());
            };
            let [before, after] = AROUND;
            let statement = "SELECT DISTINCT name FROM ( \
                     (SELECT name FROM {schema}.messages \
                     WHERE space = $1 AND channel = $2 AND sent_at <= $3 AND NOT bot \
                     ORDER BY sent_at DESC LIMIT $4) \
                 UNION ALL \
                     (SELECT name FROM {schema}.messages \
                     WHERE space = $1 AND channel = $2 AND sent_at > $3 AND NOT bot \
                     ORDER BY sent_at LIMIT $5) \
                 ) m WHERE name IS NOT NULL";
            sqlx::query_scalar(&of(statement, messages))
                .bind(scope.space().as_str())
                .bind(channel.as_str())
                .bind(Moment(at))
                .bind(i64::from(before))
                .bind(i64::from(after))
                .fetch_all(&mut *tx)
                .await
        };
        read.await.map_err(failed("reading who wrote in a channel"))
    }

    /// The solved cases of published channels, those first that changed last. They are for anybody, so
    /// no scope is needed. Those with a message that was redacted are left out: the name of whoever
    /// wrote it is gone, and could not be replaced where others name them.
    ///
    /// # Errors
    /// The database cannot be reached, or holds a row that cannot be understood.
    pub async fn published_cases(
        &self,
        filter: PublishedFilter<'_>,
    ) -> Result<Vec<PublishedCase>, PortError> {
        let read = async {
            let (mut tx, live) = self.looking_up().await?;
            let (Some(cases), Some(channels), Some(messages)) = (
                live.of(Projection::Cases),
                live.of(Projection::Channels),
                live.of(Projection::Messages),
            ) else {
                return Ok(Vec::new());
            };
            // Of a case that was merged, the one that stands for it.
            let chosen = match filter.cases {
                None => "AND $2::uuid[] IS NULL",
                Some(_) => {
                    "AND c.case_id = ANY (ARRAY( \
                         SELECT coalesce(o.merged_into, o.case_id) FROM {cases}.cases o \
                         WHERE o.space = h.space AND o.case_id = ANY ($2)))"
                }
            };
            // Each channel begins in its index, and ends where there are enough; names are looked up of those alone.
            let statement = "SELECT c.space, c.case_id, c.title, c.changed_at, \
                     CASE WHEN $4 THEN ARRAY( \
                     SELECT DISTINCT m.name FROM {cases}.case_evidence e \
                     JOIN {messages}.messages m ON m.space = e.space AND m.message = e.message \
                     WHERE e.space = c.space AND e.case_id = c.case_id AND m.name IS NOT NULL) \
                     ELSE '{}' END AS names \
                 FROM (SELECT c.space, c.case_id, c.title, c.changed_at FROM {channels}.channels h \
                 CROSS JOIN LATERAL (SELECT * FROM {cases}.cases c \
                     WHERE c.space = h.space AND c.channel = h.channel {chosen} \
                     AND c.erased_at IS NULL AND c.merged_into IS NULL AND c.archived_at IS NULL \
                     AND c.title IS NOT NULL AND c.problem IS NOT NULL AND c.solution IS NOT NULL \
                     AND NOT EXISTS ( \
                         SELECT FROM {cases}.case_evidence e \
                         JOIN {messages}.messages m ON m.space = e.space AND m.message = e.message \
                         WHERE e.space = c.space AND e.case_id = c.case_id \
                             AND m.redacted_at IS NOT NULL) \
                     AND (c.signal IS NOT NULL OR EXISTS ( \
                         SELECT FROM {cases}.case_confirmations f \
                         WHERE f.space = c.space AND f.case_id = c.case_id)) \
                     ORDER BY c.changed_at DESC, c.case_id LIMIT $3) c \
                 WHERE h.published AND h.audience = 'public' \
                     AND ($1::text IS NULL OR h.space = $1) \
                 ORDER BY c.changed_at DESC, c.case_id LIMIT $3) c \
                 ORDER BY c.changed_at DESC, c.case_id"
                .replace("{chosen}", chosen)
                .replace("{cases}", &cases.schema())
                .replace("{channels}", &channels.schema())
                .replace("{messages}", &messages.schema());
            let ids = filter.cases.map(|cases| {
                let ids = cases.iter().map(|case| case.as_uuid());
                ids.collect::<Vec<_>>()
            });
            let rows = sqlx::query(&statement)
                .bind(filter.space.map(SpaceId::as_str))
                .bind(ids)
                .bind(i64::from(filter.limit))
                .bind(filter.with_names)
                .fetch_all(&mut *tx)
                .await?;
            let unreadable = |error| sqlx::Error::Decode(Box::new(error));
            rows.iter()
                .map(|row| {
                    let Moment(changed_at) = row.try_get("changed_at")?;
                    Ok(PublishedCase {
                        space: SpaceId::parse(row.try_get("space")?).map_err(unreadable)?,
                        case: CaseId::from_uuid(row.try_get("case_id")?),
                        title: row.try_get("title")?,
                        names: row.try_get("names")?,
                        changed_at,
                    })
                })
                .collect()
        };
        read.await.map_err(failed("listing published cases"))
    }
}
