//! The reply to a question, given the candidate cases: the solution of the closest solved case
//! with its link, what was suggested to the closest open one, a note that the problem is being
//! tracked, or silence with the reason. Every
//! citation is one of the given cases; nothing is invented.

mod quote;

use threadlore_model::{Case, CaseId, MessageId, Part, Status, TurnOutcome};

use threadlore_language::retrieve::{Content, Corpus, Forms};
use threadlore_ports::CaseScore;

use crate::closeness::TextSigns;
use quote::quote;

/// A case that was found for the question.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The case.
    pub case: Case,
    /// How close it is, in thousandths, see [`Signs::closeness`](crate::closeness::Signs::closeness).
    pub close: u32,
    /// What answers with its words were worth.
    pub score: CaseScore,
}

/// What a case answers with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known<'c> {
    pub(crate) text: &'c str,
    pub(crate) part: Part,
    /// A solution, unless it failed and worked for nobody since; a suggestion that worked more often
    /// than it failed.
    pub(crate) is_sure: bool,
}

impl Candidate {
    /// What it answers with; nothing where it has neither a solution nor a suggestion.
    pub(crate) fn known(&self) -> Option<Known<'_>> {
        let CaseScore { worked, failed } = self.score;
        let (text, part, is_sure) = match self.case.status() {
            Status::Solved => {
                let is_sure = worked > 0 || failed < DOUBTFUL;
                (&self.case.solution, Part::Solution, is_sure)
            }
            Status::Open => (&self.case.suggestion, Part::Suggestion, worked > failed),
            Status::Archived | Status::Merged | Status::Erased => return None,
        };
        Some(Known {
            text: text.as_deref()?,
            part,
            is_sure,
        })
    }
}

/// So many failures make a solution doubtful that worked for nobody since.
const DOUBTFUL: u32 = 2;

/// The least closeness of an answer, in thousandths: that of a case whose chance to answer the
/// question is just the one that the operator wants, see [`closeness`](crate::closeness).
pub const CLOSE: u32 = 450;

/// A question, ready to be compared with cases.
pub struct Question {
    /// As it was asked, and with other names of the things in it.
    forms: Forms,
    content: Content,
    /// Other names of the things in it.
    others: Content,
}

/// The texts of a problem, and of its answer.
#[derive(Debug, Clone, Copy)]
pub struct Texts<'a> {
    /// Forms of the problem, of which the most alike counts. The last is the whole of it.
    pub problem: &'a [&'a str],
    /// The answer, or what was suggested; may be empty.
    pub answer: &'a str,
    /// Whether somebody confirmed it.
    pub is_solved: bool,
}

impl Question {
    /// A question as it was asked, and a second form with other names of the things in it. The
    /// more similar of the two forms counts.
    #[must_use]
    pub fn new(text: &str, others: &[&str]) -> Self {
        Self {
            forms: Forms::new(text, others),
            content: Content::of(text),
            others: Content::of(&others.join(" ")),
        }
    }

    /// What speaks for a case by its texts.
    #[must_use]
    pub fn signs_of(&self, case: &Case) -> TextSigns {
        let (title, problem) = (
            case.title.as_deref().unwrap_or_default(),
            case.problem.as_deref().unwrap_or_default(),
        );
        let both = format!("{title} {problem} {}", case.tags.join(" "));
        let answer = case.solution.as_deref().or(case.suggestion.as_deref());
        self.signs(Texts {
            problem: &[title, problem, &both],
            answer: answer.unwrap_or_default(),
            is_solved: case.solution.is_some(),
        })
    }

    /// What speaks for a problem with an answer to it.
    #[must_use]
    pub fn signs(&self, texts: Texts<'_>) -> TextSigns {
        let Texts {
            problem,
            answer,
            is_solved,
        } = texts;
        let likeness = problem.iter().map(|text| self.likeness(text));
        let likeness = likeness.fold(0.0, f32::max);
        let whole = problem.last().copied().unwrap_or_default();
        let stated = Content::of(whole);
        let words = self
            .content
            .met_by(&stated, &Content::default(), &self.others);
        TextSigns {
            likeness,
            met: self
                .content
                .met_by(&stated, &Content::of(answer), &self.others),
            words: words * self.content.len() as f32,
            is_solved,
        }
    }

    /// How alike a text is, 0 to 1.
    #[must_use]
    pub fn likeness(&self, text: &str) -> f32 {
        self.forms.likeness(text)
    }

    /// How alike each of many texts is.
    #[must_use]
    pub fn likeness_of_each(&self, texts: &Corpus) -> Vec<f32> {
        self.forms.likeness_of_each(texts)
    }
}

/// By how much closer what was only suggested comes before a solution, in thousandths: the
/// solution is then that of another problem.
const MUCH: u32 = 100;
/// Cases cited at most.
const CITED: usize = 3;
/// Cases named under a silence at most.
const NEAREST: usize = 3;

/// A case behind an answer, with the messages it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// The case.
    pub case: CaseId,
    /// Its title.
    pub title: String,
    /// The closeness to the question, in thousandths.
    pub close: u32,
    /// The version of the case.
    pub version: i64,
    /// Messages that carry the solution, or state the problem of an open case.
    pub evidence: Vec<MessageId>,
    /// How many answers from a solution that is doubtful failed; else 0.
    pub failed: u32,
}

/// A case that is near to a question which nothing answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Near {
    /// The case.
    pub case: CaseId,
    /// Its title.
    pub title: String,
    /// The closeness to the question, in thousandths; below [`CLOSE`] unless a model read the case and
    /// says that it does not answer.
    pub close: u32,
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// No case has anything to do with the question.
    NothingFound,
    /// All candidates are about other problems.
    NothingClose,
    /// Nothing could be searched.
    NothingAnswers,
}

