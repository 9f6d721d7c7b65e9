//! A window as the judge of links sees it, and the clues it holds.

use std::collections::HashMap;

use threadlore_model::{Line, MessageId};

use super::clues::Clue;
use super::people::{People, Person};
use super::words::Vocabulary;
use crate::signals::{is_greeting, is_question, resolution};

/// Lines up to which a speaker counts as seen lately.
const LATELY: usize = 40;
/// Lines up to which a speaker's last line is near.
const NEAR: usize = 10;
/// Lines that may come between a command and the bot's answer, and one.
const BOT_DELAY: usize = 3;
const MINUTE: i64 = 60_000;

/// What a line looks like by itself.
struct Look {
    asks: bool,
    resolved: bool,
    greets: bool,
    words: usize,
    command: bool,
}

/// The window, with what is known when a line is reached.
pub(crate) struct Scene<'a> {
    lines: &'a [Line],
    looks: Vec<Look>,
    people: People,
    words: Vocabulary,
    /// For each line the speaker's line before it.
    own_before: Vec<Option<usize>>,
    /// For each person their lines, ascending.
    by_person: Vec<Vec<usize>>,
    /// For each person the lines that address them, ascending.
    addressed: Vec<Vec<usize>>,
    links: Vec<Option<usize>>,
    /// For each settled line the first line of its conversation.
    root: Vec<usize>,
    /// For each conversation, by first line, who took part, and their last lines so far.
    part: Vec<Vec<(Person, usize)>>,
    /// For each conversation, by first line, its last line so far.
    last_there: Vec<usize>,
    index: HashMap<MessageId, usize>,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(lines: &'a [Line]) -> Self {
        let people = People::new(lines);
        let mut own_before = Vec::with_capacity(lines.len());
        let mut by_person = vec![Vec::new(); people.count];
        let mut addressed = vec![Vec::new(); people.count];
        for at in 0..lines.len() {
            let own: &mut Vec<usize> = &mut by_person[people.speaker[at]];
            own_before.push(own.last().copied());
            own.push(at);
            for person in &people.addresses[at] {
                addressed[*person].push(at);
            }
        }
        Self {
            lines,
            looks: lines.iter().map(|line| look(&line.text)).collect(),
            words: Vocabulary::new(lines.iter().map(|line| line.text.as_str())),
            people,
            own_before,
            by_person,
            addressed,
            links: Vec::with_capacity(lines.len()),
            root: Vec::with_capacity(lines.len()),
            part: vec![Vec::new(); lines.len()],
            last_there: vec![0; lines.len()],
            index: lines
                .iter()
                .enumerate()
                .map(|(at, line)| (line.message, at))
                .collect(),
        }
    }

    /// The earlier line that a line answers beyond doubt: the platform says
    /// so, or a bot speaks right after a command.
    pub(crate) fn certain(&self, at: usize) -> Option<usize> {
        let replied = self.lines[at]
            .reply_to
            .and_then(|reply| self.index.get(&reply));
        if let Some(replied) = replied.filter(|replied| **replied < at) {
            return Some(*replied);
        }
        let near = at.saturating_sub(BOT_DELAY)..at;
        let command = |earlier: &usize| self.looks[*earlier].command;
        if self.lines[at].bot {
            near.rev().find(command)
        } else {
            None
        }
    }

    /// Fixes the link of the next line.
    pub(crate) fn settle(&mut self, at: usize, link: Option<usize>) {
        let root = link.map_or(at, |earlier| self.root[earlier]);
        self.links.push(link);
        self.root.push(root);
        self.last_there[root] = at;
        let speaker = self.people.speaker[at];
        let part = &mut self.part[root];
        match part.iter_mut().find(|(person, _)| *person == speaker) {
            Some((_, last)) => *last = at,
            None => part.push((speaker, at)),
        }
    }

    pub(crate) fn into_links(self) -> Vec<Option<usize>> {
        self.links
    }

    /// Whether a line that addresses `person` lies strictly between two lines.
    fn addressed_between(&self, person: Person, after: usize, before: usize) -> bool {
        last_before(&self.addressed[person], before).is_some_and(|line| line > after)
    }

    /// Clues that line `at` starts a conversation.
    pub(crate) fn starting(&self, at: usize, see: &mut impl FnMut(Clue)) {
        let mut when = |holds: bool, clue| {
            if holds {
                see(clue);
            }
        };
        let look = &self.looks[at];
        let own = self.own_before[at];
        let speaker = self.people.speaker[at];
        let lately = own.is_some_and(|own| at - own <= LATELY);
        let quiet = at
            .checked_sub(1)
            .is_none_or(|before| self.minutes(at, before) >= 5);
        when(true, Clue::Start);
        when(own.is_none(), Clue::StartUnseen);
        when(!lately, Clue::StartUnseenLately);
        when(own.is_some_and(|own| at - own <= NEAR), Clue::StartNear);
        when(look.asks, Clue::StartQuestion);
        when(look.asks && !lately, Clue::StartUnseenQuestion);
        when(look.greets, Clue::StartGreeting);
        when(!self.people.addresses[at].is_empty(), Clue::StartAddressing);
        when(!self.people.names[at].is_empty(), Clue::StartNaming);
        let since = own.unwrap_or_else(|| at.saturating_sub(LATELY));
        when(
            self.addressed_between(speaker, since, at),
            Clue::StartAddressed,
        );
        when(look.words <= 4, Clue::StartShort);
        when(look.words >= 12, Clue::StartLong);
        when(look.resolved, Clue::StartResolved);
        when(self.lines[at].bot, Clue::StartBot);
        when(look.command, Clue::StartCommand);
        when(quiet, Clue::StartAfterQuiet);
    }

    /// Clues that line `at` answers or continues the line `earlier`.
    pub(crate) fn answering(&self, at: usize, earlier: usize, see: &mut impl FnMut(Clue)) {
        see(match at - earlier {
            1 => Clue::Lines1,
            2 => Clue::Lines2,
            3 => Clue::Lines3,
            4..=5 => Clue::Lines5,
            6..=10 => Clue::Lines10,
            11..=20 => Clue::Lines20,
            21..=40 => Clue::Lines40,
            _ => Clue::LinesMore,
        });
        see(match self.minutes(at, earlier) {
            ..=0 => Clue::Minutes0,
            1 => Clue::Minutes1,
            2..=3 => Clue::Minutes3,
            4..=6 => Clue::Minutes6,
            7..=12 => Clue::Minutes12,
            _ => Clue::MinutesMore,
        });
        match self.words.shared(at, earlier) {
            0 => {}
            1 => see(Clue::Shared1),
            2 => see(Clue::Shared2),
            _ => see(Clue::Shared3),
        }
        if self.people.speaker[at] == self.people.speaker[earlier] {
            self.continuing(at, earlier, see);
        } else {
            self.between(at, earlier, see);
        }
        self.conversation(at, earlier, see);
        self.bots(at, earlier, see);
    }

    fn continuing(&self, at: usize, earlier: usize, see: &mut impl FnMut(Clue)) {
        let mut when = |holds: bool, clue| {
            if holds {
                see(clue);
            }
        };
        let speaker = self.people.speaker[at];
        let (to, was_to) = (&self.people.addresses[at], &self.people.addresses[earlier]);
        let answered = self.addressed_between(speaker, earlier, at);
        when(true, Clue::Own);
        when(self.own_before[at] == Some(earlier), Clue::OwnLast);
        when(at - earlier == 1, Clue::OwnAdjacent);
        when(answered, Clue::OwnAnswered);
        when(
            to.iter().any(|person| was_to.contains(person)),
            Clue::OwnSameTarget,
        );
        when(
            to.iter().any(|person| !was_to.contains(person)),
            Clue::OwnOtherTarget,
        );
        when(self.looks[earlier].asks && !answered, Clue::OwnQuestion);
        when(to.is_empty() && was_to.is_empty(), Clue::OwnUnaddressed);
    }

    fn between(&self, at: usize, earlier: usize, see: &mut impl FnMut(Clue)) {
        let mut when = |holds: bool, clue| {
            if holds {
                see(clue);
            }
        };
        let (speaker, writer) = (self.people.speaker[at], self.people.speaker[earlier]);
        let (to, was_to) = (&self.people.addresses[at], &self.people.addresses[earlier]);
        let asks = self.looks[earlier].asks;
        let last_of_writer = last_before(&self.by_person[writer], at) == Some(earlier);
        let from = was_to.contains(&speaker);
        let addressed_to = &self.addressed[speaker];
        if to.contains(&writer) {
            let last_to_speaker = addressed_to
                .iter()
                .rev()
                .find(|line| **line < at && self.people.speaker[**line] == writer);
            when(true, Clue::To);
            when(last_of_writer, Clue::ToLast);
            when(asks, Clue::ToQuestion);
            when(from, Clue::ToWhoAddressed);
            when(last_to_speaker == Some(&earlier), Clue::ToWhoAddressedLast);
            when(!from && !was_to.is_empty(), Clue::ToBusy);
            when(was_to.is_empty(), Clue::ToUnaddressed);
        } else {
            let named = self.people.names[at].contains(&writer);
            when(named, Clue::Named);
            when(named && last_of_writer, Clue::NamedLast);
            when(!to.is_empty(), Clue::Elsewhere);
            when(
                to.iter().any(|person| was_to.contains(person)),
                Clue::SameTarget,
            );
        }
        if from {
            when(true, Clue::From);
            when(
                last_before(addressed_to, at) == Some(earlier),
                Clue::FromLast,
            );
            when(
                self.own_before[at].is_none_or(|own| own < earlier),
                Clue::FromUnanswered,
            );
            when(self.looks[at].resolved, Clue::FromResolved);
            when(asks, Clue::FromQuestion);
        } else {
            let open = || !self.addressed_between(writer, earlier, at);
            when(
                self.people.names[earlier].contains(&speaker),
                Clue::FromNamed,
            );
            when(!was_to.is_empty(), Clue::Private);
            when(asks && to.is_empty(), Clue::Question);
            when(asks && open(), Clue::QuestionOpen);
            when(asks && self.looks[at].asks, Clue::BothAsk);
            when(was_to.is_empty() && !asks, Clue::Statement);
        }
    }

    fn conversation(&self, at: usize, earlier: usize, see: &mut impl FnMut(Clue)) {
        let mut when = |holds: bool, clue| {
            if holds {
                see(clue);
            }
        };
        let root = self.root[earlier];
        let speaker = self.people.speaker[at];
        let part = &self.part[root];
        let took = part.iter().find(|(person, _)| *person == speaker);
        let last = self.last_there[root];
        let to = &self.people.addresses[at];
        when(took.is_some(), Clue::TookPart);
        when(
            took.is_some_and(|(_, line)| *line == last),
            Clue::SpokeLastThere,
        );
        when(
            part.iter().any(|(person, _)| to.contains(person)),
            Clue::TargetTookPart,
        );
        when(last == earlier, Clue::LastThere);
        when(root == earlier, Clue::FirstThere);
        when(
            self.own_before[at].is_some_and(|own| self.root[own] != root),
            Clue::SpeakerElsewhere,
        );
    }

    fn bots(&self, at: usize, earlier: usize, see: &mut impl FnMut(Clue)) {
        let command = self.looks[earlier].command;
        if self.lines[at].bot {
            see(if command {
                Clue::BotAfterCommand
            } else {
                Clue::BotAfterOther
            });
            if command && !self.looks[earlier + 1..at].iter().any(|look| look.command) {
                see(Clue::BotAfterLastCommand);
            }
        } else if self.lines[earlier].bot {
            see(Clue::AfterBot);
            if at - earlier == 1 {
                see(Clue::AfterBotAdjacent);
            }
        } else if command {
            see(Clue::AfterCommand);
        }
    }

    /// Whole minutes between two lines; zero when the clock went back.
    fn minutes(&self, at: usize, earlier: usize) -> i64 {
        (self.lines[at]
            .at
            .as_millis()
            .saturating_sub(self.lines[earlier].at.as_millis()))
            / MINUTE
    }
}

fn last_before(ascending: &[usize], at: usize) -> Option<usize> {
    let count = ascending.partition_point(|line| *line < at);
    count.checked_sub(1).map(|last| ascending[last])
}

fn look(text: &str) -> Look {
    Look {
        asks: is_question(text),
        resolved: resolution(text).is_some(),
        greets: is_greeting(text),
        words: text.split_whitespace().count(),
        command: text.starts_with('!') && text.len() > 1,
    }
}
