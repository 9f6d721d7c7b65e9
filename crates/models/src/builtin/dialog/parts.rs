//! Which lines belong to a conversation, and where another one begins in it.

use std::ops::Range;

use threadlore_model::Outcome;

use super::Dialog;
use crate::builtin::talk;

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

    /// Whether most messages of people in a range belong to this conversation.
    pub(super) fn is_quiet(&self, range: Range<usize>) -> bool {
        talk::is_quiet(self.said, &self.lines, range)
    }
}
