//! Writing folded rows: many new ones by COPY, others by one statement per table over arrays.
//!
//! The same for every table. Particular is only what cases and vectors have to do with each other
//! and with the index: marks of cases, and vectors of erased cases.

use sqlx::PgConnection;
use threadlore_fold::{Change, Row, RowKey, RowTables, Table, rows_of};
use threadlore_model::{CaseId, SpaceId};
use threadlore_ports::{Generation, Projection};

use crate::arrays::{Arrays, CaseKeys, delete, replace, upsert};
use crate::binary::Copied;
use crate::erasure::{delete_vectors, lock_vectors, without_erased};
use crate::rows::of;

/// From so many new rows of a table on they are copied: for a few the round trips cost more.
const COPY_FROM: usize = 32;

pub(crate) async fn write(
    tx: &mut PgConnection,
    generation: Generation,
    mut changes: Vec<Change>,
) -> Result<(), sqlx::Error> {
    let erased = CaseKeys::of(changes.iter().filter_map(|change| match &change.row {
        Some(Row::Case(case)) if case.erased_at.is_some() => Some((&case.space, case.case)),
        _ => None,
    }));
    // Before any row is written: a writer of vectors that is waited for may need these.
    let with_vectors = if erased.spaces.is_empty() {
        Vec::new()
    } else {
        lock_vectors(tx).await?
    };
    if generation.projection == Projection::Vectors && !changes.is_empty() {
        changes = without_erased(tx, generation, changes).await?;
    }
    for tables in rows_of(generation.projection) {
        let of_table = |change: &&Change| change.key.table() == tables.table;
        let changes: Vec<&Change> = changes.iter().filter(of_table).collect();
        if !changes.is_empty() {
            write_rows(tx, generation, tables, &changes).await?;
        }
    }
    match generation.projection {
        // All at once and ascending, as the cases of vectors are marked: so the two writers cannot
        // deadlock.
        Projection::Cases => mark(tx, generation, &CaseKeys::of(cases_of(&changes))).await?,
        Projection::Vectors => mark_everywhere(tx, generation, &changes).await?,
        _ => {}
    }
    for build in with_vectors {
        delete_vectors(tx, build, &erased).await?;
    }
    Ok(())
}

/// Rows of one table on their way.
struct Outgoing {
    table: &'static Table,
    /// Not in the table yet, and many.
    new: Copied,
    /// All others.
    others: Arrays,
}

/// Writes the changes of the rows of one type with their children.
async fn write_rows(
    tx: &mut PgConnection,
    generation: Generation,
    tables: &RowTables,
    changes: &[&Change],
) -> Result<(), sqlx::Error> {
    let all = [tables.table]
        .into_iter()
        .chain(tables.children.iter().copied());
    let mut outgoing: Vec<Outgoing> = all
        .map(|table| Outgoing {
            table,
            new: Copied::new(table),
            others: Arrays::of(table.columns),
        })
        .collect();
    let mut parents = Arrays::of(tables.table.key_columns());
    let mut gone = Arrays::of(tables.table.key_columns());
    let is_new = |change: &&&Change| change.is_new && change.row.is_some();
    let copies = changes.iter().filter(is_new).count() >= COPY_FROM;
    for Change { key, row, is_new } in changes {
        let Some(row) = row else {
            gone.push(&key.values());
            continue;
        };
        let copied = copies && *is_new;
        if !copied {
            parents.push(&key.values());
        }
        row.each(|table, values| {
            for outgoing in outgoing.iter_mut().filter(|o| o.table == table) {
                match copied {
                    true => outgoing.new.push(values),
                    false => outgoing.others.push(values),
                }
            }
        });
    }
    for Outgoing { table, new, others } in outgoing {
        new.copy(tx, generation).await?;
        if table == tables.table {
            upsert(tx, generation, table, &others).await?;
        } else {
            replace(tx, generation, table, &others, &parents).await?;
        }
        delete(tx, generation, table, &gone).await?;
    }
    Ok(())
}

/// One column of many rows.
pub(crate) fn column<'a, R, T>(rows: &'a [R], value: impl FnMut(&'a R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}

/// The cases that changes are about.
fn cases_of(changes: &[Change]) -> impl Iterator<Item = (&SpaceId, CaseId)> {
    changes.iter().filter_map(|change| match &change.key {
        RowKey::Case((space, case)) | RowKey::Vector((space, case, ..)) => Some((space, *case)),
        _ => None,
    })
}

/// Marks the cases of vectors in every build of cases, if these vectors are the live
/// ones, whose points are made of them. No build is dropped meanwhile.
async fn mark_everywhere(
    tx: &mut PgConnection,
    vectors: Generation,
    changes: &[Change],
) -> Result<(), sqlx::Error> {
    if changes.is_empty() {
        return Ok(());
    }
    let statement = "SELECT g.number FROM lore.generations g \
         JOIN lore.live l ON l.projection = 'vectors' AND l.generation = $1::bigint \
         WHERE g.projection = 'cases' ORDER BY g.number FOR SHARE OF g";
    let builds: Vec<i32> = sqlx::query_scalar(statement)
        .bind(i64::from(vectors.number))
        .fetch_all(&mut *tx)
        .await?;
    let mut cases: Vec<_> = cases_of(changes).collect();
    cases.sort_unstable();
    cases.dedup();
    let keys = CaseKeys::of(cases);
    for number in builds {
        let build = Generation {
            projection: Projection::Cases,
            number: number.unsigned_abs(),
        };
        mark(tx, build, &keys).await?;
    }
    Ok(())
}

/// Marks cases whose points are to be made again.
pub(crate) async fn mark(
    tx: &mut PgConnection,
    build: Generation,
    cases: &CaseKeys,
) -> Result<(), sqlx::Error> {
    if cases.spaces.is_empty() {
        return Ok(());
    }
    let statement = "INSERT INTO {schema}.unindexed (space, case_id) \
         SELECT * FROM unnest($1::text[], $2::uuid[]) \
         ON CONFLICT (space, case_id) DO UPDATE SET mark = excluded.mark";
    sqlx::query(&of(statement, build))
        .bind(&cases.spaces)
        .bind(&cases.ids)
        .execute(tx)
        .await?;
    Ok(())
}
