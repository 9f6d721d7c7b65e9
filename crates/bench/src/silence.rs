//! Suite `silence`: is a question that nothing known fits left alone? Questions of
//! CLINC (small): those of train are known, others are asked; and those that have no
//! intent at all. And suite `silence-thresholds`: the same for other values of
//! `answer.wrong_at_most`, for choosing one.

use std::fs;

use anyhow::Context;
use serde_json::Value;
use threadlore_language::retrieve::{Hit, Synonyms, expanded, fuse};
use threadlore_model::CaseId;
use threadlore_ports::{CaseScore, EmbedEngine, Precedent};
use threadlore_retrieval::ask::{Question, Texts};
use threadlore_retrieval::closeness::{Signs, WRONG_AT_MOST, least_chance};
use threadlore_retrieval::precedents::{Precedents, of_case};
use uuid::Uuid;

use crate::embedded::{Model, nearest};
use crate::search::{Legs, OF_LEG};
use crate::vectors::Vectors;
use crate::{Args, Row};

/// Cases that `ask` looks at in a layer: three that are wanted, three times as many.
const CANDIDATES: usize = 9;

/// A question with its intent.
pub(crate) struct Utterance {
    pub(crate) text: String,
    pub(crate) intent: String,
}

/// Their texts.
pub(crate) fn texts(all: &[Utterance]) -> Vec<&str> {
    all.iter().map(|one| one.text.as_str()).collect()
}

/// A known question beside one that is asked.
#[derive(Clone, Copy)]
pub(crate) struct Match {
    /// Which one.
    pub(crate) known: usize,
    /// Whether they have the same intent.
    pub(crate) right: bool,
    /// The chance that it says the same.
    pub(crate) chance: f32,
}

/// The case that a known question stands for.
pub(crate) fn case_of(n: usize) -> CaseId {
    CaseId::from_uuid(Uuid::from_u128(n as u128))
}

/// What stands beside each question that has an intent, and each that has none.
struct Found {
    fitting: Vec<Vec<Match>>,
    others: Vec<Vec<Match>>,
}

/// The closest known question: whether it has the intent, and how close it is.
#[derive(Clone, Copy)]
pub(crate) struct Closest {
    pub(crate) right: bool,
    pub(crate) chance: f32,
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
                metrics: metrics(&found, data.least(WRONG_AT_MOST)),
            });
        }
    }
    Ok(rows)
}

/// A row for each threshold, on val.
///
/// # Errors
/// When the data cannot be read.
pub(crate) fn thresholds(args: &Args) -> anyhow::Result<Vec<Row>> {
    let data = Data::read(args)?;
    let found = data.found("val", &Synonyms::builtin())?;
    let row = |wrong_at_most: u32| Row {
        name: format!("val@{wrong_at_most}"),
        metrics: metrics(&found, data.least(wrong_at_most)),
    };
    Ok([2, 5, 10, 15, 20, 30, 40, 50, 60].map(row).to_vec())
}

/// The sets of the file, and vectors of their texts where there are some.
struct Data {
    shown: String,
    sets: Value,
    vectors: Option<Vectors>,
    model: Option<Model>,
}

impl Data {
    fn read(args: &Args) -> anyhow::Result<Self> {
        let path = args.data.join("intents").join("clinc_small.json");
        let shown = path.display().to_string();
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {shown}"))?;
        let mut data = Self {
            sets: serde_json::from_str(&text).with_context(|| shown.clone())?,
            vectors: None,
            model: None,
            shown,
        };
        if let Some(dir) = &args.embedder {
            let model = Model::open(dir)?;
            data.vectors = Some(data.embedded(&model)?);
            data.model = Some(model);
        }
        Ok(data)
    }

    /// The least chance of an answer.
    fn least(&self, wrong_at_most: u32) -> f32 {
        let model = self.model.as_ref();
        least_chance(wrong_at_most, model.map(|model| model.embedder.model()))
    }

    /// The vectors of all texts by a model.
    fn embedded(&self, model: &Model) -> anyhow::Result<Vectors> {
        let known = self.set("train")?;
        let mut asked = Vec::new();
        for name in ["val", "oos_val", "test", "oos_test"] {
            asked.extend(self.set(name)?);
        }
        model.vectors(&texts(&known), &texts(&asked))
    }

