//! The features of a line, and of an earlier line that it may answer.

use super::super::feature::{Feature as F, Row};
use super::super::look::Look;
use super::super::people::Spoken;
use super::{CROWD, Met, View};

impl View<'_> {
    fn gap(&self, earlier: usize) -> usize {
        let from = self.memory.line(earlier).at_ms;
        self.memory.gap(from, self.seen.at_ms, self.rhythm_ms)
    }

    /// The features of the line itself.
    pub(super) fn line(&self) -> Row {
        let (memory, seen) = (self.memory, self.seen);
        let mut row = Row::new();
        let back = || (memory.first()..self.at).rev();
        let spoken = &seen.spoken;
        row.flag(F::Asks, seen.look.asks);
        row.set(F::Outcome, seen.look.outcome);
        row.flag(F::Greets, seen.look.greets);
        row.set(F::Words, seen.look.words);
        row.set(F::Addresses, spoken.to.len());
        row.flag(F::AddressesUnknown, spoken.unknown);
        row.set(F::Names, spoken.named.len());
        row.flag(F::Bot, seen.look.bot);
        row.flag(F::Command, seen.look.command);
        row.flag(F::You, seen.look.you);
        row.flag(F::Me, seen.look.me);
        row.flag(F::BeginsAsAnswer, seen.look.answers);
        row.flag(F::Page, seen.look.page);
        self.speaker(&mut row);
        let before = self.at.checked_sub(1).filter(|b| *b >= memory.first());
        row.since(F::Quiet, before.map(|before| self.gap(before)));
        let mut crowd: Vec<_> = back().take(CROWD).map(|l| memory.line(l).speaker).collect();
        crowd.sort_unstable();
        crowd.dedup();
        row.set(F::Crowd, crowd.len());
        let most = self.shared.iter().map(|(_, weight)| *weight).max();
        row.set(F::MostShared, most.unwrap_or(0));
        row
    }

    /// Adds features of the earlier lines of the writer and of the addressed people.
    fn speaker(&self, row: &mut Row) {
        let (memory, seen, spoken) = (self.memory, self.seen, &self.seen.spoken);
        let back = || (memory.first()..self.at).rev();
        let own = self.own.map(|own| &memory.line(own).look);
        row.flag(F::OwnAsked, own.is_some_and(|look| look.asks));
        row.flag(F::OwnOpen, own.is_some_and(|look| look.open));
        row.since(F::OwnAge, self.own.map(|own| self.at - own));
        row.since(F::OwnGap, self.own.map(|own| self.gap(own)));
        let own_lines = || back().filter(|l| memory.line(*l).speaker == seen.speaker);
        row.set(F::OwnLines, own_lines().count());
        let started = own_lines().filter(|l| memory.line(*l).link.is_none());
        row.set(F::OwnStarts, started.count());
        let to_speaker = |line: &usize| memory.line(*line).spoken.to.contains(&seen.speaker);
        let since = back().take_while(|line| Some(*line) != self.own);
        row.set(F::AddressedSince, since.filter(to_speaker).count());
        row.since(
            F::AddressedAge,
            back().find(to_speaker).map(|l| self.at - l),
        );
        let answered = back().find(|line| {
            let was = memory.line(*line);
            let link = was.link.filter(|link| *link >= memory.first());
            was.speaker != seen.speaker
                && link.is_some_and(|link| memory.line(link).speaker == seen.speaker)
        });
        row.since(F::AnsweredAge, answered.map(|line| self.at - line));
        let target = |line: &usize| {
            let writer = memory.line(*line).speaker;
            spoken.to.contains(&writer) || spoken.named.contains(&writer)
        };
        row.since(F::TargetAge, back().find(target).map(|line| self.at - line));
    }

    /// Adds the features of a candidate line.
    pub(super) fn answering(&self, row: &mut Row, earlier: usize, exchanges: &[Met]) {
        let (memory, seen) = (self.memory, self.seen);
        let was = memory.line(earlier);
        let own = was.speaker == seen.speaker;
        let (to, was_to) = (&seen.spoken.to, &was.spoken.to);
        let met = self.met[was.speaker];
        row.set(F::Lines, self.at - earlier);
        row.set(F::Gap, self.gap(earlier));
        row.flag(F::Own, own);
        row.set(F::WriterBetween, met.wrote);
        let names = |spoken: &Spoken, person| {
            if spoken.to.contains(&person) {
                2
            } else {
                usize::from(spoken.named.contains(&person))
            }
        };
        row.set(F::To, names(&seen.spoken, was.speaker));
        row.set(F::From, names(&was.spoken, seen.speaker));
        row.flag(
            F::SameTarget,
            to.iter().any(|person| was_to.contains(person)),
        );
        row.flag(F::Elsewhere, to.iter().any(|p| *p != was.speaker));
        row.flag(F::WasElsewhere, was_to.iter().any(|p| *p != seen.speaker));
        row.set(F::ToWriterBetween, met.addressed);
        row.set(F::WriterToSpeakerBetween, met.to_speaker);
        row.since(F::WriterNext, met.next.map(|next| next - earlier));
        let before = (memory.first().max(earlier.saturating_sub(CROWD))..earlier)
            .rev()
            .find(|line| memory.line(*line).speaker == was.speaker);
        row.since(F::WriterBefore, before.map(|before| earlier - before));
        if !own {
            let pair = exchanges[was.speaker];
            row.set(F::Pair, pair.to_speaker + pair.from_speaker);
            row.since(F::ToSpeakerAge, pair.last_to.map(|line| self.at - line));
            row.since(F::ToWriterAge, pair.last_from.map(|line| self.at - line));
            let met = pair.last_to.or(pair.last_from);
            row.since(F::PartnerRank, met.map(|_| pair.rank));
        }
        row.set(F::WriterPartners, memory.partners(was.speaker));
        was_look(row, &was.look);
        self.conversation(row, earlier);
        let weight = self.weight(earlier);
        row.set(F::Shared, weight);
        let most = usize::try_from(row.get(F::MostShared)).unwrap_or(0);
        row.set(F::SharedLess, most.saturating_sub(weight));
        if !seen.quotes.is_empty() {
            row.set(F::Quoted, was.quoted(&seen.quotes));
        }
    }

    fn weight(&self, earlier: usize) -> usize {
        let place = self
            .shared
            .binary_search_by_key(&earlier, |(line, _)| *line);
        place.map_or(0, |place| self.shared[place].1)
    }

    /// Adds the features of the candidate line's conversation.
    fn conversation(&self, row: &mut Row, earlier: usize) {
        let (memory, seen) = (self.memory, self.seen);
        let was = memory.line(earlier);
        let there = memory.conversation(was.root);
        let age = |line: usize| self.at - line;
        let parent = |line: usize| memory.line(line).link.filter(|l| *l >= memory.first());
        let answered = parent(earlier).filter(|up| memory.line(*up).speaker == seen.speaker);
        row.flag(F::WasStart, was.link.is_none());
        row.set(F::Answers, was.answers);
        let own_last = usize::from(answered.is_some() && answered == self.own);
        row.set(
            F::AnswersSpeaker,
            usize::from(answered.is_some()) + own_last,
        );
        let partner = self.own.and_then(parent).map(|up| memory.line(up).speaker);
        row.flag(F::Partner, partner == Some(was.speaker));
        let root = Some(was.root).filter(|root| *root >= memory.first());
        let starter = |person| root.is_some_and(|root| memory.line(root).speaker == person);
        let started = usize::from(starter(seen.speaker)) + 2 * usize::from(starter(was.speaker));
        row.set(F::Starter, started);
        row.set(F::Size, there.size);
        row.set(F::People, there.people.len());
        row.set(F::ThereAge, age(there.last));
        row.since(F::SpeakerThereAge, there.last_of(seen.speaker).map(age));
        let targets = seen.spoken.to.iter().filter_map(|p| there.last_of(*p));
        row.since(F::TargetThereAge, targets.max().map(age));
        let elsewhere = self
            .own
            .map(|own| usize::from(memory.line(own).root != was.root));
        row.since(F::SpeakerElsewhere, elsewhere);
        let shared = self.shared.iter();
        let shared_there = shared.filter(|(line, _)| memory.line(*line).root == was.root);
        row.set(F::SharedThere, shared_there.map(|(_, weight)| weight).sum());
    }
}

fn was_look(row: &mut Row, was: &Look) {
    row.flag(F::WasYou, was.you);
    row.flag(F::WasMe, was.me);
    row.flag(F::WasPage, was.page);
    row.flag(F::WasOpen, was.open);
    row.flag(F::WasAsking, was.asks);
    row.set(F::WasOutcome, was.outcome);
    row.flag(F::WasGreeting, was.greets);
    row.set(F::WasWords, was.words);
    row.flag(F::WasBot, was.bot);
    row.flag(F::WasCommand, was.command);
}
