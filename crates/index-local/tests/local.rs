//! The index in memory keeps the promises of the port, and its snapshot is never trusted.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use threadlore_index_local::LocalIndex;
use threadlore_model::{
    CaseId, ChannelId, EventId, Point, PointRow, SpaceId, document_terms, query_terms,
};
use threadlore_ports::{
    Authority, CaseIndex, Dense, Generation, Opened, Projection, Query, Right, Within,
};
use threadlore_testkit::conformance;

const BUILD: Generation = Generation {
    projection: Projection::Cases,
    number: 1,
};
const DENSE: Dense = Dense {
    model: 7,
    dimensions: 2,
};

fn index(dir: &Path) -> LocalIndex {
    LocalIndex::open(dir).expect("opens")
}

fn point(n: usize) -> Point {
    let text = format!("the sound card {n} is silent after an update");
    let id = EventId::of_content("point", &[&n.to_string()]);
    Point {
        row: PointRow {
            space: SpaceId::parse("a").expect("valid"),
            case: CaseId::first_carried_by(id),
            channel: ChannelId::parse("irc:#one").expect("valid"),
            solved: n.is_multiple_of(2),
            source: [n as u8; 32],
        },
        terms: document_terms(&text),
        dense: Some(vec![1.0, n as f32]),
    }
}

fn snapshot(dir: &Path) -> std::path::PathBuf {
    dir.join("cases_g1.index")
}

/// A directory with the snapshot of some points.
async fn closed(points: usize) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    let open = index(dir.path());
    assert_eq!(
        open.open(BUILD, Some(DENSE)).await.expect("opens"),
        Opened::Made
    );
    let points = (0..points).map(point).collect();
    open.put(BUILD, points).await.expect("puts");
    drop(open);
    dir
}

async fn rows(index: &LocalIndex) -> Vec<PointRow> {
    index.rows(BUILD, None, 10_000).await.expect("reads")
}

#[tokio::test]
async fn it_keeps_the_promises_of_the_port() {
    let dir = tempfile::tempdir().expect("a directory");
    conformance::index(&index(dir.path())).await;
}

#[tokio::test]
async fn what_was_there_when_it_was_closed_is_there_when_it_is_opened() {
    let dir = tempfile::tempdir().expect("a directory");
    let open = || async { Arc::new(index(dir.path())) as Arc<dyn CaseIndex> };
    conformance::index_reopened(open).await;
}

#[tokio::test]
async fn what_came_after_the_last_snapshot_is_missing_after_a_kill_and_not_wrong() {
    let dir = closed(5).await;
    let killed = index(dir.path());
    killed.open(BUILD, Some(DENSE)).await.expect("opens");
    killed.put(BUILD, vec![point(9)]).await.expect("puts");
    // A killed process writes nothing more.
    std::mem::forget(killed);
    let next = index(dir.path());
    let opened = next.open(BUILD, Some(DENSE)).await.expect("opens");
    assert_eq!((opened, rows(&next).await.len()), (Opened::Found, 5));
    next.put(BUILD, vec![point(9)]).await.expect("puts");
    next.optimise(BUILD).await.expect("writes a snapshot");
    std::mem::forget(next);
    let last = index(dir.path());
    last.open(BUILD, Some(DENSE)).await.expect("opens");
    assert_eq!(rows(&last).await.len(), 6);
}

#[tokio::test]
async fn a_snapshot_that_is_damaged_anywhere_is_not_used() {
    let dir = closed(3).await;
    let whole = fs::read(snapshot(dir.path())).expect("a snapshot");
    let mut damaged = Vec::new();
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x41;
        damaged.push(bytes);
    }
    damaged.extend((0..whole.len()).map(|end| whole[..end].to_vec()));
    damaged.push([whole.as_slice(), &[0]].concat());
    for (n, bytes) in damaged.into_iter().enumerate() {
        fs::write(snapshot(dir.path()), bytes).expect("written");
        let next = index(dir.path());
        let opened = next.open(BUILD, Some(DENSE)).await.expect("opens");
        assert_eq!(opened, Opened::Made, "damage {n}");
        assert_eq!(rows(&next).await, [], "damage {n}");
    }
    fs::write(snapshot(dir.path()), &whole).expect("written");
    let next = index(dir.path());
    assert_eq!(
        next.open(BUILD, Some(DENSE)).await.expect("opens"),
        Opened::Found
    );
}

