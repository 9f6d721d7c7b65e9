//! Suite `recovery`: shards whose state was lost, rebuilt from the log.

mod history;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;
use threadlore_model::{Offset, Role, Topic, TopicPartition};
use threadlore_node::{Environment, Node, Roles};
use threadlore_roles::{Buffer, Extractor, Intake, Processor};

use crate::peak::Peak;
use crate::texts;
use crate::{Args, Row, fresh};
use history::{History, PARTITION};

/// Records per call when the log's own rate is measured.
const READ: usize = 1000;
/// The most events that an error message names.
const SHOWN: usize = 5;
/// How often the database is asked whether the recovery is through.
const ASK: Duration = Duration::from_millis(20);

/// `extractor.merge_at` that switches merging off.
const NOTHING_IS_ALIKE: u32 = 1001;

/// A role, and the topics that it reads when its state was lost.
struct Shard {
    role: Role,
    inputs: &'static [Topic],
    outputs: &'static [Topic],
}

const fn shard<P: Processor>() -> Shard {
    Shard {
        role: P::ROLE,
        inputs: P::INPUTS,
        outputs: P::OUTPUTS,
    }
}

const SHARDS: [Shard; 3] = [shard::<Intake>(), shard::<Buffer>(), shard::<Extractor>()];

/// Rows for a shard of `intake`, `buffer` and `extractor`, with a tenth of the messages and
/// with all of them.
///
/// # Errors
/// When the data cannot be read, a part does not work, or a recovery publishes something.
pub(crate) fn run(args: &Args) -> anyhow::Result<Vec<Row>> {
    let texts = texts::of_logs(&args.data)?;
    let runtime = fresh::runtime()?;
    let mut rows: Vec<Row> = Vec::new();
    let mut tenth: BTreeMap<Role, f64> = BTreeMap::new();
    for (messages, name) in [(args.events / 10, ", a tenth"), (args.events, "")] {
        let measured = runtime.block_on(measure(&Arc::clone(&texts), messages))?;
        for (role, measured) in measured {
            let each = measured.seconds / measured.events;
            let before = *tenth.entry(role).or_insert(each);
            let rate = measured.events / measured.seconds;
            rows.push(Row {
                name: format!("{role}{name}"),
                metrics: vec![
                    ("events", measured.events),
                    ("seconds", measured.seconds),
                    ("events_per_s", rate),
                    ("read_per_s", measured.read),
                    ("of_read", rate / measured.read),
                    ("to_tenth", each / before),
                    ("memory_mb", measured.memory),
                ],
            });
        }
    }
    Ok(rows)
}

/// One recovery.
struct Measured {
    /// Records of inputs and outputs.
    events: f64,
    /// Until the shard decides again.
    seconds: f64,
    /// Events a second that are read and opened with nothing else done.
    read: f64,
    /// Megabytes by which the process grew at most.
    memory: f64,
}

async fn measure(
    texts: &Arc<Vec<String>>,
    messages: usize,
) -> anyhow::Result<Vec<(Role, Measured)>> {
    let dir = tempfile::tempdir().context("making a directory to work in")?;
    let mut settings = fresh::settings(dir.path())?;
    // The history has no merges. A recovered extractor would rightly decide those that follow from
    // the last case of each channel, whose problem may be the same text as an earlier one's.
    settings.extractor.merge_at = NOTHING_IS_ALIKE;
    let node = Node::open(settings, &Environment::read()).await?;
    let history = History::new(&node, messages, Arc::clone(texts))?;
    history.append(&node.fold_ports()).await?;
    eprintln!("recovery: {messages} messages in the log");
    let mut all = Vec::new();
    for shard in &SHARDS {
        let (events, reading) = read(&node, shard).await?;
        let (seconds, memory) = recover(&node, shard).await?;
        let measured = Measured {
            events,
            seconds,
            read: events / reading,
            memory,
        };
        all.push((shard.role, measured));
    }
    Ok(all)
}

/// Reads and opens what the shard reads and published; number of events, and seconds.
async fn read(node: &Node, shard: &Shard) -> anyhow::Result<(f64, f64)> {
    let (ports, started) = (node.fold_ports(), node.clock.now());
    let mut count = 0;
    for &topic in shard.inputs.iter().chain(shard.outputs) {
        let at = at(topic);
        let mut next = Offset(0);
        loop {
            let records = ports.log.read(at, next, READ).await?;
            let Some(last) = records.last() else { break };
            next = last.offset.next();
            count += records.len();
            let events = records.into_iter().filter_map(|record| record.body.ok());
            let opened = ports
                .vault
                .open(events.map(|event| *event).collect())
                .await?;
            ensure!(
                opened.iter().all(Result::is_ok),
                "an event of {at} cannot be opened"
            );
        }
    }
    Ok((count as f64, node.clock.now().since(started).as_secs_f64()))
}

/// Starts the role, which has no state yet, until its shard is recovered; seconds and megabytes.
async fn recover(node: &Node, shard: &Shard) -> anyhow::Result<(f64, f64)> {
    let mut database = PgConnection::connect(node.database_url()).await?;
    let before = published(node, shard).await?;
    let peak = Peak::start()?;
    let started = node.clock.now();
    let mut roles = Roles::start(node, &[shard.role]).await?;
    let recovered = async {
        let mut often = tokio::time::interval(ASK);
        loop {
            often.tick().await;
            let recovered: Option<bool> = sqlx::query_scalar(
                "SELECT recovered FROM lore_state.shards \
                 WHERE consumer_group = $1 AND partition = $2",
            )
            .bind(shard.role.name())
            .bind(PARTITION.0)
            .fetch_optional(&mut database)
            .await?;
            if recovered == Some(true) {
                return anyhow::Ok(());
            }
        }
    };
    tokio::select! {
        recovered = recovered => recovered?,
        error = roles.failed() => return Err(error),
    }
    let seconds = node.clock.now().since(started).as_secs_f64();
    let memory = peak.mb()?;
    roles.stop().await?;
    let decided = published_since(node, &before).await?;
    ensure!(
        decided.is_empty(),
        "the recovery of {} published {}",
        shard.role,
        decided.join(", ")
    );
    Ok((seconds, memory))
}

/// The ends of what the shard published.
async fn published(node: &Node, shard: &Shard) -> anyhow::Result<Vec<(TopicPartition, Offset)>> {
    let mut ends = Vec::new();
    for topic in shard.outputs {
        ends.push((at(*topic), node.log.range(at(*topic)).await?.end));
    }
    Ok(ends)
}

/// The types of the first events after these ends.
async fn published_since(
    node: &Node,
    ends: &[(TopicPartition, Offset)],
) -> anyhow::Result<Vec<String>> {
    let mut types = Vec::new();
    for (at, end) in ends {
        let records = node.log.read(*at, *end, SHOWN).await?;
        types.extend(records.iter().map(|record| match &record.body {
            Ok(event) => format!("{} at {at}/{}", event.body.type_name(), record.offset),
            Err(error) => error.reason.clone(),
        }));
    }
    Ok(types)
}

fn at(topic: Topic) -> TopicPartition {
    TopicPartition {
        topic,
        partition: PARTITION,
    }
}
