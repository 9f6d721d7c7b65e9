//! `threadlore replay`: rebuilds projections from the log beside the live ones,
//! compares, and switches.

use std::process::ExitCode;

use anyhow::Context;
use serde::Serialize;
use threadlore_ports::{Generation, Generations, Projection};
use threadlore_replay::{Comparison, Rebuilt, Verdict, compare, rebuild};
use threadlore_settings::Settings;

use super::import::work;
use crate::cli::{Replay, ReplayAction};
use crate::environment::Environment;
use crate::exit::{BadInput, DIFFERENT};
use crate::node::{Node, Roles};
use crate::output::Steps;

/// Differing cells named at most.
const NAMED: usize = 20;

pub(super) async fn run(
    options: Replay,
    settings: Settings,
    environment: &Environment,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let node = Node::open(settings, environment).await?;
    match options.action {
        Some(ReplayAction::Rollback { projection }) => return rollback(&node, projection).await,
        Some(ReplayAction::List) => return list(&node).await,
        None => {}
    }
    let mut roles = Roles::start(&node).await?;
    work(&node, &mut roles).await?;
    roles.stop().await?;
    let mut told = Vec::new();
    for projection in chosen(options.projection) {
        let outcome = replay(&node, projection).await?;
        if outcome.equal && !options.no_switch {
            node.store.switch(outcome.generation).await?;
            eprintln!(
                "{} is live now; `replay rollback` goes back",
                outcome.generation
            );
        }
        told.push(outcome);
    }
    report(&told, json)
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

/// Rebuilds one projection beside the live build and compares.
pub(super) async fn replay(node: &Node, projection: Projection) -> anyhow::Result<Outcome> {
    let live = node.store.live(projection).await?;
    let steps = Steps::start("replaying", 0, false);
    let built: Rebuilt = rebuild(
        &node.fold_ports(),
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
    let partitions = node.log.partitions(projection.topic());
    let Comparison {
        verdict,
        first,
        second,
        ..
    } = compare(node.generations(), (live, generation), partitions, NAMED).await?;
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
pub(super) fn report(told: &[Outcome], json: bool) -> anyhow::Result<ExitCode> {
    if json {
        println!("{}", serde_json::json!({ "projections": told }));
    } else {
        for outcome in told {
            outcome.print();
        }
    }
    let equal = told.iter().all(|outcome| outcome.equal);
    Ok(if equal {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(DIFFERENT)
    })
}

impl Outcome {
    /// For people.
    pub(super) fn print(&self) {
        let verdict = if self.equal { "equal" } else { "DIFFERENT" };
        println!("{} g{}: {verdict}", self.projection, self.number);
        for table in &self.digests {
            println!(
                "  {:20} {:>8} rows  live {}  rebuilt {}",
                table.table,
                table.rows,
                short(&table.live),
                short(&table.rebuilt)
            );
        }
        for cell in &self.different {
            println!("  differs: {cell}");
        }
    }
}

fn short(hex: &str) -> &str {
    hex.get(..16).unwrap_or(hex)
}

async fn rollback(node: &Node, projection: Projection) -> anyhow::Result<ExitCode> {
    let live = node.store.live(projection).await?;
    let generations = node.store.generations().await?;
    let before = generations
        .into_iter()
        .filter(|g| g.projection == projection && g.number < live.number)
        .max_by_key(|g| g.number)
        .with_context(|| {
            BadInput(format!(
                "{live} is the oldest build: there is none to go back to"
            ))
        })?;
    node.store.switch(before).await?;
    eprintln!("{before} is live again; {live} is kept and fed");
    Ok(ExitCode::SUCCESS)
}

async fn list(node: &Node) -> anyhow::Result<ExitCode> {
    for generation in node.store.generations().await? {
        let live = node.store.live(generation.projection).await? == generation;
        println!("{generation}{}", if live { "  live" } else { "" });
    }
    Ok(ExitCode::SUCCESS)
}
