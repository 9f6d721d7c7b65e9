//! Builds of projections: a schema each, and one pointer row per projection.

use async_trait::async_trait;
use futures::TryStreamExt as _;
use sqlx::{Executor as _, PgConnection};
use threadlore_fold::{Digest, Table, tables};
use threadlore_model::{Run, projections};
use threadlore_ports::{Cell, Digests, Generation, Generations, PortError, Positions, Projection};

use crate::PostgresStore;
use crate::begin::{Begun, begin, begin_with};
use crate::error::{failed, is_missing};
use crate::rollups;
use crate::rows::{names, of, select, values};
use crate::store::positions_from;

/// What every table of every build has: readers see one space.
const SECURITY: &str = include_str!("sql/security.sql");

/// The view of cases, which adds a status and the number of confirmations; other views show their
/// table as it is.
const VIEW_OF_CASES: &str = include_str!("sql/cases_view.sql");

/// What the columns of the views mean, made from the dictionary.
const COMMENTS: &str = include_str!("sql/comments.sql");

/// Divides the SQL of a projection: after it there are indexes that folds do not need.
const INDEXES: &str = "-- Indexes";

macro_rules! sql {
    ($($(#[$doc:meta])* $projection:ident $name:literal from $topic:ident $rows:tt)+) => {
        /// The tables and indexes of a projection.
        const fn sql(projection: Projection) -> &'static str {
            match projection {
                $(Projection::$projection => include_str!(concat!("sql/", $name, ".sql"))),+
            }
        }
    };
}
projections!(sql);

/// The layout of the builds that this version makes.
pub(crate) fn layout(projection: Projection) -> String {
    threadlore_fold::layout(sql(projection))
}

/// The SQL of the tables of a projection, and that of the indexes that folds do not need.
fn tables_and_indexes(projection: Projection) -> (&'static str, &'static str) {
    let sql = sql(projection);
    sql.split_once(INDEXES)
        .map_or((sql, ""), |(tables, indexes)| {
            // The rest of that line is a comment.
            (tables, indexes.split_once('\n').map_or("", |(_, sql)| sql))
        })
}

/// The statement of the view that shows a table of the live build.
fn view(table: &Table) -> String {
    match table.name {
        "cases" => VIEW_OF_CASES.to_owned(),
        name => format!(
            "CREATE VIEW lore.{name} WITH (security_invoker = true) AS SELECT {} \
             FROM {{schema}}.{name}",
            names(table.columns)
        ),
    }
}

/// How often a switch asks for the locks on the views, two seconds each, while
/// analysts hold them.
const SWITCH_ATTEMPTS: u32 = 15;

pub(crate) fn missing(generation: Generation) -> PortError {
    PortError::broken("using a build", does_not_exist(generation))
}

pub(crate) fn does_not_exist(generation: Generation) -> String {
    format!("{generation} does not exist; list the builds and choose one of them")
}

fn generation(projection: Projection, number: i32) -> Generation {
    Generation {
        projection,
        // Numbers are given out from 1 on.
        number: number.unsigned_abs(),
    }
}

/// Builds as their rows name them, ascending.
pub(crate) fn listed(
    doing: &'static str,
    rows: Vec<(String, i32)>,
) -> Result<Vec<Generation>, PortError> {
    let build = |(name, number): (String, i32)| Ok(generation(name.parse()?, number));
    let found: Result<Vec<_>, String> = rows.into_iter().map(build).collect();
    let mut found = found.map_err(|e| PortError::broken(doing, e))?;
    found.sort_unstable();
    Ok(found)
}

#[async_trait]
impl Generations for PostgresStore {
    async fn generations(&self) -> Result<Vec<Generation>, PortError> {
        const DOING: &str = "listing builds";
        let rows = sqlx::query_as("SELECT projection, number FROM lore.generations")
            .fetch_all(&self.pool)
            .await
            .map_err(failed(DOING))?;
        listed(DOING, rows)
    }

    async fn live(&self, projection: Projection) -> Result<Generation, PortError> {
        const DOING: &str = "looking up the live build";
        let pointer: Option<i32> =
            sqlx::query_scalar("SELECT generation FROM lore.live WHERE projection = $1")
                .bind(projection.name())
                .fetch_one(&self.pool)
                .await
                .map_err(failed(DOING))?;
        if let Some(number) = pointer {
            return Ok(generation(projection, number));
        }
        let mut tx = begin(&self.pool).await.map_err(failed(DOING))?;
        // Whoever comes second waits here and finds the first one's build.
        let pointer: Option<i32> =
            sqlx::query_scalar("SELECT generation FROM lore.live WHERE projection = $1 FOR UPDATE")
                .bind(projection.name())
                .fetch_one(&mut *tx)
                .await
                .map_err(failed(DOING))?;
        let live = match pointer {
            Some(number) => generation(projection, number),
            None => {
                let first = create(&mut tx, projection, true, None).await;
                let first = first.map_err(failed(DOING))?;
                index(&mut tx, first).await.map_err(failed(DOING))?;
                point(&mut tx, first).await.map_err(failed(DOING))?;
                first
            }
        };
        tx.commit().await.map_err(failed(DOING))?;
        Ok(live)
    }

    async fn create(&self, projection: Projection) -> Result<Generation, PortError> {
        const DOING: &str = "making a build";
        let mut tx = begin(&self.pool).await.map_err(failed(DOING))?;
        let made = create(&mut tx, projection, false, None).await;
        let made = made.map_err(failed(DOING))?;
        tx.commit().await.map_err(failed(DOING))?;
        Ok(made)
    }

    async fn build_indexes(&self, generation: Generation) -> Result<(), PortError> {
        const DOING: &str = "making the indexes of a build";
        let mut tx = begin(&self.pool).await.map_err(failed(DOING))?;
        let made = index(&mut tx, generation).await;
        made.map_err(|e| error_of(generation, DOING, e))?;
        tx.commit().await.map_err(failed(DOING))
    }

    async fn switch(&self, to: Generation) -> Result<(), PortError> {
        const DOING: &str = "switching builds";
        let mut attempt = 1;
        loop {
            match self.try_switch(to).await {
                Ok(true) => return Ok(()),
                Ok(false) => {
                    return Err(PortError::Refused {
                        doing: DOING,
                        reason: does_not_exist(to),
                    });
                }
                Err(e) if attempt < SWITCH_ATTEMPTS && is_lock_timeout(&e) => {
                    tracing::info!(attempt, generation = %to, "views are in use; trying again");
                    attempt += 1;
                }
                Err(e) => return Err(failed(DOING)(e)),
            }
        }
    }

    async fn drop_generation(&self, generation: Generation) -> Result<(), PortError> {
        const DOING: &str = "dropping a build";
        let refuse = |reason| {
            Err(PortError::Refused {
                doing: DOING,
                reason,
            })
        };
        let mut tx = begin(&self.pool).await.map_err(failed(DOING))?;
        let live: Option<i32> =
            sqlx::query_scalar("SELECT generation FROM lore.live WHERE projection = $1 FOR UPDATE")
                .bind(generation.projection.name())
                .fetch_one(&mut *tx)
                .await
                .map_err(failed(DOING))?;
        if live.map(i32::unsigned_abs) == Some(generation.number) {
            return refuse(format!(
                "{generation} is live; switch to another build first"
            ));
        }
        if remove(&mut tx, generation).await.map_err(failed(DOING))? {
            return tx.commit().await.map_err(failed(DOING));
        }
        refuse(does_not_exist(generation))
    }

    async fn positions(
        &self,
        generation: Generation,
        partitions: u32,
    ) -> Result<Vec<Positions>, PortError> {
        const DOING: &str = "reading the positions of a build";
        let rows: Vec<(i32, String)> = sqlx::query_as(
            "SELECT partition, positions::text FROM lore_state.shards WHERE consumer_group = $1",
        )
        .bind(generation.group().as_str())
        .fetch_all(&self.pool)
        .await
        .map_err(failed(DOING))?;
        let mut all = vec![Positions::new(); partitions as usize];
        for (partition, text) in rows {
            let place = usize::try_from(partition).ok().and_then(|n| all.get_mut(n));
            if let Some(place) = place {
                *place = positions_from(&text).map_err(failed(DOING))?;
            }
        }
        Ok(all)
    }

    async fn digest(&self, generation: Generation) -> Result<Digests, PortError> {
        const DOING: &str = "computing the digest of a build";
        let compute = async {
            let mut tx = self.snapshot().await?;
            let mut digests = Digests::new();
            for table in tables(generation.projection) {
                let digest = digest_of(&mut tx, generation, table).await?;
                digests.insert(table.name.to_owned(), (digest.rows(), digest.hex()));
            }
            Ok(digests)
        };
        compute
            .await
            .map_err(|e: sqlx::Error| error_of(generation, DOING, e))
    }

    async fn differences(
        &self,
        a: Generation,
        b: Generation,
        max: usize,
    ) -> Result<Vec<Cell>, PortError> {
        const DOING: &str = "comparing builds";
        if a.projection != b.projection {
            return Err(PortError::Refused {
                doing: DOING,
                reason: format!("{a} and {b} are builds of different projections"),
            });
        }
        crate::differences::between(self, a, b, max)
            .await
            .map_err(|e| error_of(a, DOING, e))
    }
}

pub(crate) fn error_of(
    generation: Generation,
    doing: &'static str,
    error: sqlx::Error,
) -> PortError {
    if is_missing(&error) {
        missing(generation)
    } else {
        failed(doing)(error)
    }
}

pub(crate) fn is_lock_timeout(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|e| e.code());
    code.as_deref() == Some("55P03")
}

