//! What analysts ask first, as views of schema `lore` on its other views. They are made again whenever a
//! view under them is: PostgreSQL keeps a view to the tables that it was made with.

use sqlx::{Executor as _, PgConnection};
use threadlore_fold::tables;
use threadlore_model::TurnOutcome;
use threadlore_ports::Projection;

use crate::generations::comments;

/// What happened in each stretch of time.
const PERIODS: &str = include_str!("sql/periods_view.sql");
/// The other ones.
const OTHERS: &str = include_str!("sql/rollup_views.sql");
/// The names of all of them, and the stretch of time of those that have one.
pub(crate) const NAMES: [(&str, Option<&str>); 7] = [
    ("daily", Some("day")),
    ("weekly", Some("week")),
    ("monthly", Some("month")),
    ("silences", None),
    ("unanswered", None),
    ("asked_cases", None),
    ("helpers", None),
];

/// Drops them, so that the views under them can be made anew. Whoever does that meanwhile waits.
pub(crate) async fn drop_all(tx: &mut PgConnection) -> Result<(), sqlx::Error> {
    tx.execute("SELECT pg_advisory_xact_lock(hashtext('threadlore: views of analysts'))")
        .await?;
    let names = NAMES.map(|(name, _)| format!("lore.{name}")).join(", ");
    tx.execute(format!("DROP VIEW IF EXISTS {names}").as_str())
        .await?;
    Ok(())
}

/// Makes them, once each of the views that they show is there.
pub(crate) async fn make_all(tx: &mut PgConnection) -> Result<(), sqlx::Error> {
    let of = |projection| tables(projection).map(|table| table.name);
    let under: Vec<String> = Projection::ALL
        .into_iter()
        .flat_map(of)
        .map(|name| format!("lore.{name}"))
        .collect();
    let there = "SELECT bool_and(to_regclass(name) IS NOT NULL) FROM unnest($1::text[]) name";
    let there: bool = sqlx::query_scalar(there)
        .bind(under)
        .fetch_one(&mut *tx)
        .await?;
    if !there {
        return Ok(());
    }
    let periods = NAMES.into_iter().filter_map(|(name, period)| {
        let sql = PERIODS.replace("{name}", name);
        Some(sql.replace("{period}", period?))
    });
    let statements: Vec<String> = periods.chain([OTHERS.to_owned()]).collect();
    for statement in statements {
        tx.execute(with_outcomes(&statement).as_str()).await?;
    }
    for (name, _) in NAMES {
        let grant = format!("GRANT SELECT ON lore.{name} TO lore_reader");
        tx.execute(grant.as_str()).await?;
        tx.execute(comments(name)).await?;
    }
    Ok(())
}

fn with_outcomes(statement: &str) -> String {
    let list = |outcomes: &[TurnOutcome]| {
        let quoted = outcomes.iter().map(|one| format!("'{}'", one.name()));
        quoted.collect::<Vec<_>>().join(", ")
    };
    let answered = [TurnOutcome::Answered, TurnOutcome::Suggested];
    statement
        .replace("{asked}", &list(&TurnOutcome::ASKED))
        .replace("{answered}", &list(&answered))
        .replace("{unanswered}", &list(&TurnOutcome::UNANSWERED))
        .replace("{by_person}", TurnOutcome::AnsweredByPerson.name())
}
