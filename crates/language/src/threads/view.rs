//! The candidates of a line: the earlier lines that it may answer, with the features of each.

mod measured;

use threadlore_model::MessageId;

use super::feature::{Feature as F, Row};
use super::memory::{Memory, Seen};

/// The most lines between a line and its answer, unless the platform links them.
pub(super) const REACH: usize = 100;
/// How many of the nearest lines are candidates, whoever wrote them.
const NEAREST: usize = 12;
/// How many lines of the speaker, to the speaker, and by each way of naming
/// somebody are possibilities.
const OF_EACH: usize = 4;
/// How many of the lines that share the most words are possibilities.
const OF_SHARED: usize = 4;
/// A bot answers a command that is no more lines before than this.
const BOT_DELAY: usize = 3;
/// Lines that make the crowd.
const CROWD: usize = 20;

/// What is known of a person from the lines between.
#[derive(Debug, Clone, Copy, Default)]
struct Met {
    /// Lines that they wrote.
    wrote: usize,
    /// The nearest of them met so far, going back: their next line.
    next: Option<usize>,
    /// Lines that address them.
    addressed: usize,
    /// Lines in which they address the speaker.
    to_speaker: usize,
    /// Lines in which the speaker addresses them.
    from_speaker: usize,
    /// The last line in which they address the speaker.
    last_to: Option<usize>,
    /// The last line in which the speaker addresses them.
    last_from: Option<usize>,
    /// How many others had an exchange with the speaker since.
    rank: usize,
}

/// The look back from a line.
pub(super) struct View<'a> {
    memory: &'a Memory,
    seen: &'a Seen,
    /// Number of the line.
    at: usize,
    /// The earliest line in reach.
    first: usize,
    /// The topic root that it replies to.
    root: Option<MessageId>,
    rhythm_ms: i64,
    met: Vec<Met>,
    /// Weight of the words that each earlier line shares, ascending.
    shared: Vec<(usize, usize)>,
    /// The speaker's line before.
    own: Option<usize>,
}

impl<'a> View<'a> {
    /// From a line that was read; `root` is the topic root that it replies to.
    pub(super) fn new(memory: &'a Memory, seen: &'a Seen, root: Option<MessageId>) -> Self {
        let at = memory.next();
        let first = at.saturating_sub(REACH).max(memory.first());
        let own = (memory.first()..at)
            .rev()
            .find(|line| memory.line(*line).speaker == seen.speaker);
        Self {
            memory,
            seen,
            at,
            first,
            root,
            rhythm_ms: memory.rhythm(),
            met: Vec::new(),
            shared: memory.words.shared(&seen.stems, first, at - memory.first()),
            own,
        }
    }

    /// The command that a bot answers.
    pub(super) fn command(&self) -> Option<usize> {
        let mut near = (self.first..self.at).rev().take(BOT_DELAY);
        near.find(|line| {
            let was = self.memory.line(*line);
            self.seen.look.bot && was.look.command && was.is_seen_by(self.seen)
        })
    }

    /// The features of a start, and of each candidate line, nearest first.
    pub(super) fn rows(&mut self) -> (Row, Vec<(usize, Row)>) {
        let exchanges = self.exchanges();
        let mut line = self.line();
        line.set(F::OwnPartners, self.memory.partners(self.seen.speaker));
        let mut possible = self.possible();
        let mut answers = Vec::with_capacity(possible.len());
        // Conversations met so far, nearest first, and their lines.
        let mut after: Vec<(usize, usize)> = Vec::new();
        self.met = vec![Met::default(); self.memory.people.places()];
        let mut commands = 0;
        let (mut own_between, mut to_speaker) = (0, 0);
        for earlier in (self.first..self.at).rev() {
            let was = self.memory.line(earlier);
            if possible.pop_if(|nearest| *nearest == earlier).is_some() {
                let mut row = line;
                row.set(F::CommandsBetween, commands);
                row.set(F::OwnBetween, own_between);
                row.set(F::ToSpeakerBetween, to_speaker);
                let rank = after.iter().position(|(root, _)| *root == was.root);
                row.set(F::ThereAfter, rank.map_or(0, |rank| after[rank].1));
                row.set(F::ThereRank, rank.unwrap_or(after.len()));
                self.answering(&mut row, earlier, &exchanges);
                answers.push((earlier, row));
            }
            match after.iter_mut().find(|(root, _)| *root == was.root) {
                Some((_, lines)) => *lines += 1,
                None => after.push((was.root, 1)),
            }
            commands += usize::from(was.look.command);
            own_between += usize::from(was.speaker == self.seen.speaker);
            let to = was.spoken.to.contains(&self.seen.speaker);
            to_speaker += usize::from(to);
            for person in &was.spoken.to {
                self.met[*person].addressed += 1;
            }
            let met = &mut self.met[was.speaker];
            met.wrote += 1;
            met.next = Some(earlier);
            met.to_speaker += usize::from(to);
        }
        (line, answers)
    }

