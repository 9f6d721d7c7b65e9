//! What there is in a space: whether anything is, and its channels.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::Row as _;
use threadlore_model::{Actor, ChannelId, ChannelSettings, PersonId, SpaceId, Timestamp};
use threadlore_ports::{CaseReader as _, PortError, Projection, Scope};

use crate::PostgresStore;
use crate::error::failed;
use crate::reader::count;
use crate::rows::{cell, of};

/// So many of something are counted; where there are more, this stands for that many or more. Chosen: who looks at a page
/// does not wait for a count of millions.
pub const COUNTED: u64 = 10_000;

/// The channels in which anything was said, as the table `said_in` of a statement whose first parameter is the space: one look
/// at the index for each. The last row is null.
pub(crate) const CHANNELS_OF_MESSAGES: &str = "WITH RECURSIVE said_in AS ( \
     (SELECT channel FROM {schema}.messages WHERE space = $1 ORDER BY channel LIMIT 1) \
     UNION ALL \
     SELECT (SELECT m.channel FROM {schema}.messages m \
         WHERE m.space = $1 AND m.channel > s.channel ORDER BY m.channel LIMIT 1) \
     FROM said_in s WHERE s.channel IS NOT NULL)";

/// A channel that has messages or admins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelSummary {
    /// The channel.
    pub channel: ChannelId,
    /// Messages that were posted there, of which at most [`COUNTED`] are counted.
    pub messages: u64,
    /// How it is configured; `None` when it was never set up.
    pub settings: Option<ChannelSettings>,
    /// When that was said last, and by whom; by nobody of ours where the platform says so.
    pub configured: Option<(Timestamp, Option<Actor>)>,
}

/// Somebody who writes in a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writer {
    /// Who.
    pub person: PersonId,
    /// The name of the last message that has one.
    pub name: Option<String>,
    /// How many of these messages are theirs.
    pub messages: u64,
}

