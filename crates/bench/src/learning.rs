//! Suite `learning`: what the owners of outcomes and memories do in a second, and what a search among
//! many memories takes beside one among the same cases alone.

mod history;

use anyhow::{Context, ensure};
use threadlore_api::graph::{DAYS, Graphs, Which};
use threadlore_model::{Offset, Role, Topic, TopicPartition};
use threadlore_node::{Environment, Node, Roles};
use threadlore_ports::{Authority, Generations as _, Projection, Right};
use threadlore_replay::{Indexer, rebuild};

use crate::{Args, Row, fresh, texts};
use history::History;

const QUESTIONS: usize = 500;
const INSIGHTS: usize = 20;
/// Marked rows taken at a time, as in a rebuild.
const BATCH: usize = 2000;
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
    let started = fresh::now();
    let mut roles = Roles::start(node, &[role]).await?;
    tokio::select! {
        done = fresh::through(node, role) => done?,
        error = roles.failed() => return Err(error),
    }
    let seconds = started.elapsed().as_secs_f64();
    roles.stop().await?;
    let made = ends(node, topic).await? - before;
    eprintln!("learning: {role} made {made} events in {seconds:.1} s");
    Ok((seconds, made))
}

/// Records of a topic.
async fn ends(node: &Node, topic: Topic) -> anyhow::Result<usize> {
    let mut ends = 0;
    for partition in fresh::partitions(node, topic)? {
        let Offset(end) = node
            .log
            .range(TopicPartition { topic, partition })
            .await?
            .end;
        ends += usize::try_from(end)?;
    }
    Ok(ends)
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
    let mut insights = insights(node, history).await?;
    let (alone_50, beside_50) = (
        fresh::percentile(&mut alone, 50),
        fresh::percentile(&mut beside, 50),
    );
    Ok(vec![
        ("cases_p50_ms", alone_50),
        ("cases_p99_ms", fresh::percentile(&mut alone, 99)),
        ("memories_p50_ms", beside_50),
        ("memories_p99_ms", fresh::percentile(&mut beside, 99)),
        ("ratio_p50", beside_50 / alone_50),
        (
            "insights_first_ms",
            insights.first().map_or(0.0, |s| s * 1000.0),
        ),
        ("insights_p50_ms", fresh::percentile(&mut insights, 50)),
    ])
}

/// Seconds of each whole answer, as `ask` has them without a model.
async fn search(node: &Node, history: &History) -> anyhow::Result<Vec<f64>> {
    let scope = Authority::of_operator().authorise(history.space(), Right::Ask)?;
    let mut seconds = Vec::new();
    for n in 0..QUESTIONS {
        let started = fresh::now();
        let said = node
            .memory
            .answer(&scope, history.question(n), None)
            .await?;
        seconds.push(started.elapsed().as_secs_f64());
        ensure!(said.record.degraded.is_empty(), "{:?}", said.record);
    }
    Ok(seconds)
}

/// Seconds of what the page *Subjects* says of words of questions, one after the other.
async fn insights(node: &Node, history: &History) -> anyhow::Result<Vec<f64>> {
    let scope = Authority::of_operator().authorise(history.space(), Right::Read)?;
    let graphs = Graphs::default();
    let mut seconds = Vec::new();
    for n in 0..INSIGHTS {
        let started = fresh::now();
        let which = Which {
            days: DAYS,
            until: node.clock.now(),
            about: Some(history.question(n)),
            to: None,
        };
        let graph = graphs.graph(node, &scope, which).await?;
        seconds.push(started.elapsed().as_secs_f64());
        ensure!(graph.read > 0, "no question was read");
    }
    Ok(seconds)
}
