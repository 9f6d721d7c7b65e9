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

    /// A text without a name at its end.
    pub(super) fn without_last<'t>(&self, text: &'t str) -> &'t str {
        let text = match text.rsplit_once([' ', ',']) {
            Some((before, last))
                if self
                    .0
                    .contains_key(&last.trim_matches(['.', '!', '?', ':', ')']).to_lowercase())
                    && !is_everyday(last) =>
            {
                before.trim_end_matches([' ', ','])
            }
            _ => text,
        };
        text.trim()
    }
}
