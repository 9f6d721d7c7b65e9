//! A case, with everything that is known about it.

use serde::Serialize;
use threadlore_model::{Case, Signal};
use threadlore_node::Node;
use threadlore_ports::Scope;
use utoipa::ToSchema;

use super::history::{Step, history};
use super::line::{Line, lines};

/// All that is known about a case.
#[derive(Debug, Serialize, ToSchema)]
pub struct CaseDetail {
    /// Its id.
    pub case: String,
    /// Its link.
    pub link: String,
    /// How it stands.
    pub status: &'static str,
    /// Where it was born.
    pub channel: String,
    /// Null when erased.
    pub title: Option<String>,
    /// Null when erased.
    pub problem: Option<String>,
    /// Null when erased, or where there is none.
    pub solution: Option<String>,
    /// What nobody confirmed; null when erased, or where there is none.
    pub suggestion: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// What made it solved.
    #[schema(value_type = Option<String>)]
    pub signal: Option<Signal>,
    /// How many reactions confirm it.
    pub confirmations: usize,
    /// How many answers with its words worked since these stand.
    pub worked: u32,
    /// How many of them failed.
    pub failed: u32,
    /// What found it, with its version.
    pub engine: String,
    /// How often it changed.
    pub version: i64,
    /// Channel time at which it was found.
    pub opened_at: String,
    /// Channel time at which it became solved.
    pub solved_at: Option<String>,
    /// Channel time at which it was archived.
    pub archived_at: Option<String>,
    /// Channel time of its last change.
    pub changed_at: String,
    /// The link of the case that it was merged into.
    pub merged_into: Option<String>,
    /// The messages that it comes from.
    pub evidence: Vec<Line>,
    /// What happened to it.
    pub history: Vec<Step>,
}

/// All that is known about a case.
///
/// # Errors
/// What log, tables and keystore say.
pub async fn show(node: &Node, scope: &Scope, case: &Case) -> anyhow::Result<CaseDetail> {
    let evidence = lines(node, scope, case).await?;
    let happened = history(node, case).await?;
    let steps = happened
        .iter()
        .map(|one| one.step(node, case.case, &evidence));
    let history = steps.collect();
    let worded_in = [(case.case, case.worded_in)];
    let scores = node.reader().scores(scope, &worded_in).await?;
    let score = scores.get(&case.case).copied().unwrap_or_default();
    let at = |at: Option<threadlore_model::Timestamp>| at.map(|at| at.to_string());
    Ok(CaseDetail {
        case: case.case.to_string(),
        link: node.link(case.case),
        status: case.status().name(),
        channel: case.channel.to_string(),
        title: case.title.clone(),
        problem: case.problem.clone(),
        solution: case.solution.clone(),
        suggestion: case.suggestion.clone(),
        tags: case.tags.clone(),
        signal: case.signal,
        confirmations: case.confirmations.len(),
        worked: score.worked,
        failed: score.failed,
        engine: case.engine.clone(),
        version: case.version,
        opened_at: case.opened_at.to_string(),
        solved_at: at(case.solved_at),
        archived_at: at(case.archived_at),
        changed_at: case.changed_at.to_string(),
        merged_into: case.merged_into.map(|into| node.link(into)),
        evidence,
        history,
    })
}
