//! `threadlore ask`: an answer from cases, a note that a case about it is open, or silence with the
//! reason.

use serde::Serialize;
use threadlore_model::{ChannelId, SpaceId};
use threadlore_node::Node;
use threadlore_ports::{EvidenceLine, Generations, PortError, Projection, Right};
use threadlore_replay::Indexer;
use threadlore_retrieval::ask::{CLOSE, Near};
use threadlore_retrieval::{AskedIn, RetrievalRecord, Source};
use threadlore_telemetry::catalogue::STEP;

use super::{Call, DEFAULT_SPACE};
use crate::cli::Ask;
use crate::exit::BadInput;
use crate::output::{Output, cut};
use crate::printable::counted;

/// Longest question, in characters.
const LONGEST: usize = 2000;
/// Points made at a time.
const POINTS: usize = 500;
/// Evidence lines shown per citation.
const SHOWN: usize = 3;

pub(super) async fn run(options: &Ask, call: &Call<'_>) -> anyhow::Result<u8> {
    index_ready(call).await;
    let space = call.space(options.space.as_ref()).await?;
    let mut told = ask(
        &call.host.node,
        &space,
        options.channel.as_ref(),
        &options.question,
    )
    .await?;
    if told.outcome == "silent" {
        unknown(&space, call, &mut told).await?;
    }
    if call.json {
        call.out.json(&told)?;
    } else {
        told.print(call.out);
    }
    Ok(0)
}

/// Reports an empty space, because its name may be mistyped. The space `default` of a new
/// installation is empty, which is no error.
async fn unknown(space: &SpaceId, call: &Call<'_>, told: &mut Told) -> anyhow::Result<()> {
    let node = &call.host.node;
    let scope = node.scope(space, Right::Ask)?;
    if space.as_str() != DEFAULT_SPACE {
        return node.check_space(&scope).await;
    }
    if !node.store.has_space(&scope).await? {
        "nothing was imported into the space default yet".clone_into(&mut told.answer);
    }
    Ok(())
}

/// Makes missing points of the index, where no role runs that would make them.
pub(super) async fn index_ready(call: &Call<'_>) {
    if !call.host.works()
        && let Err(error) = ready(call).await
    {
        // The search itself reports what it does without the index.
        tracing::warn!(%error, "points could not be made");
    }
}

async fn ready(call: &Call<'_>) -> Result<(), PortError> {
    let node = &call.host.node;
    let build = node.store.live(Projection::Cases).await?;
    let mut indexer = Indexer::start(build, node.index_ports()).await?;
    let made = indexer.catch_up(POINTS).await?;
    if made > 0 {
        call.out.say(format_args!(
            "put {} into the index",
            counted(made as u64, "case")
        ));
    }
    Ok(())
}

/// Whether the question can be asked.
pub(super) fn check(options: &Ask) -> anyhow::Result<()> {
    Ok(check_question(&options.question)?)
}

/// Whether a question can be asked.
pub(super) fn check_question(question: &str) -> Result<(), BadInput> {
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

/// The output of the command.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    /// The question.
    pub(super) question: String,
    /// `answered`, `suggested`, `tracked` or `silent`.
    pub(super) outcome: &'static str,
    /// The text; for silence the reason.
    pub(super) answer: String,
    /// The sources of the answer.
    pub(super) citations: Vec<Cited>,
    /// For silence, the cases that are nearest to the question, the nearest first. None of them
    /// answers it.
    pub(super) nearest: Vec<Nearest>,
    /// The memory that is told; null where the answer is none.
    pub(super) memory: Option<String>,
    /// How the candidates were found, and which parts of the search did not answer.
    pub(super) retrieval: RetrievalRecord,
}

/// A case behind an answer.
#[derive(Debug, Serialize)]
pub(super) struct Cited {
    /// Its id.
    pub(super) case: String,
    /// Its link.
    pub(super) link: String,
    /// Its title.
    pub(super) title: String,
    /// The closeness to the question, in thousandths.
    pub(super) close: u32,
    /// The messages it rests on.
    pub(super) evidence: Vec<Said>,
}

/// A case that is near to a question, and does not answer it.
#[derive(Debug, Serialize)]
pub(super) struct Nearest {
    /// Its id.
    case: String,
    /// Its link.
    link: String,
    /// Its title.
    title: String,
    /// The closeness to the question, in thousandths.
    close: u32,
}

/// A message as evidence.
#[derive(Debug, Serialize)]
pub(super) struct Said {
    /// Its id.
    message: String,
    /// When.
    at: String,
    /// The writer's name; absent when erased.
    name: Option<String>,
    /// The text; absent when erased or redacted.
    text: Option<String>,
}

/// Answers from the cases of a space.
pub(super) async fn ask(
    node: &Node,
    space: &SpaceId,
    channel: Option<&ChannelId>,
    question: &str,
) -> anyhow::Result<Told> {
    let scope = node.scope(space, Right::Ask)?;
    let asked_in = channel.map(|channel| AskedIn {
        channel,
        person: None,
        is_named: true,
    });
    let said = node.memory.answer(&scope, question, asked_in).await?;
    node.metrics
        .record(&STEP, &["search", said.result()], said.seconds);
    let near = said.nearest.into_iter();
    Ok(Told {
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
        retrieval: said.record,
    })
}

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

fn said(line: EvidenceLine) -> Said {
    Said {
        message: line.message.to_string(),
        at: line.sent_at.to_string(),
        name: line.name,
        text: line.text,
    }
}

impl Told {
    /// For people.
    pub(super) fn print(&self, out: &Output) {
        out.print(format_args!("Q: {}", self.question));
        match self.outcome {
            "silent" => out.print(format_args!("-  (silent: {})", self.answer)),
            _ => out.print(format_args!("A: {}", self.answer)),
        }
        if let Some(memory) = &self.memory {
            out.print(format_args!("   from `threadlore memory show {memory}`"));
        }
        for degraded in &self.retrieval.degraded {
            out.print(format_args!("   ({})", degraded.sentence()));
        }
        if !self.nearest.is_empty() {
            out.print(format_args!(
                "   No case answers this. The nearest ones, by closeness (an answer needs {CLOSE}):"
            ));
        }
        for near in &self.nearest {
            out.print(format_args!(
                "     {:>3}  {}  {}",
                near.close,
                near.link,
                cut(&near.title, 70)
            ));
        }
        for cited in &self.citations {
            out.print(format_args!(
                "   from {}  {}",
                cited.link,
                cut(&cited.title, 70)
            ));
            for said in cited.evidence.iter().take(SHOWN) {
                let name = said.name.as_deref().unwrap_or("somebody");
                let text = said.text.as_deref().unwrap_or("(erased)");
                out.print(format_args!("     {} <{name}> {}", said.at, cut(text, 90)));
            }
        }
    }
}
