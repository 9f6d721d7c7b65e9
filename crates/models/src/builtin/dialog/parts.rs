//! Which lines belong to a conversation, and where another one begins in it.

use std::ops::Range;

use threadlore_model::Outcome;

use super::Dialog;
use crate::builtin::prose::{self, Prose};

/// A channel is quiet where at least four of five lines belong to one conversation.
const QUIET: (usize, usize) = (5, 4);

impl Dialog<'_> {
    /// The conversation, split where the asker was content and asked another question. In a quiet
    /// channel one talk often leads to the next.
    pub(in super::super) fn parts(self) -> Vec<Self> {
        let mut parts = vec![self];
        while let Some(rest) = parts.last_mut().and_then(|last| last.split()) {
            parts.push(rest);
        }
        parts
    }

    fn split(&mut self) -> Option<Self> {
        let end = self.problem_lines[0];
        let is_content = |at: usize| {
            matches!(
                self.window.hints[at].outcome,
                Some(Outcome::Thanks | Outcome::Works)
            )
        };
        let first = *self.answers.keys().next()?;
        let content: Vec<usize> = self
            .own_after(first.max(end))
            .filter(|at| is_content(*at))
            .collect();
        let last = *self.lines.last()?;
        let mut calm = content
            .into_iter()
            .filter(|at| self.is_quiet(*at..last + 1));
        let (at, rest) = calm.find_map(|at| {
            let after = self
                .lines
                .iter()
                .copied()
                .filter(|line| *line > at)
                .collect();
            let rest = Self::read(self.said, after, &self.adopted)?;
            let asks = |line: &usize| self.window.hints[*line].question;
            rest.problem_lines.iter().any(asks).then_some((at, rest))
        })?;
        self.lines.retain(|line| *line <= at);
        self.answers.retain(|line, _| *line <= at);
        Some(rest)
    }

    /// Whether a line can be part of this conversation: the asker wrote it, or it asks something or
    /// gives information.
    pub(in super::super) fn may_hear(&self, at: usize) -> bool {
        let is_asker = self.window.lines[at].person == self.asker;
        self.said.asks(at) || is_asker || self.said[at].reads.tells
    }

    /// Whether it may as well be a question back to the asker of another problem.
    pub(in super::super) fn may_ask_back(&self, other: &Self) -> bool {
        let first = self.problem_lines[0];
        self.asker != other.asker
            && self.window.hints[first].question
            && prose::asks_back(&Prose::of(&self.problem))
    }

    /// Whether most messages of people in a range belong to this conversation.
    pub(in super::super) fn is_quiet(&self, range: Range<usize>) -> bool {
        let said = range
            .clone()
            .filter(|at| !self.window.lines[*at].bot)
            .count();
        let own = self.lines.iter().filter(|at| range.contains(at)).count();
        QUIET.0 * own >= QUIET.1 * said
    }
}
