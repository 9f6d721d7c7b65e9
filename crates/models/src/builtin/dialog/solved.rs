//! The solution of a problem, by the strongest signal.

use std::time::Duration;

use threadlore_model::{Outcome, PersonId, Signal};

use super::{Dialog, Solution, joined};
use crate::builtin::prose;
use crate::builtin::words::{share_a_topic, weight};

/// Lines of an instruction, at most.
const MOST_SOLUTION_LINES: usize = 4;
/// Lines of a solution, at most.
const MOST_TOLD: usize = 6;
/// Thanks later than this after the instruction are for something else.
const THANKS_WITHIN: Duration = Duration::from_secs(60 * 60);
/// An answer later than this must share words with the problem.
const DRIFT: Duration = Duration::from_secs(5 * 60);
/// Steps of one instruction follow each other within this.
const STEPS_WITHIN: Duration = Duration::from_secs(8 * 60);
/// The least weight of an instruction, and of the best one.
const INSTRUCTS: usize = 3;
const SOLVES: usize = 5;
/// Where only the end of the talk is the signal: the least weight of the last instruction, and how
/// long nothing may follow it.
const ENDS: usize = 8;
const ENDED: Duration = Duration::from_secs(30 * 60);

impl Dialog<'_> {
    /// The solution, by the strongest signal.
    pub(in super::super) fn solution(&self) -> Option<Solution> {
        self.by_reaction()
            .or_else(|| self.by_words())
            .or_else(|| self.by_end())
    }

    fn by_reaction(&self) -> Option<Solution> {
        let liked =
            |at: &&usize| self.window.lines[**at].positive > 0 && self.instructs(**at) >= INSTRUCTS;
        let last = *self.answers.keys().rev().find(liked)?;
        self.solution_up_to(last, self.window.lines[last].person, Signal::Reaction)
    }

    /// By the asker's last thanks or "it works", unless it is taken back later.
    fn by_words(&self) -> Option<Solution> {
        let first = *self.answers.keys().next()?;
        let said = self.own_after(first).rev();
        for at in said {
            match self.window.hints[at].outcome {
                Some(Outcome::Fails) => return None,
                Some(Outcome::Works | Outcome::Thanks) => {
                    return self.before_signal(at).or_else(|| self.advised(at));
                }
                None => {}
            }
        }
        None
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

    /// The helper's remark just before a signal. It is no clear instruction, but counts if nobody
    /// else spoke.
    fn advised(&self, signal: usize) -> Option<Solution> {
        let mut told = self.advice();
        told.retain(|at| *at < signal && self.answers.contains_key(at));
        let last = *told.last()?;
        let helper = self.window.lines[last].person;
        let at = |line: usize| self.window.lines[line].at;
        told.retain(|line| {
            self.window.lines[*line].person == helper && at(last).since(at(*line)) <= STEPS_WITHIN
        });
        let lines = told.split_off(told.len().saturating_sub(MOST_SOLUTION_LINES));
        let text = joined(lines.iter().filter_map(|at| self.answers.get(at).copied()));
        let sure = at(signal).since(at(last)) <= STEPS_WITHIN
            && self.are_alone(helper, signal)
            && (weight(&text) > 1 || share_a_topic(&self.problem, &text));
        sure.then_some(Solution {
            text,
            lines,
            signal: Signal::Thanks,
        })
    }

    /// By the end of the talk: the asker got an exact instruction, and for a long time neither
    /// answered it nor got anything else.
    fn by_end(&self) -> Option<Solution> {
        let told = |at: &&usize| self.said[**at].reads.tells;
        let last = self.answers.keys().rev().find(told)?;
        let line = &self.window.lines[*last];
        let quiet = self.window.lines[self.window.lines.len() - 1]
            .at
            .since(line.at);
        let stated = self.problem_lines[self.problem_lines.len() - 1];
        let returned = self.own_after(*last).next().is_some();
        if returned
            || quiet < ENDED
            || self.instructs(*last) < ENDS
            || !self.belongs(*last, *last)
            || self.own_after(stated).any(|at| self.fails(at))
        {
            return None;
        }
        self.solution_up_to(*last, line.person, Signal::ThreadEnd)
    }

    /// Whether an answer and the signal after it are surely about this
    /// problem: one addresses the other, they share a topic with it, or nobody
    /// else spoke.
    fn belongs(&self, answer: usize, signal: usize) -> bool {
        let helper = self.window.lines[answer].person;
        let to_asker = self.addressing.contains(&answer);
        let to_helper = self.addressing.contains(&signal);
        let topic = || {
            share_a_topic(
                &self.problem,
                self.answers.get(&answer).copied().unwrap_or_default(),
            )
        };
        to_asker || to_helper || self.are_alone(helper, signal) || topic()
    }

    /// An instruction together with the helper's other advice up to the last line, if hardly
    /// anything else was said in between.
    fn with_advice(&self, mut lines: Vec<usize>, last: usize) -> Vec<usize> {
        let helper = self.window.lines[last].person;
        let told = |at: &usize| *at < last && self.window.lines[*at].person == helper;
        if self.is_quiet(self.problem_lines[0]..last + 1) {
            lines.extend(self.advice().into_iter().filter(told));
            lines.sort_unstable();
            lines.dedup();
            lines.drain(..lines.len().saturating_sub(MOST_TOLD));
        }
        lines
    }

    /// Whether from the problem to a line only asker and helper spoke.
    fn are_alone(&self, helper: PersonId, until: usize) -> bool {
        let people = [self.asker, helper];
        self.window.lines[self.problem_lines[0]..=until]
            .iter()
            .all(|line| people.contains(&line.person) || line.bot)
    }

    /// Whether so much time is between problem and answer that the topic may have changed.
    fn drifted(&self, answer: usize) -> bool {
        let stated = self.problem_lines[self.problem_lines.len() - 1];
        self.window.lines[answer]
            .at
            .since(self.window.lines[stated].at)
            > DRIFT
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
        let lines = self.with_advice(lines, last);
        let text = joined(lines.iter().filter_map(|at| self.answers.get(at).copied()));
        let vague = weight(&self.problem) == 0 && !prose::is_of_another_script(&self.problem);
        if (vague || self.drifted(lines[0])) && !share_a_topic(&self.problem, &text) {
            return None;
        }
        Some(Solution {
            text,
            lines,
            signal,
        })
    }
}
