//! Suite `silence`: is a question that nothing known fits left alone? Questions of
//! CLINC (small): those of train are known, others are asked; and those that have no
//! intent at all. And suite `silence-thresholds`: the same for other values of
//! `decide::ask::CLOSE`, or with vectors of `embedder.close_at`, for choosing one.

use std::fs;

use anyhow::Context;
use serde_json::Value;
use threadlore_language::retrieve::{Synonyms, expanded, fuse};
use threadlore_model::Leg;
use threadlore_retrieval::ask::{CLOSE, Question, STANDS_OUT};
use threadlore_retrieval::backdrop::Background;
use threadlore_retrieval::{Measured, Thresholds};

use crate::embedded::{Model, nearest};
use crate::search::{Legs, OF_LEG};
use crate::vectors::Vectors;
use crate::{Args, Row};

/// Cases that `ask` looks at in a layer: three that are wanted, three times as many.
const CANDIDATES: usize = 9;

/// A question with its intent.
struct Asked {
    text: String,
    intent: String,
}

/// A known question beside one that is asked.
#[derive(Clone, Copy)]
struct Compared {
    /// Whether they have the same intent.
    right: bool,
    likeness: u32,
    /// Where the leg of the model found it.
    cosine: Option<f32>,
    /// By how many spreads its vector stands out, with a model in this process.
    stands_out: Option<f32>,
}

/// What stands beside each question that has an intent, and each that has none.
struct Found {
    fitting: Vec<Vec<Compared>>,
    others: Vec<Vec<Compared>>,
}

/// The closest known question: whether it has the intent, and how close it is.
#[derive(Clone, Copy)]
struct Closest {
    right: bool,
    close: u32,
}

/// Two rows for each half: as `ask` does it, and without other names of things; with
/// vectors one, with the leg of the model.
///
/// # Errors
/// When the data cannot be read.
pub(crate) fn run(args: &Args) -> anyhow::Result<Vec<Row>> {
    let data = Data::read(args)?;
    let mut rows = Vec::new();
    let ways = match data.vectors {
        None => vec![(Synonyms::builtin(), ""), (Synonyms::default(), "/plain")],
        Some(_) => vec![(Synonyms::builtin(), "/model")],
    };
    for (synonyms, what) in ways {
        for half in ["val", "test"] {
            let found = data.found(half, &synonyms)?;
            rows.push(Row {
                name: format!("{half}{what}"),
                metrics: metrics(&found, CLOSE, args.close_at),
            });
        }
    }
    Ok(rows)
}

/// A row for each threshold, on val; with vectors those of the cosine.
///
/// # Errors
/// When the data cannot be read.
pub(crate) fn thresholds(args: &Args) -> anyhow::Result<Vec<Row>> {
    let data = Data::read(args)?;
    let found = data.found("val", &Synonyms::builtin())?;
    let row = |name: String, close: u32, close_at: Option<u32>| Row {
        name,
        metrics: metrics(&found, close, close_at),
    };
    let rows = match data.vectors {
        None => (6..=12)
            .map(|n| row(format!("val@{}", n * 50), n * 50, None))
            .collect(),
        Some(_) => (80..=98)
            .step_by(2)
            .map(|n| row(format!("val/model@{}", n * 10), CLOSE, Some(n * 10)))
            .collect(),
    };
    Ok(rows)
}

/// The sets of the file, and vectors of their texts where there are some.
struct Data {
    shown: String,
    sets: Value,
    vectors: Option<Vectors>,
    /// With a model in this process: what its vectors are before.
    background: Option<Background>,
}

impl Data {
    fn read(args: &Args) -> anyhow::Result<Self> {
        let path = args.data.join("intents").join("clinc_small.json");
        let shown = path.display().to_string();
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {shown}"))?;
        let mut data = Self {
            sets: serde_json::from_str(&text).with_context(|| shown.clone())?,
            vectors: None,
            background: None,
            shown,
        };
        if let Some(dir) = &args.embedder {
            let model = Model::open(dir)?;
            data.vectors = Some(data.embedded(&model)?);
            data.background = Some(model.background);
        }
        Ok(data)
    }

