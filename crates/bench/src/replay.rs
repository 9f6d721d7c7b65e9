//! Suite `replay`: a long history rebuilt from the log, beside COPY of the same rows.

mod history;

use std::sync::Arc;

use anyhow::{Context, ensure};
use futures::FutureExt as _;
use futures::future::ready;
use threadlore_node::{Environment, Node};
use threadlore_ports::{Generation, Generations as _};
use threadlore_replay::{Verdict, compare, ends, fill, rebuild};

use crate::bulk::Tables;
use crate::peak::Peak;
use crate::texts;
use crate::{Args, Row, fresh};
use history::{History, Kind};

/// A tenth of a percent of the events, for how memory grows.
const SMALL: usize = 100;

/// Rows for messages of many channels, few and many, for messages of one channel, and for cases.
///
/// # Errors
/// When the data cannot be read, a part does not work, or two builds differ.
pub(crate) fn run(args: &Args) -> anyhow::Result<Vec<Row>> {
    let texts = texts::of_logs(&args.data)?;
    let runtime = fresh::runtime()?;
    let (many, few) = (args.events, args.events / SMALL);
    [
        (
            "messages, a hundredth",
            Kind::Messages { channels: 1000 },
            few,
        ),
        ("messages", Kind::Messages { channels: 1000 }, many),
        (
            "messages, one channel",
            Kind::Messages { channels: 1 },
            many,
        ),
        ("cases", Kind::Cases { channels: 1000 }, many / 10),
    ]
    .into_iter()
    .map(|(name, kind, events)| {
        let history = History::new(kind, events, Arc::clone(&texts))?;
        runtime.block_on(measure(name, &history))
    })
    .collect()
}

async fn measure(name: &str, history: &History) -> anyhow::Result<Row> {
    let dir = tempfile::tempdir().context("making a directory to work in")?;
    let settings = fresh::settings(dir.path())?;
    let memory = settings.replay.memory_mb;
    let node = Node::open(settings, &Environment::read()).await?;
    let projection = history.projection();
    let ports = node.fold_ports();
    history.append(&ports).await?;
    eprintln!("replay: {name}: {} events in the log", history.events());
    let ends = ends(node.log.as_ref(), projection, None).await?;
    let build = node.store.create(projection).await?;
    let peak = Peak::start()?;
    let filled = fill(
        &ports,
        node.store.as_ref(),
        (build, &ends),
        node.replay_resources(),
        &|| ready(Ok(false)).boxed(),
        &|_, _| {},
    )
    .await?;
    let peak = peak.mb()?;
    ensure!(
        filled.events as usize == history.events(),
        "not all events were folded"
    );
    let (rows, copying) = copy(&node, build).await?;
    equal(&node, build).await?;
    let (events, rows) = (filled.events as f64, rows as f64);
    Ok(Row {
        name: name.to_owned(),
        metrics: vec![
            ("events", events),
            ("rows", rows),
            ("seconds", filled.seconds),
            ("events_per_s", events / filled.seconds),
            ("rows_per_s", rows / filled.seconds),
            ("copy_rows_per_s", rows / copying),
            ("of_copy", copying / filled.seconds),
            ("memory_mb", peak),
            ("memory_setting_mb", memory as f64),
        ],
    })
}

/// Copies the rows of a build into empty tables of the same DDL, and makes the indexes; their
/// number, and the seconds it took.
async fn copy(node: &Node, build: Generation) -> anyhow::Result<(u64, f64)> {
    let empty = node.store.create(build.projection).await?;
    let mut tables = Tables::connect(node.database_url()).await?;
    let (mut copied, mut seconds) = (0, 0.0);
    for table in threadlore_fold::tables(build.projection) {
        let rows = tables.read(&build.schema(), table.name).await?;
        let started = node.clock.now();
        copied += tables.write(&empty.schema(), &rows).await?;
        seconds += node.clock.now().since(started).as_secs_f64();
    }
    let started = node.clock.now();
    node.store.build_indexes(empty).await?;
    seconds += node.clock.now().since(started).as_secs_f64();
    Ok((copied, seconds))
}

/// Compares a build with one that is made once more.
async fn equal(node: &Node, build: Generation) -> anyhow::Result<()> {
    let store = node.store.as_ref();
    let again = rebuild(&node.fold_ports(), None, store, build.projection).await?;
    let partitions = node.log.partitions(build.projection.topic());
    let pair = (build, again.generation);
    let compared = compare(store, None, pair, partitions, 5).await?;
    ensure!(
        compared.verdict == Verdict::Equal,
        "two builds differ: {:?}",
        compared.verdict
    );
    Ok(())
}
