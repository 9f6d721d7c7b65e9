//! Reads lines one after another, and returns for each the lines that it may answer, with the
//! features of every possibility.

use std::collections::{BTreeSet, HashMap};

use threadlore_model::{Hint, Line, MessageId};

use super::feature::Row;
use super::memory::{Memory, Seen};
use super::view::View;
use super::{BUILT_IN, Weights};

/// A line that has been read, with its possible links.
#[derive(Debug)]
pub struct Choice {
    /// The command just before that a bot answers.
    pub command: Option<usize>,
    /// The features for the start of a conversation.
    pub start: Row,
    /// The earlier lines that it may answer, nearest first, by their numbers.
    pub answers: Vec<(usize, Row)>,
    seen: Seen,
}

/// Reads a channel line by line, in bounded memory. Lines are numbered from 0.
#[derive(Debug, Clone, Default)]
pub struct Linker {
    memory: Memory,
    /// Messages known to be topic roots, in addition to those that very many remembered lines reply
    /// to.
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
        let root = line.reply_to.filter(|message| self.is_root(*message));
        let topic = self.topic_of(line);
        let seen = self.memory.read(line, topic, None);
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

    /// Remembers a line that was read, and its link.
    pub fn settle(&mut self, choice: Choice, link: Option<usize>) {
        self.memory.keep(choice.seen, link);
    }

    /// The message that a line replies to according to the platform, remembered or not.
    #[must_use]
    pub fn reply_of(&self, line: &Line) -> Option<MessageId> {
        line.reply_to.filter(|message| !self.is_root(*message))
    }

    /// Reads the next line, judges which of the remembered ones it answers or continues, and
    /// remembers that; gives the number and the message of the earlier line.
    pub fn judge_by(&mut self, line: &Line, weights: &Weights) -> Option<(usize, MessageId)> {
        let choice = self.read(line);
        let link = weights.choose(&choice);
        let found = link.map(|earlier| (earlier, self.memory.line(earlier).message));
        self.settle(choice, link);
        found
    }

    /// [`Linker::judge_by`] with the built-in weights; gives the message of the earlier line, and
    /// what the text says of a problem, which was found on the way.
    pub fn judge(&mut self, line: &Line) -> (Option<MessageId>, Hint) {
        let found = self.judge_by(line, &BUILT_IN);
        (found.map(|(_, message)| message), self.last_hint())
    }

    fn last_hint(&self) -> Hint {
        let last = self.memory.last();
        last.map_or_else(Hint::default, |seen| seen.look.hint)
    }

    fn is_root(&self, message: MessageId) -> bool {
        self.roots.contains(&message) || self.memory.is_root(message)
    }

    /// The topic root that a line is under, by the platform's word.
    fn topic_of(&self, line: &Line) -> Option<MessageId> {
        let root = line.reply_to.filter(|message| self.is_root(*message));
        let replied = line.reply_to.and_then(|m| self.memory.number(m));
        root.or_else(|| replied.and_then(|at| self.memory.line(at).topic))
    }

    /// Remembers a line whose link is known. Linkers that remember the same lines with the same
    /// links give the same results for later lines. Gives what its text says of a problem.
    pub fn remember(&mut self, line: &Line, link: Option<MessageId>) -> Hint {
        self.remember_again(line, link, None);
        self.last_hint()
    }

    /// Forgets all lines except these, which are remembered as by [`Linker::remember`]. Lines that
    /// were remembered before are not analysed again, because their texts are the same.
    pub fn remember_only<'l>(
        &mut self,
        lines: impl IntoIterator<Item = (&'l Line, Option<MessageId>)>,
    ) {
        let before = std::mem::take(&mut self.memory).into_lines();
        let mut before: HashMap<MessageId, Seen> =
            before.map(|seen| (seen.message, seen)).collect();
        for (line, link) in lines {
            self.remember_again(line, link, before.remove(&line.message));
        }
    }

    fn remember_again(&mut self, line: &Line, link: Option<MessageId>, before: Option<Seen>) {
        let topic = self.topic_of(line);
        let seen = self.memory.read(line, topic, before);
        let link = link.and_then(|message| self.memory.number(message));
        self.memory.keep(seen, link);
    }

    /// How many lines, people and words are remembered.
    #[cfg(test)]
    pub(super) fn held(&self) -> [usize; 3] {
        let memory = &self.memory;
        let lines = memory.next() - memory.first();
        [lines, memory.people.places(), memory.words.len()]
    }
}
