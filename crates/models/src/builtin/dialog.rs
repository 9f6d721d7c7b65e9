//! One conversation: who asks, who helps, what is the problem, what solved it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use threadlore_model::{Outcome, PersonId, Signal, Window};

use super::names::Names;
use super::words::share_a_topic;
use super::{prose, title};

/// Lines that state the problem, at most.
const MOST_PROBLEM_LINES: usize = 4;
/// Lines of an instruction, at most.
const MOST_SOLUTION_LINES: usize = 4;
/// Longest problem and solution, in characters.
const LONGEST: usize = 1200;
/// Thanks later than this after the instruction are for something else.
const THANKS_WITHIN: Duration = Duration::from_secs(60 * 60);
/// An answer that comes later than this must share words with the problem.
const DRIFT: Duration = Duration::from_secs(5 * 60);
/// Steps of one instruction follow each other within this.
const STEPS_WITHIN: Duration = Duration::from_secs(8 * 60);
/// An asker's lines before the one that states the problem, at most.
const PREAMBLE: usize = 3;
/// What an instruction must weigh to count, and what the best one must weigh.
const INSTRUCTS: usize = 3;
const SOLVES: usize = 5;
/// What a problem must weigh to become an open case, and its fewest words.
const WORTH_OPENING: usize = 6;
const OPEN_WORDS: usize = 10;

/// What solved a problem.
#[derive(Debug)]
pub(super) struct Solution {
    pub(super) text: String,
    /// Ascending, never empty.
    pub(super) lines: Vec<usize>,
    pub(super) signal: Signal,
}

/// A conversation that begins with a problem.
pub(super) struct Dialog<'w> {
    window: &'w Window,
    asker: PersonId,
    /// Every line of people, ascending.
    pub(super) lines: Vec<usize>,
    /// Lines that state the problem: never empty, ascending.
    pub(super) problem_lines: Vec<usize>,
    /// What they say.
    pub(super) problem: String,
    /// Lines in which others answer the asker, ascending, names gone.
    answers: BTreeMap<usize, &'w str>,
    /// Lines that address somebody by name.
    addressing: BTreeSet<usize>,
    weight: usize,
}

/// The conversations of a window that begin with a problem, oldest first.
pub(super) fn all<'w>(window: &'w Window, names: &Names) -> Vec<Dialog<'w>> {
    let mut roots: Vec<usize> = Vec::with_capacity(window.lines.len());
    let mut conversations: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, link) in window.links.iter().enumerate() {
        let root = link
            .filter(|earlier| *earlier < at)
            .map_or(at, |earlier| roots[earlier]);
        roots.push(root);
        if !window.lines[at].bot {
            conversations.entry(root).or_default().push(at);
        }
    }
    conversations
        .into_values()
        .filter_map(|lines| Dialog::read(window, names, lines))
        .collect()
}

impl<'w> Dialog<'w> {
    fn read(window: &'w Window, names: &Names, lines: Vec<usize>) -> Option<Self> {
        let asker = window.lines[*lines.first()?].person;
        let answers = answers(window, names, &lines, asker);
        let first_answer = answers.keys().next().copied().unwrap_or(usize::MAX);
        let own = lines
            .iter()
            .copied()
            .filter(|at| window.lines[*at].person == asker);
        let before: Vec<usize> = own.filter(|at| *at < first_answer).collect();
        let stripped = |at: usize| names.stripped(&window.lines[at].text);
        let weighed = |at: &usize| prose::problem(stripped(*at), window.hints[*at].question);
        let start = before
            .iter()
            .take(PREAMBLE)
            .position(|at| weighed(at) > 0)?;
        let problem_lines: Vec<usize> = before[start..]
            .iter()
            .copied()
            .filter(|at| prose::carries(stripped(*at)))
            .take(MOST_PROBLEM_LINES)
            .collect();
        let problem = joined(problem_lines.iter().map(|at| stripped(*at)));
        let weight = prose::problem(
            &problem,
            problem_lines.iter().any(|at| window.hints[*at].question),
        );
        let addresses_other = {
            let (person, _) = names.addressed(&window.lines[before[start]].text);
            person.is_some_and(|person| person != asker)
        };
        if weight == 0
            || problem_lines.is_empty()
            || addresses_other
            || !prose::stands_alone(&problem)
        {
            return None;
        }
        let addressing = lines
            .iter()
            .copied()
            .filter(|at| {
                let line = &window.lines[*at];
                !line.mentions.is_empty()
                    || line.reply_to.is_some()
                    || names.addressed(&line.text).0.is_some()
            })
            .collect();
        Some(Self {
            addressing,
            window,
            asker,
            lines,
            problem_lines,
            problem,
            answers,
            weight,
        })
    }

    pub(super) fn title(&self) -> String {
        title::title(&self.problem)
    }

    /// Whether the problem by itself is worth keeping.
    pub(super) fn is_worth_opening(&self) -> bool {
        let taken_back = self
            .own_after(self.problem_lines[0])
            .chain(self.problem_lines.iter().copied())
            .any(|at| prose::takes_back(&self.window.lines[at].text));
        !taken_back
            && self.weight >= WORTH_OPENING
            && self.problem.split_whitespace().count() >= OPEN_WORDS
    }

    /// What solved it, by the strongest signal.
    pub(super) fn solution(&self) -> Option<Solution> {
        self.by_reaction().or_else(|| self.by_words())
    }

    fn instructs(&self, at: usize) -> usize {
        let asks = self.window.hints[at].question;
        self.answers
            .get(&at)
            .map_or(0, |text| prose::instruction(text, asks))
    }

