//! Cases by rules: reply structure, who speaks, and words.
//!
//! The links of a window make its conversations. In a quiet channel, where answers often have no
//! addressee, a conversation joins the one before it by whose turn it is. In each conversation the
//! person who states a problem, or says something first and is answered, is the **asker**; others
//! who answer are **helpers**. The asker's statements before the first answer are the problem.
//! Every problem that can be understood by itself is a case.
//!
//! It is solved by the strongest of three signals: a positive reaction on a helper's line; the
//! asker's thanks or "it works" after one, or a return a day later without a complaint; or, as a
//! weak signal, the end of the talk: an exact instruction to the asker, after which neither of them
//! spoke for half an hour. The helper's lines before the signal are the solution, whatever their
//! words, and other advice with them, unless the asker came back from it. Without a signal the case stays open. Lines with advice are then listed in
//! `solution_lines`, without a solution, and nothing of them is published as solved.

mod dialog;
mod lexicon;
mod lines;
mod names;
mod prose;
mod readings;
mod sentences;
mod tags;
mod talk;
mod title;
mod words;

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use threadlore_model::{Draft, Extraction, KnownCase, MessageId, Resolved, Suggested, Window};
use threadlore_ports::{ExtractEngine, PortError};

use dialog::{Dialog, Solution};
use lines::Lines;
use readings::Readings;
use words::Topic;

/// Extraction by rules, without a model. Results for recent texts are cached, and clones share the
/// cache.
#[derive(Debug, Clone, Default)]
pub struct Builtin(Arc<Readings>);

/// Name and version of the rules.
const VERSION: &str = "builtin-6";

#[async_trait]
impl ExtractEngine for Builtin {
    fn version(&self) -> &str {
        VERSION
    }

    fn is_quick(&self) -> bool {
        true
    }

    async fn extract(&self, window: &Window) -> Result<Extraction, PortError> {
        Ok(self.cases(window))
    }
}

impl Builtin {
    /// The cases of a window. The same window gives the same cases; a window whose
    /// `links` or `hints` do not match its lines gives none.
    #[must_use]
    pub fn cases(&self, window: &Window) -> Extraction {
        cases(window, &self.0)
    }
}

/// Open cases that one window may add: a flood of questions is not a flood of cases.
const MOST_OPEN: usize = 12;

fn cases(window: &Window, readings: &Readings) -> Extraction {
    let mut found = Extraction::default();
    if window.links.len() != window.lines.len() || window.hints.len() != window.lines.len() {
        return found;
    }
    let said = Lines::of(window, readings);
    let open: Vec<(&KnownCase, Arc<Topic>)> = window
        .open
        .iter()
        .map(|case| (case, readings.topic(&case.problem)))
        .collect();
    let (mut opened, mut given) = (0, Vec::new());
    for dialog in talk::all(&said) {
        let topic = Topic::of(&dialog.problem);
        let solution = dialog.solution();
        match (known(window, &open, &dialog, &topic), solution) {
            (Some(Known { case, .. }), Some(solution)) => {
                if found
                    .resolved
                    .iter()
                    .all(|resolved| resolved.case != case.case)
                {
                    found.resolved.push(resolved(case, solution));
                }
            }
            (Some(known), None) => {
                found.suggested.extend(suggested(&known, &dialog));
                continue;
            }
            (None, _) if given.iter().any(|other: &Topic| other.is_as(&topic)) => continue,
            (None, Some(solution)) => found.cases.push(solved(&dialog, solution)),
            (None, None) => {
                let advice = dialog.advice();
                if opened == MOST_OPEN || !dialog.is_worth_opening(&advice) {
                    continue;
                }
                opened += 1;
                found.cases.push(unsolved(&dialog, advice));
            }
        }
        given.push(topic);
    }
    found
}

/// An open case that a conversation continues.
struct Known<'w> {
    case: &'w KnownCase,
    /// It states its problem there, and not only the same one elsewhere.
    by_evidence: bool,
}

/// The open case that a conversation continues: it shares evidence, or asks the same question.
fn known<'w>(
    window: &Window,
    open: &[(&'w KnownCase, Arc<Topic>)],
    dialog: &Dialog<'_>,
    topic: &Topic,
) -> Option<Known<'w>> {
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
    let known = |by_evidence| move |(case, _): &(&'w KnownCase, _)| Known { case, by_evidence };
    let same = || {
        open.iter()
            .find(|(_, other)| other.is_as(topic))
            .map(known(false))
    };
    let sharing = open.iter().find(|(case, _)| shares(case)).map(known(true));
    sharing.or_else(same)
}

/// What others answered in the conversation of a case so far, if that is something else than
/// before.
fn suggested(known: &Known<'_>, dialog: &Dialog<'_>) -> Option<Suggested> {
    let lines = dialog.advice();
    let suggestion = dialog.text_of(&lines);
    let is_new = suggestion != known.case.suggestion.as_deref().unwrap_or_default();
    (known.by_evidence && is_new).then_some(Suggested {
        case: known.case.case,
        suggestion,
        lines,
    })
}

fn resolved(case: &KnownCase, solution: Solution) -> Resolved {
    Resolved {
        case: case.case,
        solution: solution.text,
        solution_lines: solution.lines,
        signal: solution.signal,
        signal_line: solution.signal_line,
    }
}

fn solved(dialog: &Dialog<'_>, solution: Solution) -> Draft {
    let Solution {
        text,
        lines,
        signal,
        signal_line,
    } = solution;
    Draft {
        tags: tags::of(&dialog.problem, &text),
        solution: Some(text),
        suggestion: None,
        signal: Some(signal),
        signal_line,
        ..unsolved(dialog, lines)
    }
}

/// A case without a confirmed solution: the lines of advice are named, but
/// nothing of them is a solution yet.
fn unsolved(dialog: &Dialog<'_>, solution_lines: Vec<usize>) -> Draft {
    let other = |at: &usize| !dialog.problem_lines.contains(at) && !solution_lines.contains(at);
    Draft {
        title: dialog.title(),
        problem: dialog.problem.clone(),
        tags: tags::of(&dialog.problem, ""),
        solution: None,
        suggestion: Some(dialog.text_of(&solution_lines)).filter(|text| !text.is_empty()),
        problem_lines: dialog.problem_lines.clone(),
        other_lines: dialog.lines.iter().copied().filter(other).collect(),
        solution_lines,
        signal: None,
        signal_line: None,
    }
}

#[cfg(test)]
pub(crate) mod tests;
