//! The chance of each line to belong to the trigger.
//!
//! The link scorer gives every possibility of a line a score in thousandths of a
//! nat; `exp` of them, shared out, are the chances of its links (they were
//! learned as such). Links of different lines are taken to be independent, which
//! makes the links a random forest, and the chance that a line `t` and an
//! earlier line `m` are of one conversation is
//!
//! `together(t, m) = Σ over earlier lines e of link(t, e) · together(e, m)`,
//! with `together(m, m) = 1`.
//!
//! **Same everywhere:** sums, products and quotients only, in a fixed order.

use std::sync::LazyLock;

use crate::signals::{is_greeting, is_question};
use crate::threads::{Choice, Feature, Linker, Row, Tree, Weights};

use super::generic::is_generic;
use super::room::Room;

/// The scorer's weights. A test holds that the file can be read.
pub(super) static BUILT_IN: LazyLock<Weights> =
    LazyLock::new(|| Weights::parse(include_str!("../threads/weights.txt")).unwrap_or_default());

/// A smaller chance of a link is none: it saves time.
const LEAST: f64 = 0.002;
/// More words than this are not short.
const SHORT: usize = 8;
/// One unit of a score, in nats.
const UNIT: f64 = 0.001;
/// The score of a quoted word, and how many words count, as in [`crate::threads`].
const QUOTED: (i64, i64) = (800, 5);

/// The scorer's result for the lines before a trigger.
pub(super) struct Chances {
    /// That each line belongs, in thousandths.
    pub(super) belongs: Vec<u32>,
    /// Lines of the conversation that the likeliest links give.
    pub(super) thread: Vec<bool>,
    /// Lines that name the trigger's writer, or whose writer the trigger names.
    pub(super) named: Vec<bool>,
}

/// Likely links of a line, as (earlier line, chance).
type Links = Vec<(usize, f64)>;

pub(super) fn of(room: &Room<'_>, weights: &Weights) -> Chances {
    let trigger = room.count();
    let mut linker = Linker::new(room.roots.clone());
    let mut links: Vec<Links> = Vec::with_capacity(trigger + 1);
    let mut root: Vec<usize> = Vec::with_capacity(trigger + 1);
    let mut named = vec![false; trigger];
    for at in 0..=trigger {
        let line = room.line(at);
        let choice = linker.read(line);
        let continues = at > 0 && (at == trigger && room.generic || goes_on(room, at));
        let (likely, best) = match room.replies[at].or(choice.command) {
            Some(certain) => (vec![(certain, 1.0)], Some(certain)),
            None if continues => onward(at, shares(weights, &choice, false)),
            None => (shares(weights, &choice, true), weights.choose(&choice)),
        };
        if at == trigger {
            for (earlier, row) in &choice.answers {
                named[*earlier] = row.get(Feature::To) > 0 || row.get(Feature::From) > 0;
            }
        }
        links.push(likely);
        root.push(best.map_or(at, |earlier| root[earlier]));
        linker.settle(choice, best);
    }
    let together = together(&links);
    Chances {
        belongs: (0..trigger)
            .map(|at| (together[at] * 1000.0).round() as u32)
            .collect(),
        thread: (0..trigger).map(|at| root[at] == root[trigger]).collect(),
        named,
    }
}

/// Whether a line surely continues something: it has no words of its own, or it
/// is short, does not ask like a question of its own, and comes after a long
/// silence that a question of somebody else began. The scorer learned from a
/// room that is hardly ever silent.
fn goes_on(room: &Room<'_>, at: usize) -> bool {
    let (line, before) = (room.line(at), room.line(at - 1));
    let says = line.text.trim_end_matches(is_end);
    is_generic(&line.text, &[])
        || room.silence_before(at)
            && line.person != before.person
            && is_generic(&before.text, &[])
            && says.split_whitespace().count() <= SHORT
            && !is_question(says)
            && !is_greeting(says)
}

fn is_end(c: char) -> bool {
    c.is_whitespace() || matches!(c, '?' | '？' | '؟' | '!' | '.')
}

/// Links of a line that begins no conversation: without a tie to an earlier line, it continues the
/// line before it.
fn onward(at: usize, links: Links) -> (Links, Option<usize>) {
    let mut best: Option<(usize, f64)> = None;
    for link in &links {
        if best.is_none_or(|best| link.1 > best.1) {
            best = Some(*link);
        }
    }
    match best {
        Some((earlier, _)) => (links, Some(earlier)),
        None => (vec![(at - 1, 1.0)], Some(at - 1)),
    }
}

/// The chances of the links of a line. The rest up to 1 is the chance that it begins a
/// conversation; with `start` false, that chance is left out.
fn shares(weights: &Weights, choice: &Choice, start: bool) -> Links {
    let score = |row: &Row| {
        let quoted = i64::from(row.get(Feature::Quoted)).min(QUOTED.1);
        sum(&weights.answer, row) + quoted * QUOTED.0
    };
    let scores: Vec<(usize, i64)> = choice
        .answers
        .iter()
        .map(|(earlier, row)| (*earlier, score(row)))
        .collect();
    let begins = start.then(|| sum(&weights.start, &choice.start));
    let best = scores.iter().map(|(_, score)| *score).chain(begins).max();
    let best = best.unwrap_or(0);
    let worth = |score: i64| exp((score - best) as f64 * UNIT);
    let all: f64 = begins.map_or(0.0, worth) + scores.iter().map(|(_, s)| worth(*s)).sum::<f64>();
    scores
        .into_iter()
        .map(|(earlier, score)| (earlier, worth(score) / all))
        .filter(|(_, chance)| *chance >= LEAST)
        .collect()
}

fn sum(trees: &[Tree], row: &Row) -> i64 {
    let worth = |tree: &Tree| {
        let mut place = 0;
        for (level, (feature, value)) in tree.asks.iter().enumerate() {
            place |= usize::from(row.get(*feature) > *value) << level;
        }
        i64::from(tree.worth[place])
    };
    trees.iter().map(worth).sum()
}

/// The exponential of a number that is not positive, by ten squarings.
fn exp(x: f64) -> f64 {
    let mut power = 1.0 + x.max(-30.0) / 1024.0;
    for _ in 0..10 {
        power *= power;
    }
    power
}

/// For the last line the chances to be of one conversation with each line.
fn together(links: &[Links]) -> Vec<f64> {
    let count = links.len();
    let mut table = vec![vec![0.0; count]; count];
    for (at, links) in links.iter().enumerate() {
        let mut row = vec![0.0; count];
        for (earlier, chance) in links {
            for (sum, with) in row[..at].iter_mut().zip(&table[*earlier]) {
                *sum += chance * with;
            }
        }
        row[at] = 1.0;
        for (before, chance) in row[..at].iter().enumerate() {
            table[before][at] = *chance;
        }
        table[at] = row;
    }
    table.pop().unwrap_or_default()
}
