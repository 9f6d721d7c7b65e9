//! Suite `silence`: is a question that nothing known fits left alone? Questions of
//! CLINC (small): those of train are known, others are asked; and those that have no
//! intent at all. And suite `silence-thresholds`: the same for other values of
//! `decide::ask::CLOSE`, for choosing it.

use std::fs;
use std::path::Path;

use anyhow::Context;
use serde_json::Value;
use threadlore_decide::ask::{CLOSE, Question};
use threadlore_decide::retrieve::{Synonyms, expanded};

use crate::Row;
use crate::search::builtin;

/// Cases that `ask` looks at in a layer: three that are wanted, three times as many.
const CANDIDATES: usize = 9;

/// A question with its intent.
struct Asked {
    text: String,
    intent: String,
}

/// The closest known question: whether it has the intent, and how close it is.
struct Closest {
    right: bool,
    close: u32,
}

/// The closest ones of questions that have an intent, and of those that have none.
struct Found {
    fitting: Vec<Closest>,
    others: Vec<Closest>,
}

/// Two rows for each half: as `ask` does it, and without other names of things.
///
/// # Errors
/// When the data cannot be read.
pub(crate) fn run(data: &Path) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (synonyms, what) in [(Synonyms::builtin(), ""), (Synonyms::default(), "/plain")] {
        let halves = read(data, &["val", "test"], &synonyms)?;
        rows.extend(halves.iter().map(|(half, found)| Row {
            name: format!("{half}{what}"),
            metrics: metrics(found, CLOSE),
        }));
    }
    Ok(rows)
}

/// A row for each threshold, on val.
///
/// # Errors
/// When the data cannot be read.
pub(crate) fn thresholds(data: &Path) -> anyhow::Result<Vec<Row>> {
    let halves = read(data, &["val"], &Synonyms::builtin())?;
    let at = |found: &Found, close: u32| Row {
        name: format!("val@{close}"),
        metrics: metrics(found, close),
    };
    let rows = |(_, found): &(&str, Found)| -> Vec<Row> {
        (6..=12).map(|fifties| at(found, fifties * 50)).collect()
    };
    Ok(halves.iter().flat_map(rows).collect())
}

fn read<'a>(
    data: &Path,
    halves: &[&'a str],
    synonyms: &Synonyms,
) -> anyhow::Result<Vec<(&'a str, Found)>> {
    let path = data.join("intents").join("clinc_small.json");
    let shown = path.display();
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {shown}"))?;
    let sets: Value = serde_json::from_str(&text).with_context(|| format!("{shown}"))?;
    let set = |name: &str| questions(&sets, name).with_context(|| format!("{shown}: {name}"));
    let known = set("train")?;
    halves
        .iter()
        .map(|half| {
            let found = Found {
                fitting: closest(&known, &set(half)?, synonyms),
                others: closest(&known, &set(&format!("oos_{half}"))?, synonyms),
            };
            Ok((*half, found))
        })
        .collect()
}

/// A set is a list of pairs of a text and an intent.
fn questions(sets: &Value, name: &str) -> Option<Vec<Asked>> {
    let pair = |pair: &Value| {
        Some(Asked {
            text: pair.get(0)?.as_str()?.to_owned(),
            intent: pair.get(1)?.as_str()?.to_owned(),
        })
    };
    sets.get(name)?.as_array()?.iter().map(pair).collect()
}

/// As `ask` does it: candidates by the legs of the index, then the closest of them.
fn closest(known: &[Asked], asked: &[Asked], synonyms: &Synonyms) -> Vec<Closest> {
    let texts: Vec<&str> = known.iter().map(|one| one.text.as_str()).collect();
    let search = builtin(&texts);
    let one = |one: &Asked| {
        let expanded = expanded(&one.text, &synonyms.others(&one.text));
        let question = Question::new(&[&one.text, &expanded]);
        let candidates = search(&expanded).into_iter().take(CANDIDATES);
        let compared = candidates.map(|(at, _)| (question.likeness(texts[at]), at));
        let best = compared.max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)));
        Closest {
            right: best.is_some_and(|(_, at)| known[at].intent == one.intent),
            close: best.map_or(0, |(close, _)| close),
        }
    };
    asked.iter().map(one).collect()
}

fn metrics(found: &Found, close: u32) -> Vec<(&'static str, f64)> {
    let Found { fitting, others } = found;
    let share = |of: &[Closest], which: &dyn Fn(&Closest) -> bool| {
        let some = of.iter().filter(|one| which(one)).count();
        100.0 * some as f64 / of.len().max(1) as f64
    };
    vec![
        ("silent", share(others, &|one| one.close < close)),
        (
            "right",
            share(fitting, &|one| one.close >= close && one.right),
        ),
        (
            "wrong",
            share(fitting, &|one| one.close >= close && !one.right),
        ),
        ("nearest", share(fitting, &|one| one.right)),
        ("auc", auc(found)),
    ]
}

/// How often a question that fits is closer than one that does not, in hundredths;
/// equal ones count half.
fn auc(Found { fitting, others }: &Found) -> f64 {
    let mut sum = 0.0;
    for other in others {
        for one in fitting {
            sum += match one.close.cmp(&other.close) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            };
        }
    }
    100.0 * sum / (fitting.len() * others.len()).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fits_nothing_is_silent_and_the_rest_right_or_wrong() {
        let of = |of: &[(bool, u32)]| {
            let of = of.iter().map(|&(right, close)| Closest { right, close });
            of.collect()
        };
        let found = Found {
            fitting: of(&[(true, 900), (true, 300), (false, 500), (false, 100)]),
            others: of(&[(false, 500), (false, 200)]),
        };
        let values: Vec<f64> = metrics(&found, 500).iter().map(|(_, v)| *v).collect();
        // Of eight pairs four are in order, one is equal.
        assert_eq!(values, [50.0, 25.0, 25.0, 50.0, 56.25]);
    }

    #[test]
    fn the_closest_of_the_candidates_counts() {
        let asked = |text: &str, intent: &str| Asked {
            text: text.to_owned(),
            intent: intent.to_owned(),
        };
        let known = [
            asked("my card was stolen", "stolen"),
            asked("my pin", "pin"),
        ];
        let new = [asked("was my card stolen", "stolen"), asked("🎉", "oos")];
        let found = closest(&known, &new, &Synonyms::builtin());
        assert!(found[0].right && found[0].close >= CLOSE);
        assert_eq!(found[1].close, 0);
    }
}
