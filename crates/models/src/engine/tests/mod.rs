//! The engine against a double of a model server.

mod injected;
mod server;
mod unusable;
mod usable;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::{Value, json};
use threadlore_model::{CaseId, EventId, Extraction, KnownCase, Timestamp, Window};
use threadlore_ports::{Clock, ExtractEngine, PortError};
use threadlore_testkit::{Asked, ModelDouble, Reply};

use super::ChatEngine;
use crate::ChatSettings;
pub(super) use crate::builtin::tests::{Said, window};

/// A clock that a test turns.
#[derive(Default)]
struct Turned(Mutex<Timestamp>);

#[async_trait]
impl Clock for Turned {
    fn now(&self) -> Timestamp {
        *self.0.lock().expect("not poisoned")
    }
    async fn sleep(&self, _by: Duration) {}
}

impl Turned {
    fn turn(&self, seconds: u64) {
        let mut now = self.0.lock().expect("not poisoned");
        *now = now.plus(Duration::from_secs(seconds));
    }
}

fn settings(base_url: String) -> ChatSettings {
    ChatSettings {
        base_url,
        model: "double".to_owned(),
        api_key: Some("s3cret".to_owned()),
        timeout: Duration::from_secs(60),
        temperature_zero: true,
        meter: None,
    }
}

fn engine(base_url: String) -> ChatEngine {
    let engine = ChatEngine::new(settings(base_url), 60_000, Arc::new(Turned::default()));
    engine.expect("an engine")
}

fn double(answer: impl FnMut(&Asked) -> Reply + Send + 'static) -> ModelDouble {
    ModelDouble::start(answer).expect("a double")
}

fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(work)
}

/// What the engine finds in the window, asking a double, and what that was asked.
fn extract(
    window: &Window,
    answer: impl FnMut(&Asked) -> Reply + Send + 'static,
) -> (Result<Extraction, PortError>, Vec<Asked>) {
    let double = double(answer);
    let found = run(engine(double.base_url()).extract(window));
    (found, double.asked())
}

/// A double that says `spans` to the first question and `case` to the second.
fn told(spans: Value, case: Value) -> impl FnMut(&Asked) -> Reply + Send + 'static {
    move |asked| match asked.format() {
        "spans" => Reply::json(&spans),
        _ => Reply::json(&case),
    }
}

/// A problem, a bot, an answer, thanks; then somebody else.
fn chat() -> Window {
    window(&[
        ("ann", "my sound is gone after the update", None, "?"),
        ("helpbot", "have you read the manual?", Some(0), "b"),
        ("bob", "restart pulseaudio", Some(0), ""),
        ("ann", "thanks, works", Some(2), "t"),
        ("cid", "nice weather", None, ""),
    ])
}

/// The same, with an open case.
fn chat_with_open_case() -> Window {
    let mut window = chat();
    window.open.push(known(&window, "no sound", &[0]));
    window
}

fn known(window: &Window, title: &str, lines: &[usize]) -> KnownCase {
    KnownCase {
        case: CaseId::first_carried_by(EventId::of_content("test", &[title])),
        title: title.to_owned(),
        problem: title.to_owned(),
        suggestion: None,
        evidence: lines.iter().map(|at| window.lines[*at].message).collect(),
    }
}

fn spans(spans: &[(usize, usize)]) -> Value {
    let spans: Vec<Value> = spans
        .iter()
        .map(|(start, end)| json!({"start": start, "end": end}))
        .collect();
    json!({"spans": spans, "resolved": []})
}

fn solved(problem: &[usize], solution: &[usize]) -> Value {
    json!({
        "keep": true, "status": "solved", "title": "No sound", "problem": "The sound is gone.",
        "solution": "Restart pulseaudio.", "tags": ["Sound", "sound", " "],
        "problem_lines": problem, "solution_lines": solution,
    })
}

/// Why it was refused; and that no text of the chat or of the answer is in it.
fn refused(found: Result<Extraction, PortError>) -> String {
    match found {
        Err(PortError::Refused { reason, .. }) => reason,
        other => panic!("refused, not {other:?}"),
    }
}
