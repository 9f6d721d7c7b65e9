//! Suite `cases`: is a dialog a case, and which messages solve it, against the
//! labels in `labels/livechat`. Each dialog is a channel of its own, looked at
//! once, at its end, as the extractor looks at a window. With `--openai` a chat
//! model looks at them, beside the built-in engine.

mod labels;
mod model;
mod rules;
mod score;

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context;
use threadlore_model::Line;

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
    Ok(rows)
}

/// The rows of one half.
fn measure(data: &Path, half: Half, suffix: &str) -> anyhow::Result<Vec<Row>> {
    let labelled = labelled(data, half)?;
    let rows = JUDGES.iter().map(|(name, judge)| {
        let pairs = labelled.iter();
        let score = Score::of(pairs.map(|(label, lines)| (label.last.clone(), judge(lines))));
        score.row(format!("{name}{suffix}"))
    });
    let readers = labelled
        .iter()
        .map(|(label, _)| (label.last.clone(), label.first.clone()));
    let second = Score::of(readers).row(format!("second-reader{suffix}"));
    Ok(rows.chain([second]).collect())
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
