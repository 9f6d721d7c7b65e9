//! A model reads the candidates and says which of them answers the question, or that none does.
//!
//! Whatever it says, only a case that was found is cited, and only its lines are quoted. What it says
//! in its own words is said only where these are, for the most part, words of the lines that it
//! names, and every name, number, path and command stands there; else the lines themselves are
//! quoted. The question is no ground for anything: whoever asks could have the model say what he
//! likes. Where it fails or is late, the reply is the one that the rules choose. Where a space has tools, it
//! may ask them first, and what they answer is quoted in the same way.

mod tools;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::try_join_all;
use serde::Serialize;
use threadlore_language::retrieve::{Content, telling_words};
use threadlore_model::{CaseId, EventId, MessageId, Part, SpaceId};
use threadlore_ports::{
    EvidenceLine, Passage, PassageOf, ReadEngine, Reading, Tool, ToolEngine, Verdict,
};

use crate::ask::{Candidate, Reply, Silence, citation};
use crate::closeness::Signs;
use crate::facts::{Note, about};
use crate::inquiry::Inquiry;
use crate::record::Degraded;
use crate::search::{Retrieval, Retrieved, TABLES};
pub use tools::ToolRecord;
use tools::{Decision, looked_up};

/// Candidates that a model reads at most.
const READ: usize = 8;
/// The least chance of a case that is worth a call, if it is the best one.
const WORTH: f32 = 0.03;

/// The share of the telling words of a composed answer that its lines must have.
const SAID: f32 = 0.6;

/// A model that reads, and how long it may take.
#[derive(Clone)]
pub struct Reader {
    /// The model.
    pub engine: Arc<dyn ReadEngine>,
    /// The longest time of a reading.
    pub limit: Duration,
    /// The most tokens of a space on a day (UTC) in this process; a call that began may go beyond.
    pub tokens_per_day: u64,
    /// What the operator says to it.
    pub instructions: Instructions,
    /// What it may ask, if a space has such.
    pub tools: Option<Arc<dyn ToolEngine>>,
    /// Whether it writes questions anew before they are searched.
    pub rewrites: bool,
}

/// What an operator says to a model that reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Instructions {
    /// In all other spaces; may be empty.
    pub all: String,
    /// In these.
    pub of: BTreeMap<SpaceId, String>,
}

impl Instructions {
    fn of(&self, space: &SpaceId) -> &str {
        self.of.get(space).unwrap_or(&self.all)
    }
}

/// Who read: the model, with the version of its prompt, and a mark of the instructions and tools that it had.
fn reader_name(version: &str, instructions: &str, tools: &[Tool]) -> String {
    let tools = tools.iter().flat_map(|tool| {
        let inputs = tool.inputs.iter().flat_map(|(name, about)| [name, about]);
        [&tool.name, &tool.about].into_iter().chain(inputs)
    });
    let said: Vec<&str> = [instructions]
        .into_iter()
        .chain(tools.map(String::as_str))
        .collect();
    if said == [""] {
        return version.to_owned();
    }
    let mark = EventId::of_content("instructions", &said).to_string();
    let mark: String = mark.chars().take(MARK).collect();
    format!("{version}+{mark}")
}

/// Letters of the mark of instructions.
const MARK: usize = 8;

/// What a model read, as it is stored with the answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReadRecord {
    /// The model, with the version of its prompt, and a mark of the operator's instructions.
    pub by: String,
    /// The cases that it read.
    pub read: Vec<CaseId>,
    /// How many things it read that are remembered of who asks and of the space.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<usize>,
    /// The tools that it asked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<ToolRecord>,
    /// The case that it says answers; none where it says that none does.
    pub case: Option<CaseId>,
    /// The tool that it says answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Whether the reply is in its words; else it is a quotation.
    pub composed: bool,
    /// Milliseconds of the call.
    pub took_ms: u64,
    /// Tokens that the model was sent, as far as its server tells.
    pub prompt_tokens: u64,
    /// Tokens that it said.
    pub answer_tokens: u64,
}

impl ReadRecord {
    /// The tool that answers, with its host.
    #[must_use]
    pub fn looked_up(&self) -> Option<String> {
        let tool = self.tool.as_ref()?;
        let asked = self.asked.iter().find(|one| one.tool == *tool)?;
        Some(format!("{tool} ({})", asked.host))
    }
}

