//! What the system was told to remember, as an answer.
//!
//! A fact answers by the words of the question that it has: there are few of them, each was said to be
//! told again, and a quotation with its day does little harm. So no index and no model is asked.

use std::sync::Arc;

use threadlore_language::retrieve::{Content, similar, weighed};
use threadlore_language::wording::{Phrase, Voice};
use threadlore_model::{MemoryHome, SpaceId, Timestamp};
use threadlore_ports::Fact;

use crate::record::Degraded;
use crate::search::Retrieval;

/// What composes an answer from a fact, with its version; it grows with each change of the words.
pub const FACT_COMPOSER: &str = "fact-2";

/// The share of the question's telling words that a fact about the space must have, where the bot is
/// asked by name. Chosen.
const OF_SPACE: f32 = 0.6;
/// The same for one about the person who asks: there are fewer of them.
const OF_PERSON: f32 = 0.5;
/// So many telling words make a fact that has all of them an answer to anybody, before a case.
const TELLING: usize = 2;

/// A fact, with the words by which it is found.
#[derive(Debug)]
pub struct Note {
    /// The fact.
    pub fact: Fact,
    content: Content,
}

impl Note {
    /// Of these facts, in their order.
    #[must_use]
    pub fn all(facts: Vec<Fact>) -> Vec<Arc<Self>> {
        let note = |fact: Fact| {
            let content = Content::of(&fact.text);
            Arc::new(Self { fact, content })
        };
        facts.into_iter().map(note).collect()
    }
}

impl Retrieval {
    /// What a model finds that somebody says of himself, in his words; `None` where it fails.
    pub async fn facts_of_writer(&self, space: &SpaceId, message: &str) -> Option<Vec<String>> {
        let reader = self.ports.reader.as_ref()?;
        let found = reader.engine.facts(message);
        let found = self.call(reader, space, Degraded::Reader, found).await;
        found.ok().map(|(found, _)| found)
    }
}

/// How well a fact answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// It has most of the question's words: an answer for who asks by name, where no case is sure.
    Most,
    /// It has all of them, but only one: the same.
    One,
    /// It has all of them, and these are several.
    All,
}

/// The fact that answers best, the newest of equally good ones. `notes` are the newest first.
pub(crate) fn best<'f>(notes: &'f [Arc<Note>], question: &str) -> Option<(&'f Fact, Fit)> {
    let asked = Content::of(question);
    if asked.is_empty() {
        return None;
    }
    let none = Content::default();
    let of_each = notes.iter().filter_map(|note| {
        let fact = &note.fact;
        let met = asked.met_by(&note.content, &none, &none);
        let enough = match fact.home {
            MemoryHome::Person => OF_PERSON,
            MemoryHome::Bank => OF_SPACE,
        };
        let fit = match () {
            () if met >= 1.0 && asked.len() >= TELLING => Fit::All,
            () if met >= 1.0 => Fit::One,
            () if met >= enough => Fit::Most,
            () => return None,
        };
        Some((fact, fit, met))
    });
    // Of equally good ones the first.
    let best = of_each.reduce(|best, next| {
        let is_better = (next.1, next.2) > (best.1, best.2);
        if is_better { next } else { best }
    });
    best.map(|(fact, fit, _)| (fact, fit))
}

/// Facts of either kind that a model reads at most. Chosen.
const READ: usize = 10;

/// What a model is to know of who asks, the newest first, and of the space, as far as it is always to be
/// known or has a telling word of the question: there are few of the one and may be a thousand of the other.
pub(crate) fn about(notes: &[Arc<Note>], question: &str) -> (Vec<String>, Vec<String>) {
    let asked = Content::of(question);
    let none = Content::default();
    let of = |home: MemoryHome| notes.iter().filter(move |note| note.fact.home == home);
    let is_near = |note: &&Arc<Note>| asked.met_by(&note.content, &none, &none) > 0.0;
    let (always, others): (Vec<_>, Vec<_>) =
        of(MemoryHome::Bank).partition(|note| note.fact.always);
    let of_space = always.into_iter().chain(others.into_iter().filter(is_near));
    let texts = |of: &mut dyn Iterator<Item = &Arc<Note>>| {
        of.take(READ).map(|note| note.fact.text.clone()).collect()
    };
    (
        texts(&mut of(MemoryHome::Person)),
        texts(&mut of_space.into_iter()),
    )
}

/// So similar is what is named by its own words. Chosen.
const SAME: f32 = 0.6;

/// The fact that is said in nearly these words; of equally similar ones the first.
#[must_use]
pub fn alike<'f>(facts: &'f [Fact], text: &str) -> Option<&'f Fact> {
    let asked = weighed(text);
    let each = facts
        .iter()
        .map(|fact| (fact, similar(&asked, &weighed(&fact.text))));
    let best = each.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    (best.1 >= SAME).then_some(best.0)
}

/// The day of a moment (UTC), as an answer names it: `2026-11-27`.
#[must_use]
pub fn day_of(at: Timestamp) -> String {
    let at = at.to_string();
    at.split('T').next().unwrap_or_default().to_owned()
}

