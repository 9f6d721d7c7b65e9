//! Finding cases by words: the first form of retrieval.
//!
//! The question becomes lexemes (PostgreSQL's English stemming and stop words;
//! words of other scripts stay as they are). A case scores by the lexemes that
//! it has, each weighted by how rare it is among the cases searched.

use sqlx::{PgConnection, Row as _};
use threadlore_model::{CaseId, ChannelId, SpaceId};
use threadlore_ports::{Generation, Layer, RECENT, Readable};

use crate::rows::of;

/// Distinct lexemes of a question that are looked for, at most.
const LEXEMES: usize = 64;
/// Characters of a question that are read, at most.
const CHARACTERS: usize = 8192;

/// A case that fits, before it is read.
pub(crate) struct Candidate {
    pub(crate) case: CaseId,
    pub(crate) layer: Layer,
    pub(crate) score: u32,
}

/// Finds candidates: ids and scores only. It runs as the owner, because no index
/// on words is used below a row policy; the cases themselves are read as
/// `lore_reader`, so that row security still decides what comes out.
pub(crate) async fn candidates(
    tx: &mut PgConnection,
    cases: Generation,
    space: &SpaceId,
    readable: &Readable,
    question: &str,
    limit: u32,
) -> Result<Vec<Candidate>, sqlx::Error> {
    let lexemes = lexemes(tx, question).await?;
    if lexemes.is_empty() {
        return Ok(Vec::new());
    }
    let queries: Vec<String> = lexemes.iter().map(|lexeme| quoted(lexeme)).collect();
    // A word weighs ln(1 + (all - having + 0.5) / (having + 0.5)), in thousandths.
    let statement = "WITH word AS MATERIALIZED ( \
             SELECT n, query::tsquery AS query \
             FROM unnest($3::text[]) WITH ORDINALITY AS w (query, n) \
         ), pair AS MATERIALIZED ( \
             SELECT word.n, c.case_id, c.channel, c.changed_at, c.solved_at, \
                 c.solution IS NOT NULL AS answered, c.signal IS NOT NULL AS signalled \
             FROM word JOIN {schema}.cases c ON c.words @@ word.query \
             WHERE c.space = $1 AND ($2::text[] IS NULL OR c.channel = ANY($2)) \
             AND c.archived_at IS NULL \
         ), looked_at AS MATERIALIZED ( \
             SELECT count(*) AS cases FROM {schema}.cases c \
             WHERE c.space = $1 AND ($2::text[] IS NULL OR c.channel = ANY($2)) \
             AND c.archived_at IS NULL \
         ), weight AS MATERIALIZED ( \
             SELECT word.n, greatest(1, round(1000 * ln(1 + (max(looked_at.cases) - count(case_id) \
                 + 0.5::float8) / (count(case_id) + 0.5::float8))))::bigint AS weight \
             FROM looked_at CROSS JOIN word LEFT JOIN pair USING (n) GROUP BY word.n \
         ), hit AS MATERIALIZED ( \
             SELECT case_id, channel, changed_at, solved_at, answered, \
                 sum(weight)::bigint AS weight, \
                 (signalled OR EXISTS ( \
                     SELECT FROM {schema}.case_confirmations f \
                     WHERE f.space = $1 AND f.case_id = pair.case_id)) AS solved \
             FROM pair JOIN weight USING (n) \
             GROUP BY case_id, channel, changed_at, solved_at, answered, signalled \
         ), newest AS MATERIALIZED ( \
             SELECT channel, (SELECT max(c.changed_at) FROM {schema}.cases c \
                 WHERE c.space = $1 AND c.channel = of.channel) AS at \
             FROM (SELECT DISTINCT channel FROM hit) of \
         ), placed AS ( \
             SELECT case_id, weight, changed_at, \
                 CASE WHEN NOT solved THEN 2 \
                      WHEN solved_at >= newest.at - $4::bigint * interval '1 second' THEN 1 \
                      WHEN answered THEN 0 END AS layer \
             FROM hit JOIN newest USING (channel) \
         ), ranked AS ( \
             SELECT *, row_number() OVER \
                 (PARTITION BY layer ORDER BY weight DESC, changed_at DESC, case_id) AS place \
             FROM placed WHERE layer IS NOT NULL \
         ) \
         SELECT case_id, layer, weight, (SELECT sum(weight) FROM weight)::bigint AS total \
         FROM ranked WHERE place <= $5 ORDER BY layer, place";
    let channels = names_of(readable);
    sqlx::query(&of(statement, cases))
        .bind(space.as_str())
        .bind(channels)
        .bind(&queries)
        .bind(i64::try_from(RECENT.as_secs()).unwrap_or(i64::MAX))
        .bind(i64::from(limit))
        .fetch_all(&mut *tx)
        .await?
        .iter()
        .map(|row| {
            Ok(Candidate {
                case: CaseId::from_uuid(row.try_get("case_id")?),
                layer: match row.try_get::<i32, _>("layer")? {
                    0 => Layer::Solved,
                    1 => Layer::RecentlySolved,
                    _ => Layer::Open,
                },
                score: thousandths(row.try_get("weight")?, row.try_get("total")?),
            })
        })
        .collect()
}

/// The channels that may be read, for a statement; none for all of the space.
pub(crate) fn names_of(readable: &Readable) -> Option<Vec<&str>> {
    let channels = readable.channels();
    channels.map(|all| all.iter().map(ChannelId::as_str).collect())
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
    use super::{quoted, thousandths};

    #[test]
    fn shares_are_rounded_thousandths() {
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
