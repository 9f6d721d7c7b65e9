//! The engine keeps the promises of the port, also after it was killed or its files
//! were damaged.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use threadlore_index_qdrant::EdgeIndex;
use threadlore_model::{CaseId, EventId, Leg, PointRow, query_terms};
use threadlore_ports::{
    Authority, CaseIndex, Generation, Opened, PortError, Projection, Query, Right, Scope, Within,
};
use threadlore_testkit::conformance;
use threadlore_testkit::conformance::samples::{self, dense};

const BUILD: Generation = Generation {
    projection: Projection::Cases,
    number: 1,
};

fn temp() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

fn open(dir: &Path) -> EdgeIndex {
    EdgeIndex::open(dir).expect("opens")
}

#[tokio::test]
async fn the_index() {
    let dir = temp();
    conformance::index(&open(dir.path())).await;
}

#[tokio::test]
async fn the_index_opened_again() {
    let dir = temp();
    conformance::index_reopened(|| async { Arc::new(open(dir.path())) as Arc<dyn CaseIndex> })
        .await;
}

#[test]
fn a_directory_in_use_is_refused() {
    let dir = temp();
    let index = open(dir.path());
    let refused = EdgeIndex::open(dir.path()).err().expect("refused");
    assert!(refused.to_string().contains("is in use"), "{refused}");
    drop(index);
    open(dir.path());
}

#[test]
fn a_file_in_the_place_of_the_directory_is_refused() {
    let dir = temp();
    let path = dir.path().join("file");
    fs::write(&path, "x").expect("written");
    let refused = EdgeIndex::open(&path).err().expect("refused");
    assert!(matches!(refused, PortError::Broken { .. }), "{refused}");
}

/// The example, which puts points until it is killed.
struct Putting {
    child: std::process::Child,
    said: BufReader<std::process::ChildStdout>,
}

impl Putting {
    fn start(dir: &Path, first: u32, size: u16) -> Self {
        let test = std::env::current_exe().expect("path of the test");
        let profile = test.parent().and_then(Path::parent).expect("target dir");
        let example = profile.join("examples/put");
        assert!(
            example.exists(),
            "run the tests of the whole package, so that its examples are built"
        );
        let mut child = Command::new(example)
            .arg(dir)
            .args([first.to_string(), size.to_string()])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the example runs");
        let said = BufReader::new(child.stdout.take().expect("piped"));
        Self { child, said }
    }

    /// Waits for the next batch that is kept.
    fn kept(&mut self) -> u32 {
        let mut line = String::new();
        self.said.read_line(&mut line).expect("its output");
        line.trim().parse().expect("a number")
    }

    /// SIGKILL. Gives the last batch that it told of.
    fn kill(mut self, mut last: u32) -> u32 {
        self.child.kill().expect("it was alive");
        self.child.wait().expect("it can be waited for");
        let rest = self.said.lines().map_while(Result::ok);
        for number in rest.filter_map(|line| line.parse().ok()) {
            last = number;
        }
        last
    }
}

fn case(batch: u32, n: u16) -> CaseId {
    let name = format!("{batch}/{n}");
    CaseId::from_uuid(EventId::of_content("put", &[&name]).as_uuid())
}

fn scope() -> Scope {
    let authority = Authority::of_grants(vec![(samples::space("a"), Right::Read)]);
    authority
        .authorise(&samples::space("a"), Right::Read)
        .expect("granted")
}

async fn all(index: &EdgeIndex) -> Vec<PointRow> {
    index.rows(BUILD, None, 1_000_000).await.expect("reads")
}

#[tokio::test]
async fn a_kill_loses_no_point_that_was_put() {
    kills(5).await;
}

/// The next one is put after the last was put in order: most kills come in between.
#[tokio::test]
async fn a_kill_while_the_index_is_put_in_order_loses_none_either() {
    kills(400).await;
}

