//! Suite `index`: many cases with a model's vectors, from the log to the whole search, beside
//! the index alone and an exact scan; and the same built a second time.

mod history;

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, ensure};
use threadlore_language::retrieve::Synonyms;
use threadlore_model::{CaseId, Leg, Terms, query_terms};
use threadlore_node::{Environment, Node};
use threadlore_ports::{
    Authority, EmbedEngine, Generation, Generations, Projection, Query, Readable, Right, Scope,
    Within,
};
use threadlore_replay::{Indexer, Verdict, compare, rebuild};
use threadlore_retrieval::closeness::WRONG_AT_MOST;
use threadlore_retrieval::{Inquiry, Retrieval, RetrievalPorts};
use threadlore_settings::{EmbedderEngine, Settings};
use threadlore_training::labels;

use crate::embedded::Model;
use crate::vectors::Vectors;
use crate::{Args, Row, fresh};
use history::History;

const QUESTIONS: usize = 500;
/// Texts that cases are made of, and words of each, at least.
const TEXTS: usize = 20_000;
const WORDS: usize = 4;
/// Cases that are wanted of a layer, as `ask` wants them.
const LIMIT: usize = 3;
/// What a search for them asks of each leg.
const CANDIDATES: usize = LIMIT * 3 * Leg::ALL.len();
const RECALL_AT: usize = 10;
/// Marked rows taken at a time, as in a rebuild.
const BATCH: usize = 2000;

/// One row.
///
/// # Errors
/// When there are no vectors, or a part does not work; when two builds differ.
pub(crate) fn run(args: &Args) -> anyhow::Result<Vec<Row>> {
    let dir = args.embedder.as_deref();
    let dir = dir.context("this suite needs --embedder DIR, see docs/bench.md")?;
    let model = Model::open(dir)?;
    let texts = texts(&args.data)?;
    let known: Vec<&str> = texts.iter().map(String::as_str).collect();
    let rows = model.passages(&known)?;
    eprintln!("index: vectors of {} texts", rows.len());
    let vectors = texts.into_iter().zip(rows).collect();
    let measured = measure(vectors, Arc::new(model.embedder), args.points);
    fresh::runtime()?.block_on(measured)
}

/// Different texts of the logs of IRC, oldest log first.
fn texts(data: &Path) -> anyhow::Result<Vec<String>> {
    let logs = labels::read_all(&data.join("irc").join("train"))?;
    let lines = logs.into_iter().flat_map(|log| log.lines);
    let mut known = HashSet::new();
    let texts = lines.map(|line| line.text.split_whitespace().collect::<Vec<_>>().join(" "));
    let texts = texts.filter(|text| text.split(' ').count() >= WORDS);
    let texts = texts.filter(|text| known.insert(text.clone()));
    Ok(texts.take(TEXTS).collect())
}

async fn measure(
    vectors: Vectors,
    embedder: Arc<dyn EmbedEngine>,
    points: usize,
) -> anyhow::Result<Vec<Row>> {
    let dir = tempfile::tempdir().context("making a directory to work in")?;
    let node = Node::open(settings(dir.path(), &vectors)?, &Environment::read()).await?;
    let model = node.index_ports().model.context("no model")?.name;
    let history = History::new(vectors, points, &model)?;
    let (seconds, ()) = timed(history.append(&node.fold_ports())).await?;
    eprintln!("index: {points} cases and their vectors in the log in {seconds:.0} s");
    let (build, mut metrics) = build(&node, points).await?;
    metrics.extend(search(&node, build, &history, embedder).await?);
    metrics.extend(again(&node, build, points).await?);
    metrics.push(("disk_mb", size(&dir.path().join("index"))? as f64 / 1e6));
    Ok(vec![Row {
        name: "local".to_owned(),
        metrics,
    }])
}

/// The model's server is one that nobody runs: whatever asks it fails.
fn settings(dir: &Path, vectors: &Vectors) -> anyhow::Result<Settings> {
    let mut settings = fresh::settings(dir)?;
    let embedder = &mut settings.embedder;
    embedder.engine = EmbedderEngine::OpenAi;
    embedder.base_url = Some("http://127.0.0.1:1/v1".to_owned());
    embedder.model = Some("kept".to_owned());
    embedder.dimensions = Some(vectors.dimensions());
    Ok(settings)
}

