//! Other names for the people of a conversation, where anybody may read it.

use std::collections::BTreeMap;

use threadlore_model::PersonId;

use crate::cases::Line;

/// In place of an address by e-mail.
const ADDRESS: &str = "(an e-mail address)";
/// In place of somebody who is named and did not write in the conversation.
const SOMEBODY: &str = "somebody";
/// Shorter names are replaced where somebody is addressed by them alone: they are words, too.
const WORD: usize = 3;
/// Digits of a mention that is a telephone number.
const DIGITS: usize = 7;

/// The people of a conversation: who asked is `Asker`, the others are numbered in the order in which
/// they wrote. The same person has the same name all over the conversation, and another one in the next.
#[derive(Debug, Default)]
pub(crate) struct Pseudonyms {
    people: BTreeMap<PersonId, String>,
    /// Names of those people, the longest first, each with its pseudonym.
    names: Vec<(String, String)>,
    /// Names of others who write in the channel, the longest first.
    others: Vec<String>,
}

impl Pseudonyms {
    /// Of the lines of a conversation, the question first. `others` are names of people who write in
    /// the same channel.
    pub(crate) fn of(lines: &[Line], others: impl IntoIterator<Item = String>) -> Self {
        let mut found = Self::default();
        for line in lines {
            let Some(person) = line.person else { continue };
            let number = found.people.len() + 1;
            let label = found.people.entry(person).or_insert_with(|| match number {
                1 => "Asker".to_owned(),
                _ => format!("Person {number}"),
            });
            let known = line.name.iter().map(|name| name.trim().to_owned());
            let known = known.filter(|name| !name.is_empty());
            found.names.extend(known.map(|name| (name, label.clone())));
        }
        let others = others.into_iter().map(|name| name.trim().to_owned());
        found.others = others.filter(|name| !name.is_empty()).collect();
        found.in_order()
    }

    /// For a text that is shown without its conversation: whoever has one of these names is somebody.
    pub(crate) fn of_nobody(names: &[String]) -> Self {
        let names = names.iter().map(|name| name.trim().to_owned());
        let names = names.filter(|name| !name.is_empty());
        let found = Self {
            names: names.map(|name| (name, SOMEBODY.to_owned())).collect(),
            ..Self::default()
        };
        found.in_order()
    }

    /// A name that is part of another one comes after it.
    fn in_order(mut self) -> Self {
        let longest = |name: &str| std::cmp::Reverse(name.chars().count());
        self.names.sort_by_key(|(name, _)| longest(name));
        self.names.dedup();
        self.others.sort_by_key(|name| longest(name));
        self
    }

    /// What somebody is called.
    pub(crate) fn person(&self, person: Option<PersonId>) -> &str {
        let known = person.and_then(|person| self.people.get(&person));
        known.map_or("Somebody", String::as_str)
    }

    /// A text in which people have other names: those of the conversation wherever they stand, others
    /// of the channel where they are addressed, and mentions and e-mail addresses by their form.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut written = String::with_capacity(text.len());
        let mut rest = text;
        let mut before: Option<char> = None;
        while let Some(next) = rest.chars().next() {
            let is_begin = !before.is_some_and(is_of_word);
            let named = is_begin.then(|| self.named(rest, before)).flatten();
            if let Some((length, label)) = named {
                written.push_str(label);
                before = rest[..length].chars().next_back();
                rest = &rest[length..];
                continue;
            }
            written.push(next);
            before = Some(next);
            rest = &rest[next.len_utf8()..];
        }
        written
    }

    /// Who is named at the beginning of a text: how many bytes name them, and their pseudonym.
    fn named(&self, text: &str, before: Option<char>) -> Option<(usize, &str)> {
        if let Some(length) = address(text) {
            return Some((length, ADDRESS));
        }
        let mention = text.strip_prefix('@');
        let at = mention.map_or(0, |_| 1);
        let name = &text[at..];
        let is_line = before.is_none_or(|before| before == '\n');
        let is_addressed =
            |length: usize| at == 1 || (is_line && name[length..].starts_with([':', ',']));
        for (known, label) in &self.names {
            if let Some(length) = begins(name, known, false)
                && (is_addressed(length)
                    || is_no_word(known)
                    || (known.chars().count() >= WORD && name.starts_with(known.as_str())))
            {
                return Some((at + length, label));
            }
        }
        for known in &self.others {
            if let Some(length) = begins(name, known, true)
                && (is_no_word(known) || is_addressed(length))
            {
                return Some((at + length, SOMEBODY));
            }
        }
        mention
            .and_then(native)
            .map(|length| (1 + length, SOMEBODY))
    }
}

/// Whether a name has signs that no word has, such as `_anna` and `bob42`.
fn is_no_word(name: &str) -> bool {
    let has = |sign: char| sign.is_ascii_digit() || "_[]{}\\^`|".contains(sign);
    name.chars().count() >= WORD && name.contains(has) && name.contains(char::is_alphabetic)
}

fn is_of_word(sign: char) -> bool {
    sign.is_alphanumeric() || sign == '_'
}

/// The bytes of a name at the beginning of a text, in any case, if a word ends behind it; a `strict` one
/// does not end at a hyphen.
fn begins(text: &str, name: &str, strict: bool) -> Option<usize> {
    let mut signs = text.char_indices();
    for wanted in name.chars() {
        let (_, sign) = signs.next()?;
        if sign != wanted && !sign.to_lowercase().eq(wanted.to_lowercase()) {
            return None;
        }
    }
    let (length, next) = signs
        .next()
        .map_or((text.len(), None), |(at, sign)| (at, Some(sign)));
    let goes_on = next.is_some_and(|next| is_of_word(next) || (strict && next == '-'));
    (!goes_on).then_some(length)
}

