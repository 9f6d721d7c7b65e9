//! Folding a batch into the tables of a build: load the rows that it touches,
//! fold in memory, write what changed.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::PgConnection;
use sqlx::postgres::PgRow;
use threadlore_fold::{Row, RowKey, Rows, Table, refusal, rows_of, touched};
use threadlore_model::{Case, CaseId, SpaceId};
use threadlore_ports::{FoldBatch, Generation, PortError};

use crate::arrays::Arrays;
use crate::commit::DOING;
use crate::error::{failed, is_missing};
use crate::rows::{of, select, unexpected, values};
use crate::write::write;

pub(crate) async fn fold(tx: &mut PgConnection, batch: &FoldBatch) -> Result<(), PortError> {
    let projection = batch.generation.projection;
    if let Some((event, reason)) = batch
        .events
        .iter()
        .find_map(|event| Some((event, refusal(projection, event)?)))
    {
        return Err(PortError::Refused {
            doing: "folding an event",
            reason: format!("event {}: {reason}", event.envelope.id),
        });
    }
    let asked = batch.events.iter().enumerate();
    let asked = asked.filter(|(at, _)| !batch.is_new.get(*at).copied().unwrap_or(false));
    let keys: BTreeSet<RowKey> = asked
        .filter_map(|(_, event)| touched(projection, event))
        .collect();
    let stored = load(tx, batch.generation, &keys).await.map_err(|e| {
        if is_missing(&e) {
            crate::generations::missing(batch.generation)
        } else {
            failed(DOING)(e)
        }
    })?;
    let mut rows = Rows::of(projection, stored);
    for event in batch.events.iter() {
        rows.fold(event);
    }
    write(tx, batch.generation, rows.into_changed())
        .await
        .map_err(failed(DOING))
}

/// The rows of these keys with their children, ascending by key within each table.
async fn load(
    tx: &mut PgConnection,
    generation: Generation,
    keys: &BTreeSet<RowKey>,
) -> Result<Vec<Row>, sqlx::Error> {
    let mut all = Vec::new();
    for tables in rows_of(generation.projection) {
        let table = tables.table;
        let mut arrays = Arrays::of(table.key_columns());
        for key in keys.iter().filter(|key| key.table() == table) {
            arrays.push(&key.values());
        }
        if arrays.is_empty() {
            continue;
        }
        let found = by_key(tx, generation, table, &arrays).await?;
        let mut found_children = Vec::new();
        for child in tables.children {
            found_children.push((*child, by_key(tx, generation, child, &arrays).await?));
        }
        let mut rows = BTreeMap::new();
        for row in &found {
            let mut values = values(row, table)?;
            let row = Row::read(table, &values).map_err(unexpected)?;
            values.truncate(table.key);
            rows.insert(values, row);
        }
        for (child, found) in &found_children {
            let children = found.iter().map(|row| values(row, child));
            let mut children = children.collect::<Result<Vec<_>, _>>()?;
            children.sort_unstable();
            for values in children {
                if let Some(row) = rows.get_mut(&values[..table.key]) {
                    row.add_child(child, &values).map_err(unexpected)?;
                }
            }
        }
        all.extend(rows.into_values());
    }
    Ok(all)
}

/// The rows of a table whose first columns are these. Each is found by the index: a plain join
/// reads the whole table where the planner knows too little of it.
async fn by_key(
    tx: &mut PgConnection,
    generation: Generation,
    table: &Table,
    keys: &Arrays,
) -> Result<Vec<PgRow>, sqlx::Error> {
    let statement = format!(
        "SELECT t.* FROM {} CROSS JOIN LATERAL ({} WHERE {} OFFSET 0) t",
        keys.unnest("k", 0),
        select(table),
        keys.equal("k")
    );
    keys.bind(sqlx::query(&of(&statement, generation)))
        .fetch_all(tx)
        .await
}

/// Cases of all spaces with their evidence and confirmations, ascending by space and id.
pub(crate) async fn load_cases(
    tx: &mut PgConnection,
    generation: Generation,
    cases: impl IntoIterator<Item = (SpaceId, CaseId)>,
) -> Result<Vec<Case>, sqlx::Error> {
    let keys = cases.into_iter().map(RowKey::Case).collect();
    let rows = load(tx, generation, &keys).await?.into_iter();
    let case = |row| match row {
        Row::Case(case) => Some(*case),
        _ => None,
    };
    Ok(rows.filter_map(case).collect())
}

/// Cases by id, for readers; in no particular order.
pub(crate) async fn cases_of(
    tx: &mut PgConnection,
    generation: Generation,
    space: &SpaceId,
    ids: &[CaseId],
) -> Result<Vec<Case>, sqlx::Error> {
    let keys = ids.iter().map(|id| (space.clone(), *id));
    load_cases(tx, generation, keys).await
}
