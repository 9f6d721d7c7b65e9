//! Reading cases: every call is one transaction that acts as `lore_reader`
//! within the scope's space.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use async_trait::async_trait;
use sqlx::postgres::PgRow;
use sqlx::{PgConnection, Postgres, Row as _, Transaction};
use threadlore_fold::{ColumnType, Value};
use threadlore_model::{
    Case, CaseId, ChannelId, ChannelSettings, MessageId, PersonId, SpaceId, Timestamp,
};
use threadlore_ports::{
    CaseHit, CaseReader, CaseScore, Counts, EvidenceLine, Fact, Generation, Layer, PortError,
    Precedent, Projection, Readable, Scope,
};
use uuid::Uuid;

use crate::PostgresStore;
use crate::error::failed;
use crate::fold::cases_of;
use crate::generations::error_of;
use crate::memories::facts;
use crate::rows::{cell, of};
use crate::search::{Candidate, candidates, names_of};
use crate::types::Moment;

/// The live builds, as far as there are any.
pub(crate) struct Live(Vec<Generation>);

impl Live {
    pub(crate) fn of(&self, projection: Projection) -> Option<Generation> {
        self.0.iter().copied().find(|g| g.projection == projection)
    }
}

impl PostgresStore {
    /// Begins to read in a space: one snapshot, the pointer rows looked up once,
    /// and from then on as `lore_reader`.
    pub(crate) async fn reading(
        &self,
        space: &SpaceId,
    ) -> Result<(Transaction<'static, Postgres>, Live), sqlx::Error> {
        let (mut tx, live) = self.looking_up().await?;
        act_as_reader(&mut tx, space).await?;
        Ok((tx, live))
    }

    pub(crate) async fn looking_up(
        &self,
    ) -> Result<(Transaction<'static, Postgres>, Live), sqlx::Error> {
        let mut tx = self.snapshot().await?;
        let pointers: Vec<(String, i32)> = sqlx::query_as(
            "SELECT projection, generation FROM lore.live WHERE generation IS NOT NULL",
        )
        .fetch_all(&mut *tx)
        .await?;
        let live = pointers
            .into_iter()
            .filter_map(|(name, number)| {
                Some(Generation {
                    projection: name.parse().ok()?,
                    number: number.unsigned_abs(),
                })
            })
            .collect();
        Ok((tx, Live(live)))
    }
}

/// From here on the transaction sees rows of this space only.
async fn act_as_reader(tx: &mut PgConnection, space: &SpaceId) -> Result<(), sqlx::Error> {
    sqlx::query("SET LOCAL ROLE lore_reader")
        .execute(&mut *tx)
        .await?;
    sqlx::query("SELECT set_config('lore.space', $1, true)")
        .bind(space.as_str())
        .execute(tx)
        .await?;
    Ok(())
}

#[async_trait]
impl CaseReader for PostgresStore {
    async fn search(
        &self,
        scope: &Scope,
        readable: &Readable,
        query: &str,
        limit: u32,
    ) -> Result<Vec<CaseHit>, PortError> {
        let search = async {
            let (mut tx, live) = self.looking_up().await?;
            let Some(cases) = live.of(Projection::Cases) else {
                return Ok(Vec::new());
            };
            let space = scope.space();
            let places = candidates(&mut tx, cases, space, readable, query, limit).await?;
            act_as_reader(&mut tx, space).await?;
            let ids: Vec<CaseId> = places.iter().map(|place| place.case).collect();
            let found = cases_of(&mut tx, cases, space, &ids).await?;
            let hit = |place: Candidate| {
                Some(CaseHit {
                    case: found.iter().find(|case| case.case == place.case)?.clone(),
                    layer: place.layer,
                    score: place.score,
                })
            };
            Ok(places.into_iter().filter_map(hit).collect())
        };
        search.await.map_err(failed("searching cases"))
    }

