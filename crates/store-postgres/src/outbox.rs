//! The outbox: a row holds the events of one commit.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sqlx::Row as _;
use sqlx::postgres::PgPool;
use threadlore_model::Subject;
use threadlore_ports::{EncodedRecord, OutboxRow, PortError, Shard};

use crate::commit::{DOING, of_shard};
use crate::error::{failed, int, natural};
use crate::packed::{pack, unpack};
use crate::store::undecodable;
use crate::together::{IS_OURS, Together};

/// An event as it is in a row of many.
#[derive(Serialize)]
struct PackedRef<'a>(u64, bool, &'a EncodedRecord, &'a Option<Subject>);

/// The same, read.
#[derive(Deserialize)]
struct Packed(u64, bool, EncodedRecord, Option<Subject>);

/// Adds what a commit publishes.
pub(crate) fn write(all: &mut Together, rows: &[OutboxRow]) -> Result<(), PortError> {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else {
        return Ok(());
    };
    let packed: Vec<PackedRef<'_>> = rows
        .iter()
        .map(|row| PackedRef(row.sequence, row.ends_decision, &row.record, &row.erases))
        .collect();
    all.part(
        "to_publish",
        &format!(
            "INSERT INTO lore_state.outbox \
             (consumer_group, partition, first, sequence, records) \
             SELECT $1, $2, $3, $4, $5 WHERE {IS_OURS}"
        ),
    )
    .bind(int(DOING, first.sequence)?)
    .bind(int(DOING, last.sequence)?)
    .bind(pack(DOING, &packed)?);
    Ok(())
}

/// Deletes events up to and including a sequence. A row of which some are left remembers where
/// they begin.
pub(crate) fn forget(all: &mut Together, through: u64) -> Result<(), PortError> {
    let through = int(DOING, through)?;
    all.part(
        "published",
        &format!(
            "DELETE FROM lore_state.outbox \
             WHERE consumer_group = $1 AND partition = $2 AND sequence <= $3 AND {IS_OURS}"
        ),
    )
    .bind(through);
    all.part(
        "published_in_part",
        &format!(
            "UPDATE lore_state.outbox SET first = $3 + 1 \
             WHERE consumer_group = $1 AND partition = $2 AND sequence > $3 AND first <= $3 \
             AND {IS_OURS}"
        ),
    )
    .bind(through);
    Ok(())
}

/// Events after `after`, ascending: at most `max`, and more only to reach the end of a decision.
pub(crate) async fn read(
    pool: &PgPool,
    shard: &Shard,
    after: u64,
    max: usize,
) -> Result<Vec<OutboxRow>, PortError> {
    const DOING: &str = "reading the outbox";
    // What a commit publishes ends with a decision, so a page of whole rows does too.
    let statement = of_shard(
        "WITH counted AS ( \
             SELECT *, sum(sequence - greatest(first, $3 + 1) + 1) OVER (ORDER BY sequence) AS events \
             FROM lore_state.outbox \
             WHERE consumer_group = $1 AND partition = $2 AND sequence > $3 \
         ) \
         SELECT first, records FROM counted \
         WHERE sequence <= coalesce( \
             (SELECT min(sequence) FROM counted WHERE events >= $4), 9223372036854775807) \
         ORDER BY sequence",
        shard,
    );
    let max = max.max(1);
    let rows = statement
        .bind(int(DOING, after)?)
        .bind(i64::try_from(max).unwrap_or(i64::MAX))
        .fetch_all(pool)
        .await
        .map_err(failed(DOING))?;
    let mut events = Vec::new();
    for row in &rows {
        let first: i64 = row.try_get("first").map_err(failed(DOING))?;
        let from = natural(DOING, first)?.max(after.saturating_add(1));
        let packed: &[u8] = row.try_get("records").map_err(failed(DOING))?;
        let packed: Vec<Packed> =
            unpack(packed).map_err(|e| failed(DOING)(undecodable("records", e)))?;
        let left = packed.into_iter().filter(|event| event.0 >= from);
        events.extend(left.map(
            |Packed(sequence, ends_decision, record, erases)| OutboxRow {
                sequence,
                ends_decision,
                record: Arc::new(record),
                erases,
            },
        ));
    }
    let ends = |(at, event): (usize, &OutboxRow)| at + 1 >= max && event.ends_decision;
    if let Some(last) = events.iter().enumerate().position(ends) {
        events.truncate(last + 1);
    }
    Ok(events)
}
