//! `threadlore cases show`.

use serde::Serialize;
use threadlore_model::{Case, Signal};

use super::history::{Step, history};
use super::line::{Line, lines};
use super::{Call, find, title};
use crate::cli::OneCase;
use crate::output::Output;

/// All that is known about a case.
#[derive(Debug, Serialize)]
struct Shown {
    case: String,
    link: String,
    status: &'static str,
    channel: String,
    /// Texts are null when erased, or where there is none.
    title: Option<String>,
    problem: Option<String>,
    solution: Option<String>,
    suggestion: Option<String>,
    tags: Vec<String>,
    signal: Option<Signal>,
    confirmations: usize,
    /// How many answers with its words worked, and how many failed, since these stand.
    worked: u32,
    failed: u32,
    engine: String,
    version: i64,
    opened_at: String,
    solved_at: Option<String>,
    archived_at: Option<String>,
    changed_at: String,
    /// The link of the case that it was merged into.
    merged_into: Option<String>,
    evidence: Vec<Line>,
    history: Vec<Step>,
}

pub(in crate::commands) async fn run(options: &OneCase, call: &Call<'_>) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let (scope, case) = find(options, call).await?;
    let evidence = lines(node, &scope, &case).await?;
    let happened = history(node, &case).await?;
    let steps = happened
        .iter()
        .map(|one| one.step(node, case.case, &evidence));
    let history = steps.collect();
    let worded_in = [(case.case, case.worded_in)];
    let scores = node.reader().scores(&scope, &worded_in).await?;
    let score = scores.get(&case.case).copied().unwrap_or_default();
    let at = |at: Option<threadlore_model::Timestamp>| at.map(|at| at.to_string());
    let shown = Shown {
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
    };
    if call.json {
        call.out.json(&shown)?;
    } else {
        shown.print(&case, call.out);
    }
    Ok(0)
}

impl Shown {
    fn print(&self, case: &Case, out: &Output) {
        out.print(format_args!("{}  {}", self.link, title(case)));
        let into = self
            .merged_into
            .as_ref()
            .map(|into| format!(" into {into}"));
        out.print(format_args!(
            "{}{}, in {}, found {} by {}, changed {}, version {}",
            self.status,
            into.unwrap_or_default(),
            self.channel,
            self.opened_at,
            self.engine,
            self.changed_at,
            self.version
        ));
        for (name, text) in [
            ("problem", &self.problem),
            ("solution", &self.solution),
            ("suggestion, which nobody confirmed", &self.suggestion),
        ] {
            if let Some(text) = text {
                let text = text.lines().collect::<Vec<_>>().join("\n  ");
                out.print(format_args!("{name}:\n  {text}"));
            }
        }
        if self.worked + self.failed > 0 {
            out.print(format_args!(
                "answers from it: {} worked, {} failed",
                self.worked, self.failed
            ));
        }
        if !self.evidence.is_empty() {
            out.print("messages that it comes from:");
        }
        for line in &self.evidence {
            let merged = line.merged_from.map(|_| " (of a case merged into it)");
            out.print(format_args!(
                "  {:<10} {}{}",
                line.part_shown(),
                line.shown(),
                merged.unwrap_or_default()
            ));
        }
        out.print("history:");
        for step in &self.history {
            out.print(format_args!("  {}", step.shown()));
        }
    }
}
