//! What happened in a space in a stretch of time, as numbers.

use std::ops::Range;

use sqlx::Row as _;
use threadlore_model::{CaseId, Timestamp, TurnOutcome};
use threadlore_ports::{PortError, Projection, Scope};
use uuid::Uuid;

use crate::PostgresStore;
use crate::error::failed;
use crate::reader::count;
use crate::rows::cell;
use crate::spaces::CHANNELS_OF_MESSAGES;
use crate::types::Moment;

/// What happened, by channel time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity {
    /// Messages of people.
    pub messages: u64,
    /// People who wrote any of them.
    pub people: u64,
    /// Cases that were found.
    pub opened: u64,
    /// Cases that became solved.
    pub solved: u64,
    /// The middle one of the times from the first line of a problem to the last one of its solution, of
    /// the cases that became solved and have both.
    pub median_seconds: Option<u64>,
    /// Answers of which it became known that they worked.
    pub worked: u64,
    /// Those of which it became known that they failed.
    pub failed: u64,
    /// Tokens that the chat model was sent and said to read for answers.
    pub model_tokens: u64,
    /// Turns that were considered, by what became of them.
    pub turns: Vec<(TurnOutcome, u64)>,
}

/// A case that people asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopCase {
    /// The case.
    pub case: CaseId,
    /// Its title, unless erased.
    pub title: Option<String>,
    /// Answers that rest on it or point at it.
    pub answers: u64,
}

impl PostgresStore {
    /// What happened from a moment on and before another.
    ///
    /// # Errors
    /// The database cannot be reached, or holds a row that cannot be understood.
    pub async fn activity(
        &self,
        scope: &Scope,
        during: Range<Timestamp>,
    ) -> Result<Activity, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let (Some(messages), Some(cases), Some(turns), Some(outcomes)) = (
                live.of(Projection::Messages),
                live.of(Projection::Cases),
                live.of(Projection::Turns),
                live.of(Projection::Outcomes),
            ) else {
                return Ok(Activity::default());
            };
            let said_in = CHANNELS_OF_MESSAGES.replace("{schema}", "{messages}");
            // Each part begins in an index at the time that is asked for.
            let rest = " SELECT m.*, c.*, o.*, t.* FROM \
                 (SELECT count(*) AS messages, count(DISTINCT person) AS people \
                     FROM said_in s CROSS JOIN LATERAL (SELECT person FROM {messages}.messages m \
                         WHERE m.space = $1 AND m.channel = s.channel \
                             AND m.sent_at >= $2 AND m.sent_at < $3 AND NOT m.bot) said) m, \
                 (SELECT (SELECT count(*) FROM {cases}.cases WHERE space = $1 \
                         AND opened_at >= $2 AND opened_at < $3 AND merged_into IS NULL) AS opened, \
                     (SELECT count(*) FROM {cases}.cases WHERE space = $1 \
                         AND solved_at >= $2 AND solved_at < $3 AND merged_into IS NULL) AS solved) c, \
                 (SELECT count(*) FILTER (WHERE outcome = 'worked') AS worked, \
                     count(*) FILTER (WHERE outcome = 'failed') AS failed \
                     FROM {outcomes}.outcomes \
                     WHERE space = $1 AND recorded_at >= $2 AND recorded_at < $3) o, \
                 (SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY seconds) AS median FROM \
                     (SELECT extract(epoch FROM max(m.sent_at) FILTER (WHERE e.part = 'solution') \
                         - min(m.sent_at) FILTER (WHERE e.part = 'problem'))::bigint AS seconds \
                      FROM {cases}.cases c \
                      JOIN {cases}.case_evidence e ON e.space = c.space AND e.case_id = c.case_id \
                      JOIN {messages}.messages m ON m.space = e.space AND m.message = e.message \
                      WHERE c.space = $1 AND c.solved_at >= $2 AND c.solved_at < $3 \
                          AND c.merged_into IS NULL \
                      GROUP BY c.case_id) each WHERE seconds >= 0) t";
            let statement = (said_in + rest)
                .replace("{messages}", &messages.schema())
                .replace("{cases}", &cases.schema())
                .replace("{outcomes}", &outcomes.schema());
            let row = sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(Moment(during.start))
                .bind(Moment(during.end))
                .fetch_one(&mut *tx)
                .await?;
            let number = |name: &str| Ok::<_, sqlx::Error>(count(row.try_get(name)?));
            let median: Option<i64> = row.try_get("median")?;
            let statement =
                "SELECT outcome, count(*) AS turns, sum(model_tokens)::bigint AS tokens \
                 FROM {schema}.turns \
                 WHERE space = $1 AND considered_at >= $2 AND considered_at < $3 \
                 GROUP BY outcome ORDER BY outcome"
                    .replace("{schema}", &turns.schema());
            let rows = sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(Moment(during.start))
                .bind(Moment(during.end))
                .fetch_all(&mut *tx)
                .await?;
            let turn = |row| Ok((cell(row, "outcome")?, count(row.try_get("turns")?)));
            let tokens = rows.iter().map(|row| Ok(count(row.try_get("tokens")?)));
            let tokens: Vec<u64> = tokens.collect::<Result<_, sqlx::Error>>()?;
            Ok(Activity {
                messages: number("messages")?,
                people: number("people")?,
                opened: number("opened")?,
                solved: number("solved")?,
                median_seconds: median.map(count),
                worked: number("worked")?,
                failed: number("failed")?,
                model_tokens: tokens.iter().sum(),
                turns: rows.iter().map(turn).collect::<Result<_, sqlx::Error>>()?,
            })
        };
        read.await.map_err(failed("counting what happened"))
    }

    /// The cases that answers of this time rest on or point at, those with most answers first.
    ///
    /// # Errors
    /// As [`PostgresStore::activity`].
    pub async fn most_asked(
        &self,
        scope: &Scope,
        during: Range<Timestamp>,
        limit: u32,
    ) -> Result<Vec<TopCase>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let (Some(turns), Some(cases)) =
                (live.of(Projection::Turns), live.of(Projection::Cases))
            else {
                return Ok(Vec::new());
            };
            let statement = "SELECT t.case_id, c.title, count(*) AS answers \
                 FROM {turns}.turns a \
                 JOIN {turns}.turn_citations t ON t.space = a.space AND t.turn = a.turn AND t.position = 0 \
                 LEFT JOIN {cases}.cases c ON c.space = t.space AND c.case_id = t.case_id \
                 WHERE a.space = $1 AND a.considered_at >= $2 AND a.considered_at < $3 \
                 GROUP BY t.case_id, c.title ORDER BY count(*) DESC, t.case_id LIMIT $4"
                .replace("{turns}", &turns.schema())
                .replace("{cases}", &cases.schema());
            sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(Moment(during.start))
                .bind(Moment(during.end))
                .bind(i64::from(limit))
                .fetch_all(&mut *tx)
                .await?
                .iter()
                .map(|row| {
                    let case: Uuid = row.try_get("case_id")?;
                    Ok(TopCase {
                        case: CaseId::from_uuid(case),
                        title: row.try_get("title")?,
                        answers: count(row.try_get("answers")?),
                    })
                })
                .collect()
        };
        read.await.map_err(failed("counting what is asked"))
    }
}