    /// The vectors of all texts by a model.
    fn embedded(&self, model: &Model) -> anyhow::Result<Vectors> {
        let known = self.set("train")?;
        let known: Vec<&str> = known.iter().map(|one| one.text.as_str()).collect();
        let mut asked = Vec::new();
        for name in ["val", "oos_val", "test", "oos_test"] {
            asked.extend(self.set(name)?);
        }
        let asked: Vec<&str> = asked.iter().map(|one| one.text.as_str()).collect();
        let passages = known.iter().map(|text| format!("passage: {text}"));
        let passages = passages.zip(model.passages(&known)?);
        let questions = model.questions(&asked)?.into_iter();
        let questions = questions.map(|(text, vector)| (format!("query: {text}"), vector));
        Ok(passages.chain(questions).collect())
    }

    /// A set is a list of pairs of a text and an intent.
    fn set(&self, name: &str) -> anyhow::Result<Vec<Asked>> {
        let pair = |pair: &Value| {
            Some(Asked {
                // With single spaces, as questions are asked.
                text: expanded(pair.get(0)?.as_str()?, &[]),
                intent: pair.get(1)?.as_str()?.to_owned(),
            })
        };
        let set = self.sets.get(name).and_then(Value::as_array);
        let set = set.and_then(|set| set.iter().map(pair).collect());
        set.with_context(|| format!("{} has no set {name} of pairs", self.shown))
    }

    fn found(&self, half: &str, synonyms: &Synonyms) -> anyhow::Result<Found> {
        let known = self.set("train")?;
        let memory = Memory::of(
            &known,
            (self.vectors.as_ref(), self.background.as_ref()),
            synonyms,
        )?;
        let of = |set: &str| -> anyhow::Result<Vec<Vec<Compared>>> {
            let asked = self.set(set)?;
            asked.iter().map(|one| memory.compared(one)).collect()
        };
        Ok(Found {
            fitting: of(half)?,
            others: of(&format!("oos_{half}"))?,
        })
    }
}

/// What is known, as the index has it.
struct Memory<'a> {
    known: &'a [Asked],
    legs: Legs,
    /// Their vectors, and those of questions.
    vectors: Option<(Vec<&'a [f32]>, &'a Vectors)>,
    background: Option<&'a Background>,
    synonyms: &'a Synonyms,
}

impl<'a> Memory<'a> {
    fn of(
        known: &'a [Asked],
        (vectors, background): (Option<&'a Vectors>, Option<&'a Background>),
        synonyms: &'a Synonyms,
    ) -> anyhow::Result<Self> {
        let texts: Vec<&str> = known.iter().map(|one| one.text.as_str()).collect();
        let passage = |vectors: &'a Vectors| {
            let each = texts.iter();
            let found = each.map(|text| vectors.find(&format!("passage: {text}")));
            Ok::<_, anyhow::Error>((found.collect::<Result<_, _>>()?, vectors))
        };
        Ok(Self {
            known,
            legs: Legs::of(&texts),
            vectors: vectors.map(passage).transpose()?,
            background,
            synonyms,
        })
    }

    /// As `ask` does it: candidates by the legs of the index.
    fn compared(&self, asked: &Asked) -> anyhow::Result<Vec<Compared>> {
        let others = self.synonyms.others(&asked.text);
        let question = Question::new(&asked.text, &others);
        let mut found = self.legs.found(&expanded(&asked.text, &others));
        let mut backdrop = None;
        if let Some((known, vectors)) = &self.vectors {
            let vector = vectors.find(&format!("query: {}", asked.text))?;
            let of_model = nearest(known, vector, OF_LEG);
            backdrop = self
                .background
                .map(|all| all.behind(vector, &of_model.candidates));
            found.push(of_model);
        }
        let candidates = fuse(&found).into_iter().take(CANDIDATES);
        let compared = candidates.map(|hit| Compared {
            right: self.known[hit.id].intent == asked.intent,
            likeness: question.likeness(&self.known[hit.id].text),
            cosine: hit.raw(Leg::Dense),
            stands_out: backdrop.as_ref().and_then(|all| all.stands_out(hit.id)),
        });
        Ok(compared.collect())
    }
}

