//! Whether two texts ask the same.

use super::content::telling_words;
use super::similar::{Weighed, WeighedTexts, similar, weighed};
use super::synonyms::expanded;

/// A question is compared without its everyday words too if it has so many others: one word alone,
/// such as the product's name, tells no problem from another.
const TELLING: usize = 2;

/// From this likeness on two questions ask the same: of questions of BANKING77 and the three most alike
/// earlier ones that worked, counted once over the suite `year`, 87 of 100 do at 0.65 to 0.7.
pub const ASKS_THE_SAME: f32 = 0.65;

/// The forms of a question with which texts are compared.
pub struct Forms {
    /// As it was asked, and with other names of the things in it.
    whole: Vec<Weighed>,
    /// The same without everyday words; none where too few words are left.
    telling: Vec<Weighed>,
}

impl Forms {
    /// Of a question, and of the same with other names of the things in it. The more similar form counts.
    #[must_use]
    pub fn new(text: &str, others: &[&str]) -> Self {
        let mut texts = vec![text.to_owned()];
        if !others.is_empty() {
            texts.push(expanded(text, others));
        }
        let telling = match telling_words(text).take(TELLING).count() {
            TELLING => texts.iter().map(|text| without_everyday(text)).collect(),
            _ => Vec::new(),
        };
        Self {
            whole: texts.iter().map(|text| weighed(text)).collect(),
            telling,
        }
    }

    /// How alike a text is, 0 to 1: as it stands, or without the everyday words of both. In
    /// "how do I make suspend on lid close work?" most words say nothing of what it is about.
    #[must_use]
    pub fn likeness(&self, text: &str) -> f32 {
        let alike = |asked: &[Weighed], text: &Weighed| {
            let each = asked.iter().map(|asked| similar(asked, text));
            each.fold(0.0, f32::max)
        };
        let mut likeness = alike(&self.whole, &weighed(text));
        if !self.telling.is_empty() {
            likeness = likeness.max(alike(&self.telling, &without_everyday(text)));
        }
        likeness
    }

    /// How alike each of many texts is; the same as [`Self::likeness`] says of each.
    #[must_use]
    pub fn likeness_of_each(&self, texts: &Corpus) -> Vec<f32> {
        let mut all = vec![0.0_f32; texts.len];
        let whole = self.whole.iter().map(|asked| texts.whole.similar(asked));
        let telling = self.telling.iter();
        let telling = telling.map(|asked| texts.telling.similar(asked));
        for each in whole.chain(telling) {
            for (most, likeness) in all.iter_mut().zip(each) {
                *most = most.max(likeness);
            }
        }
        all
    }
}

/// Many texts that are compared with one question after the other.
#[derive(Debug, Default)]
pub struct Corpus {
    whole: WeighedTexts,
    telling: WeighedTexts,
    len: usize,
}

impl Corpus {
    /// Of texts, in this order.
    #[must_use]
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let texts: Vec<&str> = texts.into_iter().collect();
        Self {
            whole: WeighedTexts::of(texts.iter().map(|text| weighed(text))),
            telling: WeighedTexts::of(texts.iter().map(|text| without_everyday(text))),
            len: texts.len(),
        }
    }
}

/// The words of a text that say what it is about, and no others.
fn without_everyday(text: &str) -> Weighed {
    weighed(&telling_words(text).collect::<Vec<_>>().join(" "))
}
