//! How close a case is to a question: the chance that it answers it, learned from questions whose
//! answers are known.
//!
//! A case has a few signs, each of which speaks for it or says nothing: how alike the texts are, how
//! many of the question's words the case has, how far it is ahead of the other cases, how its vector
//! stands before others. Their weighted sum is a chance by the logistic function. No weight is below
//! zero, so a case never gets further away because a sign of it grew.
//!
//! The weights are of one version, [`CLOSENESS`]. A case that a vector found has other weights than one
//! that only words found. The sign of the vector is in units of the model's own spread, so that one
//! set serves every model; a model whose vectors say more than that has its own.

use threadlore_ports::CaseScore;

use crate::ask::CLOSE;
use crate::precedents::PrecedentSigns;

/// The version of the signs and of their weights.
pub const CLOSENESS: &str = "chance-3";

/// The default of `answer.wrong_at_most`.
pub const WRONG_AT_MOST: u32 = 18;

/// The likeness that two texts have without being about one thing: being ahead of a case that is
/// less alike than this counts no more.
const UNRELATED: f32 = 0.2;
/// Words in common beyond so many count no more.
const WORDS: f32 = 4.0;
/// So many words, all of them met, are a sign of their own.
const TELLING: f32 = 2.0;
/// Between which spreads the vector counts.
const FAR: f32 = -1.0;
const NEAR: f32 = 4.0;

/// The answers that count before any was given: so many worked, and so many failed. Chosen, not
/// measured.
const TRIED: (f32, f32) = (3.0, 1.0);

/// The share of a chance that is that of a model which read question and case together. Chosen, not
/// measured.
const RERANKED: f32 = 0.6;

/// What was learned.
#[derive(Debug, PartialEq)]
struct Learned {
    /// The weights of the signs, in the order of [`Signs::numbers`].
    weights: &'static [f32],
    /// What is added to their sum.
    constant: f32,
    /// How many of a hundred answers were wrong where a case needed so much of a chance.
    least: &'static [(u32, f32)],
}

/// Of a case that no vector found. Fitted to 335 questions, half `tune` of suite `answers` (docs/bench.md).
static OF_TEXTS: Learned = Learned {
    weights: &[1.59, 4.08, 5.13, 1.08, 1.84, 8.41],
    constant: -8.43,
    least: &[
        (2, 0.9),
        (5, 0.65),
        (9, 0.5),
        (15, 0.38),
        (20, 0.27),
        (25, 0.2),
        (30, 0.16),
        (40, 0.12),
        (60, 0.06),
    ],
};

/// Of one that a vector found. Fitted to the same with all-minilm-l6-v2 and with multilingual-e5-small.
static OF_BOTH: Learned = Learned {
    weights: &[1.68, 0.53, 3.34, 1.2, 0.51, 0.0, 2.22],
    constant: -6.31,
    least: &[
        (2, 0.95),
        (6, 0.9),
        (8, 0.75),
        (14, 0.6),
        (16, 0.45),
        (18, 0.38),
        (20, 0.32),
        (25, 0.25),
        (30, 0.2),
        (36, 0.16),
        (44, 0.12),
        (60, 0.06),
    ],
};

/// Of one that a vector of multilingual-e5-small found: in other languages than English its vectors
/// are most of what there is. Fitted to the same questions with that model alone.
static OF_E5_SMALL: Learned = Learned {
    weights: &[1.6, 0.26, 2.82, 1.15, 0.03, 0.0, 3.67],
    constant: -5.92,
    least: &[
        (2, 0.98),
        (7, 0.95),
        (9, 0.85),
        (11, 0.65),
        (14, 0.5),
        (16, 0.45),
        (18, 0.41),
        (20, 0.36),
        (22, 0.3),
        (25, 0.25),
        (28, 0.2),
        (34, 0.15),
        (41, 0.1),
        (50, 0.06),
    ],
};

/// What was learned of cases that a vector of this model found, or without a model of all cases.
fn learned_of(model: Option<&str>) -> &'static Learned {
    match model {
        None => &OF_TEXTS,
        Some(name) if name.contains("multilingual-e5-small") => &OF_E5_SMALL,
        Some(_) => &OF_BOTH,
    }
}

/// What speaks for a case, by its texts.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TextSigns {
    /// How alike the question and the problem are, 0 to 1.
    pub likeness: f32,
    /// The share of the question's telling words that the case has, 0 to 1.
    pub met: f32,
    /// How many that are.
    pub words: f32,
    /// Whether somebody confirmed that the answer works.
    pub is_solved: bool,
}

impl TextSigns {
    /// The larger one of each sign.
    fn at_least(self, other: Self) -> Self {
        Self {
            likeness: self.likeness.max(other.likeness),
            met: self.met.max(other.met),
            words: self.words.max(other.words),
            is_solved: self.is_solved || other.is_solved,
        }
    }
}

