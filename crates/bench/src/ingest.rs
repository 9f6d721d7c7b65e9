//! Suite `ingest`: real chat through every role on the embedded parts, beside
//! what the log and the database can do at best. One run on a fresh directory,
//! with every append and commit on disk.

mod copy;
mod logs;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, ensure};
use threadlore_app::{Environment, Node, Roles};
use threadlore_gateways::{Bots, ImportOptions, LogFile, Summary, Target, end_history, import};
use threadlore_model::{ChannelId, Offset, Partition, SpaceId, Topic, TopicPartition};
use threadlore_ports::{Generations, Projection};
use threadlore_settings::Settings;

use crate::Row;

const BOTS: &str = "ubottu,ubotu,FloodBot*";
/// Records per call when the log's own rate is measured.
const READ: usize = 2000;

/// One row: rates of the built-in path, of the log and of COPY, and their ratios.
///
/// # Errors
/// When the data cannot be read or a part does not work.
pub(crate) fn run(data: &Path) -> anyhow::Result<Vec<Row>> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("starting the async runtime")?
        .block_on(measure(data))
}

async fn measure(data: &Path) -> anyhow::Result<Vec<Row>> {
    let logs = logs::find(data)?;
    let dir = tempfile::tempdir().context("making a directory to work in")?;
    let mut settings = Settings::load(None, &BTreeMap::new())?;
    settings.data_dir = dir.path().to_owned();
    let node = Node::open(settings, &Environment::read()).await?;
    let seconds = ingest(&node, &logs).await?;
    let read = read_rate(&node).await?;
    let (messages, copying) = copy_live(&node).await?;
    ensure!(messages > 0, "{} holds no messages", data.display());
    let rate = messages as f64 / seconds;
    let copy = messages as f64 / copying;
    Ok(vec![Row {
        name: "builtin".to_owned(),
        metrics: vec![
            ("messages", messages as f64),
            ("seconds", seconds),
            ("messages_per_s", rate),
            ("read_per_s", read),
            ("copy_per_s", copy),
            ("ratio_to_read", rate / read),
            ("ratio_to_copy", rate / copy),
        ],
    }])
}

/// Imports the logs while every role works; seconds from the first append until
/// nothing is left to do.
async fn ingest(node: &Node, logs: &[LogFile]) -> anyhow::Result<f64> {
    let options = ImportOptions {
        target: Target {
            space: SpaceId::parse("bench")?,
            channel: ChannelId::parse("irc:#ubuntu")?,
            bots: Bots::parse(BOTS)?,
        },
        format: None,
        date: None,
        again: false,
    };
    let mut roles = Roles::start(node, &Roles::all(node)).await?;
    let started = node.clock.now();
    let mut all = Summary::default();
    for log in logs {
        let (input, now) = (log.open()?, node.clock.now());
        let summary = import(
            node.log.as_ref(),
            &node.blobs()?,
            now,
            &options,
            input,
            |_| {},
        )
        .await?;
        all.merge(summary);
    }
    end_history(node.log.as_ref(), &options.target, &all).await?;
    let imported = node.clock.now().since(started).as_secs_f64();
    eprintln!("ingest: {} logs imported in {imported:.1} s", logs.len());
    tokio::select! {
        drained = node.drain(&|_| {}) => drained?,
        error = roles.failed() => return Err(error),
    }
    let seconds = node.clock.now().since(started).as_secs_f64();
    roles.stop().await?;
    Ok(seconds)
}

/// Records of `chat.events` that one reader reads and decodes in a second, with
/// nothing else at work.
async fn read_rate(node: &Node) -> anyhow::Result<f64> {
    let topic = Topic::ChatEvents;
    let started = node.clock.now();
    let mut records = 0;
    for number in 0..node.log.partitions(topic) {
        let partition = Partition(i32::try_from(number)?);
        let at = TopicPartition { topic, partition };
        let range = node.log.range(at).await?;
        let mut next = range.start;
        while next < range.end {
            let read = node.log.read(at, next, READ).await?;
            ensure!(
                read.iter().all(|record| record.body.is_ok()),
                "a record of {at} cannot be decoded"
            );
            records += read.len();
            next = Offset(next.0 + i64::try_from(read.len())?);
        }
    }
    Ok(records as f64 / node.clock.now().since(started).as_secs_f64())
}

/// Copies the live rows of messages and cases into empty tables of the same
/// DDL; the number of messages, and the seconds it took.
async fn copy_live(node: &Node) -> anyhow::Result<(u64, f64)> {
    let (mut messages, mut seconds) = (0, 0.0);
    for projection in [Projection::Messages, Projection::Cases] {
        let live = node.store.live(projection).await?;
        let empty = node.store.create(projection).await?;
        let mut tables = copy::Tables::connect(node.database_url()).await?;
        for table in threadlore_fold::tables(projection.topic()) {
            let rows = tables.read(&live.schema(), table).await?;
            let started = node.clock.now();
            let copied = tables.write(&empty.schema(), &rows).await?;
            seconds += node.clock.now().since(started).as_secs_f64();
            if *table == "messages" {
                messages = copied;
            }
        }
    }
    Ok((messages, seconds))
}
