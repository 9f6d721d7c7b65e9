//! One conversation: the asker, the helpers and the problem.

mod advice;
mod parts;
mod solved;

use std::collections::{BTreeMap, BTreeSet};

use threadlore_model::{Outcome, PersonId, Signal, Window};

use super::lines::Lines;
use super::prose::{self, Prose};
use super::title;

/// Lines that state the problem, at most.
const MOST_PROBLEM_LINES: usize = 4;
/// Longest problem and solution, in characters.
const LONGEST: usize = 1200;
/// An asker's lines before the one that states the problem, at most.
const PREAMBLE: usize = 6;
/// The least weight and the fewest words of a problem that becomes an open case: without any
/// answer, and with one.
const WORTH_OPENING: (usize, usize) = (6, 8);
const WORTH_OPENING_ANSWERED: (usize, usize) = (3, 4);
/// The same of an answered question that has no word of the lists.
const WORTH_OPENING_ASKED: (usize, usize) = (0, 6);

/// The solution of a problem.
#[derive(Debug)]
pub(super) struct Solution {
    pub(super) text: String,
    /// Ascending, never empty.
    pub(super) lines: Vec<usize>,
    pub(super) signal: Signal,
    /// The line that says so.
    pub(super) signal_line: Option<usize>,
}

/// A conversation that begins with a problem.
pub(super) struct Dialog<'w> {
    said: &'w Lines<'w>,
    window: &'w Window,
    asker: PersonId,
    /// Every line of people, ascending.
    pub(super) lines: Vec<usize>,
    /// Lines that state the problem: never empty, ascending.
    pub(super) problem_lines: Vec<usize>,
    /// The text of these lines.
    pub(super) problem: String,
    /// Lines in which others answer the asker, ascending, without the addressed names.
    answers: BTreeMap<usize, &'w str>,
    /// Lines that address somebody by name.
    addressing: BTreeSet<usize>,
    /// Lines that answer in it although nothing links them to it.
    adopted: BTreeSet<usize>,
    /// How likely the problem is one by its words; zero if only its place says so.
    pub(super) weight: usize,
}

impl<'w> Dialog<'w> {
    /// Reads the lines of one conversation, ascending; `adopted` are lines that
    /// answer in it although nothing links them to it.
    pub(super) fn read(
        said: &'w Lines<'w>,
        lines: Vec<usize>,
        adopted: &BTreeSet<usize>,
    ) -> Option<Self> {
        let mut askers: Vec<PersonId> = Vec::new();
        for at in lines.iter().take(PREAMBLE) {
            let person = said.window.lines[*at].person;
            if !askers.contains(&person) {
                askers.push(person);
            }
        }
        let mut asked = askers.into_iter();
        asked.find_map(|asker| Self::of(said, &lines, asker, adopted))
    }

    /// The conversation as the one of this asker.
    fn of(
        said: &'w Lines<'w>,
        lines: &[usize],
        asker: PersonId,
        adopted: &BTreeSet<usize>,
    ) -> Option<Self> {
        let window = said.window;
        let mut answers = answers(said, lines, asker, adopted);
        let asks = |at: usize| said.asks(at);
        let own: Vec<usize> = lines
            .iter()
            .copied()
            .filter(|at| window.lines[*at].person == asker)
            .collect();
        let states = |at: &usize| {
            let reads = &said[*at].reads;
            reads.states && !(asks(*at) && *at > lines[0] && reads.asks_back)
        };
        let says = |at: &usize| said[*at].reads.words > 2;
        let early = || own.iter().copied().filter(says).take(PREAMBLE);
        let start = early().find(states).or_else(|| {
            // No single line states the problem, so all lines before the first answer do.
            let first = answers.keys().next().copied().unwrap_or(usize::MAX);
            let together = || early().take_while(|at| *at < first);
            let text = joined(together().map(|at| said[at].text));
            let any_asks = together().any(asks);
            let text = Prose::of(&text);
            let stated = prose::problem(&text, any_asks) > 0 && !prose::is_about_the_talk(&text);
            together().next().filter(|_| stated)
        });
        // Whatever its words, what somebody said first and was answered may be a problem.
        let opening = || {
            let first = answers.keys().next().copied()?;
            let begins = own.iter().copied().find(says).filter(|at| *at < first)?;
            (!said[begins].reads.about_the_talk).then_some(begins)
        };
        let (start, opens) = match start {
            Some(start) => (start, false),
            None => (opening()?, true),
        };
        // Lines of others before it may greet or ask back, but they are no answers.
        let late = lines.iter().filter(|at| **at < start).count() > PREAMBLE;
        let answered = |(at, _): (&usize, &&str)| said[*at].reads.instruction > 0;
        if late || answers.range(..start).any(answered) || goes_on(said, start, asker) {
            return None;
        }
        let begin = answers.range(..start).next_back().map_or(0, |(at, _)| *at);
        let answers = answers.split_off(&start);
        let end = answers.keys().next().copied().unwrap_or(usize::MAX);
        let carries = |at: &usize| said[*at].reads.carries || opens && says(at);
        // Reports about the outcome are no part of the problem.
        let reports = |at: &usize| *at > start && !asks(*at) && said[*at].reads.reports;
        let problem_lines: Vec<usize> = own
            .iter()
            .copied()
            .filter(|at| (begin..end).contains(at) && carries(at) && !reports(at))
            .take(MOST_PROBLEM_LINES)
            .collect();
        let problem = joined(problem_lines.iter().map(|at| said[*at].text));
        let read = Prose::of(&problem);
        let weight = prose::problem(&read, problem_lines.iter().any(|at| asks(*at)));
        if weight == 0 && !opens || problem_lines.is_empty() || !prose::stands_alone(&read) {
            return None;
        }
        let addressing = lines
            .iter()
            .copied()
            .filter(|at| {
                let line = &window.lines[*at];
                !line.mentions.is_empty() || line.reply_to.is_some() || said[*at].to.is_some()
            })
            .collect();
        Some(Self {
            addressing,
            said,
            window,
            asker,
            lines: lines.to_vec(),
            problem_lines,
            problem,
            answers,
            adopted: adopted.clone(),
            weight,
        })
    }

