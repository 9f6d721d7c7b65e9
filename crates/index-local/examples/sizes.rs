//! How fast the index is, and how large: `cargo run --release -p threadlore-index-local --example
//! sizes -- POINTS DIR`. Points have texts of two to five lines of the bundled chat and vectors of 384
//! numbers; questions are lines of it. It prints one figure a line.

#![expect(clippy::print_stdout, reason = "what it is for")]
#![expect(clippy::disallowed_methods, reason = "it measures time")]

use std::fs;
use std::path::Path;
use std::time::Instant;

use threadlore_index_local::LocalIndex;
use threadlore_model::{
    CaseId, ChannelId, EventId, Point, PointRow, SpaceId, document_terms, query_terms,
};
use threadlore_ports::{Authority, CaseIndex, Dense, Generation, Projection, Query, Right, Within};

const DIMENSIONS: usize = 384;
const BATCH: usize = 500;
const QUESTIONS: usize = 500;

/// Numbers that look drawn and are the same in every run.
struct Drawn(u64);

impl Drawn {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        self.0 >> 33
    }

    fn vector(&mut self) -> Vec<f32> {
        (0..DIMENSIONS)
            .map(|_| self.next() as f32 / (1_u64 << 30) as f32 - 1.0)
            .collect()
    }
}

fn lines() -> std::io::Result<Vec<String>> {
    let logs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../app/demo/ubuntu");
    let mut lines = Vec::new();
    for log in fs::read_dir(logs)? {
        let bytes = fs::read(log?.path())?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        lines.extend(
            text.lines()
                .filter_map(|line| Some(line.split_once("> ")?.1.to_owned())),
        );
    }
    Ok(lines)
}

fn memory_mb(key: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(key));
    let kb = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kb.unwrap_or_default() / 1024
}

#[tokio::main(flavor = "multi_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [count, dir] = arguments.as_slice() else {
        return Err("usage: sizes POINTS DIR".into());
    };
    let (count, dir): (usize, &Path) = (count.parse()?, Path::new(dir));
    let (lines, mut drawn) = (lines()?, Drawn(7));
    let space = SpaceId::parse("bench")?;
    let channel = ChannelId::parse("irc:#bench")?;
    let dense = Dense {
        model: 1,
        dimensions: DIMENSIONS as u32,
    };
    let build = Generation {
        projection: Projection::Cases,
        number: 1,
    };
    let index = LocalIndex::open(dir)?;
    index.open(build, Some(dense)).await?;
    let (mut filling, mut terms) = (0.0, 0);
    let before = memory_mb("VmRSS");
    for from in (0..count).step_by(BATCH) {
        let mut points = Vec::new();
        for n in from..count.min(from + BATCH) {
            let parts = 2 + drawn.next() as usize % 4;
            let text: Vec<&str> = (0..parts)
                .map(|_| lines[drawn.next() as usize % lines.len()].as_str())
                .collect();
            let point = Point {
                row: PointRow {
                    space: space.clone(),
                    case: CaseId::first_carried_by(EventId::of_content("bench", &[&n.to_string()])),
                    channel: channel.clone(),
                    solved: n % 3 > 0,
                    source: [0; 32],
                },
                terms: document_terms(&text.join("\n")),
                dense: Some(drawn.vector()),
            };
            let legs = [&point.terms.words, &point.terms.stems, &point.terms.grams];
            terms += legs.iter().map(|leg| leg.terms().len()).sum::<usize>();
            points.push(point);
        }
        let started = Instant::now();
        index.put(build, points).await?;
        filling += started.elapsed().as_secs_f64();
    }
    println!("points {count}, terms of a point {}", terms / count.max(1));
    println!("filling {:.0} points/s", count as f64 / filling);
    println!("memory {} MB", memory_mb("VmRSS").saturating_sub(before));
    let started = Instant::now();
    index.optimise(build).await?;
    println!(
        "snapshot written in {:.2} s",
        started.elapsed().as_secs_f64()
    );
    let mut disk = 0;
    for file in fs::read_dir(dir)? {
        disk += file?.metadata()?.len();
    }
    println!("disk {} MB", disk / 1_000_000);
    let authority = Authority::of_grants(vec![(space.clone(), Right::Read)]);
    let scope = authority.authorise(&space, Right::Read)?;
    for with_vector in [false, true] {
        let mut times = Vec::new();
        for n in 0..QUESTIONS {
            let query = Query {
                terms: query_terms(&lines[n * 13 % lines.len()]),
                dense: with_vector.then(|| drawn.vector()),
            };
            let started = Instant::now();
            index
                .find(build, &scope, &Within::default(), &query, 100)
                .await?;
            times.push(started.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
        let what = if with_vector {
            "words and vector"
        } else {
            "words"
        };
        println!(
            "search by {what} p50 {:.1} ms, p99 {:.1} ms",
            at(0.5),
            at(0.99)
        );
    }
    drop(index);
    let started = Instant::now();
    let again = LocalIndex::open(dir)?;
    again.open(build, Some(dense)).await?;
    println!("start {:.2} s", started.elapsed().as_secs_f64());
    println!("most memory {} MB", memory_mb("VmHWM"));
    Ok(())
}
