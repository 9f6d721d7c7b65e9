//! Names of people, and the person whom a text addresses.

use std::collections::BTreeMap;

use threadlore_model::{PersonId, Window};

use super::words::{is_everyday, words};

/// Names of the people in a window.
pub(super) struct Names(BTreeMap<String, PersonId>);

impl Names {
    pub(super) fn of(window: &Window) -> Self {
        let named = window
            .lines
            .iter()
            .filter_map(|line| Some((line.name.as_ref()?, line.person)));
        Self(
            named
                .map(|(name, person)| (name.to_lowercase(), person))
                .collect(),
        )
    }

    /// The person whom the beginning of a text addresses, and the rest of the text.
    pub(super) fn addressed<'t>(&self, text: &'t str) -> (Option<PersonId>, &'t str) {
        let text = text.trim();
        let bare = text.strip_prefix('@').unwrap_or(text);
        let end = bare
            .find(|c: char| c.is_whitespace() || matches!(c, ':' | ',' | ';' | '>'))
            .unwrap_or(bare.len());
        let (first, after) = bare.split_at(end);
        let rest = after.trim_start_matches([':', ',', ';', '>', ' ']);
        let marked = after.starts_with([':', ',', ';', '>']) || text.starts_with('@');
        match self.0.get(&first.to_lowercase()) {
            Some(person) if marked || !is_everyday(first) => (Some(*person), rest),
            // A name that is not in the window any more.
            None if after.starts_with(": ")
                && !is_everyday(first)
                && first.chars().count() > 2
                && !first.contains(['/', '.']) =>
            {
                (None, rest)
            }
            _ => (None, text),
        }
    }

    /// The first person whom a text names, whole or by the part of the name before a sign or
    /// digit.
    pub(super) fn within(&self, text: &str) -> Option<PersonId> {
        words(text).find_map(|word| {
            if is_everyday(&word) {
                return None;
            }
            let whole = self.0.get(word.as_ref());
            let part = || {
                let mut names = self.0.iter();
                let is_part = |name: &str| {
                    let rest = name.strip_prefix(word.as_ref());
                    word.chars().count() > 1
                        && rest.is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
                };
                names
                    .find(|(name, _)| is_part(name))
                    .map(|(_, person)| person)
            };
            whole.or_else(part).copied()
        })
    }

    /// A text without smileys, fillers and a name at its end, which are no part of what is quoted.
    pub(super) fn without_last<'t>(&self, text: &'t str) -> &'t str {
        let mut text = text.trim();
        loop {
            let shorter = without_smiley(text)
                .or_else(|| without_filler(text))
                .or_else(|| self.without_name(text));
            match shorter.map(|shorter| shorter.trim_end_matches([' ', ','])) {
                Some(shorter) if !shorter.is_empty() => text = shorter,
                _ => return text,
            }
        }
    }

    fn without_name<'t>(&self, text: &'t str) -> Option<&'t str> {
        let (before, last) = text.rsplit_once([' ', ','])?;
        let name = last.trim_matches(['.', '!', '?', ':', ')']).to_lowercase();
        (self.0.contains_key(&name) && !is_everyday(last)).then_some(before)
    }
}

/// Smileys that stand by themselves at the end of a line.
const SMILEYS: &[&str] = &[
    ":)", ":-)", "=)", ";)", ";-)", ":(", ":-(", "=(", ":P", ":p", ":-P", ":-p", "=P", ":D", ":-D",
    "=D", "xD", "XD", ":/", ":-/", ":o", ":O", "^^", "^_^", "<3", "lol", "LOL", "haha", "hehe",
];

/// What people add to a line to say that it was meant so.
const FILLERS: &[&str] = &["i mean", "I mean", "imho", "IMHO"];

fn without_smiley(text: &str) -> Option<&str> {
    let (before, last) = text.rsplit_once(' ')?;
    SMILEYS.contains(&last).then_some(before)
}

fn without_filler(text: &str) -> Option<&str> {
    let before = FILLERS.iter().find_map(|filler| text.strip_suffix(filler));
    before.filter(|before| before.ends_with([' ', ',']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::tests::window;

    #[test]
    fn what_is_no_part_of_a_quotation_is_left_out_at_the_end() {
        let names = Names::of(&window(&[("Shadow", "how do I install it?", None, "?")]));
        for (line, quoted) in [
            ("You decompress it Shadow i mean :P", "You decompress it"),
            ("try aplay -l, Shadow :)", "try aplay -l"),
            ("use tar xzf lol", "use tar xzf"),
            ("it is in /etc/fstab:/", "it is in /etc/fstab:/"),
            ("Shadow", "Shadow"),
            (":P", ":P"),
        ] {
            assert_eq!(names.without_last(line), quoted, "{line}");
        }
    }
}
