//! What the double says about a window: what the built-in engine finds there.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use serde_json::{Value, json};
use threadlore_model::{Draft, Extraction, Window};
use threadlore_models::{Builtin, ChatEngine};
use threadlore_ports::{ExtractEngine, PortError};
use threadlore_testkit::{Asked, Reply};

/// Spans of one answer that the engine takes.
const SPANS: usize = 12;
/// Characters of a case's problem that the engine shows.
const SHOWN: usize = 400;

/// The answers to the questions about one window.
#[derive(Default)]
struct Told {
    /// By first and last line, counted from 1.
    cases: BTreeMap<(usize, usize), Value>,
    /// How a case that is resolved stands in the question; the answer without its number.
    resolved: Vec<(String, Value)>,
}

impl Told {
    fn of(window: &Window, found: &Extraction) -> Self {
        let mut told = Self::default();
        for draft in found.cases.iter().take(SPANS) {
            let span = told.free_span(draft, window.lines.len());
            told.cases.insert(span, case(draft));
        }
        for resolved in &found.resolved {
            let mut open = window.open.iter();
            if let Some(known) = open.find(|known| known.case == resolved.case) {
                let shown = format!("{} {}", quoted(&known.title), quoted(&known.problem));
                let answer = json!({
                    "resolved": true, "solution": resolved.solution,
                    "lines": numbers(&resolved.solution_lines),
                });
                told.resolved.push((shown, answer));
            }
        }
        told
    }

    /// The lines of the draft; some more where another draft has the same first
    /// and last one, because the engine asks about each span once.
    fn free_span(&self, draft: &Draft, count: usize) -> (usize, usize) {
        let lines = [
            &draft.problem_lines,
            &draft.solution_lines,
            &draft.other_lines,
        ];
        let lines = lines.into_iter().flatten();
        let ends = lines.fold((count, 0), |(start, end), at| {
            (start.min(*at), end.max(*at))
        });
        let (start, end) = (ends.0 + 1, ends.1 + 1);
        let later = (end..=count).map(|end| (start, end));
        let earlier = (1..start).rev().map(|start| (start, end));
        let mut spans = later.chain(earlier);
        spans
            .find(|span| !self.cases.contains_key(span))
            .unwrap_or((start, end))
    }

    fn spans(&self, question: &str) -> Value {
        let cases = self.cases.keys();
        let spans: Vec<Value> = cases
            .map(|(start, end)| json!({"start": start, "end": end}))
            .collect();
        let known = |shown: &str| {
            let lines = question.lines().filter_map(|line| line.split_once(' '));
            let mut cases = lines.filter(|(_, rest)| rest.starts_with(shown));
            cases.next()?.0.parse::<usize>().ok()
        };
        let resolved = self.resolved.iter().filter_map(|(shown, answer)| {
            let mut answer = answer.clone();
            answer["case"] = json!(known(shown)?);
            Some(answer)
        });
        json!({"spans": spans, "resolved": resolved.collect::<Vec<_>>()})
    }

    fn case(&self, question: &str) -> Value {
        let number = |line: &str| line.split_once(' ')?.0.parse::<usize>().ok();
        let chat = question.lines().filter_map(number);
        let (mut first, mut last) = (0, 0);
        for number in chat {
            first = if first == 0 { number } else { first };
            last = number;
        }
        let case = self.cases.get(&(first, last));
        case.cloned().unwrap_or_else(|| json!({"keep": false}))
    }
}

fn case(draft: &Draft) -> Value {
    let status = if draft.solution.is_some() {
        "solved"
    } else {
        "open"
    };
    json!({
        "keep": true, "status": status, "title": draft.title, "problem": draft.problem,
        "solution": draft.solution, "tags": draft.tags,
        "problem_lines": numbers(&draft.problem_lines),
        "solution_lines": numbers(&draft.solution_lines),
    })
}

fn numbers(lines: &[usize]) -> Vec<usize> {
    lines.iter().map(|at| at + 1).collect()
}

fn quoted(text: &str) -> String {
    let shown: String = text.trim().chars().take(SHOWN).collect();
    Value::from(shown).to_string()
}

/// What the double knows: the answers about the window that is looked at.
#[derive(Clone, Default)]
pub(super) struct Book(Arc<Mutex<Told>>);

impl Book {
    fn told(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn answer(&self, asked: &Asked) -> Reply {
        let messages = asked.messages();
        let question = messages.get(1).copied().unwrap_or_default();
        Reply::json(&match asked.format() {
            "spans" => self.told().spans(question),
            _ => self.told().case(question),
        })
    }
}

/// The engine that asks the double. The loop waits for it, so that one window is
/// looked at at a time.
pub(super) struct Doubled {
    pub(super) inner: ChatEngine,
    pub(super) book: Book,
    pub(super) looks: AtomicUsize,
}

#[async_trait]
impl ExtractEngine for Doubled {
    fn version(&self) -> &str {
        self.inner.version()
    }

    fn is_quick(&self) -> bool {
        true
    }

    async fn extract(&self, window: &Window) -> Result<Extraction, PortError> {
        self.looks.fetch_add(1, Ordering::Relaxed);
        *self.book.told() = Told::of(window, &Builtin::default().cases(window));
        self.inner.extract(window).await
    }
}
