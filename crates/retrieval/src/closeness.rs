//! How close a case is to a question: the chance that it answers it, learned from questions whose
//! answers are known.
//!
//! A case has a few signs, each of which speaks for it or says nothing: how alike the texts are, how
//! many of the question's words the case has, how far it is ahead of the other cases, how its vector
//! stands before others. Their weighted sum is a chance by the logistic function. No weight is below
//! zero, so a case never gets further away because a sign of it grew.
//!
//! The weights are of one version, [`CLOSENESS`]. With a model there are other weights than without
//! one; the signs of vectors are in units of the model's own spread, so that one set serves every
//! model.

use crate::ask::CLOSE;
use crate::backdrop::Stand;

/// The version of the signs and of their weights.
pub const CLOSENESS: &str = "chance-1";

/// The likeness that two texts have without being about one thing: being ahead of a case that is
/// less alike than this counts no more.
const UNRELATED: f32 = 0.2;
/// Words in common beyond so many count no more.
const WORDS: f32 = 4.0;
/// So many words, all of them met, are a sign of their own.
const TELLING: f32 = 2.0;
/// The vector of a case that the vectors did not find, in spreads.
const FAR: Stand = Stand {
    out: -1.0,
    above: -2.0,
};

/// The weights of the signs in the order of [`Signs::numbers`], and what is added: without a model.
const OF_TEXTS: ([f32; 6], f32) = ([1.59, 4.08, 5.13, 1.08, 1.84, 8.41], -8.43);
/// The same with one.
const OF_BOTH: ([f32; 9], f32) = ([1.81, 0.0, 3.64, 1.18, 0.52, 0.0, 1.12, 0.47, 0.47], -6.99);

/// How many of a hundred answers were wrong where a case needed so much of a chance.
const LEAST: [(u32, f32); 9] = [
    (2, 0.9),
    (5, 0.65),
    (9, 0.5),
    (15, 0.38),
    (20, 0.27),
    (25, 0.2),
    (30, 0.16),
    (40, 0.12),
    (60, 0.06),
];

/// The default of `answer.wrong_at_most`.
pub const WRONG_AT_MOST: u32 = 20;

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

/// What speaks for a case.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Signs {
    /// By its texts.
    pub texts: TextSigns,
    /// The highest likeness of another candidate.
    pub next: f32,
    /// Its rank in the search, 0 to 1.
    pub rank: f32,
    /// By its vector; `None` without a model.
    pub vector: Option<Option<Stand>>,
}

impl Signs {
    /// The signs of all candidates of a question, from those of their texts, what their vectors say
    /// (`None` without a model) and their ranks.
    #[must_use]
    pub fn of_all(
        texts: Vec<TextSigns>,
        vectors: Vec<Option<Option<Stand>>>,
        ranks: Vec<f32>,
    ) -> Vec<Self> {
        let next = |at: usize| {
            let others = texts.iter().enumerate().filter(|(other, _)| *other != at);
            others.map(|(_, of)| of.likeness).fold(0.0, f32::max)
        };
        let next: Vec<f32> = (0..texts.len()).map(next).collect();
        let each = texts.into_iter().zip(next).zip(vectors).zip(ranks);
        each.map(|(((texts, next), vector), rank)| Self {
            texts,
            next,
            rank,
            vector,
        })
        .collect()
    }

    /// The chance that the case answers the question, 0 to 1.
    #[must_use]
    pub fn chance(&self) -> f32 {
        let weighed = |weights: &[f32], least: f32, numbers: &[f32]| {
            let sum: f32 = weights.iter().zip(numbers).map(|(w, n)| w * n).sum();
            1.0 / (1.0 + (-(sum + least)).exp())
        };
        match self.vector {
            None => {
                let chance = weighed(&OF_TEXTS.0, OF_TEXTS.1, &self.of_texts());
                // One word alone, such as the product's name, tells no problem from another.
                match self.texts.words >= TELLING {
                    true => chance,
                    false => chance / 2.0,
                }
            }
            Some(stand) => {
                let numbers = [&self.of_texts()[..], &self.of_vector(stand)[..]].concat();
                weighed(&OF_BOTH.0, OF_BOTH.1, &numbers)
            }
        }
    }