#[tokio::test]
async fn a_snapshot_of_another_model_is_not_used() {
    let dir = closed(3).await;
    let other = Dense { model: 8, ..DENSE };
    let next = index(dir.path());
    assert_eq!(
        next.open(BUILD, Some(other)).await.expect("opens"),
        Opened::Made
    );
}

#[tokio::test]
async fn a_snapshot_that_cannot_be_written_costs_nothing_but_the_next_start() {
    let dir = closed(3).await;
    let open = index(dir.path());
    open.open(BUILD, Some(DENSE)).await.expect("opens");
    open.put(BUILD, vec![point(9)]).await.expect("puts");
    // Nothing can be made under this name.
    fs::create_dir(dir.path().join("cases_g1.new")).expect("made");
    open.optimise(BUILD).await.expect("goes on");
    assert_eq!(rows(&open).await.len(), 4);
    let scope = Authority::of_grants(vec![(point(9).row.space, Right::Read)]);
    let scope = scope
        .authorise(&point(9).row.space, Right::Read)
        .expect("granted");
    let query = Query {
        terms: query_terms("sound card 9"),
        dense: None,
    };
    let found = open
        .find(BUILD, &scope, &Within::default(), &query, 1)
        .await;
    let best = &found.expect("searches")[0].candidates[0];
    assert_eq!(best.0, point(9).row.case);
    std::mem::forget(open);
    let next = index(dir.path());
    next.open(BUILD, Some(DENSE)).await.expect("opens");
    assert_eq!(
        rows(&next).await.len(),
        3,
        "the snapshot of before is whole"
    );
}

#[tokio::test]
async fn a_snapshot_is_its_owners_alone_and_goes_with_its_build() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = closed(3).await;
    let mode = fs::metadata(snapshot(dir.path()))
        .expect("there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let open = index(dir.path());
    open.open(BUILD, Some(DENSE)).await.expect("opens");
    open.drop_build(BUILD).await.expect("drops");
    assert!(!snapshot(dir.path()).exists());
    assert!(open.rows(BUILD, None, 1).await.is_err(), "it is not open");
}

/// An answer is the same before and after a replay, which makes the index anew.
#[tokio::test]
async fn an_index_that_was_changed_scores_as_one_that_is_made_anew() {
    let dirs = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
    let space = point(0).row.space;
    let grants = Authority::of_grants(vec![(space.clone(), Right::Read)]);
    let scope = grants.authorise(&space, Right::Read).expect("granted");
    let [changed, fresh] = dirs.each_ref().map(|dir| index(dir.path()));
    for one in [&changed, &fresh] {
        one.open(BUILD, Some(DENSE)).await.expect("opens");
    }
    let other = |n: usize| Point {
        terms: document_terms(&format!("the printer {n} prints blank pages")),
        ..point(n)
    };
    changed
        .put(BUILD, (0..40).map(point).collect())
        .await
        .expect("puts");
    changed
        .put(BUILD, (0..40).step_by(3).map(other).collect())
        .await
        .expect("replaces");
    let key = |n: usize| (point(n).row.space, point(n).row.case);
    let gone: Vec<_> = (0..40).step_by(5).map(key).collect();
    changed.remove(BUILD, &gone).await.expect("removes");
    let left = (0..40_usize).filter(|n| !n.is_multiple_of(5));
    let left = left.map(|n| {
        if n.is_multiple_of(3) {
            other(n)
        } else {
            point(n)
        }
    });
    fresh.put(BUILD, left.collect()).await.expect("puts");
    for text in [
        "sound card 7 silent",
        "printer 9 blank",
        "the update prints",
    ] {
        let query = Query {
            terms: query_terms(text),
            dense: None,
        };
        let [ours, anew] = [&changed, &fresh].map(|one| {
            let query = query.clone();
            let scope = &scope;
            async move { one.find(BUILD, scope, &Within::default(), &query, 50).await }
        });
        assert_eq!(
            ours.await.expect("finds"),
            anew.await.expect("finds"),
            "{text}"
        );
    }
}
