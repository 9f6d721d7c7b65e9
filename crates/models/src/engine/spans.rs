//! The first answer: parts of the window, and open cases that are solved.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde::Deserialize;
use serde_json::json;
use threadlore_model::{KnownCase, PersonId, Resolved, Window};

use super::case::TEXT;
use super::lines::Shown;
use super::signal;
use crate::answer::{Unusable, cut, json as read_json};
use crate::openai::Format;

/// Spans of one window at most: each is a call.
const SPANS: usize = 12;

#[derive(Deserialize)]
struct Answer {
    spans: Vec<Span>,
    #[serde(default)]
    resolved: Vec<Settled>,
}

#[derive(Deserialize)]
struct Span {
    start: usize,
    end: usize,
}

#[derive(Deserialize)]
struct Settled {
    case: usize,
    resolved: bool,
    solution: Option<String>,
    #[serde(default)]
    lines: Vec<usize>,
}

/// The usable content of the answer.
#[derive(Debug)]
pub(super) struct Found {
    /// Numbers of first and last line.
    pub(super) spans: Vec<RangeInclusive<usize>>,
    pub(super) resolved: Vec<Resolved>,
}

/// The requested JSON; it asks about open cases only if there are any.
pub(super) fn format(shown: &Shown<'_>) -> Format {
    let number = json!({"type": "integer"});
    let object = |properties: serde_json::Value, required: &[&str]| {
        json!({
            "type": "object", "properties": properties, "required": required,
            "additionalProperties": false,
        })
    };
    let span = object(json!({"start": number, "end": number}), &["start", "end"]);
    let settled = object(
        json!({
            "case": number,
            "resolved": {"type": "boolean"},
            "solution": {"type": ["string", "null"]},
            "lines": {
                "type": "array", "items": number, "maxItems": shown.numbers().count(),
            },
        }),
        &["case", "resolved", "solution", "lines"],
    );
    let spans = json!({"type": "array", "items": span, "maxItems": SPANS});
    let schema = if shown.cases.is_empty() {
        object(json!({"spans": spans}), &["spans"])
    } else {
        let cases = shown.cases.len();
        let resolved = json!({"type": "array", "items": settled, "maxItems": cases});
        object(
            json!({"spans": spans, "resolved": resolved}),
            &["spans", "resolved"],
        )
    };
    Format {
        name: "spans",
        schema,
    }
}

/// Reads the answer. A number outside the shown lines makes the whole answer unusable.
pub(super) fn read(said: &str, shown: &Shown<'_>) -> Result<Found, Unusable> {
    let answer: Answer = read_json(said)?;
    let numbers = shown.numbers();
    let (first, last) = (*numbers.start(), *numbers.end());
    let mut spans = BTreeSet::new();
    for Span { start, end } in answer.spans {
        if start > end || !numbers.contains(&start) || !numbers.contains(&end) {
            return Err(Unusable::because(format!(
                "the span {start} to {end} is not within the lines {first} to {last}"
            )));
        }
        spans.insert((start, end));
    }
    if spans.len() > SPANS {
        return Err(Unusable::because(format!(
            "it has {} spans, and {SPANS} is the most",
            spans.len()
        )));
    }
    let mut resolved = Vec::new();
    for settled in answer.resolved {
        let count = shown.cases.len();
        let case = settled.case.checked_sub(1);
        let Some(case) = case.and_then(|at| shown.cases.get(at)) else {
            return Err(Unusable::because(format!(
                "it names case {} of {count}",
                settled.case
            )));
        };
        if let Some(wrong) = settled.lines.iter().find(|line| !numbers.contains(line)) {
            return Err(Unusable::because(format!(
                "it names line {wrong}, which is not within the lines {first} to {last}"
            )));
        }
        resolved.extend(settled_case(settled, case, shown.window));
    }
    let spoken = |(start, end): &(usize, usize)| {
        let mut lines = shown.window.lines[start - 1..*end].iter();
        lines.any(|line| !line.bot)
    };
    let spans = spans.into_iter().filter(spoken);
    Ok(Found {
        spans: spans.map(|(start, end)| start..=end).collect(),
        resolved,
    })
}

/// An open case with its solution, if a person's line carries one.
fn settled_case(settled: Settled, case: &KnownCase, window: &Window) -> Option<Resolved> {
    let solution = settled.solution.filter(|text| !text.trim().is_empty())?;
    let lines: BTreeSet<usize> = settled.lines.iter().map(|number| number - 1).collect();
    let lines: Vec<usize> = lines
        .into_iter()
        .filter(|at| !window.lines[*at].bot)
        .collect();
    if !settled.resolved || lines.is_empty() {
        return None;
    }
    let stated = window.lines.iter().filter(|line| {
        let mut evidence = case.evidence.iter();
        evidence.any(|message| *message == line.message)
    });
    let askers: BTreeSet<PersonId> = stated.map(|line| line.person).collect();
    let (signal, signal_line) = signal::of(window, &askers, &lines, window.lines.len() - 1)?;
    Some(Resolved {
        case: case.case,
        solution: cut(&solution, TEXT),
        solution_lines: lines,
        signal,
        signal_line,
    })
}