    /// How close the case is, in thousandths, where so many of a hundred answers may be wrong ones:
    /// [`CLOSE`] where its chance is just enough for that, 1000 where it is certain, linear in
    /// between.
    #[must_use]
    pub fn closeness(&self, wrong_at_most: u32) -> u32 {
        let (chance, least, close) = (self.chance(), least_chance(wrong_at_most), CLOSE as f32);
        // Rounded down: below is never close.
        if chance < least {
            (close * chance / least).min(close - 1.0) as u32
        } else {
            (close + (1000.0 - close) * (chance - least) / (1.0 - least)) as u32
        }
    }

    /// The signs as numbers, for whoever learns the weights: those of the texts, then those of the
    /// vector where there is a model.
    #[must_use]
    pub fn numbers(&self) -> Vec<f32> {
        let of_vector = self.vector.map(|stand| self.of_vector(stand));
        let of_vector = of_vector.into_iter().flatten();
        self.of_texts().into_iter().chain(of_vector).collect()
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

    /// A case that the vectors did not find is as far as any.
    fn of_vector(&self, stand: Option<Stand>) -> [f32; 3] {
        let Stand { out, above } = stand.unwrap_or(FAR);
        let (out, above) = (out.clamp(FAR.out, 4.0), above.clamp(FAR.above, 8.0));
        let likeness = self.texts.likeness;
        [out, out.max(0.0) * likeness, above.max(0.0) * likeness]
    }
}

/// The least chance with which a case answers, where so many of a hundred answers may be wrong.
#[must_use]
pub fn least_chance(wrong_at_most: u32) -> f32 {
    let wrong = wrong_at_most as f32;
    let above = LEAST.iter().position(|(rate, _)| *rate as f32 >= wrong);
    match above {
        Some(0) => LEAST[0].1,
        None => LEAST[LEAST.len() - 1].1,
        Some(at) => {
            let ((from, high), (to, low)) = (LEAST[at - 1], LEAST[at]);
            high + (low - high) * (wrong - from as f32) / (to as f32 - from as f32)
        }
    }
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
        let stand = (-3.0_f32..9.0, -3.0_f32..9.0);
        let stand = stand.prop_map(|(out, above)| Stand { out, above });
        let vector = proptest::option::of(proptest::option::of(stand));
        let all = (texts, 0.0_f32..=1.0, 0.0_f32..=1.0, vector);
        all.prop_map(|(texts, next, rank, vector)| Signs {
            texts,
            next,
            rank,
            vector,
        })
    }

    proptest! {
        #[test]
        fn a_sign_that_grows_takes_no_case_further_away(of in signs(), more in 0.0_f32..1.0, which in 0..7) {
            let mut grown = of;
            match which {
                0 => grown.texts.likeness += more,
                1 => grown.texts.met += more,
                2 => grown.texts.words += more,
                3 => grown.texts.is_solved = true,
                4 => grown.rank += more,
                5 => grown.next -= more,
                _ => grown.vector = of.vector.map(|stand| stand.map(|Stand { out, above }| Stand {
                    out: out + more,
                    above: above + more,
                })),
            }
            prop_assert!(grown.chance() >= of.chance());
            prop_assert!((0.0..=1.0).contains(&of.chance()));
        }

        #[test]
        fn close_is_what_has_the_chance_that_is_wanted(of in signs(), wrong in 0_u32..200) {
            let is_close = of.closeness(wrong) >= CLOSE;
            prop_assert_eq!(is_close, of.chance() >= least_chance(wrong));
            prop_assert!(of.closeness(wrong) <= 1000);
            prop_assert!(least_chance(wrong + 1) <= least_chance(wrong));
        }
    }
}
