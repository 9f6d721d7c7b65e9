//! Suite `ingest`: real chat through every role on the embedded parts, beside
//! what the log and the database can do at best. One run on a fresh directory,
//! with every append and commit on disk.

mod project;
pub(crate) mod spent;

use std::collections::BTreeSet;
use std::io::{BufRead, Seek};

use anyhow::{Context, ensure};
use futures::future::try_join_all;
use threadlore_gateways::{
    Bots, ImportOptions, Input, LogFile, Summary, Target, end_history, import,
};
use threadlore_model::{
    ChannelId, Key, Offset, Partition, SpaceId, Topic, TopicPartition, partition_for,
};
use threadlore_node::{Environment, Node, Roles};
use threadlore_ports::{Generations, Projection};

use crate::bulk::Tables;
use crate::{Args, Row, fresh, logs};
use spent::Spent;

/// Bots of the logs.
pub(crate) const BOTS: &str = "ubottu,ubotu,FloodBot*";
/// Rows by their channels.
const ROWS: [(&str, usize); 2] = [("one channel", 1), ("four channels", 4)];
/// Records per call when the log's own rate is measured.
const READ: usize = 2000;

/// A row for one channel, which keeps one partition busy, and one for four on as many
/// partitions: rates of the built-in path, of the log and of COPY, their ratios, and what
/// else it cost.
///
/// # Errors
/// When the data cannot be read or a part does not work.
pub(crate) fn run(args: &Args) -> anyhow::Result<Vec<Row>> {
    let logs = logs::find(&args.data)?;
    let is_wanted = |(_, channels): &(&str, usize)| args.channels.is_none_or(|n| n == *channels);
    let rows: Vec<_> = ROWS.into_iter().filter(is_wanted).collect();
    ensure!(
        !rows.is_empty(),
        "there is a row for 1 channel and one for 4"
    );
    let runtime = fresh::runtime()?;
    rows.into_iter()
        .map(|(name, channels)| runtime.block_on(measure(&logs, name, channels)))
        .collect()
}

async fn measure(logs: &[LogFile], name: &str, channels: usize) -> anyhow::Result<Row> {
    let dir = tempfile::tempdir().context("making a directory to work in")?;
    let settings = fresh::settings(dir.path())?;
    let batch = settings.batch.max_records;
    let node = Node::open(settings, &Environment::read()).await?;
    let (before, empty) = (
        Spent::now(node.database_url()).await?,
        spent::on_disk(dir.path())?,
    );
    let seconds = ingest(&node, logs, channels).await?;
    let spent = Spent::now(node.database_url()).await?.since(before);
    let disk = spent::on_disk(dir.path())? - empty;
    let text = text_bytes(&node).await?;
    let read = read_rate(&node).await?;
    let projected = project::rate(&node, batch).await?;
    let (messages, copying) = copy_live(&node).await?;
    ensure!(messages > 0, "the logs hold no messages");
    let messages = messages as f64;
    let (rate, copy) = (messages / seconds, messages / copying);
    Ok(Row {
        name: name.to_owned(),
        metrics: vec![
            ("messages", messages),
            ("seconds", seconds),
            ("messages_per_s", rate),
            ("read_per_s", read),
            ("copy_per_s", copy),
            ("ratio_to_read", rate / read),
            ("ratio_to_copy", rate / copy),
            ("projected_per_s", projected),
            ("projected_to_copy", projected / copy),
            ("cpu_s_per_1000", spent.cpu / messages * 1000.0),
            (
                "database_cpu_s_per_1000",
                spent.database_cpu / messages * 1000.0,
            ),
            ("wal_bytes_per_message", spent.wal / messages),
            ("disk_per_text", disk as f64 / text),
        ],
    })
}

/// Imports the logs while every role works, dealt out to so many channels; seconds from the
/// first append until nothing is left to do.
async fn ingest(node: &Node, logs: &[LogFile], channels: usize) -> anyhow::Result<f64> {
    let mut roles = Roles::start(node, &Roles::all(node)).await?;
    let started = node.clock.now();
    import_logs(node, logs, channels).await?;
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

/// Imports the logs, dealt out to so many channels.
pub(crate) async fn import_logs(
    node: &Node,
    logs: &[LogFile],
    channels: usize,
) -> anyhow::Result<()> {
    let targets = targets(node, channels)?;
    let imports = targets
        .into_iter()
        .enumerate()
        .map(|(at, target)| async move {
            let mine = logs.iter().skip(at).step_by(channels);
            import_all(node, target, mine).await
        });
    try_join_all(imports).await?;
    Ok(())
}

/// Channels on different partitions.
fn targets(node: &Node, channels: usize) -> anyhow::Result<Vec<Target>> {
    let space = SpaceId::parse("bench")?;
    let partitions = node.log.partitions(Topic::ChatInbox);
    let (mut targets, mut taken) = (Vec::new(), BTreeSet::new());
    for number in 1..1000 {
        let channel = ChannelId::parse(&format!("irc:#ubuntu-{number}"))?;
        let key = Key::of_channel(&space, &channel);
        if targets.len() < channels
            && taken.insert(partition_for(key.as_str().as_bytes(), partitions))
        {
            targets.push(Target {
                space: space.clone(),
                channel,
                bots: Bots::parse(BOTS)?,
            });
        }
    }
    ensure!(
        targets.len() == channels,
        "{partitions} partitions are too few for {channels} channels"
    );
    Ok(targets)
}

/// Imports logs into one channel, one after the other, as one history.
pub(crate) async fn import_all(
    node: &Node,
    target: Target,
    logs: impl Iterator<Item = &LogFile>,
) -> anyhow::Result<()> {
    let mut all = Summary::default();
    for log in logs {
        all.merge(take(node, &target, log.open()?).await?);
    }
    Ok(end_history(node.log.as_ref(), &target, &all).await?)
}

/// Imports one file as `threadlore import` does.
pub(crate) async fn take<R: BufRead + Seek + Send>(
    node: &Node,
    target: &Target,
    input: Input<R>,
) -> anyhow::Result<Summary> {
    let options = ImportOptions {
        target: target.clone(),
        format: None,
        date: None,
        timezone: None,
        again: false,
    };
    let (log, now) = (node.log.as_ref(), node.clock.now());
    Ok(import(log, node.blobs(), now, &options, input, |_| {}).await?)
}

/// Bytes of the texts of all messages.
async fn text_bytes(node: &Node) -> anyhow::Result<f64> {
    let live = node.store.live(Projection::Messages).await?;
    let mut tables = Tables::connect(node.database_url()).await?;
    tables.bytes(&live.schema(), "messages", "text").await
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
        let mut tables = Tables::connect(node.database_url()).await?;
        for table in threadlore_fold::tables(projection) {
            let rows = tables.read(&live.schema(), table.name).await?;
            let started = node.clock.now();
            let copied = tables.write(&empty.schema(), &rows).await?;
            seconds += node.clock.now().since(started).as_secs_f64();
            if table.name == "messages" {
                messages = copied;
            }
        }
    }
    Ok((messages, seconds))
}
