//! The memory of earlier lines: the last [`KEPT`], with their writers, their words and their
//! conversations.

use std::collections::{HashMap, VecDeque};

use threadlore_model::{Line, MessageId};

use super::ROOT_REPLIES;
use super::look::Look;
use super::people::{People, Person, Spoken};
use super::words::{Words, quotes, stems, tokens};

/// How many lines are remembered.
pub(super) const KEPT: usize = 400;
/// How many lines make the rhythm of a channel.
const RHYTHM: usize = 32;
/// A rhythm is not faster than this, in milliseconds: clocks are coarse.
const FASTEST_MS: i64 = 2_000;
/// How many letters of a text are searched for a quotation.
const QUOTABLE: usize = 1_000;

/// A line with its analysis.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    pub(super) message: MessageId,
    /// The message with which its thread begins, if it is in one.
    thread: Option<MessageId>,
    /// The message that it replies to according to the platform.
    reply_to: Option<MessageId>,
    pub(super) at_ms: i64,
    pub(super) speaker: Person,
    pub(super) spoken: Spoken,
    pub(super) look: Look,
    pub(super) stems: Vec<String>,
    pub(super) quotes: Vec<Vec<String>>,
    /// Its words, as a quotation would have them.
    said: Vec<String>,
    /// Its topic root according to the platform, if any.
    pub(super) topic: Option<MessageId>,
    /// The number of the line that it answers.
    pub(super) link: Option<usize>,
    /// The first line of its conversation, by its number.
    pub(super) root: usize,
    /// How many lines answer it.
    pub(super) answers: usize,
}

impl Seen {
    /// Whether the writer of a later line sees it where that is written.
    pub(super) fn is_seen_by(&self, later: &Self) -> bool {
        self.thread == later.thread || later.thread == Some(self.message)
    }

    /// How many words of a quotation it has.
    pub(super) fn quoted(&self, quotes: &[Vec<String>]) -> usize {
        let has = |quote: &&Vec<String>| {
            self.said
                .windows(quote.len())
                .any(|w| w == quote.as_slice())
        };
        quotes
            .iter()
            .filter(|q| !q.is_empty())
            .filter(has)
            .map(Vec::len)
            .sum()
    }
}

/// A conversation with remembered lines.
#[derive(Debug, Clone, Default)]
pub(super) struct Conversation {
    pub(super) size: usize,
    /// Number of its last line.
    pub(super) last: usize,
    /// The participants, each with the number of their last line there.
    pub(super) people: Vec<(Person, usize)>,
}

impl Conversation {
    /// The person's last line in it.
    pub(super) fn last_of(&self, person: Person) -> Option<usize> {
        let mut people = self.people.iter();
        people.find(|(p, _)| *p == person).map(|(_, last)| *last)
    }
}

/// The remembered lines. Lines are numbered from 0 in the order of the log,
/// and a number stays the same when older lines are forgotten.
#[derive(Debug, Clone, Default)]
pub(super) struct Memory {
    lines: VecDeque<Seen>,
    /// Number of the oldest remembered line.
    first: usize,
    pub(super) people: People,
    pub(super) words: Words,
    conversations: HashMap<usize, Conversation>,
    numbers: HashMap<MessageId, usize>,
    /// How many remembered lines reply to a message.
    replies: HashMap<MessageId, usize>,
    /// How many remembered lines of one person address another.
    spoke: HashMap<(Person, Person), usize>,
    /// How many people each person's remembered lines address.
    partners: Vec<usize>,
}

impl Memory {
    /// Number of the next line.
    pub(super) fn next(&self) -> usize {
        self.first + self.lines.len()
    }

