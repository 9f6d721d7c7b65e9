//! How cases were found for a question, as it is stored with the answer.

use std::collections::BTreeMap;

use serde::Serialize;
use threadlore_model::{CaseId, MemoryId};

use crate::gate::GateRecord;
use crate::read::ReadRecord;
use crate::remark::RemarkRecord;
use crate::rewrite::RewriteRecord;

/// How cases were found for a question.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RetrievalRecord {
    /// The build that was searched, such as `cases g2`.
    pub build: Option<String>,
    /// The version of the terms.
    pub terms: u32,
    /// Other names of things in the question, which were searched too.
    pub also: Vec<String>,
    /// The measure of closeness, with its version.
    pub closeness: &'static str,
    /// How many of a hundred answers may be wrong ones, by the settings.
    pub wrong_at_most: u32,
    /// What a model said that the message is; none where the rules were sure, or decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateRecord>,
    /// What a model said that the message tells of an answer; none where it was not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remark: Option<RemarkRecord>,
    /// The question as a model wrote it; none where it was looked up as it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewritten: Option<RewriteRecord>,
    /// The model that read each candidate with the question; none where none did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranked_by: Option<String>,
    /// What a model read, and what it says of that; none where no model reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<ReadRecord>,
    /// The exchange that the answer repeats; none where nobody asked the same before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats: Option<MemoryId>,
    /// The stages that did not answer, and what was done instead.
    pub degraded: Vec<Degraded>,
    /// The candidate cases, in the order of their rank.
    pub found: Vec<FoundCase>,
}

/// A candidate case.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundCase {
    /// The case.
    pub case: CaseId,
    /// Its layer.
    pub layer: &'static str,
    /// Its rank among the candidates, in thousandths.
    pub rank: u32,
    /// The chance that it answers the question, in thousandths.
    pub chance: u32,
    /// Its closeness to the question, in thousandths: 450 where the chance is just enough.
    pub close: u32,
    /// The cosine of its vector with the question's, in thousandths, if that leg found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cosine: Option<u32>,
    /// By how much that cosine is above those of the nearest other cases, in hundredths of the
    /// spread of the model's cosines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stands_out: Option<i32>,
    /// The chance that it answers by a model that read both, in thousandths, if one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reranked: Option<u32>,
    /// How many answers with its words worked.
    pub worked: u32,
    /// How many failed.
    pub failed: u32,
    /// How many earlier questions like this one there are for which its answer worked, in hundredths:
    /// one that is less alike counts less.
    #[serde(skip_serializing_if = "is_zero")]
    pub worked_before: u32,
    /// The same of those for which it failed.
    #[serde(skip_serializing_if = "is_zero")]
    pub failed_before: u32,
    /// The legs that found it, each with its share of the rank in thousandths.
    pub legs: BTreeMap<&'static str, u32>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A stage that did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Degraded {
    /// The index was searched without the leg of the model.
    Model,
    /// The rules decided whether the message asks for an answer.
    Gate,
    /// The rules decided whether the message says something of an answer.
    Remark,
    /// The question was looked up as it stands, not as the model would write it.
    Rewrite,
    /// The candidates were not read together with the question.
    Reranker,
    /// The rules chose among the candidates, not the model.
    Reader,
    /// A tool that the model asked did not answer, so it decided without.
    Tool,
    /// The rules chose, because the model's tokens of the day are spent.
    Budget,
    /// Words in the tables were searched instead of the index.
    Index,
    /// The tables did not answer, so that nothing was found.
    Tables,
}

impl Degraded {
    /// The degradation, in one sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Model => "the model does not answer, so the index was searched by words alone",
            Self::Gate => {
                "the model that reads does not answer, so the rules decided whether it is a question"
            }
            Self::Remark => {
                "the model that reads does not answer, so the rules decided whether it says something of \
                 an answer"
            }
            Self::Rewrite => {
                "the model that rewrites does not answer, so the question was looked up as it stands"
            }
            Self::Reranker => {
                "the model that ranks does not answer, so cases are as close as without it"
            }
            Self::Reader => "the model that reads does not answer, so the rules chose",
            Self::Tool => "a tool does not answer, so the model that reads decided without it",
            Self::Budget => "the day's tokens for reading are spent, so the rules chose",
            Self::Index => "the index does not answer, so words in the tables were searched",
            Self::Tables => "the tables do not answer, so nothing could be found",
        }
    }
}

/// As it stands in a record.
pub(crate) fn hundredths(of: f32) -> u32 {
    (of * 100.0).round() as u32
}

/// The same, of a part of one.
pub(crate) fn thousandths(part: f32) -> u32 {
    (part.clamp(0.0, 1.0) * 1000.0).round() as u32
}
