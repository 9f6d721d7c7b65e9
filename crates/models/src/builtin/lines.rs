//! The lines of a window with their addressees and their classification.

use std::ops::Index;

use threadlore_model::{Outcome, PersonId, Window};

use super::names::Names;
use super::readings::{Reading, Readings};

/// A line.
pub(super) struct Said<'w> {
    /// The person whom the beginning addresses by name.
    pub(super) to: Option<PersonId>,
    /// The text after that name.
    pub(super) rest: &'w str,
    /// Whether the beginning addresses somebody who is not in the window.
    pub(super) to_stranger: bool,
    /// Its text without the name it begins with, nor one at its end.
    pub(super) text: &'w str,
    /// How that reads.
    pub(super) reads: Reading,
}

/// All lines of a window, by their places in it.
pub(super) struct Lines<'w> {
    pub(super) window: &'w Window,
    said: Vec<Said<'w>>,
    names: Names,
}

impl<'w> Lines<'w> {
    pub(super) fn of(window: &'w Window, readings: &Readings) -> Self {
        let names = Names::of(window);
        let lines = window.lines.iter().zip(&window.hints);
        let said = lines.map(|(line, hint)| {
            let (to, rest) = names.addressed(&line.text);
            let text = names.without_last(rest);
            Said {
                to,
                rest,
                to_stranger: to.is_none() && rest.len() < line.text.trim().len(),
                text,
                reads: readings.of_line(text, hint.question),
            }
        });
        Self {
            window,
            said: said.collect(),
            names,
        }
    }

    /// Whether a line says that something works, or thanks for help.
    pub(super) fn is_content(&self, at: usize) -> bool {
        matches!(
            self.window.hints[at].outcome,
            Some(Outcome::Thanks | Outcome::Works)
        )
    }

    /// The person whom a line names anywhere.
    pub(super) fn named_in(&self, at: usize) -> Option<PersonId> {
        self.names.within(&self.window.lines[at].text)
    }

    pub(super) fn asks(&self, at: usize) -> bool {
        self.window.hints[at].question
    }
}

impl<'w> Index<usize> for Lines<'w> {
    type Output = Said<'w>;

    fn index(&self, at: usize) -> &Said<'w> {
        &self.said[at]
    }
}
