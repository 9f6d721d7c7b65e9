//! What people asked in a stretch of time, with what became of it, for who looks at all of it together.

use std::ops::Range;

use sqlx::Row as _;
use threadlore_model::{AnswerOutcome, CaseId, EventId, GateTag, MemoryId, Timestamp, TurnOutcome};
use threadlore_ports::{PortError, Projection, Scope};
use uuid::Uuid;

use crate::PostgresStore;
use crate::error::failed;
use crate::reader::count;
use crate::rows::cell;
use crate::types::Moment;

/// A question, with what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedTurn {
    /// The event that closed its turn.
    pub turn: EventId,
    /// What it says, as far as it is kept.
    pub text: Option<String>,
    /// What became of it.
    pub outcome: TurnOutcome,
    /// What the gate said.
    pub tag: Option<GateTag>,
    /// Channel time of the decision.
    pub at: Timestamp,
    /// The case that its answer rests on or points at, with its title unless erased.
    pub case: Option<(CaseId, Option<String>)>,
    /// The memory that its answer quotes.
    pub memory: Option<MemoryId>,
    /// What its answer was worth, where that is known.
    pub worth: Option<AnswerOutcome>,
}

impl PostgresStore {
    /// What people asked from a moment on and before another, the latest first, and how many that are in
    /// all.
    ///
    /// # Errors
    /// The database cannot be reached, or holds a row that cannot be understood.
    pub async fn asked(
        &self,
        scope: &Scope,
        during: Range<Timestamp>,
        limit: u32,
    ) -> Result<(Vec<AskedTurn>, u64), PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let (Some(turns), Some(messages), Some(cases), Some(outcomes)) = (
                live.of(Projection::Turns),
                live.of(Projection::Messages),
                live.of(Projection::Cases),
                live.of(Projection::Outcomes),
            ) else {
                return Ok((Vec::new(), 0));
            };
            let statement =
                "SELECT t.turn, t.outcome, t.tag, t.considered_at, t.memory, t.fitting, \
                     c.case_id, k.title, o.outcome AS worth, w.text \
                 FROM (SELECT *, count(*) OVER () AS fitting FROM {turns}.turns \
                     WHERE space = $1 AND considered_at >= $2 AND considered_at < $3 \
                     AND outcome = ANY ($4) \
                     ORDER BY considered_at DESC, turn LIMIT $5) t \
                 LEFT JOIN {turns}.turn_citations c \
                     ON c.space = t.space AND c.turn = t.turn AND c.position = 0 \
                 LEFT JOIN {cases}.cases k ON k.space = t.space AND k.case_id = c.case_id \
                 LEFT JOIN {outcomes}.outcomes o ON o.space = t.space AND o.answer = t.answer \
                 LEFT JOIN LATERAL (SELECT string_agg(m.text, E'\\n' \
                         ORDER BY array_position(t.messages, m.message)) AS text \
                     FROM {messages}.messages m \
                     WHERE m.space = t.space AND m.message = ANY (t.messages)) w ON TRUE \
                 ORDER BY t.considered_at DESC, t.turn"
                    .replace("{turns}", &turns.schema())
                    .replace("{messages}", &messages.schema())
                    .replace("{cases}", &cases.schema())
                    .replace("{outcomes}", &outcomes.schema());
            let outcomes = TurnOutcome::ASKED.map(TurnOutcome::name);
            let rows = sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(Moment(during.start))
                .bind(Moment(during.end))
                .bind(outcomes.as_slice())
                .bind(i64::from(limit))
                .fetch_all(&mut *tx)
                .await?;
            let fitting = match rows.first() {
                Some(row) => count(row.try_get("fitting")?),
                None => 0,
            };
            let mut asked = Vec::new();
            for row in &rows {
                let case: Option<Uuid> = row.try_get("case_id")?;
                let title: Option<String> = row.try_get("title")?;
                asked.push(AskedTurn {
                    turn: cell(row, "turn")?,
                    text: row.try_get("text")?,
                    outcome: cell(row, "outcome")?,
                    tag: cell(row, "tag")?,
                    at: cell(row, "considered_at")?,
                    case: case.map(|case| (CaseId::from_uuid(case), title)),
                    memory: cell(row, "memory")?,
                    worth: cell(row, "worth")?,
                });
            }
            Ok((asked, fitting))
        };
        read.await.map_err(failed("reading what was asked"))
    }
}