type Metrics = Vec<(&'static str, f64)>;

/// The live builds: rows from the log, then points from the rows.
async fn build(node: &Node, points: usize) -> anyhow::Result<(Generation, Metrics)> {
    let (ports, builds) = (node.fold_ports(), node.store.as_ref());
    let vectors = rebuild(&ports, None, builds, Projection::Vectors).await?;
    builds.switch(vectors.generation).await?;
    let cases = rebuild(&ports, None, builds, Projection::Cases).await?;
    builds.switch(cases.generation).await?;
    eprintln!(
        "index: rows made in {:.0} and {:.0} s",
        vectors.seconds, cases.seconds
    );
    let build = cases.generation;
    let mut indexer = Indexer::start(build, node.index_ports()).await?;
    let (mut making, mut made) = (0.0, 0);
    while made < points {
        let (seconds, some) = timed(indexer.step(BATCH)).await?;
        ensure!(some > 0, "{made} of {points} cases have points");
        (making, made) = (making + seconds, made + some);
        eprintln!("index: {made} points made in {making:.1} s, the last {some} in {seconds:.1} s");
    }
    let (optimising, ()) = timed(node.index.optimise(build)).await?;
    eprintln!("index: put in order in {optimising:.1} s");
    let metrics = vec![
        ("points", points as f64),
        ("fold_per_s", points as f64 / cases.seconds),
        ("points_per_s", points as f64 / (making + optimising)),
    ];
    Ok((build, metrics))
}

/// The whole search, the index alone, and the leg of the model beside a scan.
async fn search(
    node: &Node,
    build: Generation,
    history: &History,
    embedder: Arc<dyn EmbedEngine>,
) -> anyhow::Result<Metrics> {
    let scope = Authority::of_operator().authorise(&history.space(), Right::Ask)?;
    let retrieval = Retrieval::new(RetrievalPorts {
        index: Arc::clone(&node.index),
        cases: node.store.clone(),
        builds: node.store.clone(),
        embedder: Some(embedder),
        wrong_at_most: WRONG_AT_MOST,
        reranker: None,
        reader: None,
        clock: Arc::clone(&node.clock),
        synonyms: Arc::new(Synonyms::builtin()),
    });
    let rows = history.vectors();
    let (mut whole, mut alone, mut dense, mut hits) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for n in 0..QUESTIONS {
        let (text, vector) = history.question(n);
        let readable = Readable::all();
        let asked = Inquiry::new(&scope, &readable, text);
        if n == 0 {
            // The first question also has the model read texts on other subjects.
            retrieval.search(asked, LIMIT).await;
        }
        let started = fresh::now();
        let found = retrieval.search(asked, LIMIT).await;
        whole.push(started.elapsed().as_secs_f64());
        ensure!(found.record.degraded.is_empty(), "{:?}", found.record);
        let mut query = Query {
            terms: query_terms(text),
            dense: Some(vector),
        };
        alone.push(legs(node, build, &scope, &query).await?);
        query.terms = Terms::default();
        let within = Within::default();
        let asked = node.index.find(build, &scope, &within, &query, RECALL_AT);
        let (seconds, found) = timed(asked).await?;
        dense.push(seconds);
        let found = found.into_iter().flat_map(|found| found.candidates);
        let found: HashSet<CaseId> = found.map(|(case, _)| case).collect();
        let nearest = scan(&rows, &query.dense.unwrap_or_default());
        hits += nearest
            .iter()
            .filter(|n| found.contains(&history.case(**n)))
            .count();
    }
    Ok(vec![
        ("whole_p50_ms", fresh::percentile(&mut whole, 50)),
        ("whole_p99_ms", fresh::percentile(&mut whole, 99)),
        ("index_p50_ms", fresh::percentile(&mut alone, 50)),
        ("index_p99_ms", fresh::percentile(&mut alone, 99)),
        ("dense_p50_ms", fresh::percentile(&mut dense, 50)),
        ("dense_p99_ms", fresh::percentile(&mut dense, 99)),
        ("recall_10", hits as f64 / (QUESTIONS * RECALL_AT) as f64),
    ])
}

/// Seconds for what a search asks of the index: solved cases, then open ones.
async fn legs(node: &Node, build: Generation, scope: &Scope, query: &Query) -> anyhow::Result<f64> {
    let mut seconds = 0.0;
    for solved in [true, false] {
        let within = Within {
            channels: None,
            solved: Some(solved),
        };
        let asked = node.index.find(build, scope, &within, query, CANDIDATES);
        let (took, found) = timed(asked).await?;
        ensure!(found.len() == Leg::ALL.len(), "a leg is missing");
        seconds += took;
    }
    Ok(seconds)
}

/// A second build of rows and points beside the first; both must be equal.
async fn again(node: &Node, build: Generation, points: usize) -> anyhow::Result<Metrics> {
    let (ports, index, builds) = (node.fold_ports(), node.index_ports(), node.store.as_ref());
    let second = rebuild(&ports, Some(&index), builds, Projection::Cases).await?;
    let partitions = node.log.partitions(Projection::Cases.topic());
    let both = (build, second.generation);
    let compared = compare(builds, Some(node.index.as_ref()), both, partitions, 5).await?;
    ensure!(compared.verdict == Verdict::Equal, "{:?}", compared.verdict);
    let (count, _) = compared.first.get("points").context("no points")?;
    ensure!(*count == points as u64, "{count} of {points} points");
    Ok(vec![("rebuild_s", second.seconds)])
}

/// The nearest, by looking at every vector.
fn scan(rows: &[Vec<f32>], wanted: &[f32]) -> Vec<usize> {
    let near = |row: &[f32]| row.iter().zip(wanted).map(|(a, b)| a * b).sum();
    let mut scored: Vec<(f32, usize)> = rows.iter().map(|row| near(row)).zip(0..).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.iter().take(RECALL_AT).map(|(_, n)| *n).collect()
}

/// Seconds that something took.
async fn timed<T, E>(work: impl Future<Output = Result<T, E>>) -> Result<(f64, T), E> {
    let started = fresh::now();
    let outcome = work.await?;
    Ok((started.elapsed().as_secs_f64(), outcome))
}

/// Bytes that the files of a directory take.
fn size(dir: &Path) -> anyhow::Result<u64> {
    use std::os::unix::fs::MetadataExt as _;
    let mut bytes = 0;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let found = entry.metadata()?;
        bytes += if found.is_dir() {
            size(&entry.path())?
        } else {
            found.blocks() * 512
        };
    }
    Ok(bytes)
}
