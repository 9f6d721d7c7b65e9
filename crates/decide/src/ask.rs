//! What to say to a question, given the cases that fit it: the solution of the
//! best solved case with its link, or that it is being tracked, or nothing and
//! why. Every citation is a case that was handed in; nothing is made up.

use std::collections::BTreeSet;

use threadlore_model::{Case, CaseId, MessageId, Part, Status};

/// A case that fits the question.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The case.
    pub case: Case,
    /// How well it fits, in thousandths.
    pub score: u32,
}

/// Below this fit a case is no answer, in thousandths.
pub const THRESHOLD: u32 = 500;

/// At least this share of the question's words must stand in the problem of a
/// case, in thousandths: a solution that merely mentions them is another topic.
pub const SAME_PROBLEM: u32 = 500;

/// Words that say nothing about the topic of a question.
const COMMON: &[&str] = &[
    "about", "and", "any", "anyone", "are", "but", "can", "cannot", "could", "did", "does", "for",
    "from", "get", "got", "has", "have", "help", "how", "its", "just", "know", "like", "make",
    "need", "not", "please", "should", "some", "that", "the", "there", "this", "use", "using",
    "want", "was", "way", "what", "when", "where", "which", "who", "why", "will", "with", "would",
    "you", "your", "don", "isn", "ubuntu", "linux",
];
/// Words count as the same when they agree this far: "mounting" and "mount".
const STEM: usize = 5;

/// Cases cited at most (C23).
const CITED: usize = 3;
/// An answer is at most this long, in characters, cut at the end of a sentence or word.
const LONGEST: usize = 500;

/// A case behind an answer, with the messages it rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// The case.
    pub case: CaseId,
    /// Its title.
    pub title: String,
    /// How well it fits, in thousandths.
    pub score: u32,
    /// Messages that carry the solution, or state the problem of an open case.
    pub evidence: Vec<MessageId>,
}

/// Why nothing is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// The channel has no active admin (C20).
    NotConfigured,
    /// No case has anything to do with the question.
    NothingFound,
    /// Cases share words with the question, but not enough of them.
    NothingClose,
}

impl Silence {
    /// The reason in one sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::NotConfigured => "the channel has no active admin, so nothing is said in it",
            Self::NothingFound => "no case shares a word with the question",
            Self::NothingClose => "no case is close enough to the question",
        }
    }
}

/// What to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// A solution, and where it is from; the first citation carries the text.
    Answered {
        /// The solution, in the words of the case.
        text: String,
        /// Best first; never empty.
        citations: Vec<Citation>,
    },
    /// The problem is known and not solved yet.
    Tracked {
        /// The open case.
        citation: Citation,
    },
    /// Nothing.
    Silent(Silence),
}

/// Chooses among candidates, best first within solved and open ones. `configured`
/// says whether the channel that asks has an active admin.
#[must_use]
pub fn answer(question: &str, candidates: &[Candidate], configured: bool) -> Reply {
    if !configured {
        return Reply::Silent(Silence::NotConfigured);
    }
    let mut ranked: Vec<&Candidate> = candidates.iter().collect();
    ranked.sort_by_key(|c| (std::cmp::Reverse(c.score), c.case.case));
    ranked.dedup_by_key(|c| c.case.case);
    let asked = stems(question);
    let close = |c: &&&Candidate| c.score >= THRESHOLD && shared(&asked, &c.case) >= SAME_PROBLEM;
    let solved: Vec<&Candidate> = ranked
        .iter()
        .filter(close)
        .filter(|c| c.case.status() == Status::Solved)
        .copied()
        .collect();
    if let Some(text) = solved
        .first()
        .and_then(|best| best.case.solution.as_deref())
    {
        let citations = solved
            .iter()
            .take(CITED)
            .map(|c| citation(c, Part::Solution))
            .collect();
        return Reply::Answered {
            text: shorten(text),
            citations,
        };
    }
    let open = ranked
        .iter()
        .filter(close)
        .find(|c| c.case.status() == Status::Open);
    match open {
        Some(case) => Reply::Tracked {
            citation: citation(case, Part::Problem),
        },
        None if ranked.is_empty() => Reply::Silent(Silence::NothingFound),
        None => Reply::Silent(Silence::NothingClose),
    }
}

/// Share of the question's words that stand in the case's title, problem or tags.
fn shared(asked: &BTreeSet<String>, case: &Case) -> u32 {
    let problem = stems(&format!(
        "{} {} {}",
        case.title.as_deref().unwrap_or_default(),
        case.problem.as_deref().unwrap_or_default(),
        case.tags.join(" ")
    ));
    let both = asked.intersection(&problem).count();
    u32::try_from(both * 1000 / asked.len().max(1)).unwrap_or(1000)
}

fn stems(text: &str) -> BTreeSet<String> {
    text.to_lowercase()
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() > 2 && !COMMON.contains(word))
        .map(|word| word.chars().take(STEM).collect())
        .collect()
}

fn citation(candidate: &Candidate, part: Part) -> Citation {
    let case = &candidate.case;
    let carries = case.evidence.iter().filter(|e| e.part == part);
    let mut evidence: Vec<MessageId> = carries.map(|e| e.message).collect();
    if evidence.is_empty() {
        // No line is marked as carrying it, so it rests on all of them.
        evidence = case.evidence.iter().map(|e| e.message).collect();
    }
    Citation {
        case: case.case,
        title: case.title.clone().unwrap_or_default(),
        score: candidate.score,
        evidence,
    }
}

fn shorten(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let cut: String = text.chars().take(LONGEST).collect();
    let end = cut.rfind(['.', '!', '?', '\n']).map(|i| i + 1);
    let end = end.or_else(|| cut.rfind(' ')).unwrap_or(cut.len());
    format!("{} …", cut[..end].trim_end())
}

#[cfg(test)]
mod tests;
