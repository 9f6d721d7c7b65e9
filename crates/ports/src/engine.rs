//! Engines: what finds cases, what makes vectors of texts, what reads a question and a
//! text together, and what finds an answer in memory.

use std::collections::BTreeMap;

use async_trait::async_trait;
use threadlore_model::{AnswerOutcome, Extraction, GateTag, SpaceId, Window};

use crate::{CaseScore, PortError};

/// Finds cases in a window. May be slow and may fail: it is called from the
/// effect pool only, never from a replay.
#[async_trait]
pub trait ExtractEngine: Send + Sync {
    /// Name and version, recorded in every event it leads to.
    fn version(&self) -> &str;

    /// Whether an answer takes milliseconds and no outside help. The loop then
    /// waits for it, so that neither the question nor the answer needs a
    /// transaction of its own.
    fn is_quick(&self) -> bool {
        false
    }

    /// Looks at one window.
    ///
    /// # Errors
    /// `Unavailable` to be tried again; `Refused` when the answer cannot be used.
    async fn extract(&self, window: &Window) -> Result<Extraction, PortError>;
}

/// Something that may answer a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// What it is.
    pub of: PassageOf,
    /// The lines of its answer; never empty.
    pub lines: Vec<String>,
}

/// What a passage is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PassageOf {
    /// A case in memory.
    Case {
        /// The problem, in the words of the chat.
        problem: String,
        /// Whether somebody confirmed that the answer works.
        is_solved: bool,
        /// How many answers from it worked and failed, whoever asked what.
        score: CaseScore,
    },
    /// What a tool answered to this call.
    Tool(ToolCall),
}

/// Something outside that can be asked, as its operator declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it answers.
    pub about: String,
    /// What it has to be given, each with what that is.
    pub inputs: BTreeMap<String, String>,
    /// The host that answers, for whoever reads the answer.
    pub host: String,
}

/// A tool is to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The name of the tool.
    pub tool: String,
    /// What it is given.
    pub inputs: BTreeMap<String, String>,
}

/// A question, and what may answer it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The question.
    pub question: String,
    /// Cases, the likeliest first; then what tools answered.
    pub passages: Vec<Passage>,
    /// Tools that may be asked first.
    pub tools: Vec<Tool>,
    /// What is remembered of who asks.
    pub of_asker: Vec<String>,
    /// What is remembered of the space that may have to do with the question.
    pub of_space: Vec<String>,
    /// What the operator says to whoever reads in that space; may be empty.
    pub instructions: String,
}

/// What answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing that was shown.
    Nothing,
    /// A passage.
    Passage {
        /// Its place among the passages, from 0 on.
        passage: usize,
        /// The places of the lines that answer, from 0 on, in their order; at least one.
        lines: Vec<usize>,
        /// The answer in the model's own words, if it has some.
        text: Option<String>,
    },
    /// It has to be asked of a tool that was shown.
    Call(ToolCall),
}

/// Tokens of calls of a model, as far as its server tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Those that it was sent.
    pub prompt: u64,
    /// Those that it said.
    pub answer: u64,
}

impl Tokens {
    /// Of both kinds.
    #[must_use]
    pub const fn all(self) -> u64 {
        self.prompt + self.answer
    }
}

impl std::ops::AddAssign for Tokens {
    fn add_assign(&mut self, other: Self) {
        self.prompt += other.prompt;
        self.answer += other.answer;
    }
}

/// Reads a question together with what may answer it. May be slow and may fail: it is called from the
/// effect pool and by searches, never from a replay.
#[async_trait]
pub trait ReadEngine: Send + Sync {
    /// Name and version, stored with every answer that it chose.
    fn version(&self) -> &str;

    /// Tokens that it was sent and that it said so far in this process, as far as its server tells;
    /// those of failed calls too.
    fn tokens(&self) -> u64;

    /// What answers this very question; and what the reading cost.
    ///
    /// # Errors
    /// `Unavailable` when the model does not answer; `Refused` when its answer cannot be used.
    async fn read(&self, reading: &Reading) -> Result<(Verdict, Tokens), PortError>;

    /// What a message is that is to nobody by name, with the lines before it, the oldest first; and what that
    /// cost.
    ///
    /// # Errors
    /// As [`ReadEngine::read`].
    async fn gate(&self, message: &str, earlier: &[String])
    -> Result<(GateTag, Tokens), PortError>;

    /// The question so that it can be understood without the lines before it, the oldest first; and what that
    /// cost.
    ///
    /// # Errors
    /// As [`ReadEngine::read`].
    async fn rewrite(
        &self,
        question: &str,
        earlier: &[String],
    ) -> Result<(String, Tokens), PortError>;

    /// What a message says of an answer, with the lines before it: the question, the answer, and what was
    /// said since, the oldest first; and what that cost.
    ///
    /// # Errors
    /// As [`ReadEngine::read`].
    async fn judge(
        &self,
        message: &str,
        before: &[String],
    ) -> Result<(Judgement, Tokens), PortError>;

    /// What the writer of a message says of himself in it, in his words; none where he says nothing; and
    /// what that cost.
    ///
    /// # Errors
    /// As [`ReadEngine::read`].
    async fn facts(&self, message: &str) -> Result<(Vec<String>, Tokens), PortError>;
}

/// What a model says that a message says of an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// What the answer was worth by it; [`AnswerOutcome::Unknown`] where it says nothing of it.
    pub outcome: AnswerOutcome,
    /// How sure the model is, 0 to 1.
    pub confidence: f32,
}

/// Asks the tools that an operator declares. May be slow and may fail: it is called by searches, never from
/// a replay.
#[async_trait]
pub trait ToolEngine: Send + Sync {
    /// The tools of a space.
    fn tools(&self, space: &SpaceId) -> Vec<Tool>;

    /// The lines that a tool of a space answers; never empty.
    ///
    /// # Errors
    /// `Unavailable` when it does not answer; `Refused` when the call is none of that tool, when it would
    /// lead elsewhere, and when its answer cannot be used.
    async fn call(&self, space: &SpaceId, call: &ToolCall) -> Result<Vec<String>, PortError>;
}

/// What a text is embedded for; some models have to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmbedFor {
    /// It is to be found.
    Passage,
    /// It asks for others.
    Query,
}

/// Makes vectors of texts. May be slow and may fail: it is called from the effect
/// pool and by searches, never from a replay.
#[async_trait]
pub trait EmbedEngine: Send + Sync {
    /// The model and everything else that shapes its vectors, recorded in every event
    /// it leads to: vectors of equal names can be compared, others cannot.
    fn model(&self) -> &str;

    /// Numbers in each of its vectors.
    fn dimensions(&self) -> u32;

    /// The vectors of texts, in their order, each of finite numbers.
    ///
    /// # Errors
    /// `Unavailable` to be tried again; `Refused` when the answer cannot be used.
    async fn embed(&self, texts: &[String], what_for: EmbedFor)
    -> Result<Vec<Vec<f32>>, PortError>;
}

/// Reads a question and a text together, and says how well the text answers it. May be slow and may fail: it
/// is called by searches.
#[async_trait]
pub trait RankEngine: Send + Sync {
    /// Name and version, stored with every answer that it had a part in.
    fn version(&self) -> &str;

    /// For each text, in their order, the chance that it answers, 0 to 1.
    ///
    /// # Errors
    /// `Unavailable` when the model does not answer; `Refused` when its answer cannot be used.
    async fn rank(&self, question: &str, texts: &[String]) -> Result<Vec<f32>, PortError>;
}
