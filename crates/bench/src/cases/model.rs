//! A chat model over the test dialogs, through the engine of the product.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use async_trait::async_trait;
use threadlore_model::{Line, Timestamp};
use threadlore_models::{ChatEngine, ChatSettings};
use threadlore_ports::{Clock, ExtractEngine, PortError};

use super::labels::{Half, Label};
use super::score::Score;
use super::{Verdict, labelled, rules};
use crate::Row;

/// A server that speaks OpenAI's protocol; for the suite `cases`.
#[derive(Debug, clap::Args)]
pub(crate) struct Server {
    /// Suite cases: ask the chat model behind this base URL, such as http://127.0.0.1:8080/v1
    #[arg(long, value_name = "URL", requires = "model", required = false)]
    openai: String,
    /// With --openai: the name of the model
    #[arg(long, value_name = "NAME", requires = "openai", required = false)]
    model: String,
    /// With --openai: only the first so many test dialogs
    #[arg(long, value_name = "COUNT", requires = "openai", default_value_t = usize::MAX, hide_default_value = true)]
    dialogs: usize,
    /// With --openai: longest time for one call, in seconds
    #[arg(
        long,
        value_name = "SECONDS",
        requires = "openai",
        default_value_t = 600
    )]
    timeout: u64,
}

/// A row for the model and one for the built-in engine on the same test dialogs.
/// What is said of each dialog, and why a look failed, goes to standard error.
///
/// # Errors
/// When the data cannot be read, or no client can be made.
pub(crate) fn run(data: &Path, server: &Server) -> anyhow::Result<Vec<Row>> {
    let mut labelled = labelled(data, Half::Test)?;
    labelled.truncate(server.dialogs);
    let settings = ChatSettings {
        base_url: server.openai.clone(),
        model: server.model.clone(),
        api_key: None,
        timeout: Duration::from_secs(server.timeout),
        temperature_zero: true,
        meter: None,
    };
    let clock = Arc::new(Stopwatch::start());
    let engine = ChatEngine::new(settings, usize::MAX, Arc::clone(&clock) as _)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("starting the async runtime")?;
    let (verdicts, failed) = runtime.block_on(ask(&engine, &clock, &labelled))?;
    let seconds = clock.0.elapsed().as_secs_f64();

    let row = |name: String, verdicts: Vec<Verdict>| {
        let labels = labelled.iter().map(|(label, _)| label.last.clone());
        let score = Score::of(labels.zip(verdicts));
        let mut row = score.row(name);
        row.metrics.extend(score.intervals());
        row.metrics.push(("dialogs", labelled.len() as f64));
        row
    };
    let mut model = row(engine.version().to_owned(), verdicts);
    let spent = engine.spent();
    let per_dialog = |sum: f64| sum / labelled.len().max(1) as f64;
    model.metrics.extend([
        ("calls", spent.calls as f64),
        ("repairs", spent.repairs as f64),
        ("failed", failed as f64),
        ("prompt_tokens", spent.prompt_tokens as f64),
        ("answer_tokens", spent.answer_tokens as f64),
        ("seconds_per_dialog", per_dialog(seconds)),
    ]);
    let builtin = labelled.iter().map(|(_, lines)| rules::builtin(lines));
    Ok(vec![model, row("builtin".to_owned(), builtin.collect())])
}

/// What the model says of each dialog, and how many looks failed: there nothing
/// is found, as in the product.
async fn ask(
    engine: &ChatEngine,
    clock: &Stopwatch,
    labelled: &[(Label, Vec<Line>)],
) -> anyhow::Result<(Vec<Verdict>, usize)> {
    let (mut verdicts, mut reasons) = (Vec::new(), BTreeMap::<String, usize>::new());
    for (at, (label, lines)) in labelled.iter().enumerate() {
        let window = rules::window(lines).context("a dialog without a window")?;
        let started = clock.0.elapsed();
        let verdict = match engine.extract(&window).await {
            Ok(found) => rules::said(found),
            Err(error) => {
                *reasons.entry(reason(&error)).or_default() += 1;
                Verdict::default()
            }
        };
        let took = clock.0.elapsed().saturating_sub(started).as_secs();
        writeln!(
            io::stderr(),
            "{}/{} {} {}: {verdict:?}, label {:?}, {} lines, {took} s, {} calls so far",
            at + 1,
            labelled.len(),
            label.room,
            label.dialog,
            label.last,
            lines.len(),
            engine.spent().calls,
        )?;
        verdicts.push(verdict);
    }
    for (reason, count) in &reasons {
        writeln!(io::stderr(), "{count} looks failed: {reason}")?;
    }
    Ok((verdicts, reasons.values().sum()))
}

/// Why a look failed, with each number as `N`, so that reasons alike are counted together.
fn reason(error: &PortError) -> String {
    let text = error.to_string();
    let mut out = String::new();
    for c in text.chars() {
        match c.is_ascii_digit() {
            true if out.ends_with('N') => {}
            true => out.push('N'),
            false => out.push(c),
        }
    }
    out
}

/// The client's clock: time since the start.
struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
    fn start() -> Self {
        Self(Instant::now())
    }
}

#[async_trait]
impl Clock for Stopwatch {
    fn now(&self) -> Timestamp {
        Timestamp::default().plus(self.0.elapsed())
    }

    async fn sleep(&self, by: Duration) {
        tokio::time::timeout(by, std::future::pending::<()>())
            .await
            .ok();
    }
}
