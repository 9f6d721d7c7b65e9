//! The second answer: the case of one span.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde::Deserialize;
use serde_json::json;
use threadlore_model::{Draft, PersonId, Signal, Window};

use super::signal;
use crate::answer::{Unusable, cut, json as read_json};
use crate::openai::Format;

/// The most characters of a title; longer ones are cut. The same for problem, solution and tag.
const TITLE: usize = 200;
pub(super) const TEXT: usize = 4000;
const TAG: usize = 40;
/// Tags of a case, at most.
const TAGS: usize = 8;

#[derive(Deserialize)]
struct Answer {
    keep: bool,
    // The other fields are missing if the span is not kept.
    status: Option<Status>,
    #[serde(default)]
    title: String,
    #[serde(default)]
    problem: String,
    solution: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    problem_lines: Vec<usize>,
    #[serde(default)]
    solution_lines: Vec<usize>,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Status {
    Open,
    Solved,
}

/// The JSON that is asked for. Its lists are bounded: a small model repeats its last
/// tag for ever.
pub(super) fn format(span: &RangeInclusive<usize>) -> Format {
    let text = json!({"type": "string"});
    let lines = span.clone().count();
    let numbers = json!({"type": "array", "items": {"type": "integer"}, "maxItems": lines});
    Format {
        name: "case",
        schema: json!({
            "type": "object",
            "properties": {
                "keep": {"type": "boolean"},
                "status": {"type": "string", "enum": ["open", "solved"]},
                "title": text,
                "problem": text,
                "solution": {"type": ["string", "null"]},
                "tags": {"type": "array", "items": text, "maxItems": TAGS},
                "problem_lines": numbers,
                "solution_lines": numbers,
            },
            "required": ["keep", "status", "title", "problem", "solution", "tags",
                         "problem_lines", "solution_lines"],
            "additionalProperties": false,
        }),
    }
}

/// Reads the answer. The case is `None` if the model does not keep it, or if no person states its
/// problem.
pub(super) fn read(
    said: &str,
    window: &Window,
    span: &RangeInclusive<usize>,
) -> Result<Option<Draft>, Unusable> {
    let answer: Answer = read_json(said)?;
    if !answer.keep {
        return Ok(None);
    }
    check(&answer, span)?;
    let problem_lines = by_people(window, &answer.problem_lines);
    if problem_lines.is_empty() {
        return Ok(None);
    }
    // A line that only states the problem solves nothing.
    let mut solution_lines = by_people(window, &answer.solution_lines);
    solution_lines.retain(|at| !problem_lines.contains(at));
    let (solution, sign) = solved(&answer, window, (&problem_lines, &solution_lines), span);
    let said = answer
        .solution
        .as_deref()
        .map(str::trim)
        .filter(|text| !text.is_empty());
    let suggestion = said.filter(|_| solution.is_none() && !solution_lines.is_empty());
    let other_lines = around(window, &problem_lines, &solution_lines, span);
    Ok(Some(Draft {
        title: cut(&answer.title, TITLE),
        problem: cut(&answer.problem, TEXT),
        suggestion: suggestion.map(|text| cut(text, TEXT)),
        solution,
        tags: tags(&answer.tags),
        problem_lines,
        solution_lines,
        other_lines,
        signal: sign.map(|(signal, _)| signal),
        signal_line: sign.and_then(|(_, line)| line),
    }))
}

/// Checks that the answer has all fields of a case, and names lines of the span only.
fn check(answer: &Answer, span: &RangeInclusive<usize>) -> Result<(), Unusable> {
    let missing = |what: &str| Err(Unusable::because(format!("`{what}` is missing or empty")));
    let named = answer.problem_lines.iter().chain(&answer.solution_lines);
    if let Some(wrong) = named.into_iter().find(|line| !span.contains(line)) {
        let (start, end) = (span.start(), span.end());
        return Err(Unusable::because(format!(
            "it names line {wrong}, which is not within the lines {start} to {end}"
        )));
    }
    let solved = match answer.status {
        None => return missing("status"),
        Some(Status::Solved) => true,
        Some(Status::Open) => false,
    };
    let said = answer.solution.as_deref().unwrap_or_default();
    match () {
        () if answer.title.trim().is_empty() => missing("title"),
        () if answer.problem.trim().is_empty() => missing("problem"),
        () if answer.problem_lines.is_empty() => missing("problem_lines"),
        () if solved && said.trim().is_empty() => missing("solution"),
        () if solved && answer.solution_lines.is_empty() => missing("solution_lines"),
        () => Ok(()),
    }
}

/// The lines with these numbers that people wrote, ascending, counted from 0.
fn by_people(window: &Window, numbers: &[usize]) -> Vec<usize> {
    let lines: BTreeSet<usize> = numbers.iter().map(|number| number - 1).collect();
    let lines = lines.into_iter().filter(|at| !window.lines[*at].bot);
    lines.collect()
}

/// The solution and why it counts, if the lines bear it out.
fn solved(
    answer: &Answer,
    window: &Window,
    (problem, solution): (&[usize], &[usize]),
    span: &RangeInclusive<usize>,
) -> (Option<String>, Option<(Signal, Option<usize>)>) {
    let askers: BTreeSet<PersonId> = problem.iter().map(|at| window.lines[*at].person).collect();
    let said = answer
        .solution
        .as_deref()
        .filter(|_| answer.status == Some(Status::Solved) && !solution.is_empty());
    let sign = said.and_then(|_| signal::of(window, &askers, solution, span.end() - 1));
    let text = said.filter(|_| sign.is_some());
    (text.map(|text| cut(text, TEXT)), sign)
}

/// Other lines of people in the span, in the same conversation as the chosen lines.
fn around(
    window: &Window,
    problem: &[usize],
    solution: &[usize],
    span: &RangeInclusive<usize>,
) -> Vec<usize> {
    let picked: BTreeSet<usize> = problem.iter().chain(solution).copied().collect();
    let root = |mut at: usize| {
        while let Some(Some(earlier)) = window.links.get(at)
            && *earlier < at
        {
            at = *earlier;
        }
        at
    };
    let roots: BTreeSet<usize> = picked.iter().map(|at| root(*at)).collect();
    let others = (span.start() - 1..*span.end())
        .filter(|at| !window.lines[*at].bot && !picked.contains(at) && roots.contains(&root(*at)));
    others.collect()
}

fn tags(said: &[String]) -> Vec<String> {
    let mut tags: Vec<String> = Vec::new();
    for tag in said {
        let tag = cut(&tag.to_lowercase(), TAG);
        if !tag.is_empty() && !tags.contains(&tag) && tags.len() < TAGS {
            tags.push(tag);
        }
    }
    tags
}
