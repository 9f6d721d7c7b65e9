//! The outbox: a row holds the events of one commit.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sqlx::postgres::{PgPool, PgRow};
use sqlx::{Row as _, ValueRef as _};
use threadlore_model::Subject;
use threadlore_ports::{EncodedRecord, OutboxBody, OutboxRow, PortError, Shard};

use crate::commit::{DOING, checked, of_shard};
use crate::error::{failed, int, natural};
use crate::packed::{cbor, of_cbor, pack, unpack};
use crate::store::{topic, undecodable};
use crate::together::{IS_OURS, Together};
use crate::write::column;

/// An event as it is in a row of many.
#[derive(Serialize)]
struct PackedRef<'a>(u64, bool, &'a EncodedRecord, &'a Option<Subject>);

/// The same, read.
#[derive(Deserialize)]
struct Packed(u64, bool, EncodedRecord, Option<Subject>);

/// Adds what a commit publishes.
pub(crate) fn write(all: &mut Together, rows: &[OutboxRow]) -> Result<(), PortError> {
    let encoded = rows.iter().filter_map(|row| match &row.body {
        OutboxBody::Encoded { record, erases } => {
            Some(PackedRef(row.sequence, row.ends_decision, record, erases))
        }
        OutboxBody::Event(_) => None,
    });
    let encoded: Vec<_> = encoded.collect();
    if let (Some(first), Some(last)) = (encoded.first(), encoded.last()) {
        all.part(
            "to_publish",
            &format!(
                "INSERT INTO lore_state.outbox \
                 (consumer_group, partition, first, sequence, records) \
                 SELECT $1, $2, $3, $4, $5 WHERE {IS_OURS}"
            ),
        )
        .bind(int(DOING, first.0)?)
        .bind(int(DOING, last.0)?)
        .bind(pack(DOING, &encoded)?);
    }
    let events = rows.iter().filter_map(|row| match &row.body {
        OutboxBody::Event(event) => Some((row, event)),
        OutboxBody::Encoded { .. } => None,
    });
    let events: Vec<_> = events.collect();
    if events.is_empty() {
        return Ok(());
    }
    all.part(
        "to_encode",
        &format!(
            "INSERT INTO lore_state.outbox \
             (consumer_group, partition, sequence, topic, ends_decision, event) \
             SELECT $1, $2, * FROM unnest($3::bigint[], $4::text[], $5::boolean[], $6::bytea[]) \
             WHERE {IS_OURS}"
        ),
    )
    .bind(checked(&events, |(row, _)| int(DOING, row.sequence))?)
    .bind(column(&events, |(row, _)| row.topic.name()))
    .bind(column(&events, |(row, _)| row.ends_decision))
    .bind(checked(&events, |(_, event)| cbor(DOING, event))?);
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
    // What a commit publishes ends with a decision; of rows with one event some do not.
    let statement = of_shard(
        "WITH counted AS ( \
             SELECT *, sum(sequence - greatest(coalesce(first, sequence), $3 + 1) + 1) \
                 OVER (ORDER BY sequence) AS events \
             FROM lore_state.outbox \
             WHERE consumer_group = $1 AND partition = $2 AND sequence > $3 \
         ) \
         SELECT sequence, first, topic, ends_decision, event, record, records FROM counted \
         WHERE sequence <= coalesce( \
             (SELECT min(sequence) FROM counted \
              WHERE events >= $4 AND coalesce(ends_decision, true)), \
             9223372036854775807) \
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
        let sequence: i64 = row.try_get("sequence").map_err(failed(DOING))?;
        let sequence = natural(DOING, sequence)?;
        let found = events_of(row, sequence).map_err(failed(DOING))?;
        events.extend(found.into_iter().filter(|event| event.sequence > after));
    }
    let ends = |(at, event): (usize, &OutboxRow)| at + 1 >= max && event.ends_decision;
    if let Some(last) = events.iter().enumerate().position(ends) {
        events.truncate(last + 1);
    }
    Ok(events)
}

/// The events of a row that are not in the log.
fn events_of(row: &PgRow, sequence: u64) -> Result<Vec<OutboxRow>, sqlx::Error> {
    let is_there = |column| Ok::<_, sqlx::Error>(!row.try_get_raw(column)?.is_null());
    if is_there("records")? {
        let first: i64 = row.try_get("first")?;
        let packed: Vec<Packed> =
            unpack(row.try_get("records")?).map_err(|reason| undecodable("records", reason))?;
        let packed = packed.into_iter();
        let left = packed.filter(|event| i64::try_from(event.0).is_ok_and(|n| n >= first));
        let event = |Packed(sequence, ends_decision, record, erases)| OutboxRow {
            sequence,
            topic: record.topic,
            ends_decision,
            body: OutboxBody::Encoded {
                record: Arc::new(record),
                erases,
            },
        };
        return Ok(left.map(event).collect());
    }
    let body = if is_there("record")? {
        let bytes: &[u8] = row.try_get("record")?;
        let (record, erases) = of_cbor(bytes).map_err(|reason| undecodable("record", reason))?;
        OutboxBody::Encoded {
            record: Arc::new(record),
            erases,
        }
    } else {
        let bytes: &[u8] = row.try_get("event")?;
        OutboxBody::Event(of_cbor(bytes).map_err(|reason| undecodable("event", reason))?)
    };
    Ok(vec![OutboxRow {
        sequence,
        topic: topic(row)?,
        ends_decision: row.try_get("ends_decision")?,
        body,
    }])
}