/// The bytes of an e-mail address at the beginning of a text.
fn address(text: &str) -> Option<usize> {
    let end = text.find(|sign: char| sign.is_whitespace() || "<>()[]{},;\"'|".contains(sign));
    let word = text[..end.unwrap_or(text.len())].trim_end_matches(['.', ':', '!', '?']);
    let (local, host) = word.split_once('@')?;
    let is_local = !local.is_empty() && !local.contains(['/', ':']);
    let top = host.rsplit_once('.').map(|(_, top)| top);
    let is_host = top.is_some_and(|top| top.chars().all(char::is_alphabetic))
        && host.split('.').all(|part| !part.is_empty())
        && host
            .chars()
            .all(|sign| sign.is_alphanumeric() || ".-".contains(sign));
    (is_local && is_host).then_some(word.len())
}

/// The bytes of what a platform puts behind `@` for somebody: an id of Matrix, or a telephone number.
fn native(text: &str) -> Option<usize> {
    let end = text.find(|sign: char| sign.is_whitespace() || "<>()[]{},;\"'|".contains(sign));
    let word = text[..end.unwrap_or(text.len())].trim_end_matches(['.', ':', '!', '?']);
    let is_of_matrix = word.split_once(':').is_some_and(|(local, host)| {
        !local.is_empty() && host.contains('.') && !host.contains('/')
    });
    let is_number = word.len() >= DIGITS && word.bytes().all(|digit| digit.is_ascii_digit());
    (is_of_matrix || is_number).then_some(word.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use threadlore_model::{MessageId, Part};
    use uuid::Uuid;

    use super::*;

    fn line(person: u128, name: &str) -> Line {
        Line {
            part: Part::Context,
            at: None,
            name: Some(name.to_owned()),
            text: None,
            message: MessageId::from_uuid(Uuid::from_u128(1)),
            native_id: None,
            person: Some(PersonId::from_uuid(Uuid::from_u128(person))),
            reply_to: None,
            reactions: Vec::new(),
            merged_from: None,
        }
    }

    fn people() -> Pseudonyms {
        let lines = [
            line(1, "Ann Lee"),
            line(2, "bob"),
            line(1, "annie_"),
            line(3, "אורי"),
            line(4, "jo"),
        ];
        let others = ["Carla", "dan", "_xena", "w32", "[gnu]lover"];
        Pseudonyms::of(&lines, others.map(str::to_owned))
    }

    #[test]
    fn people_have_other_names_wherever_they_are_named() {
        let people = people();
        for (text, wanted) in [
            ("bob: try sudo", "Person 2: try sudo"),
            ("Bob, try sudo", "Person 2, try sudo"),
            ("thanks bob!", "thanks Person 2!"),
            ("thanks @BOB", "thanks Person 2"),
            ("as ANNIE_ says", "as Asker says"),
            (
                "Ann Lee said so, and annie_ too",
                "Asker said so, and Asker too",
            ),
            ("תודה אורי", "תודה Person 3"),
            ("bobsleigh and kabob_bob_", "bobsleigh and kabob_bob_"),
            // A name of two letters is a word: it is replaced where somebody is addressed.
            ("jo: look", "Person 4: look"),
            ("the jo file", "the jo file"),
            // Others of the channel, where they are addressed.
            (
                "carla: here\ndan, you too",
                "somebody: here\nsomebody, you too",
            ),
            (
                "ask @Carla. The carla option",
                "ask somebody. The carla option",
            ),
            // Those with signs that no word has, wherever they stand.
            (
                "the _Xena solution of [gnu]lover, w32!",
                "the somebody solution of somebody, somebody!",
            ),
            ("w32codecs and my_xena", "w32codecs and my_xena"),
            // What is somebody by its form.
            ("@ann:example.org knows", "somebody knows"),
            ("@972501234567 knows", "somebody knows"),
            (
                "write to <bob@example.org>.",
                "write to <(an e-mail address)>.",
            ),
            (
                "mail ann.lee+x@mail.example.org, please",
                "mail (an e-mail address), please",
            ),
            // What is nobody.
            (
                "apt install foo@1.2 @types/node user@host",
                "apt install foo@1.2 @types/node user@host",
            ),
            (
                "git clone https://user@example.org/x",
                "git clone https://user@example.org/x",
            ),
            ("", ""),
        ] {
            assert_eq!(people.text(text), wanted);
        }
    }

    #[test]
    fn one_person_has_one_name_in_a_conversation() {
        let people = people();
        let person = |number| Some(PersonId::from_uuid(Uuid::from_u128(number)));
        assert_eq!(people.person(person(1)), "Asker");
        assert_eq!(people.person(person(3)), "Person 3");
        assert_eq!(people.person(person(9)), "Somebody");
        assert_eq!(people.person(None), "Somebody");
    }

    proptest! {
        #[test]
        fn no_name_of_the_conversation_is_left(
            words in prop::collection::vec(
                prop::sample::select(vec!["bob", "Ann Lee", "@bob", "try", "é", ":", "\n", "bob@x.org", "-", "annie_"]),
                0..30,
            )
        ) {
            let written = people().text(&words.join(" "));
            for name in ["bob", "Ann Lee", "annie_"] {
                prop_assert!(!written.contains(name), "{}", written);
            }
        }
    }
}