    async fn placed(
        &self,
        scope: &Scope,
        build: Generation,
        cases: &[CaseId],
    ) -> Result<Vec<(Case, Layer)>, PortError> {
        let read = async {
            let (mut tx, _) = self.reading(scope.space()).await?;
            let found = cases_of(&mut tx, build, scope.space(), cases).await?;
            let channels: BTreeSet<&str> = found.iter().map(|case| case.channel.as_str()).collect();
            // One look at the end of an index per channel.
            let statement = "SELECT k.channel, (SELECT max(c.changed_at) FROM {schema}.cases c \
                     WHERE c.space = $1 AND c.channel = k.channel) AS newest \
                 FROM unnest($2::text[]) AS k (channel)";
            let newest: HashMap<String, Timestamp> = sqlx::query(&of(statement, build))
                .bind(scope.space().as_str())
                .bind(channels.into_iter().collect::<Vec<&str>>())
                .fetch_all(&mut *tx)
                .await?
                .iter()
                .map(|row| {
                    let Moment(at) = row.try_get("newest")?;
                    Ok((row.try_get("channel")?, at))
                })
                .collect::<Result<_, sqlx::Error>>()?;
            let layer = |case: Case| {
                let newest = newest.get(case.channel.as_str())?;
                let layer = Layer::of(&case, *newest)?;
                Some((case, layer))
            };
            Ok(found.into_iter().filter_map(layer).collect())
        };
        read.await
            .map_err(|e| error_of(build, "reading cases that were found", e))
    }

