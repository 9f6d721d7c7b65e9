//! How many of the likely lines are taken, and which of them fit.

use super::chances::Chances;
use super::reasons::reason;
use super::room::Room;
use super::tokens::{cut, tokens};
use super::{Chosen, Params, Reason};

/// A smaller chance, in thousandths, is none.
const FLOOR: u32 = 100;
/// A budget below this counts as this: an anchor must say something.
const SMALLEST_BUDGET: usize = 32;
/// The chance of a certain line, in thousandths.
const CERTAIN: u32 = 1000;

/// A line on its way into the selection.
struct Candidate {
    at: usize,
    reason: Reason,
    score: u32,
}

/// The chosen messages, oldest first.
pub(super) fn choose(room: &Room<'_>, chances: &Chances, params: &Params) -> Vec<Chosen> {
    let mut ranked = certain(room);
    let forced = ranked.len();
    let is_forced = |at: usize| room.anchor == Some(at) || room.chain.contains(&at);
    let mut likely: Vec<Candidate> = (0..room.count())
        .filter(|at| !is_forced(*at) && chances.belongs[*at] >= FLOOR)
        .filter_map(|at| {
            let reason = reason(room, chances, at)?;
            let score = chances.belongs[at];
            Some(Candidate { at, reason, score })
        })
        .collect();
    likely.sort_by_key(|c| (std::cmp::Reverse(c.score), std::cmp::Reverse(c.at)));
    ranked.extend(likely);
    ranked.truncate(most_promising(&ranked, forced, params.most.max(1)));
    fitting(room, ranked, params)
}

/// The anchor, then its chain, nearest first.
fn certain(room: &Room<'_>) -> Vec<Candidate> {
    let anchor = room.anchor.map(|at| Candidate {
        at,
        reason: if room.snapshot {
            Reason::Snapshot
        } else {
            Reason::Anchor
        },
        score: CERTAIN,
    });
    let chain = room.chain.iter().map(|at| Candidate {
        at: *at,
        reason: Reason::Chain,
        score: CERTAIN,
    });
    anchor.into_iter().chain(chain).collect()
}

/// How many of the candidates, best first, promise the best F1: the `n` with the
/// largest `2·Σ(first n)p / (n + Σp)`, not fewer than the certain ones. On a tie
/// the smaller one.
fn most_promising(ranked: &[Candidate], forced: usize, most: usize) -> usize {
    let all: u64 = ranked.iter().map(|c| u64::from(c.score)).sum();
    let (mut best, mut number, mut found) = ((0, 1), 0, 0);
    for (at, candidate) in ranked.iter().take(most).enumerate() {
        found += u64::from(candidate.score);
        let count = at as u64 + 1;
        let whole = count * u64::from(CERTAIN) + all;
        // found / whole > best, without a quotient.
        if at < forced || found * best.1 > best.0 * whole {
            (best, number) = ((found, whole), at + 1);
        }
    }
    number
}

/// The lines that fit into the budget, oldest first. If the first one is the anchor, it is cut to
/// fit.
fn fitting(room: &Room<'_>, ranked: Vec<Candidate>, params: &Params) -> Vec<Chosen> {
    let mut left = params.budget.max(SMALLEST_BUDGET);
    let mut taken: Vec<(usize, Chosen)> = Vec::new();
    for Candidate { at, reason, score } in ranked {
        let line = room.line(at);
        let mut cost = tokens(&line.text);
        let mut characters = line.text.chars().count();
        if cost > left && room.anchor == Some(at) {
            (characters, cost) = cut(&line.text, left);
        }
        if cost > left {
            continue;
        }
        left -= cost;
        let chosen = Chosen {
            message: line.message,
            reason,
            score,
            characters,
            tokens: cost,
        };
        taken.push((at, chosen));
    }
    taken.sort_by_key(|(at, _)| *at);
    taken.into_iter().map(|(_, chosen)| chosen).collect()
}
