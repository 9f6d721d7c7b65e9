//! Names of bots. The user of an import gives them, because IRC does not mark bots.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde::{Serialize, Serializer};
use threadlore_model::PlatformMessage;

use crate::format::fold;

/// A pattern that is not a name with at most one `*` at its end.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "bot name {0:?} is not valid: write names such as ubottu or FloodBot*, with '*' only at the end"
)]
pub struct BadPattern(String);

/// Names of bots; `*` at the end of a name matches any rest. Case is ignored, as on IRC.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bots {
    names: Vec<String>,
    prefixes: Vec<String>,
}

impl Bots {
    /// Parses a list such as `ubottu,FloodBot*`. Blanks around names and empty
    /// names do not count.
    ///
    /// # Errors
    /// [`BadPattern`] for a name that is only `*` or has `*` before its end.
    pub fn parse(list: &str) -> Result<Self, BadPattern> {
        let mut bots = Self::default();
        for pattern in list.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let (name, list) = match pattern.strip_suffix('*') {
                Some(prefix) => (prefix, &mut bots.prefixes),
                None => (pattern, &mut bots.names),
            };
            if name.is_empty() || name.contains('*') {
                return Err(BadPattern(pattern.to_owned()));
            }
            list.push(fold(name));
        }
        Ok(bots)
    }

    /// Whether a name is a bot's.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        let name = fold(name);
        self.names.contains(&name) || self.prefixes.iter().any(|p| name.starts_with(p.as_str()))
    }
}

/// Messages that are looked at for habits.
const LOOKED_AT: u64 = 200_000;
/// The shortest text that a person does not say again by chance, in characters.
const LONG: usize = 40;
/// Different long texts that a program says again at least, of at least `MESSAGES` messages of which at
/// least one in `SHARE` is such a text. In 48 logs of a channel that holds for its two programs alone.
const REPEATED: usize = 5;
const MESSAGES: u64 = 20;
const SHARE: u64 = 5;
/// Messages of one who is named as a bot is and says a long text again.
const NAMED: u64 = 3;

/// How people write, to tell who may be a program. A guess: nobody is taken for one by it.
#[derive(Debug, Clone, Default)]
pub struct Habits {
    looked_at: u64,
    people: HashMap<String, Habit>,
}

#[derive(Debug, Clone, Default)]
struct Habit {
    messages: u64,
    /// Hashes of long texts, and how often each was said.
    said: HashMap<u64, u64>,
}

impl Habits {
    pub(crate) fn look(&mut self, message: &PlatformMessage) {
        let name = message.author_name.as_ref();
        let Some(name) = name.filter(|_| !message.author_is_bot && self.looked_at < LOOKED_AT)
        else {
            return;
        };
        self.looked_at += 1;
        let habit = self.people.entry(name.clone()).or_default();
        habit.messages += 1;
        // Without whom it is to: `ann: see the page …`.
        let text = match message.text.split_once([':', ',']) {
            Some((to, rest)) if !to.contains(' ') => rest.trim(),
            _ => message.text.trim(),
        };
        if text.chars().nth(LONG - 1).is_some() {
            let mut hash = DefaultHasher::new();
            text.hash(&mut hash);
            *habit.said.entry(hash.finish()).or_default() += 1;
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.looked_at += other.looked_at;
        for (name, habit) in other.people {
            let into = self.people.entry(name).or_default();
            into.messages += habit.messages;
            for (text, count) in habit.said {
                *into.said.entry(text).or_default() += count;
            }
        }
    }

    /// Who writes as programs do, those with most messages first.
    #[must_use]
    pub fn bots(&self) -> Vec<&str> {
        let people = self
            .people
            .iter()
            .filter(|(name, habit)| habit.is_bots(name));
        let mut bots: Vec<(u64, &str)> = people
            .map(|(name, habit)| (habit.messages, name.as_str()))
            .collect();
        bots.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
        bots.into_iter().map(|(_, name)| name).collect()
    }
}

impl Habit {
    fn is_bots(&self, name: &str) -> bool {
        let repeated = self.said.values().filter(|count| **count > 1);
        let again: u64 = repeated.clone().map(|count| count - 1).sum();
        let digits = |c: char| c.is_ascii_digit() || c == '_';
        let is_named = name
            .trim_end_matches(digits)
            .to_lowercase()
            .ends_with("bot");
        (is_named && self.messages >= NAMED && again > 0)
            || (self.messages >= MESSAGES
                && repeated.count() >= REPEATED
                && again * SHARE >= self.messages)
    }
}

/// By who is found.
impl PartialEq for Habits {
    fn eq(&self, other: &Self) -> bool {
        self.bots() == other.bots()
    }
}

impl Eq for Habits {}

impl Serialize for Habits {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.bots().serialize(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_prefixes_match_whatever_the_case() {
        let bots = Bots::parse(" ubottu, FloodBot*,,").expect("a list");
        for bot in ["ubottu", "Ubottu", "floodbot3", "FloodBot"] {
            assert!(bots.has(bot), "{bot}");
        }
        for person in ["ubottu2", "flood", "ann", ""] {
            assert!(!bots.has(person), "{person}");
        }
        assert!(!Bots::parse("").expect("an empty list").has("ubottu"));
    }

    #[test]
    fn who_says_the_same_long_texts_again_may_be_a_program() {
        let mut habits = Habits::default();
        let mut say = |name: &str, text: &str, is_bot: bool| {
            habits.look(&PlatformMessage {
                channel: threadlore_model::ChannelId::parse("irc:#x").expect("a channel"),
                native_id: "1".to_owned(),
                author_id: name.to_lowercase(),
                author_name: Some(name.to_owned()),
                author_is_bot: is_bot,
                text: text.to_owned(),
                sent_at: threadlore_model::Timestamp::from_millis(0),
                reply_to: None,
                mentions: Vec::new(),
                thread_root: None,
                to_bot: false,
            });
        };
        for n in 0..20 {
            let page = n % 7;
            say(
                "ubottu",
                &format!("ann{n}: For page {page} of the guide see https://help.ubuntu.com/x"),
                false,
            );
            say(
                "known",
                &format!("For page {page} of the guide see https://help.ubuntu.com/x"),
                true,
            );
            say(
                "Ann",
                "How do I mount an iso image so that I can read it? Nothing helps.",
                false,
            );
            say("Bob", "thanks, that works", false);
            say(
                "Carl",
                &format!("This is something else each time I say it, for example {n}"),
                false,
            );
        }
        for _ in 0..3 {
            say(
                "FloodBot2",
                "too many lines: please use a pastebin for more than three",
                false,
            );
            say("spankbot", "hello", false);
        }
        assert_eq!(habits.bots(), ["ubottu", "FloodBot2"]);
        let mut twice = Habits::default();
        twice.merge(habits.clone());
        assert_eq!(twice, habits);
        assert_eq!(
            serde_json::to_string(&habits).expect("JSON"),
            "[\"ubottu\",\"FloodBot2\"]"
        );
    }

    #[test]
    fn a_star_stands_at_the_end_only() {
        for bad in ["*", "*bot", "a*b", "a**"] {
            let error = Bots::parse(bad).expect_err("refused");
            assert!(error.to_string().contains(bad), "{error}");
        }
    }
}
