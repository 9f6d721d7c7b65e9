//! Who speaks, and whom a line addresses.

use std::collections::HashMap;

use threadlore_model::{Line, PersonId};

use super::words::{is_name_sign, tokens};

/// A person, numbered in order of first appearance in the window.
pub(super) type Person = usize;

/// The people of a window.
pub(super) struct People {
    /// How many there are.
    pub(super) count: usize,
    /// Who wrote each line.
    pub(super) speaker: Vec<Person>,
    /// Whom each line addresses: by the platform, or by a name at its start.
    pub(super) addresses: Vec<Vec<Person>>,
    /// Whom each line names elsewhere in its text.
    pub(super) names: Vec<Vec<Person>>,
}

/// Names that are also everyday words are not looked for inside a text.
const EVERYDAY: &[&str] = &[
    "all", "any", "are", "away", "back", "bad", "big", "boot", "box", "bug", "but", "cat", "cool",
    "day", "dead", "desktop", "disk", "dude", "free", "fun", "game", "good", "great", "guest",
    "guy", "hello", "help", "here", "home", "just", "kde", "kernel", "life", "like", "linux",
    "man", "maybe", "me", "mine", "name", "new", "nice", "nick", "not", "now", "old", "one", "out",
    "people", "ping", "root", "run", "server", "some", "someone", "sound", "test", "that", "the",
    "there", "this", "time", "true", "try", "ubuntu", "user", "video", "what", "why", "windows",
    "work", "yes", "you",
];
/// Shorter names are not looked for inside a text.
const SHORTEST_INSIDE: usize = 3;
/// Shorter beginnings of a name do not stand for it.
const SHORTEST_PREFIX: usize = 4;

impl People {
    pub(super) fn new(lines: &[Line]) -> Self {
        let mut numbers: HashMap<PersonId, Person> = HashMap::new();
        for line in lines {
            let next = numbers.len();
            numbers.entry(line.person).or_insert(next);
        }
        let mut roster = Roster::default();
        let mut people = Self {
            count: numbers.len(),
            speaker: Vec::with_capacity(lines.len()),
            addresses: Vec::with_capacity(lines.len()),
            names: Vec::with_capacity(lines.len()),
        };
        for line in lines {
            let speaker = numbers[&line.person];
            let (mut to, mut inside) = roster.find(&line.text);
            to.extend(
                line.mentions
                    .iter()
                    .filter_map(|person| numbers.get(person)),
            );
            to.sort_unstable();
            to.dedup();
            to.retain(|person| *person != speaker);
            inside.retain(|person| *person != speaker && !to.contains(person));
            people.speaker.push(speaker);
            people.addresses.push(to);
            people.names.push(inside);
            if let Some(name) = &line.name {
                roster.add(name, speaker);
            }
        }
        people
    }
}

/// Names seen so far.
#[derive(Default)]
struct Roster {
    exact: HashMap<String, Person>,
    /// Without trailing signs and digits, as people shorten a name.
    short: HashMap<String, Person>,
}

impl Roster {
    fn add(&mut self, name: &str, person: Person) {
        let name = name.to_lowercase();
        let short = shortened(&name);
        if short.chars().count() >= SHORTEST_PREFIX && short != name {
            self.short.insert(short.to_owned(), person);
        }
        self.exact.insert(name, person);
    }

    fn get(&self, name: &str) -> Option<Person> {
        let name = name.to_lowercase();
        let exact = self.exact.get(&name);
        exact.or_else(|| self.short.get(shortened(&name))).copied()
    }

    /// People addressed at the start (or after a bot command's `|`, `>` or
    /// `@`), and people named elsewhere.
    fn find(&self, text: &str) -> (Vec<Person>, Vec<Person>) {
        let (mut to, mut inside) = (Vec::new(), Vec::new());
        let text = text.trim_start();
        let mut rest = text;
        while let Some((name, after)) = leading_name(rest) {
            let Some(person) = self.get(name) else { break };
            let marked = after.starts_with([':', ',', ';', '>']) || rest.starts_with('@');
            let plain = after.starts_with([' ', '.', '!', '?']) || after.is_empty();
            let everyday = EVERYDAY.contains(&name.to_lowercase().as_str());
            if !(marked || plain && !everyday) {
                break;
            }
            to.push(person);
            rest = after.trim_start_matches([':', ',', ';', '>', ' ', '&', '/']);
            rest = rest.strip_prefix("and ").unwrap_or(rest);
        }
        if text.starts_with('!')
            && let Some((_, target)) = text.split_once(['|', '>'])
        {
            to.extend(leading_name(target.trim_start()).and_then(|(name, _)| self.get(name)));
        }
        for token in tokens(rest) {
            let token = token.trim_end_matches(['-', ']', '}', ')']);
            if token.chars().count() < SHORTEST_INSIDE {
                continue;
            }
            let lower = token.to_lowercase();
            if EVERYDAY.contains(&lower.as_str()) {
                continue;
            }
            if let Some(person) = self.exact.get(&lower) {
                inside.push(*person);
            }
        }
        (to, inside)
    }
}

/// The word a text starts with, when it could be a name, and what follows.
fn leading_name(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('@').unwrap_or(text);
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || is_name_sign(c)))
        .unwrap_or(text.len());
    let (name, after) = text.split_at(end);
    (!name.is_empty()).then_some((name, after))
}

fn shortened(name: &str) -> &str {
    name.trim_end_matches(|c: char| c.is_ascii_digit() || is_name_sign(c))
}
