//! Reads lines one after another and says of each what it may answer, with the
//! features of every possibility.

use std::collections::BTreeSet;

use threadlore_model::{Line, MessageId};

use super::feature::Row;
use super::memory::{Memory, Seen};
use super::view::View;

/// A line that has been read, and what it may be.
#[derive(Debug)]
pub struct Choice {
    /// The command just before that a bot answers.
    pub command: Option<usize>,
    /// What speaks for the start of a conversation.
    pub start: Row,
    /// The earlier lines that it may answer, nearest first, by their numbers.
    pub answers: Vec<(usize, Row)>,
    seen: Seen,
}

/// Reads a channel line by line, in bounded memory. Lines are numbered from 0.
#[derive(Debug, Default)]
pub struct Linker {
    memory: Memory,
    /// Messages that very many messages reply to.
    roots: BTreeSet<MessageId>,
}

impl Linker {
    /// With the messages that are topic roots: a reply to one says where a
    /// line was written, not what it answers.
    #[must_use]
    pub fn new(roots: BTreeSet<MessageId>) -> Self {
        Self {
            memory: Memory::default(),
            roots,
        }
    }

    /// Reads the next line. It is remembered by [`Linker::settle`].
    pub fn read(&mut self, line: &Line) -> Choice {
        let root = line.reply_to.filter(|message| self.roots.contains(message));
        let replied = line.reply_to.and_then(|m| self.memory.number(m));
        let topic = root.or_else(|| replied.and_then(|at| self.memory.line(at).topic));
        let seen = self.memory.read(line, topic);
        let mut view = View::new(&self.memory, &seen, root);
        let command = view.command();
        let (start, answers) = view.rows();
        Choice {
            command,
            start,
            answers,
            seen,
        }
    }

    /// Remembers a line that was read, and what it answers.
    pub fn settle(&mut self, choice: Choice, link: Option<usize>) {
        self.memory.keep(choice.seen, link);
    }

    /// How many lines, people and words are remembered.
    #[cfg(test)]
    pub(super) fn held(&self) -> [usize; 3] {
        let memory = &self.memory;
        let lines = memory.next() - memory.first();
        [lines, memory.people.places(), memory.words.len()]
    }
}
