//! Finding cases by words: the first form of retrieval.
//!
//! The question becomes lexemes (PostgreSQL's English stemming and stop words;
//! words of other scripts stay as they are). A case scores by the lexemes that
//! it has, each weighted by how rare it is among the cases looked at.

use std::time::Duration;

use sqlx::{PgConnection, Row as _};
use threadlore_model::{CaseId, ChannelId, SpaceId};
use threadlore_ports::{CaseHit, Generation, Layer};

use crate::fold::cases_of;
use crate::rows::of;

/// Distinct lexemes of a question that are looked for, at most.
const LEXEMES: usize = 64;
/// Characters of a question that are read, at most.
const CHARACTERS: usize = 8192;
/// A case counts as recently solved for this long before the channel's last change.
const RECENT: Duration = Duration::from_secs(72 * 3600);

pub(crate) async fn search(
    tx: &mut PgConnection,
    cases: Generation,
    space: &SpaceId,
    channel: Option<&ChannelId>,
    question: &str,
    limit: u32,
) -> Result<Vec<CaseHit>, sqlx::Error> {
    let lexemes = lexemes(tx, question).await?;
    if lexemes.is_empty() {
        return Ok(Vec::new());
    }
    let queries: Vec<String> = lexemes.iter().map(|lexeme| quoted(lexeme)).collect();
    let channel = channel.map(ChannelId::as_str);
    let weights = weights(tx, cases, space, channel, &queries).await?;
    let total: i64 = weights.iter().sum();
    let statement = "WITH word AS MATERIALIZED ( \
             SELECT query::tsquery AS query, weight \
             FROM unnest($3::text[], $4::bigint[]) AS w (query, weight) \
         ), hit AS ( \
             SELECT c.*, \
                 (SELECT sum(weight) FROM word WHERE c.words @@ word.query)::bigint AS weight, \
                 (c.signal IS NOT NULL OR EXISTS ( \
                     SELECT FROM {schema}.case_confirmations f \
                     WHERE f.space = c.space AND f.case_id = c.case_id)) AS solved, \
                 (SELECT max(n.changed_at) FROM {schema}.cases n \
                  WHERE n.space = c.space AND n.channel = c.channel) AS newest \
             FROM {schema}.cases c \
             WHERE c.space = $1 AND ($2::text IS NULL OR c.channel = $2) \
             AND c.archived_at IS NULL AND c.words @@ $5::text::tsquery \
         ), placed AS ( \
             SELECT case_id, weight, changed_at, newest, solved_at, \
                 CASE WHEN NOT solved THEN 2 \
                      WHEN solved_at >= newest - $6::bigint * interval '1 second' THEN 1 \
                      WHEN solution IS NOT NULL THEN 0 END AS layer \
             FROM hit \
         ), ranked AS ( \
             SELECT *, row_number() OVER \
                 (PARTITION BY layer ORDER BY weight DESC, changed_at DESC, case_id) AS place \
             FROM placed WHERE layer IS NOT NULL \
         ) \
         SELECT case_id, weight, layer FROM ranked WHERE place <= $7 \
         ORDER BY layer, place";
    let rows = sqlx::query(&of(statement, cases))
        .bind(space.as_str())
        .bind(channel)
        .bind(&queries)
        .bind(&weights)
        .bind(queries.join(" | "))
        .bind(i64::try_from(RECENT.as_secs()).unwrap_or(i64::MAX))
        .bind(i64::from(limit))
        .fetch_all(&mut *tx)
        .await?;
    let mut places = Vec::new();
    for row in &rows {
        let case = CaseId::from_uuid(row.try_get("case_id")?);
        let layer = match row.try_get::<i32, _>("layer")? {
            0 => Layer::Solved,
            1 => Layer::RecentlySolved,
            _ => Layer::Open,
        };
        let weight: i64 = row.try_get("weight")?;
        places.push((case, layer, thousandths(weight, total)));
    }
    let ids: Vec<CaseId> = places.iter().map(|(case, ..)| *case).collect();
    let found = cases_of(tx, cases, space, &ids).await?;
    Ok(places
        .into_iter()
        .filter_map(|(id, layer, score)| {
            let case = found.iter().find(|case| case.case == id)?.clone();
            Some(CaseHit { case, layer, score })
        })
        .collect())
}

