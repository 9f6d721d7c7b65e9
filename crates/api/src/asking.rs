//! An answer from cases, a note that a case about it is open, or silence with the reason.

use serde::Serialize;
use threadlore_language::wording::Language;
use threadlore_model::{ChannelId, SpaceId};
use threadlore_node::{BadInput, Node};
use threadlore_ports::{EvidenceLine, Readable, Right, Scope};
use threadlore_retrieval::ask::Near;
use threadlore_retrieval::{AskedIn, ReadRecord, RetrievalRecord, Source};
use threadlore_telemetry::catalogue::STEP;
use utoipa::ToSchema;

use crate::cases::near;

/// Longest question, in characters.
const LONGEST: usize = 2000;

/// Whether a question can be asked.
///
/// # Errors
/// It is empty or too long.
pub fn check(question: &str) -> Result<(), BadInput> {
    if question.trim().is_empty() {
        return Err(BadInput("the question is empty".to_owned()));
    }
    match question.chars().count() {
        0..=LONGEST => Ok(()),
        n => Err(BadInput(format!(
            "the question has {n} characters, and {LONGEST} are allowed: shorten it"
        ))),
    }
}

/// What is told to a question.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reply {
    /// The question.
    pub question: String,
    /// `answered`, `suggested`, `tracked` or `silent`.
    pub outcome: &'static str,
    /// The text; for silence the reason.
    pub answer: String,
    /// The sources of the answer.
    pub citations: Vec<Cited>,
    /// For silence, the cases that are nearest to the question, the nearest first. None of them
    /// answers it.
    pub nearest: Vec<Nearest>,
    /// The memory that is told; null where the answer is none.
    pub memory: Option<String>,
    /// The tool that was asked for the answer, with its host, such as `status (status.example.com)`; null
    /// where the answer is from no tool.
    pub tool: Option<String>,
    /// How the candidates were found, and which parts of the search did not answer.
    #[schema(value_type = Object)]
    pub retrieval: RetrievalRecord,
}

/// A case behind an answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct Cited {
    /// Its id.
    pub case: String,
    /// Its link.
    pub link: String,
    /// Its title.
    pub title: String,
    /// The closeness to the question, in thousandths.
    pub close: u32,
    /// The messages it rests on.
    pub evidence: Vec<EvidenceMessage>,
}

/// A case that is near to a question, and does not answer it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Nearest {
    /// Its id.
    pub case: String,
    /// Its link.
    pub link: String,
    /// Its title.
    pub title: String,
    /// The closeness to the question, in thousandths.
    pub close: u32,
}

/// A message as evidence.
#[derive(Debug, Serialize, ToSchema)]
pub struct EvidenceMessage {
    /// Its id.
    pub message: String,
    /// When.
    pub at: String,
    /// The writer's name; absent when erased.
    pub name: Option<String>,
    /// The text; absent when erased or redacted.
    pub text: Option<String>,
}

/// Answers from the cases of a space, as in this channel, or as anybody may read it.
///
/// # Errors
/// What the tables say; the right is not granted.
pub async fn ask(
    node: &Node,
    space: &SpaceId,
    channel: Option<&ChannelId>,
    question: &str,
) -> anyhow::Result<Reply> {
    let scope = node.scope(space, Right::Ask)?;
    let asked_in = channel.map(|channel| AskedIn {
        had: None,
        channel,
        person: None,
        is_named: true,
        language: Language::of([question]),
        gate: None,
        remark: None,
        earlier: &[],
    });
    let said = node.memory.answer(&scope, question, asked_in).await?;
    node.metrics
        .record(&STEP, &["search", said.result()], said.seconds);
    let near = said.nearest.into_iter();
    Ok(Reply {
        question: question.to_owned(),
        outcome: if said.outcome.speaks() {
            said.outcome.name()
        } else {
            "silent"
        },
        answer: said.text,
        citations: said.sources.into_iter().map(cited).collect(),
        nearest: near.map(|one| named(node, one)).collect(),
        memory: said.told.map(|fact| fact.memory.to_string()),
        tool: said.record.read.as_ref().and_then(ReadRecord::looked_up),
        retrieval: said.record,
    })
}

/// The cases that are nearest to a question, the nearest first, of those that may be used for an answer there; before
/// anything is decided.
///
/// # Errors
/// What the tables say.
pub(crate) async fn nearest(
    node: &Node,
    scope: &Scope,
    channel: Option<&ChannelId>,
    question: &str,
) -> anyhow::Result<Vec<Nearest>> {
    let readable = match channel {
        None => Readable::all(),
        Some(channel) => Readable::in_channel(channel, &node.reader().configured(scope).await?),
    };
    let mut found = near(node, (scope, &readable), question, FOUND).await;
    found.retain(|one| one.close > 0);
    let near = found.into_iter().filter_map(|one| {
        Some(Nearest {
            case: one.case.case.to_string(),
            link: node.link(one.case.case),
            title: one.case.title?,
            close: one.close,
        })
    });
    Ok(near.take(FOUND).collect())
}

/// Cases that are named before anything is decided.
const FOUND: usize = 5;

fn cited(source: Source) -> Cited {
    Cited {
        case: source.citation.case.to_string(),
        link: source.link,
        title: source.citation.title,
        close: source.citation.close,
        evidence: source.evidence.into_iter().map(said).collect(),
    }
}

fn named(node: &Node, near: Near) -> Nearest {
    Nearest {
        case: near.case.to_string(),
        link: node.link(near.case),
        title: near.title,
        close: near.close,
    }
}

fn said(line: EvidenceLine) -> EvidenceMessage {
    EvidenceMessage {
        message: line.message.to_string(),
        at: line.sent_at.to_string(),
        name: line.name,
        text: line.text,
    }
}
