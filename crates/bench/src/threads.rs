//! Suite `threads`: reply links and conversations against labels, measured as
//! in Kummerfeld et al. 2019, on the labelled lines of `irc/dev`.

mod clusters;

use std::path::Path;

use threadlore_model::Line;

use crate::Row;
use crate::irc_labels::{self, Labelled};
use clusters::Agreement;

/// Links of one log: for each message the earlier message it answers.
type Linker = fn(&[Line]) -> Vec<Option<usize>>;

const LINKERS: &[(&str, Linker)] = &[
    ("builtin", threadlore_decide::link),
    ("previous", previous),
    ("gap-1min", gap),
];

/// A row for each way to link.
///
/// # Errors
/// When the data cannot be read.
pub(crate) fn run(data: &Path) -> anyhow::Result<Vec<Row>> {
    let logs = irc_labels::read_all(&data.join("irc").join("dev"))?;
    Ok(LINKERS
        .iter()
        .map(|(name, linker)| measure(name, *linker, &logs))
        .collect())
}

/// Every message answers the one before.
fn previous(lines: &[Line]) -> Vec<Option<usize>> {
    (0..lines.len()).map(|at| at.checked_sub(1)).collect()
}

/// Every message answers the one before, unless a new minute began.
fn gap(lines: &[Line]) -> Vec<Option<usize>> {
    let same = |at: usize, before: &usize| lines[at].at == lines[*before].at;
    (0..lines.len())
        .map(|at| at.checked_sub(1).filter(|before| same(at, before)))
        .collect()
}

/// Scores of one way to link, all in hundredths of their best value.
pub(crate) fn measure(
    name: &str,
    linker: impl Fn(&[Line]) -> Vec<Option<usize>>,
    logs: &[Labelled],
) -> Row {
    let (mut wanted, mut given, mut right) = (0, 0, 0);
    let mut agreement = Agreement::default();
    for log in logs {
        let links = predicted(log, &linker(&log.lines));
        wanted += log.links.len();
        given += links.len();
        right += links
            .iter()
            .filter(|link| log.links.binary_search(link).is_ok())
            .count();
        agreement.add(&clusters::of(&log.links), &clusters::of(&links));
    }
    let (precision, recall) = (share(right, given), share(right, wanted));
    Row {
        name: name.to_owned(),
        metrics: vec![
            ("link_p", precision),
            ("link_r", recall),
            ("link_f1", clusters::f1(precision, recall)),
            ("vi", agreement.scaled_vi()),
            ("one_to_one", agreement.one_to_one()),
            ("exact_f1", agreement.exact_f1()),
        ],
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        0.0
    } else {
        100.0 * part as f64 / whole as f64
    }
}

/// The links of labelled lines as (later, earlier) line numbers. A line of the
/// system starts a conversation of its own.
fn predicted(log: &Labelled, links: &[Option<usize>]) -> Vec<(usize, usize)> {
    let mut labelled: Vec<usize> = log.links.iter().map(|(later, _)| *later).collect();
    labelled.dedup();
    let link = |line: usize| match log.number.binary_search(&line) {
        Ok(at) => (line, links[at].map_or(line, |earlier| log.number[earlier])),
        Err(_) => (line, line),
    };
    labelled.into_iter().map(link).collect()
}
