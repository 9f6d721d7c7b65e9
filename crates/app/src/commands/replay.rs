//! `threadlore replay`: rebuilds projections from the log beside the live ones,
//! compares, and switches.

use anyhow::Context;
use serde::Serialize;
use threadlore_ports::{Generation, Generations, Projection};
use threadlore_replay::{Comparison, Rebuilt, Verdict, compare, rebuild};

use super::Call;
use super::import::work;
use crate::cli::{Replay, ReplayAction};
use crate::exit::{BadInput, Busy, DIFFERENT};
use crate::node::Held;
use crate::output::Output;

/// Differing cells named at most.
const NAMED: usize = 20;

pub(super) async fn run(options: &Replay, call: &Call<'_>) -> anyhow::Result<u8> {
    match options.action {
        Some(ReplayAction::Rollback { projection }) => return rollback(call, projection).await,
        Some(ReplayAction::List) => return list(call).await,
        None => {}
    }
    let feeding = call.host.start().await?;
    settle(call).await?;
    let mut told = Vec::new();
    for projection in chosen(options.projection) {
        let mut held = feeding.hold(&call.host.node, projection).await?;
        let outcome = replay(call, &mut held, projection).await?;
        // First, so that a roll-back is left whenever this is cut off.
        held.feed().await?;
        if outcome.equal && !options.no_switch {
            call.host.node.store.switch(outcome.generation).await?;
            call.out.say(format_args!(
                "{} is live now; `threadlore replay rollback --projection {}` goes back",
                outcome.generation,
                projection.name()
            ));
        }
        told.push(outcome);
    }
    report(&told, call)
}

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
}

#[derive(Debug, Serialize)]
struct Table {
    table: String,
    rows: u64,
    live: String,
    rebuilt: String,
}

/// Rebuilds one projection beside the live build and compares. The builds of the
/// projection are not fed any more then, until the caller has them fed.
pub(super) async fn replay(
    call: &Call<'_>,
    held: &mut Held<'_>,
    projection: Projection,
) -> anyhow::Result<Outcome> {
    let node = &call.host.node;
    let live = node.store.live(projection).await?;
    let steps = call.out.steps("replaying", 0, false);
    let built: Rebuilt = rebuild(
        &node.fold_ports(),
        Some(&node.index_ports()),
        node.generations(),
        projection,
        &|done, total| {
            steps.at(done, total);
        },
    )
    .await?;
    let Rebuilt {
        generation,
        events,
        seconds,
    } = built;
    steps.done(&format!(
        "{generation}: {events} events in {seconds:.2} s, {:.0} a second",
        built.events_per_second()
    ));
    held.pause_level(live, generation).await?;
    let partitions = node.log.partitions(projection.topic());
    let Comparison {
        verdict,
        first,
        second,
        ..
    } = compare(
        node.generations(),
        Some(node.index.as_ref()),
        (live, generation),
        partitions,
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
        generation,
        projection: projection.name(),
        number: generation.number,
        events,
        seconds,
        equal: verdict == Verdict::Equal,
        digests,
        different,
    })
}

/// Prints outcomes; the exit code says whether all are equal.
pub(super) fn report(told: &[Outcome], call: &Call<'_>) -> anyhow::Result<u8> {
    if call.json {
        call.out.json(&serde_json::json!({ "projections": told }))?;
    } else {
        for outcome in told {
            outcome.print(call.out);
        }
    }
    let equal = told.iter().all(|outcome| outcome.equal);
    Ok(if equal { 0 } else { DIFFERENT })
}

impl Outcome {
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

fn short(hex: &str) -> &str {
    hex.get(..16).unwrap_or(hex)
}

async fn rollback(call: &Call<'_>, projection: Projection) -> anyhow::Result<u8> {
    let store = &call.host.node.store;
    let _turn = store.turn(projection).await?.ok_or(Busy(projection))?;
    let live = store.live(projection).await?;
    let before = store
        .fed()
        .await?
        .into_iter()
        .filter(|g| g.projection == projection && g.number < live.number)
        .max_by_key(|g| g.number)
        .with_context(|| {
            BadInput(format!(
                "{live} is the oldest build: there is none to go back to"
            ))
        })?;
    store.switch(before).await?;
    let text = format!("{before} is live again; {live} is kept and fed");
    match call.json {
        true => call.out.json(&serde_json::json!({
            "projection": projection.name(),
            "live": before.number,
            "kept": live.number,
        }))?,
        false => call.out.say(text),
    }
    Ok(0)
}

/// A build, for machines.
#[derive(Serialize)]
struct Build {
    projection: &'static str,
    number: u32,
    live: bool,
}

async fn list(call: &Call<'_>) -> anyhow::Result<u8> {
    let store = &call.host.node.store;
    let mut builds = Vec::new();
    for generation in store.generations().await? {
        let live = store.live(generation.projection).await? == generation;
        builds.push(Build {
            projection: generation.projection.name(),
            number: generation.number,
            live,
        });
        if !call.json {
            let mark = if live { "  live" } else { "" };
            call.out.print(format_args!("{generation}{mark}"));
        }
    }
    if call.json {
        call.out.json(&serde_json::json!({ "builds": builds }))?;
    }
    Ok(0)
}
