//! Cases by rules: reply structure, who speaks, and words.
//!
//! The links of a window make its conversations. In each, the writer of the
//! first line is the **asker**; others who answer are **helpers**. What the
//! asker states before the first answer is the problem. A case is solved by the
//! strongest of two signals (C29): a positive reaction on a helper's
//! instruction, or the asker's thanks or "it works" after one. A thread that
//! just ends stays open. Precision goes first: where a question, an instruction
//! or a signal does not read as one, there is no case.

mod dialog;
mod lexicon;
mod names;
mod prose;
mod tags;
mod title;
mod words;

use std::collections::BTreeSet;

use async_trait::async_trait;
use threadlore_model::{Draft, Extraction, KnownCase, MessageId, Resolved, Window};
use threadlore_ports::{ExtractEngine, PortError};

use dialog::{Dialog, Solution};
use names::Names;
use words::Topic;

/// Extraction by rules, without a model.
#[derive(Debug, Clone, Copy, Default)]
pub struct Builtin;

/// Name and version of the rules.
const VERSION: &str = "builtin-1";

#[async_trait]
impl ExtractEngine for Builtin {
    fn version(&self) -> &str {
        VERSION
    }

    async fn extract(&self, window: &Window) -> Result<Extraction, PortError> {
        Ok(extract(window))
    }
}

/// Open cases that one window may add: a flood of questions is not a flood of cases.
const MOST_OPEN: usize = 12;

/// The cases of a window. The same window gives the same cases; a window whose
/// `links` or `hints` do not match its lines gives none.
#[must_use]
pub fn extract(window: &Window) -> Extraction {
    let mut found = Extraction::default();
    if window.links.len() != window.lines.len() || window.hints.len() != window.lines.len() {
        return found;
    }
    let names = Names::of(window);
    let open: Vec<(&KnownCase, Topic)> = window
        .open
        .iter()
        .map(|case| (case, Topic::of(&case.problem)))
        .collect();
    let (mut opened, mut given) = (0, Vec::new());
    for dialog in dialog::all(window, &names) {
        let topic = Topic::of(&dialog.problem);
        let solution = dialog.solution();
        match (known(window, &open, &dialog, &topic), solution) {
            (Some(case), Some(solution)) => {
                if found
                    .resolved
                    .iter()
                    .all(|resolved| resolved.case != case.case)
                {
                    found.resolved.push(resolved(case, solution));
                }
            }
            (Some(_), None) => continue,
            (None, _) if given.iter().any(|other: &Topic| other.is_as(&topic)) => continue,
            (None, Some(solution)) => found.cases.push(draft(&dialog, Some(solution))),
            (None, None) => {
                if opened == MOST_OPEN || !dialog.is_worth_opening() {
                    continue;
                }
                opened += 1;
                found.cases.push(draft(&dialog, None));
            }
        }
        given.push(topic);
    }
    found
}

/// The open case that a conversation continues: it shares evidence, or asks the same.
fn known<'w>(
    window: &Window,
    open: &[(&'w KnownCase, Topic)],
    dialog: &Dialog<'_>,
    topic: &Topic,
) -> Option<&'w KnownCase> {
    let messages: BTreeSet<MessageId> = dialog
        .lines
        .iter()
        .map(|at| window.lines[*at].message)
        .collect();
    let shares = |case: &KnownCase| {
        case.evidence
            .iter()
            .any(|message| messages.contains(message))
    };
    let same = || open.iter().find(|(_, other)| other.is_as(topic));
    let found = open.iter().find(|(case, _)| shares(case)).or_else(same);
    found.map(|(case, _)| *case)
}

fn resolved(case: &KnownCase, solution: Solution) -> Resolved {
    Resolved {
        case: case.case,
        solution: solution.text,
        solution_lines: solution.lines,
        signal: solution.signal,
    }
}

fn draft(dialog: &Dialog<'_>, solution: Option<Solution>) -> Draft {
    let (text, solution_lines, signal) = match solution {
        Some(Solution {
            text,
            lines,
            signal,
        }) => (Some(text), lines, Some(signal)),
        None => (None, Vec::new(), None),
    };
    let other_lines = dialog
        .lines
        .iter()
        .copied()
        .filter(|at| !dialog.problem_lines.contains(at) && !solution_lines.contains(at))
        .collect();
    Draft {
        title: dialog.title(),
        problem: dialog.problem.clone(),
        tags: tags::of(&dialog.problem, text.as_deref().unwrap_or_default()),
        solution: text,
        problem_lines: dialog.problem_lines.clone(),
        solution_lines,
        other_lines,
        signal,
    }
}

#[cfg(test)]
mod tests;