fn closest(compared: &[Compared], close_at: Option<u32>) -> Closest {
    let thresholds = Thresholds {
        close_at,
        stands_out_at: STANDS_OUT,
    };
    let close = |one: &Compared| {
        let measured = Measured {
            words: one.likeness,
            cosine: one.cosine,
            stands_out: one.stands_out,
        };
        measured.closeness(thresholds)
    };
    // Of equal ones the first: it ranks higher.
    let best = compared.iter().rev().max_by_key(|one| close(one));
    Closest {
        right: best.is_some_and(|one| one.right),
        close: best.map_or(0, close),
    }
}

fn metrics(found: &Found, close: u32, close_at: Option<u32>) -> Vec<(&'static str, f64)> {
    let closest = |of: &[Vec<Compared>]| -> Vec<Closest> {
        of.iter().map(|of| closest(of, close_at)).collect()
    };
    let (fitting, others) = (closest(&found.fitting), closest(&found.others));
    let share = |of: &[Closest], which: &dyn Fn(&Closest) -> bool| {
        let some = of.iter().filter(|one| which(one)).count();
        100.0 * some as f64 / of.len().max(1) as f64
    };
    let answered = |right: bool| {
        let is = move |one: &Closest| one.close >= close && one.right == right;
        share(&fitting, &is)
    };
    vec![
        ("silent", share(&others, &|one| one.close < close)),
        ("right", answered(true)),
        ("wrong", answered(false)),
        ("nearest", share(&fitting, &|one| one.right)),
        ("auc", auc(&fitting, &others)),
    ]
}

/// How often a question that fits is closer than one that does not, in hundredths;
/// equal ones count half.
fn auc(fitting: &[Closest], others: &[Closest]) -> f64 {
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
            let one = |&(right, likeness): &(bool, u32)| {
                vec![Compared {
                    right,
                    likeness,
                    cosine: None,
                    stands_out: None,
                }]
            };
            of.iter().map(one).collect()
        };
        let found = Found {
            fitting: of(&[(true, 900), (true, 300), (false, 500), (false, 100)]),
            others: of(&[(false, 500), (false, 200)]),
        };
        let values = metrics(&found, 500, None);
        let values: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
        // Of eight pairs four are in order, one is equal.
        assert_eq!(values, [50.0, 25.0, 25.0, 50.0, 56.25]);
    }

    #[test]
    fn a_near_vector_is_closer_than_few_words() {
        let compared = [
            Compared {
                right: false,
                likeness: 460,
                cosine: Some(0.7),
                stands_out: None,
            },
            Compared {
                right: true,
                likeness: 100,
                cosine: Some(0.95),
                stands_out: None,
            },
        ];
        let words = closest(&compared, None);
        assert!(!words.right && words.close == 460);
        let vectors = closest(&compared, Some(850));
        assert!(vectors.right && vectors.close > 800);
        let asked = [1.0, 0.0];
        let found = nearest(&[[0.6, 0.8], [1.0, 0.0]], &asked, 2);
        assert_eq!(found.candidates, [(1, 1.0), (0, 0.6)]);
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
        let synonyms = Synonyms::builtin();
        let memory = Memory::of(&known, (None, None), &synonyms).expect("no vectors");
        let of = |text: &str| {
            let compared = memory.compared(&asked(text, "stolen")).expect("no vectors");
            closest(&compared, None)
        };
        let found = of("was my card stolen");
        assert!(found.right && found.close >= CLOSE);
        assert_eq!(of("🎉").close, 0);
    }
}