    /// A set is a list of pairs of a text and an intent.
    fn set(&self, name: &str) -> anyhow::Result<Vec<Utterance>> {
        let pair = |pair: &Value| {
            Some(Utterance {
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
            (self.vectors.as_ref(), self.model.as_ref()),
            synonyms,
        )?;
        let of = |set: &str| -> anyhow::Result<Vec<Vec<Match>>> {
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
pub(crate) struct Memory<'a> {
    known: &'a [Utterance],
    legs: Legs,
    /// Their vectors, and those of questions.
    vectors: Option<(Vec<&'a [f32]>, &'a Vectors)>,
    model: Option<&'a Model>,
    synonyms: &'a Synonyms,
    /// What answers from each were worth; empty for nothing.
    pub(crate) scores: Vec<CaseScore>,
    /// Earlier questions, each with what is known that answered it.
    pub(crate) precedents: Vec<Precedent>,
}

impl<'a> Memory<'a> {
    pub(crate) fn of(
        known: &'a [Utterance],
        (vectors, model): (Option<&'a Vectors>, Option<&'a Model>),
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
            model,
            synonyms,
            scores: Vec::new(),
            precedents: Vec::new(),
        })
    }

    /// As `ask` does it: candidates by the legs of the index.
    pub(crate) fn compared(&self, asked: &Utterance) -> anyhow::Result<Vec<Match>> {
        let others = self.synonyms.others(&asked.text);
        let question = Question::new(&asked.text, &others);
        let mut found = self.legs.found(&expanded(&asked.text, &others));
        let mut backdrop = None;
        if let Some((known, vectors)) = &self.vectors {
            let vector = vectors.find(&format!("query: {}", asked.text))?;
            let of_model = nearest(known, vector, OF_LEG);
            backdrop = self
                .model
                .map(|all| all.background.behind(vector, &of_model.candidates));
            found.push(of_model);
        }
        let mut hits: Vec<_> = fuse(&found).into_iter().take(CANDIDATES).collect();
        let alike = Precedents::new(self.precedents.clone()).alike(&question);
        let precedents = |n: usize| of_case(&alike, (case_of(n), 0));
        if !alike.is_empty() {
            // What worked for a question like it is a candidate too.
            for id in 0..self.known.len() {
                let is_new = hits.iter().all(|hit| hit.id != id);
                if is_new && precedents(id).worked > 0.0 {
                    hits.push(Hit {
                        id,
                        score: 0.0,
                        legs: Vec::new(),
                    });
                }
            }
        }
        let texts = hits.iter().map(|hit| {
            let text = self.known[hit.id].text.as_str();
            question.signs(Texts {
                problem: &[text],
                answer: "",
                is_solved: true,
            })
        });
        let texts: Vec<_> = texts.collect();
        let stands = hits
            .iter()
            .map(|hit| backdrop.as_ref().and_then(|all| all.stands_out(hit.id)));
        let ranks = hits.iter().map(|hit| hit.score);
        let model = self.model.map(|model| model.embedder.model());
        let before = hits.iter().map(|hit| precedents(hit.id)).collect();
        let mut signs = Signs::of_all(texts, stands.collect(), ranks.collect(), before, model);
        for (signs, hit) in signs.iter_mut().zip(&hits) {
            signs.score = self.scores.get(hit.id).copied().unwrap_or_default();
        }
        let compared = hits.iter().zip(signs).map(|(hit, signs)| Match {
            known: hit.id,
            right: self.known[hit.id].intent == asked.intent,
            chance: signs.chance(),
        });
        Ok(compared.collect())
    }
}

pub(crate) fn closest(compared: &[Match]) -> Closest {
    // Of equal ones the first: it ranks higher.
    let best = compared.iter().rev();
    let best = best.max_by(|a, b| a.chance.total_cmp(&b.chance));
    Closest {
        right: best.is_some_and(|one| one.right),
        chance: best.map_or(0.0, |one| one.chance),
    }
}

fn metrics(found: &Found, least: f32) -> Vec<(&'static str, f64)> {
    let closest = |of: &[Vec<Match>]| -> Vec<Closest> { of.iter().map(|of| closest(of)).collect() };
    let (fitting, others) = (closest(&found.fitting), closest(&found.others));
    let share = |of: &[Closest], which: &dyn Fn(&Closest) -> bool| {
        let some = of.iter().filter(|one| which(one)).count();
        100.0 * some as f64 / of.len().max(1) as f64
    };
    let answered = |right: bool| {
        let is = move |one: &Closest| one.chance >= least && one.right == right;
        share(&fitting, &is)
    };
    vec![
        ("silent", share(&others, &|one| one.chance < least)),
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
            sum += match one.chance.total_cmp(&other.chance) {
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
        let of = |of: &[(bool, f32)]| {
            let one = |&(right, chance): &(bool, f32)| {
                vec![Match {
                    known: 0,
                    right,
                    chance,
                }]
            };
            of.iter().map(one).collect()
        };
        let found = Found {
            fitting: of(&[(true, 0.9), (true, 0.3), (false, 0.5), (false, 0.1)]),
            others: of(&[(false, 0.5), (false, 0.2)]),
        };
        let values = metrics(&found, 0.5);
        let values: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
        // Of eight pairs four are in order, one is equal.
        assert_eq!(values, [50.0, 25.0, 25.0, 50.0, 56.25]);
    }

    #[test]
    fn the_nearest_by_its_vector_is_first() {
        let asked = [1.0, 0.0];
        let found = nearest(&[[0.6, 0.8], [1.0, 0.0]], &asked, 2);
        assert_eq!(found.candidates, [(1, 1.0), (0, 0.6)]);
    }

    #[test]
    fn the_closest_of_the_candidates_counts() {
        let asked = |text: &str, intent: &str| Utterance {
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
            closest(&compared)
        };
        let found = of("was my card stolen");
        assert!(found.right && found.chance >= least_chance(WRONG_AT_MOST, None));
        assert!(of("🎉").chance < least_chance(WRONG_AT_MOST, None));
    }
}
