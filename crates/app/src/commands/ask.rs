//! `threadlore ask`: an answer from cases, a note that a case about it is open, or silence with the
//! reason.

use threadlore_api::asking::{self, Reply};
use threadlore_model::SpaceId;
use threadlore_ports::{Generations, PortError, Projection, Right};
use threadlore_replay::Indexer;
use threadlore_retrieval::ask::CLOSE;

use super::{Call, DEFAULT_SPACE};
use crate::cli::Ask;
use crate::output::{Output, cut};
use crate::printable::counted;

/// Points made at a time.
const POINTS: usize = 500;
/// Evidence lines shown per citation.
const SHOWN: usize = 3;

pub(super) async fn run(options: &Ask, call: &Call<'_>) -> anyhow::Result<u8> {
    index_ready(call).await;
    let space = call.space(options.space.as_ref()).await?;
    let mut told = asking::ask(
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
        print(&told, call.out);
    }
    Ok(0)
}

/// Reports an empty space, because its name may be mistyped. The space `default` of a new
/// installation is empty, which is no error.
async fn unknown(space: &SpaceId, call: &Call<'_>, told: &mut Reply) -> anyhow::Result<()> {
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
    Ok(asking::check(&options.question)?)
}

/// For people.
pub(super) fn print(told: &Reply, out: &Output) {
    out.print(format_args!("Q: {}", told.question));
    match told.outcome {
        "silent" => out.print(format_args!("-  (silent: {})", told.answer)),
        _ => out.print(format_args!("A: {}", told.answer)),
    }
    if let Some(memory) = &told.memory {
        out.print(format_args!("   from `threadlore memory show {memory}`"));
    }
    if let Some(tool) = &told.tool {
        out.print(format_args!("   looked up just now: {tool}"));
    }
    for degraded in &told.retrieval.degraded {
        out.print(format_args!("   ({})", degraded.sentence()));
    }
    if !told.nearest.is_empty() {
        out.print(format_args!(
            "   No case answers this. The nearest ones, by closeness (an answer needs {CLOSE}):"
        ));
    }
    for near in &told.nearest {
        out.print(format_args!(
            "     {:>3}  {}  {}",
            near.close,
            near.link,
            cut(&near.title, 70)
        ));
    }
    for cited in &told.citations {
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