/// What speaks for a case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signs {
    /// By its texts.
    pub texts: TextSigns,
    /// The highest likeness of another candidate.
    pub next: f32,
    /// Its rank in the search, 0 to 1.
    pub rank: f32,
    /// By how many spreads of the model its vector stands out. `None` where no vector found it, as
    /// without a model, and as long as a new case has no vector: then its texts alone speak.
    pub stands_out: Option<f32>,
    /// The chance that it answers by a model that read both, if one did.
    pub reranked: Option<f32>,
    /// What answers with its words were worth.
    pub score: CaseScore,
    /// What earlier questions like this one say of it.
    pub precedents: PrecedentSigns,
    learned: &'static Learned,
}

impl Signs {
    /// The signs of all candidates of a question, from those of their texts, what their vectors by a
    /// model say, their ranks and what earlier questions say of them. A case has the words of the
    /// question for which it worked; what failed for a question like this one is no rival of another case
    /// as far as it failed.
    #[must_use]
    pub fn of_all(
        texts: Vec<TextSigns>,
        stands_out: Vec<Option<f32>>,
        ranks: Vec<f32>,
        precedents: Vec<PrecedentSigns>,
        model: Option<&str>,
    ) -> Vec<Self> {
        let texts = texts.into_iter().zip(&precedents);
        let texts = texts.map(|(texts, precedents)| texts.at_least(precedents.texts));
        let texts: Vec<TextSigns> = texts.collect();
        let rivals: Vec<f32> = texts
            .iter()
            .zip(&precedents)
            .map(|(texts, precedents)| precedents.chance(texts.likeness))
            .collect();
        let next = |at: usize| {
            let others = rivals.iter().enumerate().filter(|(other, _)| *other != at);
            others.map(|(_, likeness)| *likeness).fold(0.0, f32::max)
        };
        let next: Vec<f32> = (0..texts.len()).map(next).collect();
        let each = texts.into_iter().zip(next).zip(stands_out).zip(ranks);
        let each = each.zip(precedents);
        each.map(|((((texts, next), stands_out), rank), precedents)| Self {
            texts,
            next,
            rank: rank.max(precedents.texts.likeness),
            stands_out,
            reranked: None,
            score: CaseScore::default(),
            precedents,
            learned: learned_of(model.filter(|_| stands_out.is_some())),
        })
        .collect()
    }

    /// The chance that the case answers the question, 0 to 1.
    #[must_use]
    pub fn chance(&self) -> f32 {
        self.precedents.chance(self.chance_of_any())
    }

    /// The same, whatever became of earlier questions like this one.
    fn chance_of_any(&self) -> f32 {
        let numbers = self.numbers();
        let weighed = self.learned.weights.iter().zip(&numbers);
        let sum: f32 = weighed.map(|(weight, number)| weight * number).sum();
        let chance = 1.0 / (1.0 + (-(sum + self.learned.constant)).exp());
        // One word alone, such as the product's name, tells no problem from another.
        let chance = match self.stands_out.is_some() || self.texts.words >= TELLING {
            true => chance,
            false => chance / 2.0,
        };
        let chance = match self.reranked {
            Some(reranked) => RERANKED * reranked + (1.0 - RERANKED) * chance,
            None => chance,
        };
        (chance * self.tried()).min(1.0)
    }

    /// By how much more or less an answer with the words of the case works than one of a case that
    /// nobody has tried: the share of those that worked, as if [`TRIED`] had been counted before.
    fn tried(&self) -> f32 {
        let (worked, failed) = TRIED;
        let before = worked / (worked + failed);
        let CaseScore {
            worked: more,
            failed: fewer,
        } = self.score;
        let (worked, failed) = (worked + more as f32, failed + fewer as f32);
        worked / (worked + failed) / before
    }

    /// How close the case is, in thousandths, where so many of a hundred answers may be wrong ones:
    /// [`CLOSE`] where its chance is just enough for that, 1000 where it is certain, linear in
    /// between. One that is close by itself and failed for questions like this one comes after all
    /// others that are, and stays close: what is said of it then is that it failed.
    #[must_use]
    pub fn closeness(&self, wrong_at_most: u32) -> u32 {
        let of_any = self.close_at(self.chance_of_any(), wrong_at_most);
        let close = self.close_at(self.chance(), wrong_at_most);
        close.max(of_any.min(CLOSE))
    }

    fn close_at(&self, chance: f32, wrong_at_most: u32) -> u32 {
        let least = self.learned.least_chance(wrong_at_most);
        let close = CLOSE as f32;
        // Rounded down: below is never close.
        if chance < least {
            (close * chance / least).min(close - 1.0) as u32
        } else {
            (close + (1000.0 - close) * (chance - least) / (1.0 - least)) as u32
        }
    }