impl Retrieval {
    /// The reply that the model which reads chooses among what was found. `None` without such a model,
    /// where nothing is worth reading, and where the model does not answer.
    /// `notes` are what is remembered, as far as it may be told there.
    pub(crate) async fn read(
        &self,
        asked: Inquiry<'_>,
        notes: &[Arc<Note>],
        found: &mut Retrieved,
    ) -> Option<Reply> {
        let reader = self.ports.reader.as_ref()?;
        let chances: Vec<f32> = found.signs.iter().map(Signs::chance).collect();
        let mut candidates = worth_reading(&found.candidates, &chances);
        candidates.retain(|one| asked.had != Some(one.case.case));
        let space = asked.scope.space();
        let tools = reader.tools.as_ref().map(|tools| tools.tools(space));
        let tools = tools.unwrap_or_default();
        if candidates.is_empty() && tools.is_empty() {
            return None;
        }
        let started = self.ports.clock.now();
        let evidence = candidates.iter().map(|one| {
            let cases = &self.ports.cases;
            cases.evidence(asked.scope, one.case.case)
        });
        let evidence = self.stage(&self.tables, TABLES, try_join_all(evidence));
        // Without what was said around them, the answers alone are read.
        let evidence = evidence.await.unwrap_or_default();
        let around = evidence.into_iter().chain(std::iter::repeat_with(Vec::new));
        let shown = candidates.iter().zip(around);
        let shown: Vec<CaseText<'_>> = shown
            .map(|(one, around)| CaseText::new(one, &around))
            .collect();
        let instructions = reader.instructions.of(space);
        let by = reader_name(reader.engine.version(), instructions, &tools);
        let mut reading = Reading {
            instructions: instructions.to_owned(),
            tools,
            ..reading(asked.text, &shown, notes)
        };
        let count = reading.of_asker.len() + reading.of_space.len();
        let degraded = &mut found.record.degraded;
        let decided = self.decided(reader, space, &mut reading, degraded).await;
        let chosen = decided.and_then(|decided| {
            let answers = &reading.passages[shown.len()..];
            let reply = reply_of(&decided, &shown, answers);
            let (reply, composed) = reply.ok_or(Degraded::Reader)?;
            let case = match &decided.verdict {
                Verdict::Passage { passage, .. } => candidates.get(*passage),
                Verdict::Nothing | Verdict::Call(_) => None,
            };
            let tool = match &reply {
                Reply::LookedUp { tool, .. } => Some(tool.clone()),
                _ => None,
            };
            let tokens = decided.tokens;
            let record = ReadRecord {
                by,
                read: candidates.iter().map(|one| one.case.case).collect(),
                facts: Some(count).filter(|count| *count > 0),
                asked: decided.asked,
                case: case.map(|one| one.case.case),
                tool,
                composed,
                took_ms: self.ports.clock.now().since(started).as_millis() as u64,
                prompt_tokens: tokens.prompt,
                answer_tokens: tokens.answer,
            };
            Ok((reply, record))
        });
        let (reply, record) = match chosen {
            Ok(chosen) => chosen,
            Err(degraded) => {
                found.record.degraded.push(degraded);
                return None;
            }
        };
        found.record.read = Some(record);
        // Where there was no case to read, the rules say why there is no answer.
        let is_silent = matches!(reply, Reply::Silent(_));
        (!is_silent || !shown.is_empty()).then_some(reply)
    }
}

/// The candidates that are worth reading, best first; none where the best is not worth a call.
pub(crate) fn worth_reading<'c>(
    candidates: &'c [Candidate],
    chances: &[f32],
) -> Vec<&'c Candidate> {
    let with_text = candidates
        .iter()
        .zip(chances)
        .filter(|(one, _)| one.case.solution.is_some() || one.case.suggestion.is_some());
    let mut best: Vec<(&Candidate, f32)> = with_text.map(|(one, chance)| (one, *chance)).collect();
    best.sort_by(|a, b| b.1.total_cmp(&a.1));
    best.truncate(READ);
    match best.first() {
        Some((_, chance)) if *chance >= WORTH => best.into_iter().map(|(one, _)| one).collect(),
        _ => Vec::new(),
    }
}

/// A candidate as the model reads it: the lines of its answer, then what else was said in its
/// conversation, which may answer as well.
pub(crate) struct CaseText<'c> {
    of: &'c Candidate,
    lines: Vec<CaseLine>,
}

/// A line of a candidate.
struct CaseLine {
    text: String,
    /// The message, for what was said around the answer.
    around: Option<MessageId>,
}

/// The most lines of what was said around an answer.
const AROUND: usize = 12;

impl<'c> CaseText<'c> {
    pub(crate) fn new(of: &'c Candidate, evidence: &[EvidenceLine]) -> Self {
        let answer = of
            .case
            .solution
            .as_deref()
            .or(of.case.suggestion.as_deref());
        let answer = answer.unwrap_or_default().lines();
        let answer = answer.map(|line| (line.trim(), None));
        let around = evidence.iter().filter(|line| line.part == Part::Context);
        let around =
            around.filter_map(|line| Some((line.text.as_deref()?.trim(), Some(line.message))));
        let lines = answer.chain(around.take(AROUND));
        let lines = lines
            .filter(|(text, _)| !text.is_empty())
            .map(|(text, around)| CaseLine {
                text: text.to_owned(),
                around,
            });
        Self {
            of,
            lines: lines.collect(),
        }
    }
}

