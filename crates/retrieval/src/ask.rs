//! What to say to a question, given the cases that fit it: the solution of the
//! best solved case with its link, or that it is being tracked, or nothing and
//! why. Every citation is a case that was handed in; nothing is made up.

use threadlore_model::{Case, CaseId, MessageId, Part, Status, alike_terms};

use threadlore_language::retrieve::{Rarity, Weighed, expanded, similar};

/// A case that was found for the question.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The case.
    pub case: Case,
    /// How close it is, in thousandths, see [`Question::closeness`].
    pub close: u32,
}

/// Below this closeness a case is no answer, in thousandths. On CLINC (small), the
/// questions of train known and those of val asked, at this value 83 of 100 questions
/// that no intent fits are met with silence, and 72 of 100 others with the right
/// intent (10 with a wrong one), where the closest is right for 82. Suite `silence`
/// in docs/bench.md has other values, and the half that was not looked at.
pub const CLOSE: u32 = 450;

/// A question, ready to be compared with cases.
pub struct Question(Vec<Weighed>);

impl Question {
    /// A question as it was put and, where it names things that have other names, with
    /// those too; the likest of the two counts.
    #[must_use]
    pub fn new(text: &str, others: &[&str]) -> Self {
        let mut wordings = vec![weighed(text)];
        if !others.is_empty() {
            wordings.push(weighed(&expanded(text, others)));
        }
        Self(wordings)
    }

    /// How close a case is, in thousandths: the likeness of the question to what states
    /// the problem, its title, its text or both with the tags, whichever is most alike.
    /// A solution that merely mentions the words of the question is another topic. It
    /// depends on the two texts alone, so that it means the same in a space of ten cases
    /// and of a million.
    #[must_use]
    pub fn closeness(&self, case: &Case) -> u32 {
        let (title, problem) = (
            case.title.as_deref().unwrap_or_default(),
            case.problem.as_deref().unwrap_or_default(),
        );
        let both = format!("{title} {problem} {}", case.tags.join(" "));
        let texts = [title, problem, &both];
        texts
            .map(|text| self.likeness(text))
            .into_iter()
            .fold(0, u32::max)
    }

    /// How alike a text is, in thousandths.
    #[must_use]
    pub fn likeness(&self, text: &str) -> u32 {
        let text = weighed(text);
        let likeness = self.0.iter().map(|asked| similar(asked, &text));
        (likeness.fold(0.0, f32::max) * 1000.0).round() as u32
    }
}

/// How close a case is by its vector alone, in thousandths: [`CLOSE`] where its cosine with
/// the question is `close_at` thousandths, 1000 where it is 1, and straight between.
/// Every model's cosines lie elsewhere, so `close_at` is the operator's to choose
/// (docs/models.md has one that was measured).
#[must_use]
pub fn closeness_of_vectors(cosine: f32, close_at: u32) -> u32 {
    let (at, close) = (close_at.clamp(1, 999) as f32 / 1000.0, CLOSE as f32);
    let cosine = cosine.clamp(0.0, 1.0);
    // Rounded down: below is never close.
    if cosine < at {
        (close * cosine / at) as u32
    } else {
        (close + (1000.0 - close) * (cosine - at) / (1.0 - at)) as u32
    }
}

/// No term counts more than another: rarity moves little (suite `silence` in
/// docs/bench.md), and would make closeness depend on what else is known.
fn weighed(text: &str) -> Weighed {
    Rarity::default().weigh(&alike_terms(text))
}

/// Cases cited at most.
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
    /// How close it is, in thousandths.
    pub close: u32,
    /// Messages that carry the solution, or state the problem of an open case.
    pub evidence: Vec<MessageId>,
}

/// Why nothing is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// The channel has no active admin.
    NotConfigured,
    /// No case has anything to do with the question.
    NothingFound,
    /// What was found has another problem.
    NothingClose,
    /// Nothing could be searched.
    NothingAnswers,
}

impl Silence {
    /// The reason in one sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::NotConfigured => "the channel has no active admin, so nothing is said in it",
            Self::NothingFound => "no case shares a word with the question",
            Self::NothingClose => "no case is close enough to the question",
            Self::NothingAnswers => "neither the index nor the tables can be searched now",
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

/// Chooses among candidates, the closest first within solved and open ones, of equal
/// ones that which comes first. `configured` says whether the channel that asks has an
/// active admin.
#[must_use]
pub fn answer(candidates: &[Candidate], configured: bool) -> Reply {
    if !configured {
        return Reply::Silent(Silence::NotConfigured);
    }
    let mut ranked: Vec<&Candidate> = candidates.iter().filter(|c| c.close >= CLOSE).collect();
    ranked.sort_by_key(|c| std::cmp::Reverse(c.close));
    let with = |status| ranked.iter().filter(move |c| c.case.status() == status);
    let text = with(Status::Solved).find_map(|best| best.case.solution.as_deref());
    if let Some(text) = text {
        let solved = with(Status::Solved).filter(|c| c.case.solution.is_some());
        let citations = solved.take(CITED).map(|c| citation(c, Part::Solution));
        return Reply::Answered {
            text: shorten(text),
            citations: citations.collect(),
        };
    }
    match with(Status::Open).next() {
        Some(case) => Reply::Tracked {
            citation: citation(case, Part::Problem),
        },
        None if candidates.is_empty() => Reply::Silent(Silence::NothingFound),
        None => Reply::Silent(Silence::NothingClose),
    }
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
        close: candidate.close,
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
