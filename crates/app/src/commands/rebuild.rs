//! A build made anew from the log, and its comparison with the live one: what `replay`,
//! `verify` and `demo` have in common.

use futures::FutureExt as _;
use futures::future::ready;
use serde::Serialize;
use threadlore_node::Held;
use threadlore_ports::{Generation, Generations, Projection};
use threadlore_replay::{
    Comparison, Ends, Filled, StopHere, Verdict, compare, ends, fill, fill_points,
};

use super::Call;
use super::import::work;
use crate::exit::DIFFERENT;
use crate::output::Output;

/// Differing cells named at most.
const NAMED: usize = 20;

/// Has what waits done first. Where other processes work, they go on meanwhile.
pub(super) async fn settle(call: &Call<'_>) -> anyhow::Result<()> {
    match call.host.node.is_shared() {
        true => Ok(()),
        false => work(call).await,
    }
}

/// The projections that were asked for.
pub(super) fn chosen(projection: Option<Projection>) -> Vec<Projection> {
    projection.map_or_else(|| Projection::ALL.to_vec(), |one| vec![one])
}

/// What a rebuild showed.
#[derive(Debug, Serialize)]
pub(super) struct Outcome {
    #[serde(skip)]
    pub(super) generation: Generation,
    projection: &'static str,
    number: u32,
    events: u64,
    seconds: f64,
    /// Whether the new build equals the live one, table by table.
    pub(super) equal: bool,
    digests: Vec<Table>,
    different: Vec<String>,
}

impl Outcome {
    /// Events folded, and the seconds it took.
    pub(super) fn work(&self) -> (u64, f64) {
        (self.events, self.seconds)
    }

    /// For people.
    pub(super) fn print(&self, out: &Output) {
        let verdict = if self.equal { "equal" } else { "DIFFERENT" };
        out.print(format_args!(
            "{} g{}: {verdict}",
            self.projection, self.number
        ));
        for table in &self.digests {
            out.print(format_args!(
                "  {:20} {:>8} rows  live {}  rebuilt {}",
                table.table,
                table.rows,
                short(&table.live),
                short(&table.rebuilt)
            ));
        }
        for cell in &self.different {
            out.print(format_args!("  differs: {cell}"));
        }
    }
}

#[derive(Debug, Serialize)]
struct Table {
    table: String,
    rows: u64,
    live: String,
    rebuilt: String,
}

/// The first digits of a digest.
pub(super) fn short(hex: &str) -> &str {
    hex.get(..16).unwrap_or(hex)
}

/// Rebuilds one projection aside and compares it with the live build. The builds of the
/// projection are not fed any more then, until the caller has them fed. If it is cut off,
/// the next command on the projection drops the new build.
pub(super) async fn rebuild(
    call: &Call<'_>,
    held: &mut Held<'_>,
    projection: Projection,
) -> anyhow::Result<Outcome> {
    let node = &call.host.node;
    let ends = ends(node.log.as_ref(), projection, None).await?;
    let build = node.store.create(projection).await?;
    let filled = fill_up(call, (build, &ends), &|| ready(Ok(false)).boxed()).await?;
    beside_live(call, held, (build, filled)).await
}

/// Fills a build up to `ends`, with its points, and shows progress. It ends before where
/// `stop` says so.
pub(super) async fn fill_up(
    call: &Call<'_>,
    (build, ends): (Generation, &Ends),
    stop: StopHere<'_>,
) -> anyhow::Result<Filled> {
    let node = &call.host.node;
    let resources = node.replay_resources();
    let steps = call.out.steps("replaying", 0, false);
    let progress = |done, total| steps.at(done, total);
    let ports = node.fold_ports();
    let generations = node.generations();
    let filled = fill(
        &ports,
        generations,
        (build, ends),
        resources,
        stop,
        &progress,
    )
    .await?;
    if filled.is_whole {
        fill_points(build, &node.index_ports()).await?;
    }
    let Filled {
        events, seconds, ..
    } = filled;
    let rate = if seconds > 0.0 {
        events as f64 / seconds
    } else {
        0.0
    };
    steps.done(&format!(
        "{build}: {events} events in {seconds:.2} s, {rate:.0} a second"
    ));
    Ok(filled)
}

/// Brings the live build and a filled one to the same position, and compares them.
pub(super) async fn beside_live(
    call: &Call<'_>,
    held: &mut Held<'_>,
    (build, filled): (Generation, Filled),
) -> anyhow::Result<Outcome> {
    let node = &call.host.node;
    let projection = build.projection;
    let live = node.store.live(projection).await?;
    held.pause_level(live, build).await?;
    let Comparison {
        verdict,
        first,
        second,
        ..
    } = compare(
        node.generations(),
        Some(node.index.as_ref()),
        (live, build),
        node.log.partitions(projection.topic()),
        NAMED,
    )
    .await?;
    let different = match &verdict {
        Verdict::Equal => Vec::new(),
        Verdict::Elsewhere => vec!["the builds stand at different positions".to_owned()],
        Verdict::Different(cells) => cells
            .iter()
            .map(|cell| {
                format!(
                    "table {}, row {}, column {}",
                    cell.table, cell.row, cell.column
                )
            })
            .collect(),
    };
    let digests = first
        .iter()
        .map(|(table, (rows, live))| Table {
            table: table.clone(),
            rows: *rows,
            live: live.clone(),
            rebuilt: second
                .get(table)
                .map(|(_, hex)| hex.clone())
                .unwrap_or_default(),
        })
        .collect();
    Ok(Outcome {
        generation: build,
        projection: projection.name(),
        number: build.number,
        events: filled.events,
        seconds: filled.seconds,
        equal: verdict == Verdict::Equal,
        digests,
        different,
    })
}

/// Prints outcomes; the exit code says whether all are equal.
pub(super) fn report(outcomes: &[Outcome], call: &Call<'_>) -> anyhow::Result<u8> {
    if call.json {
        call.out
            .json(&serde_json::json!({ "projections": outcomes }))?;
    } else {
        for outcome in outcomes {
            outcome.print(call.out);
        }
    }
    let equal = outcomes.iter().all(|outcome| outcome.equal);
    Ok(if equal { 0 } else { DIFFERENT })
}
