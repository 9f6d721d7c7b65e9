//! Suite `threads`: reply links and conversations against labels, measured as
//! in Kummerfeld et al. 2019, on the labelled lines of `irc/dev`; and suite
//! `threads-10fold`: the same on `irc/train`, each tenth linked by weights
//! learned from the rest.

mod mention;

use std::path::Path;
use std::time::Instant;

use threadlore_model::Line;
use threadlore_training::boost::Growth;
use threadlore_training::labels::{self, Labelled};
use threadlore_training::measure::{Links, Score};
use threadlore_training::train;

use crate::Row;

type Linker = fn(&[Line]) -> Links;

const LINKERS: &[(&str, Linker)] = &[
    ("builtin", threadlore_language::link),
    ("mention", mention::link),
    ("previous", previous),
    ("gap-1min", gap),
];

/// A row for each way to link.
///
/// # Errors
/// When the data cannot be read.
pub(crate) fn run(data: &Path) -> anyhow::Result<Vec<Row>> {
    let logs = labels::read_all(&data.join("irc").join("dev"))?;
    Ok(LINKERS
        .iter()
        .map(|(name, linker)| measure(name, *linker, &logs))
        .collect())
}

/// What links by the built-in scorer are worth on logs that it has not seen.
///
/// # Errors
/// When the data cannot be read.
pub(crate) fn folds(data: &Path) -> anyhow::Result<Vec<Row>> {
    let logs = labels::read_all(&data.join("irc").join("train"))?;
    let score = train::folded(&logs, train::FOLDS, &Growth::default())?;
    Ok(vec![Row {
        name: "train-10fold".to_owned(),
        metrics: score.figures(),
    }])
}

/// Every message answers the one before.
fn previous(lines: &[Line]) -> Links {
    (0..lines.len()).map(|at| at.checked_sub(1)).collect()
}

/// Every message answers the one before, unless a new minute began.
fn gap(lines: &[Line]) -> Links {
    let same = |at: usize, before: &usize| lines[at].at == lines[*before].at;
    (0..lines.len())
        .map(|at| at.checked_sub(1).filter(|before| same(at, before)))
        .collect()
}

/// Scores of one way to link, and the messages it links in a second.
#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn measure(name: &str, linker: Linker, logs: &[Labelled]) -> Row {
    let started = Instant::now();
    let links: Vec<Links> = logs.iter().map(|log| linker(&log.lines)).collect();
    let seconds = started.elapsed().as_secs_f64();
    let mut score = Score::default();
    let mut messages = 0;
    for (log, links) in logs.iter().zip(&links) {
        score.add(log, links);
        messages += links.len();
    }
    let mut metrics = score.figures();
    metrics.push(("messages_per_s", messages as f64 / seconds));
    Row {
        name: name.to_owned(),
        metrics,
    }
}