    /// Number of the oldest remembered line.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    pub(super) fn line(&self, number: usize) -> &Seen {
        &self.lines[number - self.first]
    }

    /// The line that was remembered last.
    pub(super) fn last(&self) -> Option<&Seen> {
        self.lines.back()
    }

    pub(super) fn conversation(&self, root: usize) -> &Conversation {
        static NONE: Conversation = Conversation {
            size: 0,
            last: 0,
            people: Vec::new(),
        };
        self.conversations.get(&root).unwrap_or(&NONE)
    }

    /// How many people the person's remembered lines address.
    pub(super) fn partners(&self, person: Person) -> usize {
        self.partners.get(person).copied().unwrap_or(0)
    }

    /// The number of a remembered message.
    pub(super) fn number(&self, message: MessageId) -> Option<usize> {
        self.numbers.get(&message).copied()
    }

    /// Whether very many remembered lines reply to the message.
    pub(super) fn is_root(&self, message: MessageId) -> bool {
        self.replies
            .get(&message)
            .is_some_and(|n| *n > ROOT_REPLIES)
    }

    /// Analyses the next line. `before` is the analysis of the same line by another memory.
    pub(super) fn read(
        &mut self,
        line: &Line,
        topic: Option<MessageId>,
        before: Option<Seen>,
    ) -> Seen {
        let (speaker, spoken) = self.people.meet(line);
        if let Some(before) = before.filter(|before| before.spoken.rest == spoken.rest) {
            return Seen {
                speaker,
                spoken,
                topic,
                link: None,
                root: self.next(),
                answers: 0,
                ..before
            };
        }
        let cut = line
            .text
            .char_indices()
            .nth(QUOTABLE)
            .map_or(line.text.len(), |(end, _)| end);
        Seen {
            message: line.message,
            thread: line.thread,
            reply_to: line.reply_to,
            at_ms: line.at.as_millis(),
            look: Look::of(line, line.text.get(spoken.rest..).unwrap_or_default()),
            speaker,
            spoken,
            stems: stems(&line.text[..cut]),
            quotes: quotes(&line.text[..cut]),
            said: tokens(&line.text[..cut]).map(str::to_lowercase).collect(),
            topic,
            link: None,
            root: self.next(),
            answers: 0,
        }
    }

    /// The analysis of each line.
    pub(super) fn into_lines(self) -> impl Iterator<Item = Seen> {
        self.lines.into_iter()
    }

    /// Remembers a line and its link, and forgets the oldest line.
    pub(super) fn keep(&mut self, mut seen: Seen, link: Option<usize>) {
        let number = self.next();
        if let Some(earlier) = link.filter(|earlier| *earlier >= self.first) {
            let earlier = &mut self.lines[earlier - self.first];
            earlier.answers += 1;
            seen.root = earlier.root;
        }
        seen.link = link;
        let there = self.conversations.entry(seen.root).or_default();
        there.size += 1;
        there.last = number;
        let first = self.first;
        there
            .people
            .retain(|(person, last)| *person != seen.speaker && *last >= first);
        there.people.push((seen.speaker, number));
        self.partners.resize(self.people.places(), 0);
        for person in &seen.spoken.to {
            let spoke = self.spoke.entry((seen.speaker, *person)).or_default();
            self.partners[seen.speaker] += usize::from(*spoke == 0);
            *spoke += 1;
        }
        self.words.learn(number, &seen.stems);
        self.numbers.insert(seen.message, number);
        if let Some(message) = seen.reply_to {
            *self.replies.entry(message).or_default() += 1;
        }
        self.lines.push_back(seen);
        if self.lines.len() > KEPT {
            self.forget();
        }
    }

    fn forget(&mut self) {
        let Some(old) = self.lines.pop_front() else {
            return;
        };
        let number = self.first;
        self.first += 1;
        self.words.forget(&old.stems);
        if self.numbers.get(&old.message) == Some(&number) {
            self.numbers.remove(&old.message);
        }
        if let Some(message) = old.reply_to
            && let Some(replies) = self.replies.get_mut(&message)
        {
            *replies -= 1;
            if *replies == 0 {
                self.replies.remove(&message);
            }
        }
        if self
            .conversations
            .get(&old.root)
            .is_some_and(|c| c.last == number)
        {
            self.conversations.remove(&old.root);
        }
        for person in &old.spoken.to {
            let pair = (old.speaker, *person);
            if let Some(spoke) = self.spoke.get_mut(&pair) {
                *spoke -= 1;
                if *spoke == 0 {
                    self.spoke.remove(&pair);
                    self.partners[old.speaker] -= 1;
                }
            }
        }
        for person in old.spoken.to.iter().chain(&old.spoken.named) {
            self.people.release(*person);
        }
        self.people.release(old.speaker);
        if let Some(c) = self.conversations.get_mut(&old.root) {
            c.people.retain(|(_, last)| *last > number);
        }
    }

    /// The time between two lines in quarters of a doubling of the channel's
    /// rhythm, the mean time between its latest lines.
    pub(super) fn gap(&self, from_ms: i64, to_ms: i64, rhythm_ms: i64) -> usize {
        let gap = to_ms.saturating_sub(from_ms).max(0);
        let eighths = usize::try_from(gap.saturating_mul(8) / rhythm_ms).unwrap_or(usize::MAX / 8);
        let whole = (eighths + 1).ilog2() as usize;
        whole * 4 + (((eighths + 1) << 2) >> whole) % 4
    }

    /// The mean time between the latest lines, in milliseconds.
    pub(super) fn rhythm(&self) -> i64 {
        let lines = self.lines.len().min(RHYTHM + 1);
        let (Some(last), Some(first)) = (
            self.lines.back(),
            self.lines.get(self.lines.len().saturating_sub(lines)),
        ) else {
            return FASTEST_MS;
        };
        let spans = i64::try_from(lines).unwrap_or(1).saturating_sub(1).max(1);
        (last.at_ms.saturating_sub(first.at_ms) / spans).max(FASTEST_MS)
    }
}