impl PostgresStore {
    /// A read-only transaction that sees one moment.
    pub(crate) async fn snapshot(&self) -> Result<Begun, sqlx::Error> {
        let statement = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        begin_with(&self.pool, statement).await
    }

    /// Whether the build exists; then it is the live one.
    async fn try_switch(&self, to: Generation) -> Result<bool, sqlx::Error> {
        let mut tx = begin(&self.pool).await?;
        sqlx::query("SET LOCAL lock_timeout = '2s'")
            .execute(&mut *tx)
            .await?;
        // Holds the build against being dropped meanwhile.
        let exists = sqlx::query(
            "SELECT FROM lore.generations WHERE projection = $1 AND number = $2 FOR SHARE",
        )
        .bind(to.projection.name())
        .bind(i64::from(to.number))
        .fetch_optional(&mut *tx)
        .await?;
        if exists.is_none() {
            return Ok(false);
        }
        point(&mut tx, to).await?;
        tx.commit().await?;
        Ok(true)
    }
}

/// Makes a build of a run, else of that of the live one.
pub(crate) async fn create(
    tx: &mut PgConnection,
    projection: Projection,
    fed: bool,
    run: Option<Run>,
) -> Result<Generation, sqlx::Error> {
    let number: i32 = sqlx::query_scalar(
        "UPDATE lore.live SET last = last + 1 WHERE projection = $1 RETURNING last",
    )
    .bind(projection.name())
    .fetch_one(&mut *tx)
    .await?;
    sqlx::query(
        "INSERT INTO lore.generations (projection, number, fed, layout, run) VALUES ($1, $2, $3, $5, \
         coalesce($4::bigint, (SELECT g.run FROM lore.live l JOIN lore.generations g \
         ON g.projection = l.projection AND g.number = l.generation WHERE l.projection = $1), 1))",
    )
    .bind(projection.name())
    .bind(number)
    .bind(fed)
    .bind(run.map(|run| i64::from(run.number())))
    .bind(layout(projection))
    .execute(&mut *tx)
    .await?;
    let made = generation(projection, number);
    tx.execute(of("CREATE SCHEMA {schema}", made).as_str())
        .await?;
    tx.execute(of(tables_and_indexes(projection).0, made).as_str())
        .await?;
    for table in tables(projection) {
        let security = SECURITY.replace("{table}", table.name);
        tx.execute(of(&security, made).as_str()).await?;
    }
    Ok(made)
}

