//! What earlier questions say of a case: those who asked nearly the same before, and said whether the
//! answer helped.
//!
//! A case whose answer worked for a question has this wording too from then on, for questions like it;
//! one whose answer failed for it is doubted, for questions like it. So a case that shares no word with a
//! question is found once somebody who asked it found out that it helps.

use std::collections::BTreeMap;

use threadlore_language::retrieve::{ASKS_THE_SAME, Corpus};
use threadlore_model::{CaseId, ChannelId, MemoryId};
use threadlore_ports::Precedent;

use crate::ask::{Question, Texts};
use crate::closeness::TextSigns;
use crate::record::thousandths;

/// Earlier questions that are read: the last ones whose answers worked or failed, and at most as many
/// more that are patterns, however long ago they worked.
pub const PRECEDENTS: u32 = 1000;
/// Between these likenesses an earlier question says more and more: below, nothing; above, as much as
/// one in the same words. So is the chance that it asks the same: of questions of BANKING77 and the
/// three most alike earlier ones that worked, counted once over the suite `year`, 12 of 100 do at 0.4 to
/// 0.45, 36 at 0.45 to 0.5, 78 at 0.55 to 0.6, 87 at 0.65 to 0.7.
const ALIKE: (f32, f32) = (0.4, ASKS_THE_SAME);
/// From this weight on a case has the words of the question too: it asks the same rather than not.
const WORDED: f32 = 0.5;

/// What earlier questions say of a case.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct PrecedentSigns {
    /// The signs of the most alike question for which its answer worked.
    pub texts: TextSigns,
    /// How many there are for which its answer worked; one that is less alike counts less.
    pub worked: f32,
    /// The same of those for which it failed.
    pub failed: f32,
    /// How much the most alike of them says, 0 to 1: the chance that it is the same question.
    pub alike: f32,
}

impl PrecedentSigns {
    /// The chance that it works, where it would be `chance` without such questions: if this one is the
    /// same, that counts as much as one of them.
    #[must_use]
    pub fn chance(&self, chance: f32) -> f32 {
        if self.alike <= 0.0 {
            return chance;
        }
        let (worked, failed) = (self.worked / self.alike, self.failed / self.alike);
        let same = (chance + worked) / (1.0 + worked + failed);
        chance + self.alike * (same - chance)
    }
}

/// An earlier question that is like the one that is asked, with its answer.
#[derive(Debug, Clone)]
pub struct Alike {
    case: CaseId,
    version: i64,
    channel: ChannelId,
    memory: MemoryId,
    worked: bool,
    signs: TextSigns,
    /// How much it says, 0 to 1.
    weight: f32,
}

/// Earlier questions that are compared with one question after the other.
#[derive(Debug, Default)]
pub struct Precedents {
    all: Vec<Precedent>,
    texts: Corpus,
}

impl Precedents {
    /// Of these, whoever they were said to.
    #[must_use]
    pub fn new(mut all: Vec<Precedent>) -> Self {
        for one in &mut all {
            one.text = without_addressees(&one.text);
        }
        let texts = Corpus::of(all.iter().map(|one| one.text.as_str()));
        Self { all, texts }
    }

    /// Those that are like a question.
    #[must_use]
    pub fn alike(&self, question: &Question) -> Vec<Alike> {
        let (least, most) = ALIKE;
        let each = question.likeness_of_each(&self.texts);
        let each = self.all.iter().zip(each);
        let near = each.filter(|(_, likeness)| *likeness > least);
        let alike = near.map(|(one, likeness)| {
            let signs = question.signs(Texts {
                problem: &[&one.text],
                answer: "",
                is_solved: true,
            });
            Alike {
                case: one.case,
                version: one.version,
                channel: one.channel.clone(),
                memory: one.memory,
                worked: one.worked,
                weight: ((likeness - least) / (most - least)).clamp(0.0, 1.0),
                signs,
            }
        });
        alike.collect()
    }
}

/// The cases whose answers worked for such questions.
pub(crate) fn worked(all: &[Alike]) -> Vec<CaseId> {
    let worked = all.iter().filter(|one| one.worked);
    let cases: BTreeMap<CaseId, ()> = worked.map(|one| (one.case, ())).collect();
    cases.into_keys().collect()
}