/// What the model is shown.
pub(crate) fn reading(question: &str, shown: &[CaseText<'_>], notes: &[Arc<Note>]) -> Reading {
    let passage = |one: &CaseText<'_>| Passage {
        of: PassageOf::Case {
            problem: one.of.case.problem.clone().unwrap_or_default(),
            is_solved: one.of.case.solution.is_some(),
            score: one.of.score,
        },
        lines: one.lines.iter().map(|line| line.text.clone()).collect(),
    };
    let (of_asker, of_space) = about(notes, question);
    Reading {
        question: question.to_owned(),
        passages: shown.iter().map(passage).collect(),
        tools: Vec::new(),
        of_asker,
        of_space,
        instructions: String::new(),
    }
}

/// The reply that a decision stands for, and whether it is in the model's words. `None` for one that
/// names what was not shown. `answers` are those of tools.
fn reply_of(
    decision: &Decision,
    shown: &[CaseText<'_>],
    answers: &[Passage],
) -> Option<(Reply, bool)> {
    let (passage, lines, text) = match &decision.verdict {
        Verdict::Nothing => return Some((Reply::Silent(Silence::NothingClose), false)),
        Verdict::Call(_) => return None,
        Verdict::Passage {
            passage,
            lines,
            text,
        } => (*passage, lines.as_slice(), text.as_deref()),
    };
    if let Some(one) = shown.get(passage) {
        return of_case(one, lines, text);
    }
    let answer = answers.get(passage - shown.len())?;
    let PassageOf::Tool(call) = &answer.of else {
        return None;
    };
    let mut asked = decision.asked.iter();
    let host = &asked.find(|one| one.tool == call.tool)?.host;
    looked_up((call, &answer.lines), host, (lines, text))
}

/// The reply from the lines of a case. What was said around an answer was confirmed by nobody.
fn of_case(one: &CaseText<'_>, lines: &[usize], text: Option<&str>) -> Option<(Reply, bool)> {
    let said = lines.iter().map(|at| one.lines.get(*at));
    let said: Vec<&CaseLine> = said.collect::<Option<_>>()?;
    if said.is_empty() {
        return None;
    }
    let quoted: Vec<&str> = said.iter().map(|line| line.text.as_str()).collect();
    let quoted = quoted.join("\n");
    let composed = text
        .map(str::trim)
        .filter(|text| is_grounded(text, &quoted));
    let is_composed = composed.is_some();
    let text = composed.unwrap_or(&quoted).to_owned();
    let around = said.iter().filter_map(|line| line.around);
    let is_around = said.iter().all(|line| line.around.is_some());
    let known = one.of.known()?;
    let is_confirmed = known.is_sure && !is_around;
    let mut citation = citation(one.of, known.part);
    if is_around {
        citation.evidence.clear();
    }
    citation.evidence.extend(around);
    let reply = match is_confirmed {
        true => Reply::Answered {
            text,
            citations: vec![citation],
        },
        false => Reply::Suggested {
            text,
            citation,
            instead: None,
        },
    };
    Some((reply, is_composed))
}

/// Whether a text says what the lines say: [`SAID`] of its telling words are theirs, and so is all
/// that can be wrong, which is what has a digit, a sign of a command or path, or a capital letter
/// within a sentence.
fn is_grounded(text: &str, lines: &str) -> bool {
    let none = Content::default();
    if Content::of(text).met_by(&Content::of(lines), &none, &none) < SAID {
        return false;
    }
    let known = lines.to_lowercase();
    let mut begins = true;
    for word in text.split_whitespace() {
        let other = |c: char, signs: &str| !c.is_alphanumeric() && !signs.contains(c);
        let bare = word.trim_start_matches(|c| other(c, "/~$.-_"));
        let bare = bare.trim_end_matches(|c| other(c, "/~$_"));
        let is_exact = bare.contains(|c: char| c.is_ascii_digit() || "/\\_~$@#=<>|{}".contains(c))
            || bare.trim_start_matches('-').len() < bare.len()
            || bare.contains('.')
            || bare.chars().skip(1).any(char::is_uppercase)
            || (!begins && bare.chars().next().is_some_and(char::is_uppercase));
        if is_exact && !known.contains(&bare.to_lowercase()) {
            return false;
        }
        begins = word.ends_with(['.', '!', '?', ':']);
    }
    telling_words(text).next().is_some()
}

#[cfg(test)]
mod tests;
