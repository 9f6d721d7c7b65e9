//! What people list and look at: cases by where they stand, and one case with the conversation that
//! it comes from.

use sqlx::Row as _;
use threadlore_model::{Case, CaseId, ChannelId, MessageId, Part, PersonId, Status, Timestamp};
use threadlore_ports::{PortError, Projection, Scope};
use uuid::Uuid;

use crate::PostgresStore;
use crate::error::failed;
use crate::fold::cases_of;
use crate::reader::count;
use crate::rows::{cell, of};
use crate::spaces::COUNTED;
use crate::types::Moment;

/// Which cases are listed.
#[derive(Debug, Clone, Copy)]
pub struct CaseFilter<'a> {
    /// Only those that stand so.
    pub status: Option<Status>,
    /// Only those of this channel.
    pub channel: Option<&'a ChannelId>,
    /// Those that were found first before the others.
    pub oldest: bool,
    /// Those behind this one, in that order.
    pub after: Option<CaseId>,
    /// How many.
    pub limit: u32,
}

/// A message that a case comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseLine {
    /// The case that has it: the one asked for, or one that was merged into it.
    pub case: CaseId,
    /// The message.
    pub message: MessageId,
    /// Its part in the case.
    pub part: Part,
    /// The id that the platform gave it; `None` until its post has arrived.
    pub native_id: Option<String>,
    /// Who wrote it.
    pub person: Option<PersonId>,
    /// The writer's name, unless erased or unknown.
    pub name: Option<String>,
    /// The text, unless erased or redacted.
    pub text: Option<String>,
    /// When.
    pub sent_at: Option<Timestamp>,
    /// The message that it replies to, where the platform says so.
    pub reply_to: Option<MessageId>,
}

/// A reaction that was not taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaseReaction {
    /// The message reacted to.
    pub message: MessageId,
    /// Who.
    pub person: PersonId,
    /// With what.
    pub emoji: String,
    /// When.
    pub at: Timestamp,
}