/// What they say of a case; what is known of words that it has no more says nothing.
#[must_use]
pub fn of_case(all: &[Alike], (case, worded_in): (CaseId, i64)) -> PrecedentSigns {
    let mut signs = PrecedentSigns::default();
    let of_it = all
        .iter()
        .filter(|one| one.case == case && one.version >= worded_in);
    for one in of_it {
        signs.alike = signs.alike.max(one.weight);
        if !one.worked {
            signs.failed += one.weight;
            continue;
        }
        signs.worked += one.weight;
        if one.weight >= WORDED && one.signs.likeness > signs.texts.likeness {
            signs.texts = one.signs;
        }
    }
    signs
}

/// The exchange that an answer with the words of a case repeats: that of the most alike question of
/// the channel that asks the same.
#[must_use]
pub fn repeated(
    all: &[Alike],
    (case, worded_in): (CaseId, i64),
    channel: &ChannelId,
) -> Option<MemoryId> {
    let same = all.iter().filter(|one| {
        let is_of_it = one.case == case && one.version >= worded_in;
        is_of_it && one.weight >= 1.0 && one.channel == *channel
    });
    let by_likeness = |one: &Alike| (thousandths(one.signs.likeness), one.memory);
    same.max_by_key(|one| by_likeness(one))
        .map(|one| one.memory)
}

/// A line without whom it is said to: "@lore …", "lore: …".
fn without_addressees(text: &str) -> String {
    let words = text.split_whitespace().enumerate();
    let words = words.filter(|(at, word)| {
        let is_addressee = *at == 0 && word.len() > 1 && word.ends_with([':', ',']);
        !word.starts_with('@') && !is_addressee
    });
    words.map(|(_, word)| word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn case(n: u128) -> CaseId {
        CaseId::from_uuid(Uuid::from_u128(n))
    }

    fn precedent(n: u128, version: i64, text: &str, worked: bool) -> Precedent {
        Precedent {
            case: case(n),
            version,
            channel: ChannelId::parse("irc:#vpn").expect("a channel"),
            memory: MemoryId::from_uuid(Uuid::from_u128(n)),
            text: text.to_owned(),
            worked,
        }
    }

    #[test]
    fn what_worked_for_a_like_question_gives_the_case_its_words() {
        let question = Question::new("my vpn drops on the wifi at work", &[]);
        let all = Precedents::new(vec![
            precedent(1, 1, "@lore my vpn drops on wifi", true),
            precedent(1, 1, "my vpn drops on wifi", false),
            precedent(2, 1, "lore: my vpn drops on wifi", false),
            precedent(3, 1, "the printer prints blank pages", true),
            precedent(4, 1, "my vpn drops on wifi", true),
        ]);
        let all = all.alike(&question);
        assert_eq!(worked(&all), [case(1), case(4)]);
        let of = |n, worded_in| of_case(&all, (case(n), worded_in));
        let both = of(1, 1);
        assert!(
            both.texts.likeness > 0.3 && both.texts.words >= 2.0,
            "{both:?}"
        );
        assert!((both.worked - both.failed).abs() < 1e-6);
        assert!(of(2, 1).failed > 0.3 && of(2, 1).chance(0.9) < 0.7);
        assert_eq!(of(3, 1), PrecedentSigns::default());
        assert_eq!(
            of(4, 2),
            PrecedentSigns::default(),
            "it has other words now"
        );
        assert!(of(4, 1).chance(0.5) > 0.6);
    }

    #[test]
    fn an_answer_repeats_the_exchange_of_a_question_that_asks_the_same_in_its_channel() {
        let question = Question::new("my vpn drops on wifi", &[]);
        let all = Precedents::new(vec![
            precedent(1, 1, "lore: my vpn drops on wifi", true),
            precedent(2, 1, "is the vpn down?", true),
        ]);
        let all = all.alike(&question);
        let here = ChannelId::parse("irc:#vpn").expect("a channel");
        let there = ChannelId::parse("irc:#other").expect("a channel");
        let known = Some(MemoryId::from_uuid(Uuid::from_u128(1)));
        assert_eq!(repeated(&all, (case(1), 1), &here), known);
        assert_eq!(repeated(&all, (case(1), 1), &there), None);
        assert_eq!(repeated(&all, (case(1), 2), &here), None);
        assert_eq!(repeated(&all, (case(2), 1), &here), None, "it is only near");
    }
}