    fn by_reaction(&self) -> Option<Solution> {
        let liked =
            |at: &&usize| self.window.lines[**at].positive > 0 && self.instructs(**at) >= INSTRUCTS;
        let last = *self.answers.keys().rev().find(liked)?;
        self.solution_up_to(last, self.window.lines[last].person, Signal::Reaction)
    }

    /// By the asker's last thanks or "it works" that nothing takes back.
    fn by_words(&self) -> Option<Solution> {
        let first = *self.answers.keys().next()?;
        let said = self.own_after(first).rev();
        for at in said {
            match self.window.hints[at].outcome {
                Some(Outcome::Fails) => return None,
                Some(Outcome::Works | Outcome::Thanks) => return self.before_signal(at),
                None => {}
            }
        }
        None
    }

    fn own_after(&self, after: usize) -> impl DoubleEndedIterator<Item = usize> {
        let own = move |at: &usize| *at > after && self.window.lines[*at].person == self.asker;
        self.lines.iter().copied().filter(own)
    }

    /// The instruction that a signal of the asker at `signal` is for.
    fn before_signal(&self, signal: usize) -> Option<Solution> {
        let answered = self.window.links[signal].filter(|at| self.answers.contains_key(at));
        let last_answer = self
            .answers
            .range(..signal)
            .next_back()
            .map(|(at, _)| *at)?;
        let helper = self.window.lines[answered.unwrap_or(last_answer)].person;
        let failed = self
            .own_after(self.problem_lines[0])
            .rev()
            .find(|at| *at < signal && self.fails(*at));
        let last = self
            .answers
            .range(failed.unwrap_or(0)..signal)
            .rev()
            .map(|(at, _)| *at)
            .find(|at| {
                self.window.lines[*at].person == helper && self.instructs(*at) >= INSTRUCTS
            })?;
        if !self.belongs(last, signal) {
            return None;
        }
        if self.window.lines[signal]
            .at
            .since(self.window.lines[last].at)
            > THANKS_WITHIN
        {
            return None;
        }
        self.solution_up_to(last, helper, Signal::Thanks)
    }

    /// Whether an answer and the signal after it are surely about this
    /// problem: one addresses the other, they share a topic with it, or nobody
    /// else spoke.
    fn belongs(&self, answer: usize, signal: usize) -> bool {
        let helper = self.window.lines[answer].person;
        let to_asker = self.addressing.contains(&answer);
        let to_helper = self.addressing.contains(&signal);
        let people = [self.asker, helper];
        let alone = || {
            self.window.lines[self.problem_lines[0]..=signal]
                .iter()
                .all(|line| people.contains(&line.person) || line.bot)
        };
        let topic = || {
            share_a_topic(
                &self.problem,
                self.answers.get(&answer).copied().unwrap_or_default(),
            )
        };
        to_asker || to_helper || alone() || topic()
    }

    /// Whether so much time lies between problem and answer that the talk may
    /// have come to something else.
    fn drifted(&self, answer: usize) -> bool {
        let stated = self.problem_lines[self.problem_lines.len() - 1];
        self.window.lines[answer]
            .at
            .since(self.window.lines[stated].at)
            > DRIFT
    }

    fn fails(&self, at: usize) -> bool {
        self.window.hints[at].outcome == Some(Outcome::Fails)
    }

    /// The helper's instructions that end at `last`: as far back as they follow
    /// each other closely and the asker did not say that they fail.
    fn solution_up_to(&self, last: usize, helper: PersonId, signal: Signal) -> Option<Solution> {
        let mut lines = Vec::new();
        let mut after = last;
        for at in self.lines.iter().copied().rev().filter(|at| *at <= last) {
            let line = &self.window.lines[at];
            let refused = line.person == self.asker && self.fails(at);
            if refused || lines.len() == MOST_SOLUTION_LINES || self.problem_lines.contains(&at) {
                break;
            }
            if line.person == helper && self.instructs(at) >= INSTRUCTS {
                if self.window.lines[after].at.since(line.at) > STEPS_WITHIN {
                    break;
                }
                after = at;
                lines.push(at);
            }
        }
        lines.reverse();
        let best = lines.iter().map(|at| self.instructs(*at)).max()?;
        if best < SOLVES {
            return None;
        }
        let text = joined(lines.iter().filter_map(|at| self.answers.get(at).copied()));
        if self.drifted(lines[0]) && !share_a_topic(&self.problem, &text) {
            return None;
        }
        Some(Solution {
            text,
            lines,
            signal,
        })
    }
}

/// Lines of others that answer the asker: they address the asker, or follow a
/// line of the asker or an answer by the same person, and address nobody else.
fn answers<'w>(
    window: &'w Window,
    names: &Names,
    lines: &[usize],
    asker: PersonId,
) -> BTreeMap<usize, &'w str> {
    let mut answers: BTreeMap<usize, &str> = BTreeMap::new();
    for at in lines.iter().copied() {
        let line = &window.lines[at];
        if line.person == asker {
            continue;
        }
        let (person, _) = names.addressed(&line.text);
        let to_asker = person == Some(asker) || line.mentions.contains(&asker);
        let to_other = person.is_some_and(|person| person != asker);
        let follows = window.links[at].is_some_and(|earlier| {
            let before = &window.lines[earlier];
            before.person == asker || before.person == line.person && answers.contains_key(&earlier)
        });
        if to_asker || follows && !to_other {
            answers.insert(at, names.stripped(&line.text));
        }
    }
    answers
}

/// Lines as one text, each said once.
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