/// The question's distinct lexemes, ascending. No question is refused: marks and
/// operators are no words.
async fn lexemes(tx: &mut PgConnection, question: &str) -> Result<Vec<String>, sqlx::Error> {
    let question: String = question
        .chars()
        .take(CHARACTERS)
        .map(|c| if c == '\0' { ' ' } else { c })
        .collect();
    let mut lexemes: Vec<String> = sqlx::query_scalar(
        "SELECT unnest(tsvector_to_array(to_tsvector('pg_catalog.english', $1)))",
    )
    .bind(question)
    .fetch_all(tx)
    .await?;
    lexemes.sort_unstable();
    lexemes.dedup();
    lexemes.truncate(LEXEMES);
    Ok(lexemes)
}

/// The weight of each lexeme: how rare it is, in thousandths of ln.
async fn weights(
    tx: &mut PgConnection,
    cases: Generation,
    space: &SpaceId,
    channel: Option<&str>,
    queries: &[String],
) -> Result<Vec<i64>, sqlx::Error> {
    let statement = "SELECT (SELECT count(*) FROM {schema}.cases c \
             WHERE c.space = $1 AND ($2::text IS NULL OR c.channel = $2) \
             AND c.archived_at IS NULL AND ($3::text[])[n] IS NOT NULL \
             AND c.words @@ (($3::text[])[n])::tsquery) \
         FROM generate_series(1, cardinality($3::text[])) n ORDER BY n";
    let having: Vec<i64> = sqlx::query_scalar(&of(statement, cases))
        .bind(space.as_str())
        .bind(channel)
        .bind(queries)
        .fetch_all(&mut *tx)
        .await?;
    let statement = "SELECT count(*) FROM {schema}.cases c \
         WHERE c.space = $1 AND ($2::text IS NULL OR c.channel = $2) AND c.archived_at IS NULL";
    let all: i64 = sqlx::query_scalar(&of(statement, cases))
        .bind(space.as_str())
        .bind(channel)
        .fetch_one(&mut *tx)
        .await?;
    Ok(having.into_iter().map(|n| rarity(all, n)).collect())
}

/// ln(1 + (all - having + 0.5) / (having + 0.5)), in thousandths, at least 1.
fn rarity(all: i64, having: i64) -> i64 {
    let (all, having) = (all as f64, having as f64);
    let idf = (1.0 + (all - having + 0.5) / (having + 0.5)).ln();
    ((idf * 1000.0).round() as i64).max(1)
}

fn thousandths(part: i64, total: i64) -> u32 {
    let share = (part.max(0) * 1000 + total / 2) / total.max(1);
    u32::try_from(share.min(1000)).unwrap_or(1000)
}

/// A lexeme as a query that finds exactly it.
fn quoted(lexeme: &str) -> String {
    format!("'{}'", lexeme.replace('\\', "\\\\").replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::{quoted, rarity, thousandths};

    #[test]
    fn a_rare_word_weighs_more_and_none_weighs_nothing() {
        assert!(rarity(1000, 1) > rarity(1000, 100));
        assert!(rarity(1000, 1000) >= 1);
        assert_eq!(thousandths(0, 10), 0);
        assert_eq!(thousandths(10, 10), 1000);
        assert_eq!(thousandths(1, 3), 333);
    }

    #[test]
    fn quotes_and_backslashes_stay_within_the_lexeme() {
        assert_eq!(quoted("it's"), "'it''s'");
        assert_eq!(quoted("a\\b"), "'a\\\\b'");
    }
}
