//! The command `threadlore-train`: learns the weights from labelled chat, says how
//! good they are on logs that they were not learned from, and writes both.

use std::fs;
use std::path::Path;
use std::thread;

use anyhow::{Context, Result, anyhow};
use threadlore_language::threads::{Weights, link_with};

use crate::boost::{Growth, boost};
use crate::examples;
use crate::labels::{self, Labelled};
use crate::measure::{Links, Score};

/// How often the links that conversations follow from are found anew, with the
/// weights learned so far.
const ROUNDS: usize = 2;
/// Parts of the data, each of which is linked by weights learned from the others.
pub const FOLDS: usize = 10;

/// Learns weights from logs.
#[must_use]
pub fn train(logs: &[&Labelled], growth: &Growth) -> Weights {
    let mut weights = Weights::default();
    for _ in 0..ROUNDS {
        let examples = logs.iter().flat_map(|log| examples::of(log, &weights));
        weights = boost(&examples.collect::<Vec<_>>(), growth);
    }
    weights
}

/// The score of logs when each is linked by weights that were learned from the
/// other parts.
///
/// # Errors
/// When a thread fails.
pub fn folded(logs: &[Labelled], folds: usize, growth: &Growth) -> Result<Score> {
    let link = |fold: usize| -> Vec<(usize, Links)> {
        let others = (0..logs.len()).filter(|at| at % folds != fold);
        let others: Vec<&Labelled> = others.map(|at| &logs[at]).collect();
        let weights = train(&others, growth);
        let own = (fold..logs.len()).step_by(folds);
        own.map(|at| (at, link_with(&logs[at].lines, &weights)))
            .collect()
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut linked = thread::scope(|scope| -> Result<Vec<(usize, Links)>> {
        let work = |worker: usize| (worker..folds).step_by(workers).flat_map(link).collect();
        let threads: Vec<_> = (0..workers)
            .map(|worker| scope.spawn(move || -> Vec<(usize, Links)> { work(worker) }))
            .collect();
        let mut linked = Vec::new();
        for thread in threads {
            linked.extend(
                thread
                    .join()
                    .map_err(|_| anyhow!("a fold could not be learned"))?,
            );
        }
        Ok(linked)
    })?;
    linked.sort_unstable_by_key(|(at, _)| *at);
    let mut score = Score::default();
    for (at, links) in &linked {
        score.add(&logs[*at], links);
    }
    Ok(score)
}

/// Learns from `DATA/irc/train` of the shared data and writes the weights to a file.
///
/// # Errors
/// When the data cannot be read or the file cannot be written.
pub fn command(data: &Path, day: &str, file: &Path) -> Result<()> {
    let logs = labels::read_all(&data.join("irc").join("train"))?;
    let learned = learned(&logs, FOLDS, &Growth::default())?;
    let text = format!(
        "# How links between lines of chat are scored (crates/language/src/threads.rs).\n\
         # Written on {day} by\n\
         #   cargo run --release --bin threadlore-train -- --data DATA --date {day}\n\
         # from DATA/irc/train: the Ubuntu help channel as labelled in irc-disentanglement\n\
         # (Kummerfeld et al. 2019, a quarter of its training part), CC BY 4.0.\n{learned}"
    );
    fs::write(file, text).with_context(|| format!("{} cannot be written", file.display()))
}

/// Weights as a file has them, with notes on how they were learned.
///
/// # Errors
/// When a thread fails.
pub fn learned(logs: &[Labelled], folds: usize, growth: &Growth) -> Result<String> {
    let figures = folded(logs, folds, growth)?.figures();
    let figures = figures
        .iter()
        .map(|(name, value)| format!("{name} {value:.1}"));
    let figures = figures.collect::<Vec<_>>().join(", ");
    let weights = train(&logs.iter().collect::<Vec<_>>(), growth);
    let labelled: usize = logs.iter().map(|log| log.links.len()).sum();
    Ok(format!(
        "# {} logs, {labelled} labels. {growth}, {ROUNDS} rounds.\n\
         # {folds}-fold cross-validation: {figures}.\n\
         #\n\
         # A line is a tree: what it is for, its questions, and what each row of answers is\n\
         # worth in thousandths of a nat. The answer to the first question is the lowest bit of\n\
         # the place among the worths.\n{weights}",
        logs.len(),
    ))
}
