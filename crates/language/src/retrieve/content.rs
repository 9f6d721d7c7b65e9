//! What a text is about: its words without the everyday ones.

use rustc_hash::FxHashSet;
use threadlore_model::words_of;

use crate::everyday::is_everyday;

/// Letters of a word that count: the rest is most often its ending.
const BEGINNING: usize = 5;
/// What a word counts that stands in the answer alone.
const IN_ANSWER: f32 = 0.5;

/// The words of a text that say what it is about, by their beginnings.
#[derive(Debug, Clone, Default)]
pub struct Content(FxHashSet<String>);

impl Content {
    /// Of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let beginning = |word: String| word.chars().take(BEGINNING).collect();
        Self(telling_words(text).map(beginning).collect())
    }

    /// How many words that are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many of these words a problem has, from 0 to 1; one that only its answer has counts
    /// half, and one of another name of a thing that the problem has counts for a word that is
    /// missing. A text without such words is met by any.
    #[must_use]
    pub fn met_by(&self, problem: &Self, answer: &Self, others: &Self) -> f32 {
        if self.0.is_empty() {
            return 1.0;
        }
        let met = |word: &&String| problem.0.contains(*word);
        let stated = self.0.iter().filter(met).count();
        let missing = self.0.iter().filter(|word| !met(word));
        let answered = missing
            .clone()
            .filter(|word| answer.0.contains(*word))
            .count();
        let named = others.0.iter().filter(met).count();
        let named = named.min(missing.count() - answered);
        let words = stated as f32 + named as f32 + IN_ANSWER * answered as f32;
        words / self.0.len() as f32
    }
}

/// The words of a text that say what it is about, in their order.
pub fn telling_words(text: &str) -> impl Iterator<Item = String> {
    let words = words_of(text).into_iter();
    let bare = words.map(|word| word.replace(['\'', '’'], ""));
    bare.filter(|word| word.chars().nth(1).is_some() && !is_everyday(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn met(question: &str, problem: &str, answer: &str, others: &str) -> f32 {
        let [question, problem, answer, others] =
            [question, problem, answer, others].map(Content::of);
        question.met_by(&problem, &answer, &others)
    }

    #[test]
    fn everyday_words_do_not_count_and_endings_neither() {
        assert_eq!(
            met("how do I mount my disks?", "mounting a disk", "", ""),
            0.5
        );
        assert_eq!(met("how do I mount it?", "Mounting", "", ""), 1.0);
        assert_eq!(
            met("как мне настроить принтеры?", "настройка принтера", "", ""),
            1.0
        );
    }

    #[test]
    fn a_word_of_the_answer_counts_half_and_another_name_whole() {
        assert_eq!(met("router password", "password", "router", ""), 0.75);
        assert_eq!(
            met("router password", "password of edge-7", "", "edge-7"),
            1.0
        );
        assert_eq!(met("router", "nothing of the kind", "", ""), 0.0);
    }

    #[test]
    fn a_question_without_such_words_is_met_by_any() {
        assert_eq!(met("how do I do it?", "printer", "", ""), 1.0);
        assert_eq!(met("🎉", "printer", "", ""), 1.0);
    }
}
