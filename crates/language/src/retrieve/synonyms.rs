//! Synonyms: a question is also searched by the other names of the things in it.

use std::collections::HashMap;
use std::fmt::Write as _;

use threadlore_model::words_of;

/// The lists that are built in, English and Hebrew.
const BUILTIN: &str = include_str!("synonyms.txt");
/// Names that are added to a question, at most: a longer one says enough by itself.
const MOST: usize = 12;

/// Names of things, by the first of their words.
#[derive(Debug, Default)]
pub struct Synonyms {
    /// All names of a thing, as they were written.
    things: Vec<Vec<String>>,
    /// By the first word of a name: its other words, and the thing.
    names: HashMap<String, Vec<(Vec<String>, usize)>>,
}

/// A line that is no list of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Counted from 1.
    pub line: usize,
    /// Why the line cannot be used.
    pub reason: &'static str,
}

impl Synonyms {
    /// The lists that are built in.
    #[must_use]
    pub fn builtin() -> Self {
        let mut synonyms = Self::default();
        for (_, line) in lines(BUILTIN) {
            // A test says that all of them are good.
            let _good = synonyms.add(line);
        }
        synonyms
    }

    /// Adds lists: a line for each thing, its names between `|`; empty lines and those
    /// that begin with `#` say nothing.
    ///
    /// # Errors
    /// The first line that is no such list.
    pub fn extend(&mut self, text: &str) -> Result<(), BadLine> {
        for (line, names) in lines(text) {
            self.add(names).map_err(|reason| BadLine { line, reason })?;
        }
        Ok(())
    }

    fn add(&mut self, line: &str) -> Result<(), &'static str> {
        let names: Vec<String> = line.split('|').map(one_space).collect();
        let words: Vec<Vec<String>> = names.iter().map(|name| words_of(name)).collect();
        if names.len() < 2 {
            return Err("it has one name: write at least two, with | between them");
        }
        let thing = self.things.len();
        for words in words {
            let (first, rest) = words
                .split_first()
                .ok_or("one of the names has no letter and no digit")?;
            let rest = (rest.to_vec(), thing);
            self.names.entry(first.clone()).or_default().push(rest);
        }
        self.things.push(names);
        Ok(())
    }

    /// The other names of the things in a text, each once and without names that the text has, in
    /// the order of the text.
    #[must_use]
    pub fn others(&self, text: &str) -> Vec<&str> {
        let words = words_of(text);
        let stands = |name: &[String]| words.windows(name.len()).any(|some| some == name);
        let mut others: Vec<&str> = Vec::new();
        for at in 0..words.len() {
            let names = self.names.get(&words[at]).into_iter().flatten();
            let named = names.filter(|(rest, _)| words[at + 1..].starts_with(rest));
            for name in named.flat_map(|(_, thing)| &self.things[*thing]) {
                if !others.contains(&name.as_str()) && !stands(&words_of(name)) {
                    others.push(name);
                }
            }
        }
        others.truncate(MOST);
        others
    }
}

/// A text with single spaces, followed by the other names of its things.
#[must_use]
pub fn expanded(text: &str, others: &[&str]) -> String {
    let mut all = one_space(text);
    for other in others {
        let _written = write!(all, " {other}");
    }
    all
}

fn one_space(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().map(str::trim).zip(1..);
    let some = lines.filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    some.map(|(line, n)| (n, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> String {
        let synonyms = Synonyms::builtin();
        expanded(text, &synonyms.others(text))
    }

    #[test]
    fn a_short_name_is_asked_as_the_long_one_and_the_other_way() {
        assert_eq!(
            asked("is the DB \t down?"),
            "is the DB down? database",
            "with single spaces"
        );
        assert_eq!(asked("the database is down"), "the database is down db");
        assert_eq!(asked("my virtual machine"), "my virtual machine vm");
        assert_eq!(asked("a virtual door"), "a virtual door");
    }

    #[test]
    fn hebrew_is_found_with_and_without_its_marks() {
        let long = "מספר תעודת זהות";
        assert_eq!(asked(long), format!("{long} ת\"ז"));
        for short in ["מה הת\"ז", "ת״ז שלי", "תז שלי"] {
            let found = asked(short).contains("תעודת זהות");
            // A prefix that is written on makes it another word.
            assert_eq!(found, !short.contains("הת"), "{short}");
        }
    }

    #[test]
    fn what_the_text_says_already_is_not_added() {
        assert_eq!(
            asked("wifi or wireless"),
            "wifi or wireless wi-fi וייפיי ווי פיי אינטרנט אלחוטי"
        );
        assert_eq!(asked("db, DB, database"), "db, DB, database");
        assert_eq!(asked(""), "");
    }

    #[test]
    fn much_is_cut() {
        let synonyms = Synonyms::builtin();
        let all: Vec<&str> = synonyms
            .things
            .iter()
            .map(|names| names[0].as_str())
            .collect();
        assert_eq!(synonyms.others(&all.join(" ")).len(), MOST);
    }

    #[test]
    fn own_lists_come_on_top_and_a_bad_line_is_named() {
        let mut synonyms = Synonyms::builtin();
        let own = "# ours\n\nblue box | the router | edge-7\n";
        assert_eq!(synonyms.extend(own), Ok(()));
        assert_eq!(synonyms.others("reset edge 7"), ["blue box", "the router"]);
        let bad = |text: &str| synonyms_of(text).err().map(|bad| bad.line);
        assert_eq!(bad("a | b\n\nalone\n"), Some(3));
        assert_eq!(bad("a | - |b"), Some(1));
    }

    fn synonyms_of(text: &str) -> Result<Synonyms, BadLine> {
        let mut synonyms = Synonyms::default();
        synonyms.extend(text).map(|()| synonyms)
    }

    #[test]
    fn every_line_that_is_built_in_is_good() {
        let synonyms = synonyms_of(BUILTIN).expect("good");
        assert!(synonyms.things.len() > 50);
    }
}
