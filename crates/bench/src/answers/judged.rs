//! What a reply is worth, and where a right one was lost.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use threadlore_model::{CaseId, Part};
use threadlore_retrieval::ask::{CLOSE, Candidate, Reply};
use threadlore_retrieval::closeness::Signs;
use threadlore_retrieval::judge::{Expected, Outcome, one_line};
use threadlore_retrieval::{FoundCase, Retrieved};
use uuid::Uuid;

use super::material::{Dialog, Question};
use super::memory::{Known, Memory};

/// Where the answer to a question was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lost {
    /// No case rests on a message that answers it.
    NoCase,
    /// One does, but no case has it in its solution or suggestion.
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

/// Words of a line after the first one, at least, that are looked for without that one, where no mark
/// says that it is an addressee.
const BARE: usize = 3;

/// The lines that answer a question, without their addressees: a case does not keep those.
fn wanted(question: &Question) -> Vec<String> {
    let bare = |answer: &String| {
        let answer = one_line(answer);
        match answer.split_once(' ') {
            Some((first, rest)) if first.ends_with([':', ',']) => rest.to_owned(),
            Some((_, rest)) if rest.split(' ').count() >= BARE => rest.to_owned(),
            _ => answer,
        }
    };
    question.answer.iter().map(bare).collect()
}

/// What was found for a question, and which of it holds the answer.
pub(crate) fn found(
    question: &Question,
    judged: &Judged,
    found: &Retrieved,
    channel: &str,
    memory: &Memory,
) -> Value {
    let answers = wanted(question);
    let texts = question.answer.iter();
    let messages: Vec<&Uuid> = texts
        .flat_map(|text| memory.saying(channel, text))
        .collect();
    let candidate = |((of, one), signs): ((&FoundCase, &Candidate), &Signs)| {
        let case = &one.case;
        let text = case.solution.as_deref().or(case.suggestion.as_deref());
        let text = one_line(text.unwrap_or_default());
        let holds = answers.iter().any(|answer| text.contains(answer.as_str()))
            || case.evidence.iter().any(|evidence| {
                matches!(evidence.part, Part::Solution | Part::Suggestion)
                    && messages.contains(&&evidence.message.as_uuid())
            });
        json!({
            "holds": holds,
            "layer": of.layer,
            "rank": of.rank,
            "signs": signs.numbers(),
            "close": one.close,
            "cosine": of.cosine,
            "legs": of.legs,
            "title": case.title,
            "problem": case.problem,
            "solution": case.solution,
            "suggestion": case.suggestion,
        })
    };
    json!({
        "id": question.id,
        "kind": question.kind,
        "source": question.source,
        "language": question.language,
        "question": question.question,
        "outcome": format!("{:?}", judged.outcome),
        "lost": judged.lost.map(|lost| format!("{lost:?}")),
        "found": found.record.found.iter().zip(&found.candidates).zip(&found.signs).map(candidate).collect::<Vec<_>>(),
    })
}

/// Judges a reply to a question that was asked in a channel.
pub(crate) fn judge(
    question: &Question,
    (reply, candidates): (&Reply, &[Candidate]),
    channel: &str,
    memory: &Memory,
) -> Judged {
    let answers = wanted(question);
    let holds = |text: &str| answers.iter().any(|answer| text.contains(answer.as_str()));
    let is_tracked = matches!(reply, Reply::Tracked { .. });
    let expected = match answers.as_slice() {
        [] => Expected::Silence,
        some => Expected::Text(some.to_vec()),
    };
    let outcome = expected.judge(reply);
    let mut lost = None;
    if !answers.is_empty() && matches!(outcome, Outcome::Wrong | Outcome::Silent) {
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
        let part = if known.is_solved {
            "solution"
        } else {
            "suggestion"
        };
        messages.iter().any(|message| known.has(part, message)) || holds(&known.answer)
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
        Reply::Suggested { citation, .. } if is_holding(&citation.case) => Lost::Cut,
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
    /// Of those that are right, as a suggestion.
    pub(crate) suggested: usize,
    pub(crate) wrong: usize,
    pub(crate) tracked: usize,
    pub(crate) lost: BTreeMap<Lost, usize>,
}

impl Counts {
    pub(crate) fn add(&mut self, judged: &Judged) {
        self.asked += 1;
        let suggested = judged.outcome == Outcome::Suggested;
        self.right += usize::from(judged.outcome == Outcome::Right || suggested);
        self.suggested += usize::from(suggested);
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
            ("suggested", share(self.suggested, self.asked)),
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