impl PostgresStore {
    /// Cases of a space, and how many fit the filter in all, of which at most [`COUNTED`] are counted.
    ///
    /// # Errors
    /// The database cannot be reached, or holds a row that cannot be understood.
    pub async fn cases(
        &self,
        scope: &Scope,
        filter: CaseFilter<'_>,
    ) -> Result<(Vec<Case>, u64), PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(cases) = live.of(Projection::Cases) else {
                return Ok((Vec::new(), 0));
            };
            let (order, behind) = match filter.oldest {
                true => ("ASC", ">"),
                false => ("DESC", "<"),
            };
            const FITTING: &str = "SELECT case_id, opened_at FROM ( \
                 SELECT case_id, opened_at, CASE WHEN erased_at IS NOT NULL THEN 'erased' \
                     WHEN merged_into IS NOT NULL THEN 'merged' \
                     WHEN archived_at IS NOT NULL THEN 'archived' \
                     WHEN signal IS NOT NULL OR EXISTS ( \
                         SELECT FROM {schema}.case_confirmations f \
                         WHERE f.space = c.space AND f.case_id = c.case_id) THEN 'solved' \
                     ELSE 'open' END AS status \
                 FROM {schema}.cases c \
                 WHERE space = $1 AND ($2::text IS NULL OR channel = $2)) c \
                 WHERE ($3::text IS NULL OR status = $3)";
            let (channel, status) = (
                filter.channel.map(ChannelId::as_str),
                filter.status.map(Status::name),
            );
            let statement = format!(
                "{FITTING} AND ($4::uuid IS NULL OR (opened_at, case_id) {behind} \
                     (SELECT opened_at, case_id FROM {{schema}}.cases WHERE space = $1 AND case_id = $4)) \
                 ORDER BY opened_at {order}, case_id {order} LIMIT $5"
            );
            let rows = sqlx::query(&of(&statement, cases))
                .bind(scope.space().as_str())
                .bind(channel)
                .bind(status)
                .bind(filter.after.map(|case| case.as_uuid()))
                .bind(i64::from(filter.limit))
                .fetch_all(&mut *tx)
                .await?;
            let ids = rows
                .iter()
                .map(|row| Ok(CaseId::from_uuid(row.try_get("case_id")?)))
                .collect::<Result<Vec<_>, sqlx::Error>>()?;
            let statement =
                format!("SELECT count(*) FROM (SELECT FROM ({FITTING}) f LIMIT {COUNTED}) f");
            let fitting: i64 = sqlx::query_scalar(&of(&statement, cases))
                .bind(scope.space().as_str())
                .bind(channel)
                .bind(status)
                .fetch_one(&mut *tx)
                .await?;
            let fitting = count(fitting);
            let mut found = cases_of(&mut tx, cases, scope.space(), &ids).await?;
            found.sort_by_key(|case| ids.iter().position(|id| *id == case.case));
            Ok((found, fitting))
        };
        read.await.map_err(failed("listing cases"))
    }

    /// A case, whatever became of it.
    ///
    /// # Errors
    /// As [`PostgresStore::cases`].
    pub async fn case(&self, scope: &Scope, case: CaseId) -> Result<Option<Case>, PortError> {
        Ok(self.cases_of(scope, &[case]).await?.into_iter().next())
    }

    /// These cases, whatever became of them, in any order.
    ///
    /// # Errors
    /// As [`PostgresStore::cases`].
    pub async fn cases_of(&self, scope: &Scope, cases: &[CaseId]) -> Result<Vec<Case>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            match live.of(Projection::Cases) {
                Some(build) => cases_of(&mut tx, build, scope.space(), cases).await,
                None => Ok(Vec::new()),
            }
        };
        read.await.map_err(failed("reading cases"))
    }

    /// The messages that a case and those merged into it come from, its own first, each in the
    /// order of time. A message that has not arrived is there without what only it says.
    ///
    /// # Errors
    /// As [`PostgresStore::cases`].
    pub async fn lines_of(&self, scope: &Scope, case: CaseId) -> Result<Vec<CaseLine>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let (Some(cases), Some(messages)) =
                (live.of(Projection::Cases), live.of(Projection::Messages))
            else {
                return Ok(Vec::new());
            };
            let statement = "SELECT e.case_id, e.message, e.part, m.native_id, m.person, m.name, \
                     m.text, m.sent_at, m.reply_to \
                 FROM {cases}.case_evidence e \
                 LEFT JOIN {messages}.messages m ON m.space = e.space AND m.message = e.message \
                 WHERE e.space = $1 AND e.case_id = ANY (ARRAY(SELECT $2 UNION ALL \
                     SELECT case_id FROM {cases}.cases WHERE space = $1 AND merged_into = $2)) \
                 ORDER BY e.case_id <> $2, e.case_id, m.sent_at NULLS LAST, e.position"
                .replace("{cases}", &cases.schema())
                .replace("{messages}", &messages.schema());
            sqlx::query(&statement)
                .bind(scope.space().as_str())
                .bind(case.as_uuid())
                .fetch_all(&mut *tx)
                .await?
                .iter()
                .map(|row| {
                    let person: Option<Uuid> = row.try_get("person")?;
                    let reply_to: Option<Uuid> = row.try_get("reply_to")?;
                    let sent_at: Option<Moment> = row.try_get("sent_at")?;
                    Ok(CaseLine {
                        case: CaseId::from_uuid(row.try_get("case_id")?),
                        message: MessageId::from_uuid(row.try_get("message")?),
                        part: cell(row, "part")?,
                        native_id: row.try_get("native_id")?,
                        person: person.map(PersonId::from_uuid),
                        name: row.try_get("name")?,
                        text: row.try_get("text")?,
                        sent_at: sent_at.map(|Moment(at)| at),
                        reply_to: reply_to.map(MessageId::from_uuid),
                    })
                })
                .collect()
        };
        read.await.map_err(failed("reading the messages of a case"))
    }

    /// The reactions on these messages that were not taken back, in the order of time.
    ///
    /// # Errors
    /// As [`PostgresStore::cases`].
    pub async fn reactions_on(
        &self,
        scope: &Scope,
        messages: &[MessageId],
    ) -> Result<Vec<CaseReaction>, PortError> {
        let read = async {
            let (mut tx, live) = self.reading(scope.space()).await?;
            let Some(build) = live.of(Projection::Messages) else {
                return Ok(Vec::new());
            };
            let statement = "SELECT message, person, emoji, at FROM {schema}.reactions \
                 WHERE space = $1 AND message = ANY ($2) ORDER BY at, message, person, emoji";
            let ids: Vec<Uuid> = messages.iter().map(|id| id.as_uuid()).collect();
            sqlx::query(&of(statement, build))
                .bind(scope.space().as_str())
                .bind(ids)
                .fetch_all(&mut *tx)
                .await?
                .iter()
                .map(|row| {
                    let Moment(at) = row.try_get("at")?;
                    Ok(CaseReaction {
                        message: MessageId::from_uuid(row.try_get("message")?),
                        person: PersonId::from_uuid(row.try_get("person")?),
                        emoji: row.try_get("emoji")?,
                        at,
                    })
                })
                .collect()
        };
        read.await.map_err(failed("reading reactions"))
    }
}