/// Kills after one batch, two, and so on.
async fn kills(size: u16) {
    let dir = temp();
    let mut first = 0;
    for round in 1..=6 {
        let mut putting = Putting::start(dir.path(), first, size);
        let mut last = 0;
        for _ in 0..round {
            last = putting.kept();
        }
        last = putting.kill(last);

        let index = open(dir.path());
        let opened = index.open(BUILD, Some(dense(2))).await.expect("opens");
        assert_eq!(opened, Opened::Found, "round {round}");
        let cases: BTreeSet<CaseId> = all(&index).await.iter().map(|row| row.case).collect();
        for batch in 0..=last {
            for n in 0..size - 1 {
                assert!(cases.contains(&case(batch, n)), "{batch}/{n} of {last}");
            }
            assert!(!cases.contains(&case(batch, size - 1)), "{batch} of {last}");
        }
        let query = Query {
            terms: query_terms(&format!("card {last}")),
            dense: Some(vec![1.0, 1.0]),
        };
        let found = index
            .find(BUILD, &scope(), &Within::default(), &query, 100_000)
            .await
            .expect("searches");
        let of_last: Vec<CaseId> = (0..size - 1).map(|n| case(last, n)).collect();
        for found in found {
            let cases: Vec<CaseId> = found.candidates.iter().map(|(case, _)| *case).collect();
            let seen = of_last.iter().all(|case| cases.contains(case));
            assert!(seen, "{:?} of batch {last}: {cases:?}", found.leg);
        }
        first = last + 1;
    }
}

/// A directory with an index of a few points, closed.
async fn filled() -> tempfile::TempDir {
    let dir = temp();
    let index = open(dir.path());
    index.open(BUILD, Some(dense(2))).await.expect("opens");
    let points = (0..20).map(|n| point(&format!("c{n}"))).collect();
    index.put(BUILD, points).await.expect("puts");
    dir
}

fn point(name: &str) -> threadlore_model::Point {
    threadlore_model::Point {
        row: PointRow {
            space: samples::space("a"),
            case: samples::case(name),
            channel: samples::channel(),
            solved: true,
            source: [7; 32],
        },
        terms: threadlore_model::document_terms("no sound at all"),
        dense: Some(vec![1.0, 2.0]),
    }
}

/// Every file below a directory.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("lists") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Opens what was damaged: it is as it was, or empty and said to be. Either way it
/// takes points and finds them.
async fn is_usable(dir: &Path, damage: &str) -> Opened {
    let index = open(dir);
    let opened = index.open(BUILD, Some(dense(2))).await.expect(damage);
    let rows = all(&index).await;
    let wanted = if opened == Opened::Made { 0 } else { 20 };
    assert_eq!(rows.len(), wanted, "{damage}");
    let mut changed = point("c3");
    changed.row.source = [8; 32];
    let points = vec![changed.clone(), point("new")];
    index.put(BUILD, points).await.expect(damage);
    let key = [(changed.row.space.clone(), changed.row.case)];
    let rows = index.rows_of(BUILD, &key).await.expect(damage);
    assert_eq!(rows, [changed.row], "{damage}: a change is lost");
    let query = Query {
        terms: query_terms("sound"),
        dense: Some(vec![1.0, 2.0]),
    };
    let found = index
        .find(BUILD, &scope(), &Within::default(), &query, 100)
        .await
        .expect(damage);
    assert_eq!(found.len(), Leg::ALL.len(), "{damage}");
    for found in found {
        let new = |(case, _): &(CaseId, f32)| *case == samples::case("new");
        assert!(
            found.candidates.iter().any(new),
            "{damage}: {:?}",
            found.leg
        );
    }
    opened
}

#[tokio::test]
async fn what_is_no_index_is_made_anew() {
    let dir = temp();
    let place = dir.path().join("cases_g1");
    fs::write(&place, "a file").expect("written");
    assert_eq!(is_usable(dir.path(), "a file").await, Opened::Made);
    fs::remove_dir_all(&place).expect("removed");
    fs::create_dir(&place).expect("made");
    assert_eq!(is_usable(dir.path(), "empty").await, Opened::Made);
    fs::remove_dir_all(&place).expect("removed");
    fs::create_dir_all(place.join("segments/x")).expect("made");
    fs::write(place.join("segments/x/segment.json"), "{").expect("written");
    assert_eq!(is_usable(dir.path(), "garbage").await, Opened::Made);
}

#[tokio::test]
async fn a_damaged_index_is_made_anew() {
    let dir = filled().await;
    fs::remove_file(dir.path().join("cases_g1/SHAPE")).expect("removed");
    assert_eq!(is_usable(dir.path(), "no shape").await, Opened::Made);
    for gone in ["wal", "segments"] {
        let dir = filled().await;
        fs::remove_dir_all(dir.path().join("cases_g1").join(gone)).expect("removed");
        assert_eq!(is_usable(dir.path(), gone).await, Opened::Made);
    }
    let dir = filled().await;
    for file in files(&dir.path().join("cases_g1/segments")) {
        let length = fs::metadata(&file).expect("its length").len();
        fs::write(&file, vec![b'~'; length as usize]).expect("written");
    }
    assert_eq!(is_usable(dir.path(), "all files").await, Opened::Made);
}
