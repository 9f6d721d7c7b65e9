//! The trainer on a tiny data set writes, byte for byte, the file that is
//! committed beside it, on every machine.

use std::fs;
use std::path::Path;

use threadlore_language::threads::{Weights, link_with};
use threadlore_training::boost::Growth;
use threadlore_training::measure::Score;
use threadlore_training::{labels, train};

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/threads"))
}

fn tiny() -> Growth {
    Growth {
        trees: 4,
        depth: 3,
        start_depth: 2,
        doubt: 1.0,
        ..Growth::default()
    }
}

#[test]
fn the_trainer_writes_the_committed_file() {
    let logs = labels::read_all(&folder().join("irc/train")).expect("logs");
    let written = train::learned(&logs, 3, &tiny()).expect("learned");
    let committed = fs::read_to_string(folder().join("weights.txt")).expect("committed");
    assert!(
        written == committed,
        "the trainer writes another file than crates/training/tests/threads/weights.txt:\n{written}"
    );
}

#[test]
fn what_was_learned_is_better_than_nothing_and_than_the_line_before() {
    let logs = labels::read_all(&folder().join("irc/train")).expect("logs");
    let weights = train::train(&logs.iter().collect::<Vec<_>>(), &tiny());
    let f1 = |score: &Score| {
        let figures = score.figures();
        let f1 = figures.iter().find(|(name, _)| *name == "link_f1");
        f1.expect("a figure").1
    };
    let learned = f1(&Score::of(|lines| link_with(lines, &weights), &logs));
    let nothing = f1(&Score::of(
        |lines| link_with(lines, &Weights::default()),
        &logs,
    ));
    let before = |at: usize| at.checked_sub(1);
    let previous = f1(&Score::of(
        |lines| (0..lines.len()).map(before).collect(),
        &logs,
    ));
    assert!(
        learned > nothing && learned > previous,
        "{learned} {nothing} {previous}"
    );
}
