//! The writer of a line, and the people whom it addresses.

use std::collections::HashMap;

use threadlore_model::{Line, PersonId};

use super::words::{is_name_sign, tokens};

/// A person, by the place they hold while a remembered line needs them.
pub(super) type Person = usize;

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
/// The shortest beginning of a name that counts as the name.
const SHORTEST_PREFIX: usize = 4;

/// Signs that may follow the name of an addressed person.
const MARKS: [char; 8] = [':', ',', ';', '>', '،', '؛', '：', '，'];

/// The people whom a line addresses.
#[derive(Debug, Clone, Default)]
pub(super) struct Spoken {
    /// By the platform, or by a name at the start.
    pub(super) to: Vec<Person>,
    /// Named elsewhere in the text.
    pub(super) named: Vec<Person>,
    /// It begins like an address of a person, but of an unknown one.
    pub(super) unknown: bool,
    /// The offset of the text after the address.
    pub(super) rest: usize,
}

/// The people of the remembered lines, and their names.
#[derive(Debug, Clone, Default)]
pub(super) struct People {
    places: HashMap<PersonId, Person>,
    held: Vec<Held>,
    free: Vec<Person>,
    exact: HashMap<String, Person>,
    /// Without trailing signs and digits, as people shorten a name.
    short: HashMap<String, Person>,
}

#[derive(Debug, Clone, Default)]
struct Held {
    id: Option<PersonId>,
    name: Option<String>,
    /// How many remembered lines speak of the person or are theirs.
    uses: usize,
}

impl People {
    /// Places for people; a [`Person`] is smaller.
    pub(super) fn places(&self) -> usize {
        self.held.len()
    }

    /// The writer of a line and the people whom it addresses. All of them are kept until
    /// [`People::release`].
    pub(super) fn meet(&mut self, line: &Line) -> (Person, Spoken) {
        let speaker = self.place(line.person);
        let mut spoken = self.find(&line.text);
        let mentioned = line.mentions.iter().filter_map(|id| self.places.get(id));
        spoken.to.extend(mentioned);
        spoken.unknown &= spoken.to.is_empty();
        spoken.to.sort_unstable();
        spoken.to.dedup();
        spoken.to.retain(|person| *person != speaker);
        spoken.named.sort_unstable();
        spoken.named.dedup();
        spoken
            .named
            .retain(|person| *person != speaker && !spoken.to.contains(person));
        for person in spoken.to.iter().chain(&spoken.named) {
            self.held[*person].uses += 1;
        }
        if let Some(name) = &line.name {
            self.name(speaker, name);
        }
        (speaker, spoken)
    }

    /// Lets go of a person once.
    pub(super) fn release(&mut self, person: Person) {
        let held = &mut self.held[person];
        held.uses -= 1;
        if held.uses > 0 {
            return;
        }
        let held = std::mem::take(held);
        if let Some(id) = held.id {
            self.places.remove(&id);
        }
        if let Some(name) = held.name {
            forget(&mut self.exact, &name, person);
            forget(&mut self.short, shortened(&name), person);
        }
        self.free.push(person);
    }

    fn place(&mut self, id: PersonId) -> Person {
        let person = *self.places.entry(id).or_insert_with(|| {
            self.free.pop().unwrap_or_else(|| {
                self.held.push(Held::default());
                self.held.len() - 1
            })
        });
        self.held[person].id = Some(id);
        self.held[person].uses += 1;
        person
    }

    fn name(&mut self, person: Person, name: &str) {
        let name = name.to_lowercase();
        if self.held[person].name.as_ref() == Some(&name) {
            return;
        }
        if let Some(old) = self.held[person].name.take() {
            forget(&mut self.exact, &old, person);
            forget(&mut self.short, shortened(&old), person);
        }
        let short = shortened(&name);
        if short.chars().count() >= SHORTEST_PREFIX && short != name {
            self.short.insert(short.to_owned(), person);
        }
        self.exact.insert(name.clone(), person);
        self.held[person].name = Some(name);
    }

    fn get(&self, name: &str) -> Option<Person> {
        let name = name.to_lowercase();
        let exact = self.exact.get(&name);
        exact.or_else(|| self.short.get(shortened(&name))).copied()
    }

    /// People addressed at the start (or after a bot command's `|`, `>` or
    /// `@`), and people named elsewhere.
    fn find(&self, text: &str) -> Spoken {
        let mut spoken = Spoken::default();
        let whole = text.len();
        let text = text.trim_start();
        let mut rest = text;
        while let Some((name, after)) = leading_name(rest) {
            let marked = after.starts_with(MARKS) || rest.starts_with('@');
            let Some(person) = self.get(name) else {
                spoken.unknown = spoken.to.is_empty() && marked && !after.starts_with("://");
                break;
            };
            let plain = after.starts_with([' ', '.', '!', '?']) || after.is_empty();
            let everyday = EVERYDAY.contains(&name.to_lowercase().as_str());
            if !(marked || plain && !everyday) {
                break;
            }
            spoken.to.push(person);
            rest = after
                .trim_start_matches(MARKS)
                .trim_start_matches([' ', '&', '/']);
            rest = rest.strip_prefix("and ").unwrap_or(rest);
        }
        spoken.rest = whole - rest.len();
        if text.starts_with('!')
            && let Some((_, target)) = text.split_once(['|', '>'])
        {
            let name = leading_name(target.trim_start()).and_then(|(name, _)| self.get(name));
            spoken.to.extend(name);
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
            spoken.named.extend(self.exact.get(&lower));
        }
        spoken
    }
}

/// Removes a name that still means this person.
fn forget(names: &mut HashMap<String, Person>, name: &str, person: Person) {
    if names.get(name) == Some(&person) {
        names.remove(name);
    }
}

/// The first word of a text, if it could be a name, and the rest.
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