    pub(super) fn title(&self) -> String {
        title::title(&self.problem)
    }

    /// The text of lines, without the names that they address.
    pub(super) fn text_of(&self, lines: &[usize]) -> String {
        joined(lines.iter().map(|at| self.said[*at].text))
    }

    /// Whether the problem is worth keeping without a solution. If somebody gave advice, it is
    /// surely a problem, so less weight is needed.
    pub(super) fn is_worth_opening(&self, advice: &[usize]) -> bool {
        let taken_back = self
            .own_after(self.problem_lines[0])
            .chain(self.problem_lines.iter().copied())
            .any(|at| {
                let text = Prose::of(&self.window.lines[at].text);
                prose::takes_back(&text) && !prose::reports(&text)
            });
        let (weight, words) = match advice {
            [] => WORTH_OPENING,
            _ if self.weight == 0 && self.asks() => WORTH_OPENING_ASKED,
            _ => WORTH_OPENING_ANSWERED,
        };
        !taken_back && self.weight >= weight && prose::count(&Prose::of(&self.problem)) >= words
    }

    fn asks(&self) -> bool {
        self.problem_lines.iter().any(|at| self.said.asks(*at))
    }

    fn own_after(&self, after: usize) -> impl DoubleEndedIterator<Item = usize> {
        let own = move |at: &usize| *at > after && self.window.lines[*at].person == self.asker;
        self.lines.iter().copied().filter(own)
    }

    fn fails(&self, at: usize) -> bool {
        self.window.hints[at].outcome == Some(Outcome::Fails)
    }

    fn instructs(&self, at: usize) -> usize {
        match self.answers.contains_key(&at) {
            true => self.said[at].reads.instruction,
            false => 0,
        }
    }
}

/// Words of a question to somebody by name that may begin a conversation, at least.
const TO_SOMEBODY: usize = 8;

/// Whether a line continues a talk with somebody: it addresses another person by name, and is not a
/// complete question to someone who did not speak before.
fn goes_on(said: &Lines<'_>, at: usize, asker: PersonId) -> bool {
    let line = &said[at];
    let begins = |person: PersonId| {
        let mut before = said.window.lines[..at].iter();
        let spoke = before.any(|line| line.person == person);
        !spoke && said.asks(at) && prose::count(&Prose::of(line.rest)) >= TO_SOMEBODY
    };
    line.to
        .is_some_and(|person| person != asker && !begins(person))
}

/// Lines of others that answer the asker: they address the asker, or follow a
/// line of the asker or another answer, and address nobody else.
fn answers<'w>(
    said: &Lines<'w>,
    lines: &[usize],
    asker: PersonId,
    adopted: &BTreeSet<usize>,
) -> BTreeMap<usize, &'w str> {
    let window = said.window;
    let mut answers: BTreeMap<usize, &str> = BTreeMap::new();
    for at in lines.iter().copied() {
        let line = &window.lines[at];
        if line.person == asker {
            continue;
        }
        let person = said[at].to;
        let to_asker = person == Some(asker) || line.mentions.contains(&asker);
        let to_other = person.is_some_and(|person| person != asker) || said[at].to_stranger;
        let follows = window.links[at].is_some_and(|earlier| {
            let before = &window.lines[earlier];
            before.person == asker || answers.contains_key(&earlier)
        });
        if to_asker || (follows || adopted.contains(&at)) && !to_other {
            answers.insert(at, said[at].text);
        }
    }
    answers
}

/// Joins lines into one text, without repetitions.
fn joined<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let mut said: Vec<&str> = Vec::new();
    for line in lines.map(str::trim) {
        if !line.is_empty() && !said.contains(&line) {
            said.push(line);
        }
    }
    let text = said.join("\n");
    if text.chars().count() <= LONGEST {
        return text;
    }
    let cut: String = text.chars().take(LONGEST - 1).collect();
    cut + "…"
}
