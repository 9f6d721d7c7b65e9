//! What is left of a layout that lost one of its schemas. It would not fit what
//! is made anew: positions, outboxes and builds belong together. All of it can be
//! rebuilt from the log, so it is dropped; what is not surely ours is not.

use std::collections::BTreeMap;

use sqlx::migrate::Migrator;
use sqlx::postgres::PgPool;
use sqlx::{Executor as _, PgConnection};
use threadlore_ports::{PortError, Projection};

use crate::begin::begin;
use crate::error::failed;
use crate::rollups;

/// The schemas that every layout has, the second only for what readers use.
const STATE: &str = "lore_state";
const READERS: &str = "lore";
/// Tables of [`STATE`].
const STATE_TABLES: &[&str] = &[
    "shards",
    "marks",
    "states",
    "part_changes",
    "accepted",
    "outbox",
    "effects",
    "replays",
    "comparisons",
    "restores",
    "gateway_cursors",
    "tokens",
    "accounts",
    "account_rights",
    // The sequence that builds of cases take their marks from.
    "marks_given",
];
/// Tables of [`READERS`]; beside them it has a view for each table of a build, and those of `rollups`.
const READER_TABLES: &[&str] = &["live", "generations"];

/// Drops the remains, if a schema is lost, and says so.
///
/// # Errors
/// `Broken` when one of our schemas holds what is not ours.
pub(crate) async fn clear(pool: &PgPool, migrator: &Migrator) -> Result<(), PortError> {
    const DOING: &str = "looking for a lost schema";
    let ours: Vec<Vec<u8>> = migrator.iter().map(|m| m.checksum.to_vec()).collect();
    let mut tx = begin(pool).await.map_err(failed(DOING))?;
    let Some(lost) = lost(&mut tx, &ours).await.map_err(failed(DOING))? else {
        return Ok(());
    };
    let mut dropped = Vec::new();
    for (schema, relations) in relations(&mut tx).await.map_err(failed(DOING))? {
        let strangers = strangers(&schema, &relations);
        if strangers.is_empty() {
            let statement = format!("DROP SCHEMA {schema} CASCADE");
            let done = tx.execute(statement.as_str()).await;
            done.map_err(failed(DOING))?;
            dropped.push(schema);
        } else if [STATE, READERS].contains(&schema.as_str()) {
            return Err(PortError::broken(
                DOING,
                format!(
                    "schema {lost} is gone, and {schema} holds what is not Threadlore's ({}): move \
                     that elsewhere and start again; then both are made anew from the log",
                    strangers.join(", ")
                ),
            ));
        }
    }
    sqlx::query("DELETE FROM _sqlx_migrations WHERE checksum = ANY($1)")
        .bind(&ours)
        .execute(&mut *tx)
        .await
        .map_err(failed(DOING))?;
    tx.commit().await.map_err(failed(DOING))?;
    tracing::warn!(
        lost,
        dropped = dropped.join(", "),
        "a schema was lost: what is left of its layout was dropped, and all of it is rebuilt from \
         the log"
    );
    Ok(())
}

/// The schema that our first migration made and that is not there any more.
async fn lost(
    tx: &mut PgConnection,
    ours: &[Vec<u8>],
) -> Result<Option<&'static str>, sqlx::Error> {
    let lock = "SELECT pg_advisory_xact_lock(hashtext('threadlore: remains of a layout'))";
    tx.execute(lock).await?;
    let there = "SELECT to_regclass('_sqlx_migrations') IS NOT NULL";
    if !sqlx::query_scalar(there).fetch_one(&mut *tx).await? {
        return Ok(None);
    }
    let made: bool = sqlx::query_scalar(
        "SELECT EXISTS (SELECT FROM _sqlx_migrations WHERE success AND checksum = $1)",
    )
    .bind(ours.first())
    .fetch_one(&mut *tx)
    .await?;
    let (state, readers): (bool, bool) = sqlx::query_as(
        "SELECT to_regclass('lore_state.shards') IS NOT NULL, to_regclass('lore.live') IS NOT NULL",
    )
    .fetch_one(&mut *tx)
    .await?;
    Ok(match (made, state, readers) {
        (true, false, _) => Some(STATE),
        (true, true, false) => Some(READERS),
        _ => None,
    })
}

/// What is in schemas that have a name of ours.
async fn relations(tx: &mut PgConnection) -> Result<BTreeMap<String, Vec<String>>, sqlx::Error> {
    let builds = Projection::ALL.map(Projection::name).join("|");
    let rows: Vec<(String, Option<String>)> = sqlx::query_as(
        "SELECT n.nspname::text, c.relname::text FROM pg_namespace n \
         LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relkind NOT IN ('i', 'I', 'c') \
         WHERE n.nspname IN ('lore_state', 'lore') \
         OR n.nspname ~ $1",
    )
    .bind(format!("^({builds})_g[1-9][0-9]*$"))
    .fetch_all(tx)
    .await?;
    let mut schemas: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (schema, relation) in rows {
        schemas.entry(schema).or_default().extend(relation);
    }
    Ok(schemas)
}

/// Relations that we never make in a schema of this name. A build has all of its
/// tables and nothing else; one that lacks some is a stranger's.
fn strangers(schema: &str, relations: &[String]) -> Vec<String> {
    let tables = |of: Projection| threadlore_fold::tables(of).map(|table| table.name);
    let ours: Vec<&str> = match schema {
        STATE => STATE_TABLES.to_vec(),
        READERS => {
            let views = Projection::ALL.into_iter().flat_map(tables);
            let rollups = rollups::NAMES.map(|(name, _)| name);
            let tables = READER_TABLES.iter().copied();
            tables.chain(views).chain(rollups).collect()
        }
        build => {
            let named = |p: &Projection| build.starts_with(&format!("{}_g", p.name()));
            let projection = Projection::ALL.into_iter().find(named);
            let ours: Vec<&str> = projection.into_iter().flat_map(tables).collect();
            if ours
                .iter()
                .any(|table| !relations.iter().any(|r| r == table))
            {
                return vec![schema.to_owned()];
            }
            // Builds of cases have marks.
            let marks = (projection == Some(Projection::Cases)).then_some("unindexed");
            ours.into_iter().chain(marks).collect()
        }
    };
    let strange = relations.iter().filter(|r| !ours.contains(&r.as_str()));
    strange.cloned().collect()
}
