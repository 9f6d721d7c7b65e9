//! Suite `context`: the messages chosen for a mention against the conversations
//! of `irc/dev`; and suite `context-folds`: the same on `irc/train`, each part
//! with a link scorer that was learned from the others.
//!
//! Every labelled message that has earlier ones in its conversation is taken
//! for a mention. Wanted are all earlier messages of its conversation among the
//! last 200 of the channel, labelled or only linked to; a message that no label
//! speaks of is wanted nowhere, so choosing it counts as wrong. At most 5 and at
//! most 10 may be chosen.

mod wanted;

use std::collections::BTreeSet;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use threadlore_language::context::{Mention, Params, select, select_with};
use threadlore_language::threads::Weights;
use threadlore_model::Line;
use threadlore_training::boost::Growth;
use threadlore_training::labels::{self, Labelled};
use threadlore_training::train;

use crate::Row;
use crate::bootstrap::{self, Scores};
use wanted::{Trigger, triggers};

/// How many messages may be chosen.
const MOST: [usize; 2] = [5, 10];
/// Lines before a mention that count.
const BACK: usize = 200;
/// Parts of the training logs; learning one scorer takes a minute or more.
const FOLDS: usize = 4;

/// Chooses among the lines before the trigger, which is the last: their places.
type Chooser<'a> = &'a (dyn Fn(&[Line], &Trigger, usize) -> Vec<usize> + Sync);

/// A row for each way to choose.
///
/// # Errors
/// When the data cannot be read.
pub(crate) fn run(data: &Path) -> anyhow::Result<Vec<Row>> {
    let logs = labels::read_all(&data.join("irc").join("dev"))?;
    let builtin = |lines: &[Line], _: &Trigger, most: usize| chosen(lines, most, None);
    let generic = |lines: &[Line], _: &Trigger, most: usize| {
        let mut lines = lines.to_vec();
        if let Some(trigger) = lines.last_mut() {
            trigger.text = "@bot thoughts?".to_owned();
        }
        chosen(&lines, most, None)
    };
    let choosers: [(&str, Chooser<'_>); 5] = [
        ("builtin", &builtin),
        ("last-k", &last),
        ("gap-60min", &gap),
        ("oracle", &oracle),
        ("builtin-generic", &generic),
    ];
    let row = |(name, chooser): (&str, Chooser<'_>)| {
        let scores = measure(&logs.iter().collect::<Vec<_>>(), chooser)?;
        Ok(row(name, &scores))
    };
    choosers.into_iter().map(row).collect()
}

/// What the built-in choice is worth on logs that the link scorer has not seen.
///
/// # Errors
/// When the data cannot be read.
pub(crate) fn folds(data: &Path) -> anyhow::Result<Vec<Row>> {
    let logs = labels::read_all(&data.join("irc").join("train"))?;
    let mut builtin = Vec::new();
    for fold in 0..FOLDS {
        let (own, others): (Vec<_>, Vec<_>) = logs
            .iter()
            .enumerate()
            .partition(|(at, _)| at % FOLDS == fold);
        let of = |part: Vec<(usize, _)>| part.into_iter().map(|(_, log)| log).collect::<Vec<_>>();
        let weights = train::train(&of(others), &Growth::default());
        let with = |lines: &[Line], _: &Trigger, most: usize| chosen(lines, most, Some(&weights));
        builtin.extend(measure(&of(own), &with)?);
    }
    let all: Vec<&Labelled> = logs.iter().collect();
    let mut rows = vec![row("builtin", &builtin)];
    for (name, chooser) in [
        ("last-k", &last as Chooser<'_>),
        ("gap-60min", &gap),
        ("oracle", &oracle),
    ] {
        rows.push(row(name, &measure(&all, chooser)?));
    }
    Ok(rows)
}

/// The scores of each log: for each number in [`MOST`].
fn measure(logs: &[&Labelled], choose: Chooser<'_>) -> anyhow::Result<Vec<[Scores; 2]>> {
    let score = |log: &&Labelled| {
        let mut scores = [Scores::default(), Scores::default()];
        for trigger in triggers(log, BACK) {
            let first = trigger.at.saturating_sub(BACK);
            for (most, scores) in MOST.iter().zip(&mut scores) {
                let chosen = choose(&log.lines[first..=trigger.at], &trigger, *most);
                scores.add(wanted::f1(&chosen, &trigger.wanted));
            }
        }
        scores
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut done = thread::scope(|scope| -> anyhow::Result<Vec<_>> {
        let part = |worker: usize| logs.iter().enumerate().skip(worker).step_by(workers);
        let threads: Vec<_> = (0..workers)
            .map(|worker| {
                scope.spawn(move || {
                    part(worker)
                        .map(|(at, log)| (at, score(log)))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        let mut done = Vec::new();
        for thread in threads {
            done.extend(
                thread
                    .join()
                    .map_err(|_| anyhow!("a log could not be measured"))?,
            );
        }
        Ok(done)
    })?;
    done.sort_by_key(|(at, _)| *at);
    Ok(done.into_iter().map(|(_, scores)| scores).collect())
}

fn row(name: &str, scores: &[[Scores; 2]]) -> Row {
    let [five, ten] = [0, 1].map(|of| {
        let scores: Vec<Scores> = scores.iter().map(|scores| scores[of]).collect();
        bootstrap::interval(&scores)
    });
    Row {
        name: name.to_owned(),
        metrics: vec![
            ("context_f1_5", five.mean),
            ("context_f1_5_low", five.low),
            ("context_f1_5_high", five.high),
            ("context_f1_10", ten.mean),
            ("context_f1_10_low", ten.low),
            ("context_f1_10_high", ten.high),
        ],
    }
}

/// What Threadlore chooses.
fn chosen(lines: &[Line], most: usize, weights: Option<&Weights>) -> Vec<usize> {
    let Some((trigger, earlier)) = lines.split_last() else {
        return Vec::new();
    };
    let mention = Mention {
        lines: earlier,
        trigger,
        snapshot: None,
        bot: None,
        names: &[],
        roots: &BTreeSet::new(),
    };
    let params = Params {
        most,
        look_back: BACK,
        ..Params::default()
    };
    let selection = match weights {
        Some(weights) => select_with(&mention, &params, weights),
        None => select(&mention, &params),
    };
    let place = |id| earlier.iter().position(|line| line.message == id);
    selection
        .chosen
        .iter()
        .filter_map(|chosen| place(chosen.message))
        .collect()
}

/// The messages just before.
fn last(lines: &[Line], _: &Trigger, most: usize) -> Vec<usize> {
    let trigger = lines.len() - 1;
    (trigger.saturating_sub(most)..trigger).collect()
}

/// The messages just before, up to a silence of an hour.
fn gap(lines: &[Line], _: &Trigger, most: usize) -> Vec<usize> {
    const GAP: Duration = Duration::from_secs(60 * 60);
    let near = |at: &usize| lines[*at + 1].at.since(lines[*at].at) < GAP;
    (0..lines.len() - 1)
        .rev()
        .take(most)
        .take_while(near)
        .collect()
}

/// The best that can be chosen: as many of the wanted as are allowed.
fn oracle(_: &[Line], trigger: &Trigger, most: usize) -> Vec<usize> {
    trigger.wanted.iter().rev().take(most).copied().collect()
}
