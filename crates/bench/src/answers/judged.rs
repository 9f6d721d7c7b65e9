//! What a reply is worth, and where a right one was lost.

use std::collections::BTreeMap;

use threadlore_model::CaseId;
use threadlore_retrieval::ask::{CLOSE, Candidate, Reply};
use uuid::Uuid;

use super::material::{Dialog, Question};
use super::memory::{Known, Memory, one_line};

/// What became of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The reply has a line that answers it.
    Right,
    /// The reply has none, or says that the problem is known where it is not.
    Wrong,
    /// Nothing was said, or that the problem is known and not solved. For a question that nothing
    /// answers it is as it should be where nothing was said.
    Silent,
}

/// Where the answer to a question was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lost {
    /// No case rests on a message that answers it.
    NoCase,
    /// One does, but no solved case has it in its solution.
    NoSolution,
    /// The search did not find the case that has it.
    NotFound,
    /// It did, but the case was not close enough.
    NotClose,
    /// The reply quotes another part of the solution.
    Cut,
    /// Another case was closer.
    Outranked,
}

/// What a reply is worth.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) outcome: Outcome,
    /// Whether it said that the problem is known and not solved.
    pub(crate) is_tracked: bool,
    /// For a question that something answers, if the reply does not.
    pub(crate) lost: Option<Lost>,
}

/// Words of a line after the first one, at least, that are looked for without that one.
const BARE: usize = 3;

/// Judges a reply to a question that was asked in a channel.
pub(crate) fn judge(
    question: &Question,
    (reply, candidates): (&Reply, &[Candidate]),
    channel: &str,
    memory: &Memory,
) -> Judged {
    let answers: Vec<String> = question.answer.iter().map(|text| one_line(text)).collect();
    // A case has no addressee before a line.
    let bare = |answer: &str| match answer.split_once(' ') {
        Some((_, rest)) if rest.split(' ').count() >= BARE => rest.to_owned(),
        _ => answer.to_owned(),
    };
    let answers: Vec<String> = answers.iter().map(|answer| bare(answer)).collect();
    let holds = |text: &str| answers.iter().any(|answer| text.contains(answer.as_str()));
    let is_tracked = matches!(reply, Reply::Tracked { .. });
    let outcome = match reply {
        Reply::Answered { text, .. } | Reply::Suggested { text, .. } => {
            if holds(&one_line(text)) {
                Outcome::Right
            } else {
                Outcome::Wrong
            }
        }
        Reply::Tracked { .. } if answers.is_empty() => Outcome::Wrong,
        Reply::Tracked { .. } | Reply::Silent(_) => Outcome::Silent,
    };
    let mut lost = None;
    if !answers.is_empty() && outcome != Outcome::Right {
        let texts = question.answer.iter();
        let messages = texts.flat_map(|text| memory.saying(channel, text));
        let messages: Vec<Uuid> = messages.copied().collect();
        lost = Some(lost_at(&messages, holds, (reply, candidates), memory));
    }
    Judged {
        outcome,
        is_tracked,
        lost,
    }
}

fn lost_at(
    messages: &[Uuid],
    holds: impl Fn(&str) -> bool,
    (reply, candidates): (&Reply, &[Candidate]),
    memory: &Memory,
) -> Lost {
    let rests = |known: &Known| messages.iter().any(|message| known.has_any(message));
    let has = |known: &Known| {
        let in_evidence = messages
            .iter()
            .any(|message| known.has("solution", message));
        known.is_solved && (in_evidence || holds(&known.solution))
    };
    let cases = &memory.cases;
    if !cases.values().any(|known| rests(known) || has(known)) {
        return Lost::NoCase;
    }
    if !cases.values().any(has) {
        return Lost::NoSolution;
    }
    let is_holding = |case: &CaseId| cases.get(&case.as_uuid()).is_some_and(has);
    let found = candidates.iter().filter(|one| is_holding(&one.case.case));
    let Some(close) = found.map(|one| one.close).max() else {
        return Lost::NotFound;
    };
    match reply {
        _ if close < CLOSE => Lost::NotClose,
        Reply::Answered { citations, .. }
            if citations.first().is_some_and(|one| is_holding(&one.case)) =>
        {
            Lost::Cut
        }
        _ => Lost::Outranked,
    }
}

/// What became of a dialog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extracted {
    /// Whether a solved case has its problem, lines of its solution and no wrong suggestion.
    pub(crate) is_right: bool,
    /// Whether any solved case rests on it.
    pub(crate) is_solved: bool,
    /// Whether any case has a line of its problem.
    pub(crate) has_case: bool,
}

/// What became of a dialog, whose lines are these messages.
pub(crate) fn extracted(dialog: &Dialog, lines: &[Uuid], memory: &Memory) -> Extracted {
    let any =
        |known: &Known, part: &str, of: &[usize]| of.iter().any(|at| known.has(part, &lines[*at]));
    let mut found = Extracted {
        is_right: false,
        is_solved: false,
        has_case: false,
    };
    for known in memory.cases.values() {
        let stated = any(known, "problem", &dialog.problem);
        found.has_case |= stated;
        if !known.is_solved {
            continue;
        }
        found.is_solved |= lines.iter().any(|line| known.has_any(line));
        found.is_right |= stated
            && any(known, "solution", &dialog.solution)
            && !any(known, "solution", &dialog.wrong);
    }
    found
}

/// How many of each.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) asked: usize,
    pub(crate) right: usize,
    pub(crate) wrong: usize,
    pub(crate) tracked: usize,
    pub(crate) lost: BTreeMap<Lost, usize>,
}

impl Counts {
    pub(crate) fn add(&mut self, judged: &Judged) {
        self.asked += 1;
        self.right += usize::from(judged.outcome == Outcome::Right);
        self.wrong += usize::from(judged.outcome == Outcome::Wrong);
        self.tracked += usize::from(judged.is_tracked);
        if let Some(lost) = judged.lost {
            *self.lost.entry(lost).or_default() += 1;
        }
    }

    /// Shares of all that was asked, in hundredths, but for the number asked and those lost.
    pub(crate) fn metrics(&self) -> Vec<(&'static str, f64)> {
        let lost = |at: Lost| self.lost.get(&at).copied().unwrap_or(0) as f64;
        let silent = self.asked - self.right - self.wrong;
        vec![
            ("asked", self.asked as f64),
            ("right", share(self.right, self.asked)),
            ("wrong", share(self.wrong, self.asked)),
            ("silent", share(silent, self.asked)),
            ("tracked", share(self.tracked, self.asked)),
            ("no_case", lost(Lost::NoCase)),
            ("no_solution", lost(Lost::NoSolution)),
            ("not_found", lost(Lost::NotFound)),
            ("not_close", lost(Lost::NotClose)),
            ("cut", lost(Lost::Cut)),
            ("outranked", lost(Lost::Outranked)),
        ]
    }
}

/// So many of all, in hundredths.
pub(crate) fn share(some: usize, all: usize) -> f64 {
    100.0 * some as f64 / all.max(1) as f64
}