/// Makes the indexes that are not there, and lets the planner know what the tables hold.
pub(crate) async fn index(tx: &mut PgConnection, build: Generation) -> Result<(), sqlx::Error> {
    let indexes = of(tables_and_indexes(build.projection).1, build);
    tx.execute(indexes.as_str()).await?;
    for table in tables(build.projection) {
        let analyze = format!("ANALYZE {{schema}}.{}", table.name);
        tx.execute(of(&analyze, build).as_str()).await?;
    }
    Ok(())
}

/// Points readers and the analysts' views at a build, and makes anew what is shown from several of them.
async fn point(tx: &mut PgConnection, to: Generation) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE lore.live SET generation = $2::bigint WHERE projection = $1")
        .bind(to.projection.name())
        .bind(i64::from(to.number))
        .execute(&mut *tx)
        .await?;
    rollups::drop_all(tx).await?;
    for table in tables(to.projection) {
        let replace = format!(
            "DROP VIEW IF EXISTS lore.{0}; {1}; GRANT SELECT ON lore.{0} TO lore_reader",
            table.name,
            view(table)
        );
        tx.execute(of(&replace, to).as_str()).await?;
        tx.execute(comments(table.name)).await?;
    }
    rollups::make_all(tx).await
}

/// The statements that say what the columns of a view mean: those of the dictionary.
pub(crate) fn comments(view: &str) -> &'static str {
    let heading = format!("-- lore.{view}\n");
    let block = COMMENTS.split_once(&heading).map(|(_, rest)| rest);
    block.map_or("", |rest| rest.split("\n-- ").next().unwrap_or(rest))
}

/// Whether there was such a build; its tables and the shards that fed it are gone.
async fn remove(tx: &mut PgConnection, generation: Generation) -> Result<bool, sqlx::Error> {
    let gone = sqlx::query("DELETE FROM lore.generations WHERE projection = $1 AND number = $2")
        .bind(generation.projection.name())
        .bind(i64::from(generation.number))
        .execute(&mut *tx)
        .await?;
    if gone.rows_affected() == 0 {
        return Ok(false);
    }
    for statement in [
        "DELETE FROM lore_state.shards WHERE consumer_group = $1",
        "DELETE FROM lore_state.marks WHERE consumer_group = $1",
        "DELETE FROM lore_state.states WHERE consumer_group = $1",
    ] {
        sqlx::query(statement)
            .bind(generation.group().as_str())
            .execute(&mut *tx)
            .await?;
    }
    tx.execute(of("DROP SCHEMA IF EXISTS {schema} CASCADE", generation).as_str())
        .await?;
    Ok(true)
}

async fn digest_of(
    tx: &mut PgConnection,
    generation: Generation,
    table: &Table,
) -> Result<Digest, sqlx::Error> {
    let statement = of(&select(table), generation);
    let mut rows = sqlx::query(&statement).fetch(&mut *tx);
    let mut digest = Digest::default();
    while let Some(row) = rows.try_next().await? {
        digest.add_values(table, &values(&row, table)?);
    }
    Ok(digest)
}