    async fn scores(
        &self,
        scope: &Scope,
        worded_in: &[(CaseId, i64)],
    ) -> Result<BTreeMap<CaseId, CaseScore>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(build) = live.of(Projection::Outcomes) else {
                return Ok(BTreeMap::new());
            };
            let statement = "SELECT o.case_id, \
                     count(*) FILTER (WHERE o.outcome = 'worked') AS worked, \
                     count(*) FILTER (WHERE o.outcome = 'failed') AS failed \
                 FROM unnest($2::uuid[], $3::bigint[]) AS k (case_id, version) \
                 JOIN {schema}.outcomes o ON o.space = $1 AND o.case_id = k.case_id \
                     AND o.case_version >= k.version \
                 GROUP BY o.case_id";
            let (ids, versions): (Vec<Uuid>, Vec<i64>) = worded_in
                .iter()
                .map(|(case, version)| (case.as_uuid(), version))
                .unzip();
            sqlx::query(&of(statement, build))
                .bind(scope.space().as_str())
                .bind(ids)
                .bind(versions)
                .fetch_all(&mut *tx)
                .await?
                .iter()
                .map(|row| {
                    let number = |name| -> Result<u32, sqlx::Error> {
                        Ok(u32::try_from(count(row.try_get(name)?)).unwrap_or(u32::MAX))
                    };
                    let score = CaseScore {
                        worked: number("worked")?,
                        failed: number("failed")?,
                    };
                    Ok((CaseId::from_uuid(row.try_get("case_id")?), score))
                })
                .collect()
        };
        read.await
            .map_err(failed("reading what answers were worth"))
    }

    async fn evidence(&self, scope: &Scope, case: CaseId) -> Result<Vec<EvidenceLine>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let (Some(cases), Some(messages)) =
                (live.of(Projection::Cases), live.of(Projection::Messages))
            else {
                return Ok(Vec::new());
            };
            // A message that was edited or redacted before it arrived has no author
            // and no time yet; it is shown once its post is there.
            let statement = "SELECT e.message, e.part, m.person, m.name, m.text, m.sent_at \
                 FROM {cases}.case_evidence e \
                 JOIN {messages}.messages m ON m.space = e.space AND m.message = e.message \
                 WHERE e.space = $1 AND e.case_id = ANY (ARRAY(SELECT $2 UNION ALL \
                     SELECT case_id FROM {cases}.cases WHERE space = $1 AND merged_into = $2)) \
                 AND m.person IS NOT NULL AND m.sent_at IS NOT NULL \
                 ORDER BY e.case_id <> $2, e.case_id, e.position"
                .replace("{cases}", &cases.schema())
                .replace("{messages}", &messages.schema());
            sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(case.as_uuid())
                .fetch_all(&mut *tx)
                .await?
                .iter()
                .map(|row| {
                    let Moment(sent_at) = row.try_get("sent_at")?;
                    Ok(EvidenceLine {
                        message: MessageId::from_uuid(row.try_get("message")?),
                        part: cell(row, "part")?,
                        person: PersonId::from_uuid(row.try_get("person")?),
                        name: row.try_get("name")?,
                        text: row.try_get("text")?,
                        sent_at,
                    })
                })
                .collect()
        };
        read.await.map_err(failed("reading the evidence of a case"))
    }

    async fn best(&self, scope: &Scope, limit: u32) -> Result<Vec<Case>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(cases) = live.of(Projection::Cases) else {
                return Ok(Vec::new());
            };
            let statement = "SELECT c.case_id FROM {schema}.cases c \
                 LEFT JOIN (SELECT case_id, count(*) AS n FROM {schema}.case_confirmations \
                            WHERE space = $1 GROUP BY case_id) f USING (case_id) \
                 LEFT JOIN (SELECT case_id, count(*) AS n FROM {schema}.case_evidence \
                            WHERE space = $1 GROUP BY case_id) e USING (case_id) \
                 WHERE c.space = $1 AND c.archived_at IS NULL \
                 ORDER BY (c.signal IS NOT NULL OR f.n IS NOT NULL) DESC, \
                     coalesce(f.n, 0) DESC, \
                     array_position(ARRAY['admin', 'reaction', 'thanks', 'thread_end'], c.signal) \
                         NULLS LAST, \
                     coalesce(e.n, 0) DESC, c.changed_at DESC, c.case_id \
                 LIMIT $2";
            let ids: Vec<Uuid> = sqlx::query_scalar(&of(statement, cases))
                .bind(scope.space().as_str())
                .bind(i64::from(limit))
                .fetch_all(&mut *tx)
                .await?;
            let ids: Vec<CaseId> = ids.into_iter().map(CaseId::from_uuid).collect();
            let mut found = cases_of(&mut tx, cases, scope.space(), &ids).await?;
            found.sort_by_key(|case| ids.iter().position(|id| *id == case.case));
            Ok(found)
        };
        read.await.map_err(failed("reading the best cases"))
    }

    async fn precedents(
        &self,
        scope: &Scope,
        readable: &Readable,
        limit: u32,
    ) -> Result<Vec<Precedent>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let (Some(outcomes), Some(memories), Some(turns), Some(messages)) = (
                live.of(Projection::Outcomes),
                live.of(Projection::Memories),
                live.of(Projection::Turns),
                live.of(Projection::Messages),
            ) else {
                return Ok(Vec::new());
            };
            let statement = "WITH latest AS ( \
                     SELECT o.* FROM {outcomes}.outcomes o \
                     JOIN {memories}.memories e ON e.space = o.space AND e.memory = o.memory \
                         AND e.case_id IS NOT NULL \
                         AND (e.archived_at IS NULL OR e.archive_reason = 'failed') \
                     WHERE o.space = $1 AND o.outcome IN ('worked', 'failed') \
                     AND ($2::text[] IS NULL OR o.channel = ANY ($2)) \
                     ORDER BY o.recorded_at DESC, o.answer LIMIT $3 \
                 ), pattern AS ( \
                     SELECT e.space, e.memory FROM {memories}.memories e \
                     WHERE e.space = $1 AND e.tier = 'patterns' AND e.archived_at IS NULL \
                     AND e.case_id IS NOT NULL \
                     AND ($2::text[] IS NULL OR e.channel = ANY ($2)) \
                     ORDER BY e.score DESC NULLS LAST, e.memory LIMIT $3 \
                 ), known AS ( \
                     SELECT * FROM latest UNION SELECT o.* FROM pattern e \
                     JOIN LATERAL (SELECT o.* FROM {outcomes}.outcomes o \
                         WHERE o.space = e.space AND o.memory = e.memory AND o.outcome = 'worked' \
                         ORDER BY o.recorded_at DESC, o.answer LIMIT 1) o ON TRUE \
                 ) \
                 SELECT o.case_id, o.case_version, o.channel, o.memory, \
                     o.outcome = 'worked' AS worked, q.text \
                 FROM known o \
                 JOIN LATERAL (SELECT t.messages FROM {turns}.turns t \
                     WHERE t.space = o.space AND t.turn = o.turn \
                     AND cardinality(t.context) = 0 OFFSET 0) t ON TRUE \
                 JOIN LATERAL (SELECT string_agg(m.text, E'\\n' \
                         ORDER BY array_position(t.messages, m.message)) AS text \
                     FROM {messages}.messages m \
                     WHERE m.space = o.space AND m.message = ANY (t.messages)) q \
                     ON q.text IS NOT NULL \
                 ORDER BY o.recorded_at DESC, o.answer"
                .replace("{outcomes}", &outcomes.schema())
                .replace("{memories}", &memories.schema())
                .replace("{turns}", &turns.schema())
                .replace("{messages}", &messages.schema());
            let channels = names_of(readable);
            sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(channels)
                .bind(i64::from(limit))
                .fetch_all(&mut *tx)
                .await?
                .iter()
                .map(|row| {
                    Ok(Precedent {
                        case: cell(row, "case_id")?,
                        version: cell(row, "case_version")?,
                        channel: cell(row, "channel")?,
                        memory: cell(row, "memory")?,
                        text: cell(row, "text")?,
                        worked: cell(row, "worked")?,
                    })
                })
                .collect()
        };
        read.await.map_err(failed("reading what was asked before"))
    }

    async fn read_to(&self) -> Result<String, PortError> {
        let read = async {
            let (mut tx, live) = self.looking_up().await?;
            let builds = [Projection::Outcomes, Projection::Memories].map(|of| live.of(of));
            let groups = builds.into_iter().flatten().map(Generation::group);
            let groups: Vec<String> = groups.map(|group| group.to_string()).collect();
            sqlx::query_scalar(
                "SELECT coalesce(string_agg(concat_ws(' ', consumer_group, partition, positions), \
                     E'\\n' ORDER BY consumer_group, partition), '') \
                 FROM lore_state.shards WHERE consumer_group = ANY ($1)",
            )
            .bind(groups)
            .fetch_one(&mut *tx)
            .await
        };
        read.await
            .map_err(failed("reading how far the tables have read the log"))
    }

    async fn facts(
        &self,
        scope: &Scope,
        readable: &Readable,
        of: Option<PersonId>,
    ) -> Result<Vec<Fact>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            facts(&mut tx, &live, (scope.space(), readable), of).await
        };
        read.await
            .map_err(failed("reading what the system was told"))
    }

    async fn configured(
        &self,
        scope: &Scope,
    ) -> Result<BTreeMap<ChannelId, ChannelSettings>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(channels) = live.of(Projection::Channels) else {
                return Ok(BTreeMap::new());
            };
            let statement = "SELECT channel, admins, audience, mode, docs, published FROM {schema}.channels WHERE space = $1";
            let rows = sqlx::query(&of(statement, channels))
                .bind(scope.space().as_str())
                .fetch_all(&mut *tx)
                .await?;
            rows.iter().map(settings).collect()
        };
        read.await
            .map_err(failed("reading the settings of channels"))
    }

    async fn counts(&self, scope: &Scope) -> Result<Counts, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let mut counts = Counts::default();
            if let Some(messages) = live.of(Projection::Messages) {
                let statement = "SELECT count(native_id) FROM {schema}.messages WHERE space = $1";
                counts.messages = count(
                    sqlx::query_scalar(&of(statement, messages))
                        .bind(scope.space().as_str())
                        .fetch_one(&mut *tx)
                        .await?,
                );
            }
            if let Some(cases) = live.of(Projection::Cases) {
                let statement = "SELECT count(*), \
                         count(*) FILTER (WHERE archived_at IS NULL AND solved), \
                         count(*) FILTER (WHERE archived_at IS NULL AND NOT solved) \
                     FROM (SELECT archived_at, signal IS NOT NULL OR EXISTS ( \
                               SELECT FROM {schema}.case_confirmations f \
                               WHERE f.space = c.space AND f.case_id = c.case_id) AS solved \
                           FROM {schema}.cases c WHERE space = $1) s";
                let (all, solved, open): (i64, i64, i64) = sqlx::query_as(&of(statement, cases))
                    .bind(scope.space().as_str())
                    .fetch_one(&mut *tx)
                    .await?;
                (counts.cases, counts.solved, counts.open) =
                    (count(all), count(solved), count(open));
            }
            Ok(counts)
        };
        read.await.map_err(failed("counting cases"))
    }
}

/// What `count()` gives is never below 0.
pub(crate) fn count(number: i64) -> u64 {
    number.unsigned_abs()
}

/// A channel, and how it is configured.
fn settings(row: &PgRow) -> Result<(ChannelId, ChannelSettings), sqlx::Error> {
    let unknown = |column| sqlx::Error::Decode(format!("an unknown {column} of a channel").into());
    let channel = ChannelId::parse(row.try_get("channel")?);
    let admins: Vec<Uuid> = row.try_get("admins")?;
    let audience = ColumnType::read(&Value::Text(row.try_get("audience")?));
    let mode = ColumnType::read(&Value::Text(row.try_get("mode")?));
    let settings = ChannelSettings {
        admins: admins.into_iter().map(PersonId::from_uuid).collect(),
        audience: audience.ok_or_else(|| unknown("audience"))?,
        mode: mode.ok_or_else(|| unknown("mode"))?,
        docs: row.try_get("docs")?,
        published: row.try_get("published")?,
    };
    Ok((
        channel.map_err(|e| sqlx::Error::Decode(Box::new(e)))?,
        settings,
    ))
}
