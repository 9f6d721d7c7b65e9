//! Suite `learning`: what the owners of outcomes and memories do in a second, and what a search among
//! many memories takes beside one among the same cases alone.

mod history;

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use threadlore_model::{Group, Offset, Partition, Role, Topic, TopicPartition};
use threadlore_node::{Environment, Node, Roles};
use threadlore_ports::{Authority, Generations as _, Projection, Right, Shard, Store as _};
use threadlore_replay::{Indexer, rebuild};

use crate::{Args, Row, fresh, texts};
use history::History;

const QUESTIONS: usize = 500;
/// Marked rows taken at a time, as in a rebuild.
const BATCH: usize = 2000;
/// How often it is looked whether a role is through.
const LOOK: Duration = Duration::from_millis(20);
/// What a search reads beside cases, when there are memories.
const LEARNED: [Projection; 4] = [
    Projection::Messages,
    Projection::Turns,
    Projection::Outcomes,
    Projection::Memories,
];

type Metrics = Vec<(&'static str, f64)>;

/// A row of rates, and one of searches.
///
/// # Errors
/// When the data cannot be read or a part does not work.
pub(crate) fn run(args: &Args) -> anyhow::Result<Vec<Row>> {
    let texts = texts::of_logs(&args.data)?;
    fresh::runtime()?.block_on(async {
        let dir = tempfile::tempdir().context("making a directory to work in")?;
        let node = Node::open(fresh::settings(dir.path())?, &Environment::read()).await?;
        let history = History::new(args.points, texts, node.clock.now())?;
        let rates = rates(&node, &history, args.points).await?;
        let searches = searches(&node, &history, args.points).await?;
        let row = |(name, metrics): (&str, Metrics)| Row {
            name: name.to_owned(),
            metrics,
        };
        let rows = [("a second", rates), ("a search", searches)];
        Ok(rows.into_iter().map(row).collect())
    })
}

/// What each of the two makes in a second, from its first input to its last event on disk.
async fn rates(node: &Node, history: &History, answers: usize) -> anyhow::Result<Metrics> {
    history.append_answers(&node.fold_ports()).await?;
    eprintln!("learning: {answers} answers and their ratings in the log");
    let (outcomes, made) = decide(node, Role::Learner, Topic::Outcomes).await?;
    ensure!(
        made == answers,
        "{made} of {answers} answers have an outcome"
    );
    let (exchanges, scored) = decide(node, Role::Promoter, Topic::KnowledgeMemories).await?;
    ensure!(
        scored == answers,
        "{scored} of {answers} exchanges are kept"
    );
    history.append_wishes(&node.fold_ports()).await?;
    let (wishes, stored) = decide(node, Role::Promoter, Topic::KnowledgeMemories).await?;
    ensure!(
        stored >= answers / 2,
        "{stored} of {answers} wishes were granted"
    );
    Ok(vec![
        ("outcomes_per_s", made as f64 / outcomes),
        ("exchanges_per_s", scored as f64 / exchanges),
        ("told_per_s", answers as f64 / wishes),
    ])
}

/// Runs a role until it has decided on all that it reads, and published it; seconds, and events.
async fn decide(node: &Node, role: Role, topic: Topic) -> anyhow::Result<(f64, usize)> {
    let before = ends(node, topic).await?;
    let started = now();
    let mut roles = Roles::start(node, &[role]).await?;
    tokio::select! {
        done = through(node, role) => done?,
        error = roles.failed() => return Err(error),
    }
    let seconds = started.elapsed().as_secs_f64();
    roles.stop().await?;
    let made = ends(node, topic).await? - before;
    eprintln!("learning: {role} made {made} events in {seconds:.1} s");
    Ok((seconds, made))
}

async fn through(node: &Node, role: Role) -> anyhow::Result<()> {
    let group = Group::of_role(role);
    let mut often = tokio::time::interval(LOOK);
    loop {
        often.tick().await;
        if node.backlog().lags().await?.get(group.as_str()) != Some(&0) {
            continue;
        }
        let mut left = 0;
        for partition in partitions(node, Topic::Outcomes)? {
            let group = group.clone();
            left += node
                .store
                .outbox(&Shard { group, partition }, 0, 1)
                .await?
                .len();
        }
        if left == 0 {
            return Ok(());
        }
    }
}

/// Records of a topic.
async fn ends(node: &Node, topic: Topic) -> anyhow::Result<usize> {
    let mut ends = 0;
    for partition in partitions(node, topic)? {
        let Offset(end) = node
            .log
            .range(TopicPartition { topic, partition })
            .await?
            .end;
        ends += usize::try_from(end)?;
    }
    Ok(ends)
}

fn partitions(node: &Node, topic: Topic) -> anyhow::Result<Vec<Partition>> {
    let all = 0..i32::try_from(node.log.partitions(topic))?;
    Ok(all.map(Partition).collect())
}

/// The same questions before and after there is a memory.
async fn searches(node: &Node, history: &History, cases: usize) -> anyhow::Result<Metrics> {
    let (ports, builds) = (node.fold_ports(), node.store.as_ref());
    let built = rebuild(&ports, None, builds, Projection::Cases).await?;
    builds.switch(built.generation).await?;
    let mut indexer = Indexer::start(built.generation, node.index_ports()).await?;
    let mut made = 0;
    while made < cases {
        let some = indexer.step(BATCH).await?;
        ensure!(some > 0, "{made} of {cases} cases have points");
        made += some;
    }
    node.index.optimise(built.generation).await?;
    let mut alone = search(node, history).await?;
    for projection in LEARNED {
        let built = rebuild(&ports, None, builds, projection).await?;
        builds.switch(built.generation).await?;
    }
    let mut beside = search(node, history).await?;
    let (alone_50, beside_50) = (percentile(&mut alone, 50), percentile(&mut beside, 50));
    Ok(vec![
        ("cases_p50_ms", alone_50),
        ("cases_p99_ms", percentile(&mut alone, 99)),
        ("memories_p50_ms", beside_50),
        ("memories_p99_ms", percentile(&mut beside, 99)),
        ("ratio_p50", beside_50 / alone_50),
    ])
}

/// Seconds of each whole answer, as `ask` has them without a model.
async fn search(node: &Node, history: &History) -> anyhow::Result<Vec<f64>> {
    let scope = Authority::of_operator().authorise(history.space(), Right::Ask)?;
    let mut seconds = Vec::new();
    for n in 0..QUESTIONS {
        let started = now();
        let said = node
            .memory
            .answer(&scope, history.question(n), None)
            .await?;
        seconds.push(started.elapsed().as_secs_f64());
        ensure!(said.record.degraded.is_empty(), "{:?}", said.record);
    }
    Ok(seconds)
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn now() -> Instant {
    Instant::now()
}

/// Of seconds, in milliseconds.
fn percentile(seconds: &mut [f64], of_hundred: usize) -> f64 {
    seconds.sort_by(f64::total_cmp);
    let at = (seconds.len() * of_hundred / 100).min(seconds.len().saturating_sub(1));
    seconds.get(at).map_or(0.0, |seconds| seconds * 1_000.0)
}
