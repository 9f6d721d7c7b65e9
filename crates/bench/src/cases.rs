//! Suite `cases`: is a dialog a case, and which messages solve it, against the
//! labels in `labels/livechat` and `labels/irc`. Each dialog is a channel of its own, looked at
//! once, at its end, as the extractor looks at a window. With `--openai` a chat
//! model looks at them, beside the built-in engine.

mod labels;
mod model;
mod rules;
mod score;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, bail};
use threadlore_model::Line;
use threadlore_training::labels as threads;

use crate::{Row, livechat};
use labels::{Half, Label};
pub(crate) use model::{Server, run as with_model};
use score::Score;

/// What is said of one dialog. Messages are counted from 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Whether somebody states a problem.
    pub(crate) case: bool,
    /// Messages that carry a solution.
    pub(crate) solution: BTreeSet<usize>,
}

/// From the messages of a dialog to what is said of it.
type Judge = fn(&[Line]) -> Verdict;

const JUDGES: &[(&str, Judge)] = &[
    ("builtin", rules::builtin),
    ("always-yes", rules::always_yes),
    ("keywords", rules::keywords),
];

/// A row for each judge and for the second reader on the test half, then the
/// same on the half on which the built-in rules were tuned.
///
/// # Errors
/// When the data cannot be read or has not the dialogs that the labels name.
pub(crate) fn run(data: &Path) -> anyhow::Result<Vec<Row>> {
    let mut rows = measure(data, Half::Test, "")?;
    rows.extend(measure(data, Half::Tune, "/tune")?);
    rows.extend(measure(data, Half::Fresh, "/fresh")?);
    rows.extend(rows_of(&of_irc(data)?, "/irc"));
    Ok(rows)
}

/// The rows of one half.
fn measure(data: &Path, half: Half, suffix: &str) -> anyhow::Result<Vec<Row>> {
    let pairs = labelled(data, half)?.into_iter();
    let pairs = pairs.map(|(label, lines)| Labelled {
        last: label.last,
        first: label.first,
        lines,
    });
    Ok(rows_of(&pairs.collect::<Vec<_>>(), suffix))
}

/// A conversation with what both readers say of it.
struct Labelled {
    last: Verdict,
    first: Verdict,
    lines: Vec<Line>,
}

/// The labelled conversations of IRC.
fn of_irc(data: &Path) -> anyhow::Result<Vec<Labelled>> {
    let mut logs = BTreeMap::new();
    let mut out = Vec::new();
    for label in labels::of_irc()? {
        let log = match logs.entry(label.log.clone()) {
            Entry::Occupied(log) => log.into_mut(),
            Entry::Vacant(place) => {
                let path = data.join(&label.log);
                let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
                    bail!("{:?} is no path of a log", label.log);
                };
                place.insert(threads::read(folder, &name.to_string_lossy())?)
            }
        };
        let line = |number: &usize| {
            let at = log.number.binary_search(number).ok();
            let line = at.and_then(|at| log.lines.get(at)).cloned();
            line.with_context(|| format!("{} has no message in line {number}", label.log))
        };
        out.push(Labelled {
            lines: label.lines.iter().map(line).collect::<Result<_, _>>()?,
            last: label.last,
            first: label.first,
        });
    }
    Ok(out)
}

/// A row for each judge and for the second reader.
fn rows_of(labelled: &[Labelled], suffix: &str) -> Vec<Row> {
    let rows = JUDGES.iter().map(|(name, judge)| {
        let pairs = labelled.iter();
        let score = Score::of(pairs.map(|of| (of.last.clone(), judge(&of.lines))));
        score.row(format!("{name}{suffix}"))
    });
    let readers = labelled
        .iter()
        .map(|of| (of.last.clone(), of.first.clone()));
    let second = Score::of(readers).row(format!("second-reader{suffix}"));
    rows.chain([second]).collect()
}

/// The labelled dialogs of one half.
fn labelled(data: &Path, half: Half) -> anyhow::Result<Vec<(Label, Vec<Line>)>> {
    let folder = data.join("livechat");
    let mut out = Vec::new();
    for label in labels::all()? {
        if label.half == half {
            let lines = livechat::read(&folder, &label.room, label.dialog)?;
            let last = label.last.solution.last().copied().unwrap_or(0);
            lines.get(last).with_context(|| {
                format!(
                    "{}: dialog {} of {} has no message {last}, which the labels name",
                    folder.display(),
                    label.dialog,
                    label.room
                )
            })?;
            out.push((label, lines));
        }
    }
    Ok(out)
}