impl Silence {
    /// The outcome of a turn that it is.
    #[must_use]
    pub const fn outcome(self) -> TurnOutcome {
        match self {
            Self::NothingFound => TurnOutcome::NothingFound,
            Self::NothingClose => TurnOutcome::NothingClose,
            Self::NothingAnswers => TurnOutcome::NothingAnswers,
        }
    }
}

/// The reply to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A solution with its sources; the first citation is the case that has the text.
    Answered {
        /// The solution in the words of the case: of a long one the lines that matter, with `…` where
        /// others are left out.
        text: String,
        /// Best first; never empty.
        citations: Vec<Citation>,
    },
    /// What is not sure: what somebody answered and nobody confirmed, or a solution that failed.
    Suggested {
        /// The suggestion, in the same way.
        text: String,
        /// The case that has it.
        citation: Citation,
        /// Where it is a solution that failed: the nearest other case whose answers worked.
        instead: Option<CaseId>,
    },
    /// The problem is known and not solved yet.
    Tracked {
        /// The open case.
        citation: Citation,
    },
    /// What a tool answered.
    LookedUp {
        /// In the words of the tool, or of the model that asked it.
        text: String,
        /// The tool.
        tool: String,
        /// The host that answered.
        host: String,
    },
    /// Nothing.
    Silent(Silence),
}

/// Chooses among candidates: what is sure before what is not (unless that is much closer), that before
/// other open cases, and among these the closest first. Sure is a solution, unless it failed twice and
/// worked for nobody since, and a suggestion that worked more often than it failed. Of equally close
/// ones the first in the list wins. Of a long text the lines are quoted that matter for the question.
#[must_use]
pub fn answer(candidates: &[Candidate], question: &str) -> Reply {
    let mut ranked: Vec<&Candidate> = candidates.iter().filter(|c| c.close >= CLOSE).collect();
    ranked.sort_by_key(|c| std::cmp::Reverse(c.close));
    let known = ranked.iter().filter_map(|one| Some((*one, one.known()?)));
    let (sure, others): (Vec<_>, Vec<_>) = known.partition(|(_, known)| known.is_sure);
    let (other, is_open) = (others.first(), |one: &Candidate| {
        one.case.status() == Status::Open
    });
    match (sure.first(), other) {
        (Some((first, known)), other)
            if other.is_none_or(|(other, _)| other.close <= first.close + MUCH) =>
        {
            let citations = sure.iter().take(CITED);
            let citations = citations.map(|(one, known)| citation(one, known.part));
            Reply::Answered {
                text: quote(known.text, question),
                citations: citations.collect(),
            }
        }
        (_, Some((case, known))) => Reply::Suggested {
            text: quote(known.text, question),
            instead: instead_of(case, candidates),
            citation: citation(case, known.part),
        },
        _ => match ranked.iter().find(|one| is_open(one)) {
            Some(case) => Reply::Tracked {
                citation: citation(case, Part::Problem),
            },
            None if candidates.is_empty() => Reply::Silent(Silence::NothingFound),
            None => Reply::Silent(Silence::NothingClose),
        },
    }
}

/// The nearest other case whose answers worked, for a solution that failed. It need not be close: that
/// the likest case does not help says that another one may.
fn instead_of(failed: &Candidate, candidates: &[Candidate]) -> Option<CaseId> {
    let is_solution = failed
        .known()
        .is_some_and(|known| known.part == Part::Solution);
    let works = |one: &&Candidate| {
        let is_other = one.case.case != failed.case.case && one.close > 0;
        is_other && one.known().is_some() && one.score.worked > one.score.failed
    };
    let others = candidates.iter().filter(works).filter(|_| is_solution);
    // Of equally close ones the first.
    others
        .rev()
        .max_by_key(|one| one.close)
        .map(|one| one.case.case)
}

/// The nearest cases under a silence, none of which is an answer: only where all candidates are
/// about other problems. A case that has nothing of the question is left out, and so is one without
/// texts.
#[must_use]
pub fn nearest(reply: &Reply, candidates: &[Candidate]) -> Vec<Near> {
    if *reply != Reply::Silent(Silence::NothingClose) {
        return Vec::new();
    }
    let near = |one: &Candidate| {
        Some(Near {
            case: one.case.case,
            title: one.case.title.clone()?,
            close: one.close,
        })
    };
    let some = candidates
        .iter()
        .filter(|one| one.close > 0 && matches!(one.case.status(), Status::Open | Status::Solved));
    let mut near: Vec<Near> = some.filter_map(near).collect();
    near.sort_by_key(|one| std::cmp::Reverse(one.close));
    near.truncate(NEAREST);
    near
}

pub(crate) fn citation(candidate: &Candidate, part: Part) -> Citation {
    let case = &candidate.case;
    let carries = case.evidence.iter().filter(|e| e.part == part);
    let mut evidence: Vec<MessageId> = carries.map(|e| e.message).collect();
    let known = candidate.known();
    let is_doubtful = known.is_some_and(|known| known.part == Part::Solution && !known.is_sure);
    if evidence.is_empty() {
        // No message is marked as the solution, so all of them are cited.
        evidence = case.evidence.iter().map(|e| e.message).collect();
    }
    Citation {
        case: case.case,
        title: case.title.clone().unwrap_or_default(),
        close: candidate.close,
        version: case.version,
        evidence,
        failed: match is_doubtful {
            true => candidate.score.failed,
            false => 0,
        },
    }
}

#[cfg(test)]
pub(crate) mod tests;
