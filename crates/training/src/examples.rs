//! What the trainer learns from: for each labelled line the rows of what it
//! may be, and which of them are right.

use std::collections::BTreeMap;

use threadlore_language::threads::{Choice, Linker, Row, Weights};

use crate::labels::Labelled;

/// Lines after which memory begins anew.
const SPAN: usize = 250;

/// One labelled line.
#[derive(Debug)]
pub(crate) struct Example {
    /// The start of a conversation first, then the earlier lines.
    pub(crate) rows: Vec<Row>,
    /// Whether each row is right.
    pub(crate) right: Vec<bool>,
}

/// The labelled lines of a log, with the links before each found by `weights`.
/// Memory begins anew every [`SPAN`] lines, as it does with every window. Lines
/// whose label is none of the possibilities teach nothing and are left out.
pub(crate) fn of(log: &Labelled, weights: &Weights) -> Vec<Example> {
    let mut wanted: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (later, earlier) in &log.links {
        let places = (
            log.number.binary_search(later),
            log.number.binary_search(earlier),
        );
        if let (Ok(later), Ok(earlier)) = places {
            wanted.entry(later).or_default().push(earlier);
        }
    }
    let mut examples = Vec::new();
    for (part, lines) in log.lines.chunks(SPAN).enumerate() {
        let first = part * SPAN;
        let mut linker = Linker::default();
        for (at, line) in lines.iter().enumerate() {
            let choice = linker.read(line);
            let link = weights.choose(&choice);
            if let Some(wanted) = wanted.get(&(first + at)) {
                examples.extend(example(first, at, &choice, wanted));
            }
            linker.settle(choice, link);
        }
    }
    examples
}

fn example(first: usize, at: usize, choice: &Choice, wanted: &[usize]) -> Option<Example> {
    let answers = choice.answers.iter();
    let rows = std::iter::once((at, choice.start)).chain(answers.copied());
    let (lines, rows): (Vec<usize>, Vec<Row>) = rows.unzip();
    let right: Vec<bool> = lines
        .iter()
        .map(|line| wanted.contains(&(first + line)))
        .collect();
    right.contains(&true).then_some(Example { rows, right })
}