impl PostgresStore {
    /// The spaces that have any message, case or channel, ascending. Their names are for the operator:
    /// nothing in them is read.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn spaces(&self) -> Result<Vec<SpaceId>, PortError> {
        let read = async {
            let (mut tx, live) = self.looking_up().await?;
            let mut names: Vec<String> = Vec::new();
            for projection in [
                Projection::Messages,
                Projection::Cases,
                Projection::Channels,
            ] {
                let Some(build) = live.of(projection) else {
                    continue;
                };
                // From one name to the next by the key: there are few, with many rows each.
                let next = "WITH RECURSIVE name AS ( \
                     SELECT min(space) AS space FROM {schema}.{table} UNION ALL \
                     SELECT (SELECT min(space) FROM {schema}.{table} WHERE space > name.space) \
                     FROM name WHERE space IS NOT NULL) \
                     SELECT space FROM name WHERE space IS NOT NULL";
                let next = of(next, build).replace("{table}", projection.name());
                let found: Vec<String> = sqlx::query_scalar(&next).fetch_all(&mut *tx).await?;
                names.extend(found);
            }
            names.sort_unstable();
            names.dedup();
            Ok(names
                .iter()
                .filter_map(|name| SpaceId::parse(name).ok())
                .collect())
        };
        read.await.map_err(failed("listing spaces"))
    }

    /// Whether a space has any message, case or channel.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn has_space(&self, scope: &Scope) -> Result<bool, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            for (projection, statement) in [
                (
                    Projection::Messages,
                    "SELECT EXISTS (SELECT FROM {schema}.messages WHERE space = $1)",
                ),
                (
                    Projection::Cases,
                    "SELECT EXISTS (SELECT FROM {schema}.cases WHERE space = $1)",
                ),
                (
                    Projection::Channels,
                    "SELECT EXISTS (SELECT FROM {schema}.channels WHERE space = $1)",
                ),
            ] {
                let Some(build) = live.of(projection) else {
                    continue;
                };
                let any: bool = sqlx::query_scalar(&of(statement, build))
                    .bind(scope.space().as_str())
                    .fetch_one(&mut *tx)
                    .await?;
                if any {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        read.await.map_err(failed("looking up a space"))
    }

    /// The channels of a space in the order of their names, or only the one named.
    ///
    /// # Errors
    /// The database cannot be reached, or holds a row that cannot be understood.
    pub async fn channels(
        &self,
        scope: &Scope,
        only: Option<&ChannelId>,
    ) -> Result<Vec<ChannelSummary>, PortError> {
        let mut configured = self.configured(scope).await?;
        configured.retain(|channel, _| only.is_none_or(|only| only == channel));
        let mut messages = self.messages_of_channels(scope, only).await?;
        let mut said = self.configurations(scope).await?;
        let names = configured.keys().chain(messages.keys()).cloned();
        let names: BTreeSet<ChannelId> = names.collect();
        let summary = |channel: ChannelId| ChannelSummary {
            messages: messages.remove(&channel).unwrap_or_default(),
            settings: configured.remove(&channel),
            configured: said.remove(&channel),
            channel,
        };
        Ok(names.into_iter().map(summary).collect())
    }

    /// The names of the channels of a space, in their order.
    ///
    /// # Errors
    /// As [`PostgresStore::channels`].
    pub async fn channel_names(&self, scope: &Scope) -> Result<Vec<ChannelId>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let mut names = BTreeSet::new();
            if let Some(messages) = live.of(Projection::Messages) {
                let statement = format!(
                    "{CHANNELS_OF_MESSAGES} SELECT channel FROM said_in WHERE channel IS NOT NULL"
                );
                let rows = sqlx::query(&of(&statement, messages))
                    .bind(scope.space().as_str())
                    .fetch_all(&mut *tx)
                    .await?;
                for row in &rows {
                    names.insert(cell(row, "channel")?);
                }
            }
            if let Some(channels) = live.of(Projection::Channels) {
                let statement = "SELECT channel FROM {schema}.channels WHERE space = $1";
                let rows = sqlx::query(&of(statement, channels))
                    .bind(scope.space().as_str())
                    .fetch_all(&mut *tx)
                    .await?;
                for row in &rows {
                    names.insert(cell(row, "channel")?);
                }
            }
            Ok(names.into_iter().collect())
        };
        read.await.map_err(failed("reading the names of channels"))
    }

    /// When each channel was configured last, and by whom.
    async fn configurations(
        &self,
        scope: &Scope,
    ) -> Result<BTreeMap<ChannelId, (Timestamp, Option<Actor>)>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(channels) = live.of(Projection::Channels) else {
                return Ok(BTreeMap::new());
            };
            let statement = "SELECT channel, configured_at, configured_by FROM {schema}.channels \
                 WHERE space = $1";
            let rows = sqlx::query(&of(statement, channels))
                .bind(scope.space().as_str())
                .fetch_all(&mut *tx)
                .await?;
            let one = |row: &sqlx::postgres::PgRow| {
                let by: Option<String> = row.try_get("configured_by")?;
                let by = by.and_then(|by| by.parse().ok());
                Ok((cell(row, "channel")?, (cell(row, "configured_at")?, by)))
            };
            rows.iter().map(one).collect()
        };
        read.await
            .map_err(failed("reading who configured channels"))
    }

    /// Who wrote the latest messages of a channel, so many of them, those first who wrote most, without bots.
    ///
    /// # Errors
    /// As [`PostgresStore::channels`].
    pub async fn writers(
        &self,
        scope: &Scope,
        channel: &ChannelId,
        (latest, limit): (u32, u32),
    ) -> Result<Vec<Writer>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(messages) = live.of(Projection::Messages) else {
                return Ok(Vec::new());
            };
            let statement = "SELECT person, count(*) AS messages, \
                     (array_agg(name ORDER BY sent_at DESC) FILTER (WHERE name IS NOT NULL))[1] AS name \
                 FROM (SELECT person, name, sent_at FROM {schema}.messages \
                     WHERE space = $1 AND channel = $2 AND sent_at IS NOT NULL AND NOT bot \
                     ORDER BY sent_at DESC LIMIT $4) m \
                 GROUP BY person ORDER BY count(*) DESC, person LIMIT $3";
            sqlx::query(&of(statement, messages))
                .bind(scope.space().as_str())
                .bind(channel.as_str())
                .bind(i64::from(limit))
                .bind(i64::from(latest))
                .fetch_all(&mut *tx)
                .await?
                .iter()
                .map(|row| {
                    Ok(Writer {
                        person: PersonId::from_uuid(row.try_get("person")?),
                        name: row.try_get("name")?,
                        messages: count(row.try_get("messages")?),
                    })
                })
                .collect()
        };
        read.await
            .map_err(failed("reading who writes in a channel"))
    }

    async fn messages_of_channels(
        &self,
        scope: &Scope,
        only: Option<&ChannelId>,
    ) -> Result<BTreeMap<ChannelId, u64>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(messages) = live.of(Projection::Messages) else {
                return Ok(BTreeMap::new());
            };
            let statement = format!(
                "{CHANNELS_OF_MESSAGES} SELECT channel, (SELECT count(*) FROM \
                     (SELECT FROM {{schema}}.messages m WHERE m.space = $1 AND m.channel = c.channel \
                          AND m.sent_at IS NOT NULL LIMIT {COUNTED}) m) AS messages \
                 FROM said_in c WHERE channel IS NOT NULL AND ($2::text IS NULL OR channel = $2)"
            );
            sqlx::query(&of(&statement, messages))
                .bind(scope.space().as_str())
                .bind(only.map(ChannelId::as_str))
                .fetch_all(&mut *tx)
                .await?
                .iter()
                .map(|row| {
                    let channel = ChannelId::parse(row.try_get("channel")?);
                    let channel = channel.map_err(|e| sqlx::Error::Decode(Box::new(e)))?;
                    Ok((channel, count(row.try_get("messages")?)))
                })
                .collect()
        };
        read.await
            .map_err(failed("reading the channels of a space"))
    }
}