    /// Lines that are worth a look: the nearest, and those with a tie.
    fn possible(&self) -> Vec<usize> {
        let memory = self.memory;
        let inside = |line: &usize| {
            let was = memory.line(*line);
            let is_of_topic = |root| was.topic == Some(root) || was.message == root;
            was.is_seen_by(self.seen) && self.root.is_none_or(is_of_topic)
        };
        let mut possible: Vec<usize> = Vec::new();
        let (mut near, mut own, mut to, mut from, mut led) = (0, 0, 0, 0, 0);
        for earlier in (self.first..self.at).rev().filter(inside) {
            let was = memory.line(earlier);
            let mut take = |holds: bool, count: &mut usize, most: usize| {
                if holds && *count < most {
                    *count += 1;
                    possible.push(earlier);
                }
            };
            let spoken = &self.seen.spoken;
            take(true, &mut near, NEAREST);
            take(was.speaker == self.seen.speaker, &mut own, OF_EACH);
            take(spoken.to.contains(&was.speaker), &mut to, OF_EACH * 2);
            take(spoken.named.contains(&was.speaker), &mut led, OF_EACH);
            let speaks_to = was.spoken.to.contains(&self.seen.speaker)
                || was.spoken.named.contains(&self.seen.speaker)
                || was.link.is_some_and(|link| {
                    link >= memory.first() && memory.line(link).speaker == self.seen.speaker
                });
            take(
                speaks_to && was.speaker != self.seen.speaker,
                &mut from,
                OF_EACH,
            );
        }
        let mut by_weight: Vec<&(usize, usize)> = self
            .shared
            .iter()
            .filter(|(line, _)| inside(line))
            .collect();
        by_weight.sort_unstable_by_key(|(line, weight)| (usize::MAX - weight, usize::MAX - line));
        possible.extend(by_weight.iter().take(OF_SHARED).map(|(line, _)| *line));
        if let Some(root) = self.root.and_then(|root| memory.number(root)) {
            possible.extend((root >= self.first).then_some(root));
        }
        possible.sort_unstable();
        possible.dedup();
        possible
    }

    /// For each person how often the speaker and they addressed each other,
    /// and when last.
    fn exchanges(&self) -> Vec<Met> {
        let memory = self.memory;
        let speaker = self.seen.speaker;
        let mut met = vec![Met::default(); memory.people.places()];
        let mut ranked = 0;
        for earlier in (memory.first()..self.at).rev() {
            let was = memory.line(earlier);
            for person in &was.spoken.to {
                let other = if was.speaker == speaker {
                    met[*person].from_speaker += 1;
                    met[*person].last_from.get_or_insert(earlier);
                    *person
                } else if *person == speaker {
                    met[was.speaker].to_speaker += 1;
                    met[was.speaker].last_to.get_or_insert(earlier);
                    was.speaker
                } else {
                    continue;
                };
                if met[other].to_speaker + met[other].from_speaker == 1 {
                    met[other].rank = ranked;
                    ranked += 1;
                }
            }
        }
        met
    }
}