    /// The signs as numbers, for whoever learns the weights: those of the texts, then that of the
    /// vector if there is one.
    #[must_use]
    pub fn numbers(&self) -> Vec<f32> {
        let stands_out = self.stands_out.map(|by| by.clamp(FAR, NEAR));
        self.of_texts().into_iter().chain(stands_out).collect()
    }

    fn of_texts(&self) -> [f32; 6] {
        let TextSigns {
            likeness,
            met,
            words,
            is_solved,
        } = self.texts;
        let ahead = likeness - self.next.max(UNRELATED);
        [
            f32::from(met >= 1.0 && words >= TELLING),
            ahead,
            self.rank,
            f32::from(is_solved),
            met * words.min(WORDS) / WORDS,
            met * ahead.max(0.0),
        ]
    }
}

impl Learned {
    /// The least chance with which a case answers, where so many of a hundred answers may be wrong.
    fn least_chance(&self, wrong_at_most: u32) -> f32 {
        let wrong = wrong_at_most as f32;
        let pairs = self.least.windows(2);
        let mut between = pairs.filter_map(|pair| match *pair {
            [(from, high), (to, low)] if (from as f32..=to as f32).contains(&wrong) => {
                Some(high + (low - high) * (wrong - from as f32) / (to as f32 - from as f32))
            }
            _ => None,
        });
        let (first, last) = (self.least.first(), self.least.last());
        let beyond = match first {
            Some((from, _)) if wrong < *from as f32 => first,
            _ => last,
        };
        let beyond = beyond.map_or(1.0, |(_, chance)| *chance);
        between.next().unwrap_or(beyond)
    }
}

/// The least chance with which a case answers, where so many of a hundred answers may be wrong: of one
/// that a vector of this model found, or of another.
#[must_use]
pub fn least_chance(wrong_at_most: u32, model: Option<&str>) -> f32 {
    learned_of(model).least_chance(wrong_at_most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn signs() -> impl Strategy<Value = Signs> {
        let texts = (0.0_f32..=1.0, 0.0_f32..=1.0, 0.0_f32..=9.0, any::<bool>());
        let texts = texts.prop_map(|(likeness, met, words, is_solved)| TextSigns {
            likeness,
            met,
            words,
            is_solved,
        });
        let vector = proptest::option::of(-3.0_f32..9.0);
        let model = proptest::sample::select(vec!["all-minilm-l6-v2", "multilingual-e5-small"]);
        let score = (0_u32..50, 0_u32..50, 0.0_f32..5.0, 0.0_f32..5.0);
        let reranked = proptest::option::of(0.0_f32..=0.5);
        let all = (
            texts,
            0.0_f32..=1.0,
            0.0_f32..=1.0,
            vector,
            model,
            score,
            reranked,
        );
        all.prop_map(
            |(
                texts,
                next,
                rank,
                stands_out,
                model,
                (worked, failed, precedents, doubts),
                reranked,
            )| Signs {
                texts,
                next,
                rank,
                stands_out,
                reranked,
                score: CaseScore { worked, failed },
                precedents: PrecedentSigns {
                    texts: TextSigns::default(),
                    worked: precedents,
                    failed: doubts,
                    alike: 0.5,
                },
                learned: learned_of(stands_out.map(|_| model)),
            },
        )
    }

    proptest! {
        #[test]
        fn a_sign_that_grows_takes_no_case_further_away(of in signs(), more in 0.0_f32..1.0, which in 0..10) {
            let mut grown = of;
            match which {
                0 => grown.texts.likeness += more,
                1 => grown.texts.met += more,
                2 => grown.texts.words += more,
                3 => grown.texts.is_solved = true,
                4 => grown.rank += more,
                5 => grown.next -= more,
                6 => grown.score.worked += 1,
                7 => grown.precedents.worked += more,
                8 => grown.reranked = of.reranked.map(|chance| (chance + more).min(1.0)),
                _ => grown.stands_out = of.stands_out.map(|by| by + more),
            }
            // As far as numbers of this size can tell.
            prop_assert!(grown.chance() >= of.chance() - 1e-6);
            prop_assert!((0.0..=1.0).contains(&of.chance()));
            let mut failed = of;
            failed.score.failed += 1;
            prop_assert!(failed.chance() <= of.chance() + 1e-6);
            failed.precedents.failed += more;
            prop_assert!(failed.chance() <= of.chance() + 1e-6);
        }

        #[test]
        fn close_is_what_has_the_chance_that_is_wanted(of in signs(), wrong in 0_u32..200) {
            let is_close = of.closeness(wrong) >= CLOSE;
            let best = of.chance().max(of.chance_of_any());
            prop_assert_eq!(is_close, best >= of.learned.least_chance(wrong));
            prop_assert!(of.closeness(wrong) <= 1000);
            for model in [None, Some("any"), Some("multilingual-e5-small@1")] {
                prop_assert!(least_chance(wrong + 1, model) <= least_chance(wrong, model));
            }
        }
    }
}
