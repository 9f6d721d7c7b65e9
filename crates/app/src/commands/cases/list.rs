//! `threadlore cases list`.

use serde::Serialize;
use threadlore_model::{Case, Signal};
use threadlore_ports::Right;
use threadlore_store_postgres::CaseFilter;

use super::{Call, title};
use crate::cli::{CasesList, Order};
use crate::output::cut;
use crate::printable::counted;

/// A case, as a line.
#[derive(Debug, Serialize)]
struct Row {
    case: String,
    link: String,
    status: &'static str,
    /// Null when erased.
    title: Option<String>,
    channel: String,
    signal: Option<Signal>,
    confirmations: usize,
    /// Whether it is open and somebody suggested an answer.
    suggested: bool,
    /// Channel time at which it was found, and at which it became solved.
    opened_at: String,
    solved_at: Option<String>,
}

#[derive(Serialize)]
struct Listed {
    cases: Vec<Row>,
    /// How many cases there are with these options, listed or not.
    fitting: u64,
}

pub(super) async fn run(options: &CasesList, call: &Call<'_>) -> anyhow::Result<u8> {
    let CasesList { space, channel, .. } = options;
    let node = &call.host.node;
    let space = call.space(space.as_ref()).await?;
    let scope = node.scope(&space, Right::Read)?;
    let filter = CaseFilter {
        status: options.state,
        channel: channel.as_ref(),
        oldest: options.order == Order::Oldest,
        limit: options.limit.into(),
    };
    let (cases, fitting) = node.store.cases(&scope, filter).await?;
    if cases.is_empty() {
        call.check_there(&scope, channel.as_ref()).await?;
    }
    let row = |case: &Case| Row {
        case: case.case.to_string(),
        link: node.link(case.case),
        status: case.status().name(),
        title: case.title.clone(),
        channel: case.channel.to_string(),
        signal: case.signal,
        confirmations: case.confirmations.len(),
        suggested: case.suggestion.is_some(),
        opened_at: case.opened_at.to_string(),
        solved_at: case.solved_at.map(|at| at.to_string()),
    };
    if call.json {
        let cases = cases.iter().map(row).collect();
        call.out.json(&Listed { cases, fitting })?;
        return Ok(0);
    }
    if cases.is_empty() {
        call.out.say("there are no such cases");
    }
    for case in &cases {
        let suggested = if case.suggestion.is_some() {
            ", suggested"
        } else {
            ""
        };
        let day = case.opened_at.to_string();
        call.out.print(format_args!(
            "{}  {:<15}  {}  {}",
            day.split('T').next().unwrap_or_default(),
            format!("{}{suggested}", case.status().name()),
            node.link(case.case),
            cut(title(case), 70)
        ));
    }
    if fitting > cases.len() as u64 {
        call.out.say(format_args!(
            "{} of {}; --limit shows more",
            cases.len(),
            counted(fitting, "case")
        ));
    }
    Ok(0)
}
