//! The solution of a problem, by the strongest signal.

use std::ops::Range;
use std::time::Duration;

use threadlore_language::has_denial;
use threadlore_model::{Hint, Outcome, PersonId, Signal};

use super::{Dialog, Solution};
use crate::builtin::prose::{self, Prose};
use crate::builtin::words::{share_a_topic, weight};

/// Lines of an instruction, at most.
const MOST_SOLUTION_LINES: usize = 4;
/// Lines of a solution, at most.
const MOST_TOLD: usize = 6;
/// Thanks later than this after the instruction are for something else.
const THANKS_WITHIN: Duration = Duration::from_secs(60 * 60);
/// The same where hardly anything else was said: a day later they are still for it.
const QUIET_WITHIN: Duration = Duration::from_secs(3 * 24 * 60 * 60);
/// An asker who comes back after this, with so many words, says what became of the problem.
const RETURNS_AFTER: Duration = Duration::from_secs(3 * 60 * 60);
const RETURNS_WITH: usize = 3;
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

/// Why something counts as solved, and the line that says so.
#[derive(Clone, Copy)]
struct Sign(Signal, Option<usize>);

impl Dialog<'_> {
    /// The solution, by the strongest signal.
    pub(in super::super) fn solution(&self) -> Option<Solution> {
        self.by_reaction()
            .or_else(|| self.by_words())
            .or_else(|| self.by_end())
    }

    /// By the last answer that somebody liked: a person's line that was reacted to is the solution,
    /// whatever its words.
    fn by_reaction(&self) -> Option<Solution> {
        let liked = |at: &&usize| self.window.lines[**at].positive > 0 && self.informs(**at);
        let last = *self.answers.keys().rev().find(liked)?;
        let helper = self.window.lines[last].person;
        let sign = Sign(Signal::Reaction, Some(last));
        self.solution_up_to(last, helper, sign)
            .or_else(|| Some(self.turn_up_to(last, sign)))
    }

    /// By the asker's last thanks or "it works", unless it is taken back later.
    fn by_words(&self) -> Option<Solution> {
        let first = *self.answers.keys().next()?;
        let said = self.own_after(first).rev();
        for at in said {
            if self.returns_content(at) {
                return self.helped(at);
            }
            match self.window.hints[at].outcome {
                Some(Outcome::Fails) => return None,
                Some(Outcome::Works | Outcome::Thanks) => {
                    return self.helped(at);
                }
                None => {}
            }
        }
        None
    }

    /// Whether the asker comes back after a long pause and neither asks nor denies anything: what
    /// was to be tried has worked, or there would be a complaint.
    fn returns_content(&self, at: usize) -> bool {
        let line = &self.window.lines[at];
        let mut before = self.lines.iter().rev().filter(|before| **before < at);
        let pause = before
            .next()
            .map(|before| line.at.since(self.window.lines[*before].at));
        let answered = self.answers.range(..at).next_back().map(|(at, _)| *at);
        let mut after = self.answers.range(at..);
        pause.is_some_and(|pause| pause >= RETURNS_AFTER)
            && self.window.hints[at] == Hint::default()
            && self.said[at].reads.words >= RETURNS_WITH
            && !after.any(|(at, _)| self.informs(*at))
            && answered.is_some_and(|answered| {
                self.own_after(answered)
                    .take_while(|own| *own <= at)
                    .all(|own| self.is_calm(own))
            })
    }

    /// Whether a line neither denies anything nor speaks of trouble.
    fn is_calm(&self, at: usize) -> bool {
        let text = &self.window.lines[at].text;
        !has_denial(text) && !prose::troubles(&Prose::of(text))
    }

    /// What a helper said just before a signal, whatever the words: an instruction of the
    /// lists is not needed where the thanks are surely for it.
    fn helped(&self, signal: usize) -> Option<Solution> {
        let stated = self.problem_lines[0];
        let mut own = self.own_after(stated).rev();
        let failed = own.find(|at| *at < signal && self.fails(*at));
        let last = match self.informed(failed.unwrap_or(stated)..signal, signal) {
            Some(last) => last,
            // What failed was another helper's, who spoke first.
            None => {
                let last = self.informed(stated..failed?, signal)?;
                let first = self.answers.keys().find(|at| self.informs(**at))?;
                let person = |at: usize| self.window.lines[at].person;
                (person(*first) != person(last)).then_some(last)?
            }
        };
        let late = self.window.lines[signal]
            .at
            .since(self.window.lines[last].at);
        let helper = self.window.lines[last].person;
        let quiet = self.is_quiet(stated..signal + 1);
        let named = self.named(signal) == Some(helper);
        let sure = (quiet || named) && late <= QUIET_WITHIN
            || late <= THANKS_WITHIN && (self.belongs(last, signal) || self.is_of_two(helper));
        let solution = || self.turn_up_to(last, Sign(Signal::Thanks, Some(signal)));
        sure.then(solution)
            .map(|solution| self.with_others(solution))
    }

    /// The solution with all other advice for the same problem: what the helper said earlier, and
    /// what others told the asker to do, unless the asker came back from that with more to say than
    /// a question.
    fn with_others(&self, solution: Solution) -> Solution {
        let mut lines = solution.lines;
        let first = lines[0];
        let person = |at: usize| self.window.lines[at].person;
        let came_back = |after: usize| {
            let mut own = self.own_after(after).take_while(|own| *own < first);
            own.any(|own| !self.said.asks(own) && !self.said.is_content(own))
        };
        let advice = self.advice().into_iter();
        let others = |at: usize| {
            let is_meant = self.addressing.contains(&at) || self.instructs(at) > 0;
            is_meant && !came_back(at)
        };
        lines.extend(advice.filter(|at| {
            self.answers.contains_key(at) && (person(*at) == person(first) || others(*at))
        }));
        lines.sort_unstable();
        lines.dedup();
        Solution {
            text: self.text_of(&lines),
            lines,
            ..solution
        }
    }

    /// The last line in a range that informs, of the person whom a signal thanks.
    fn informed(&self, range: Range<usize>, signal: usize) -> Option<usize> {
        let helper = self.thanked(signal);
        let is_of =
            |at: &usize| helper.is_none_or(|helper| self.window.lines[*at].person == helper);
        let mut answers = self.answers.range(range).rev().map(|(at, _)| *at);
        answers.find(|at| is_of(at) && self.informs(*at))
    }

    /// Whom a line of the asker thanks: the person whom it names, or whose line it answers.
    fn thanked(&self, signal: usize) -> Option<PersonId> {
        let answered = || {
            let answered = self.window.links[signal]?;
            let person = self.window.lines[answered].person;
            self.answers.contains_key(&answered).then_some(person)
        };
        let is_helper = |person: &PersonId| {
            let mut answers = self.answers.range(..signal);
            answers.any(|(at, _)| self.window.lines[*at].person == *person)
        };
        self.named(signal).filter(is_helper).or_else(answered)
    }

    /// Whom a line names.
    fn named(&self, at: usize) -> Option<PersonId> {
        let mentioned = || self.window.lines[at].mentions.first().copied();
        self.said[at]
            .to
            .or_else(mentioned)
            .or_else(|| self.said.named_in(at))
    }

    /// The helper's lines that inform and end at `last`, as far back as they follow each other
    /// closely and the asker did not say that they fail.
    fn turn_up_to(&self, last: usize, Sign(signal, signal_line): Sign) -> Solution {
        let helper = self.window.lines[last].person;
        let mut lines = vec![last];
        for at in self.lines.iter().copied().rev().filter(|at| *at < last) {
            let line = &self.window.lines[at];
            let refused = line.person == self.asker && self.fails(at);
            let after = &self.window.lines[lines[lines.len() - 1]];
            if refused
                || lines.len() == MOST_SOLUTION_LINES
                || self.problem_lines.contains(&at)
                || after.at.since(line.at) > STEPS_WITHIN
            {
                break;
            }
            if line.person == helper && self.informs(at) {
                lines.push(at);
            }
        }
        lines.reverse();
        let lines = self.with_advice(lines, last);
        Solution {
            text: self.text_of(&lines),
            lines,
            signal,
            signal_line,
        }
    }

    /// Whether a line of others answers the asker with more than a question or company.
    fn informs(&self, at: usize) -> bool {
        let reads = &self.said[at].reads;
        self.answers.contains_key(&at) && (reads.tells || reads.instruction >= INSTRUCTS)
    }

    /// Whether nobody but the asker and a helper speaks in the conversation.
    fn is_of_two(&self, helper: PersonId) -> bool {
        let people = [self.asker, helper];
        let mut lines = self.lines.iter();
        lines.all(|at| people.contains(&self.window.lines[*at].person))
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
        self.solution_up_to(*last, line.person, Sign(Signal::ThreadEnd, None))
            .map(|solution| self.with_others(solution))
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
        let mut before = self
            .own_after(self.problem_lines[0])
            .filter(|at| *at < lines[0])
            .rev();
        let after = before.find(|at| !self.is_calm(*at)).unwrap_or(0);
        let is_helpers =
            |at: &usize| (after..last).contains(at) && self.window.lines[*at].person == helper;
        if self.is_quiet(self.problem_lines[0]..last + 1) {
            lines.extend(self.advice().into_iter().filter(is_helpers));
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
    fn solution_up_to(
        &self,
        last: usize,
        helper: PersonId,
        Sign(signal, signal_line): Sign,
    ) -> Option<Solution> {
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
        let text = self.text_of(&lines);
        let vague = weight(&self.problem) == 0 && !prose::is_of_another_script(&self.problem);
        if (vague || self.drifted(lines[0])) && !share_a_topic(&self.problem, &text) {
            return None;
        }
        Some(Solution {
            text,
            lines,
            signal,
            signal_line,
        })
    }
}