/// A fact in words, with its day and who said it.
pub(crate) fn in_words(fact: &Fact, voice: Voice<'_>) -> String {
    let day = day_of(fact.said_at);
    let (day, text) = (day.as_str(), fact.text.as_str());
    voice.say(match (fact.home, &fact.name) {
        (MemoryHome::Person, _) => Phrase::YouTold { day, text },
        (MemoryHome::Bank, Some(name)) => Phrase::TheyTold { name, day, text },
        (MemoryHome::Bank, None) => Phrase::WasTold { day, text },
    })
}

#[cfg(test)]
mod tests {
    use threadlore_language::wording::{Language, Wordings};
    use threadlore_model::{ChannelId, MemoryId, PersonId};
    use uuid::Uuid;

    use super::*;

    fn facts(texts: &[(&str, MemoryHome)]) -> Vec<Fact> {
        let fact = |(n, (text, home)): (u128, &(&str, MemoryHome))| Fact {
            memory: MemoryId::from_uuid(Uuid::from_u128(n)),
            home: *home,
            channel: ChannelId::parse("irc:#a").expect("a channel"),
            person: PersonId::from_uuid(Uuid::from_u128(1)),
            name: Some("ann".to_owned()),
            text: (*text).to_owned(),
            always: false,
            said_at: Timestamp::from_millis(1_700_000_000_000),
        };
        (1..).zip(texts).map(fact).collect()
    }

    fn in_english(fact: &Fact) -> String {
        let builtin = Wordings::default();
        in_words(fact, builtin.voice(None, Language::English))
    }

    fn told(question: &str) -> Option<(String, Fit)> {
        let all = facts(&[
            ("the wifi password is on the whiteboard", MemoryHome::Bank),
            ("we deploy on Fridays", MemoryHome::Bank),
            ("my node is 7.6", MemoryHome::Person),
            ("my node is 7.5", MemoryHome::Person),
            ("мы выкатываем релиз по пятницам", MemoryHome::Bank),
        ]);
        best(&Note::all(all), question).map(|(fact, fit)| (fact.text.clone(), fit))
    }

    #[test]
    fn a_model_reads_all_of_the_asker_and_what_is_near_of_the_space() {
        let all = facts(&[
            ("we deploy on Fridays", MemoryHome::Bank),
            ("my node is 7.6", MemoryHome::Person),
            ("the wiki is down", MemoryHome::Bank),
        ]);
        let (of_asker, of_space) = about(&Note::all(all.clone()), "when do you deploy?");
        assert_eq!(of_asker, ["my node is 7.6"]);
        assert_eq!(of_space, ["we deploy on Fridays"]);
        let mut always = all.clone();
        always[2].always = true;
        assert_eq!(
            about(&Note::all(always), "when do you deploy?").1,
            ["the wiki is down", "we deploy on Fridays"]
        );
        let many = facts(&[("my node is 7.6", MemoryHome::Person); 50]);
        assert_eq!(about(&Note::all(many), "when?").0.len(), 10);
    }

    #[test]
    fn a_fact_answers_by_its_words() {
        let of = |text: &str, fit| Some((text.to_owned(), fit));
        assert_eq!(
            told("what is the wifi password?"),
            of("the wifi password is on the whiteboard", Fit::All)
        );
        assert_eq!(
            told("when do we deploy?"),
            of("we deploy on Fridays", Fit::One)
        );
        assert_eq!(
            told("what version is my node?"),
            of("my node is 7.6", Fit::Most)
        );
        assert_eq!(
            told("когда выкатываем релиз?"),
            of("мы выкатываем релиз по пятницам", Fit::All)
        );
    }

    #[test]
    fn half_a_question_is_no_question_about_the_space() {
        assert_eq!(told("wifi drops on fedora, ideas?"), None);
        assert_eq!(told("how do I do it?"), None);
        assert_eq!(told("🎉"), None);
    }

    #[test]
    fn a_fact_is_named_by_nearly_its_words() {
        let all = facts(&[
            ("we deploy on Fridays", MemoryHome::Bank),
            ("my node is 7.6", MemoryHome::Person),
        ]);
        let named = |text: &str| alike(&all, text).map(|fact| fact.text.as_str());
        assert_eq!(named("My node is 7.6!"), Some("my node is 7.6"));
        assert_eq!(named("we deploy on a Friday"), Some("we deploy on Fridays"));
        assert_eq!(named("the wiki is down"), None);
    }

    #[test]
    fn it_is_told_with_its_day_and_who_said_it() {
        let mut one = facts(&[("we deploy on Fridays", MemoryHome::Bank)]).remove(0);
        assert_eq!(
            in_english(&one),
            "ann told me on 2023-11-14: we deploy on Fridays"
        );
        one.name = None;
        assert_eq!(
            in_english(&one),
            "I was told on 2023-11-14: we deploy on Fridays"
        );
        one.home = MemoryHome::Person;
        assert_eq!(
            in_english(&one),
            "You told me on 2023-11-14: we deploy on Fridays"
        );
    }
}
