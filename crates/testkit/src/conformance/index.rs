//! What every [`CaseIndex`] must do. The id of a case is of one space only, as
//! those of real cases are.

mod scores;
mod sets;

use std::sync::Arc;

use threadlore_model::{CaseId, Leg, Point, PointRow, SpaceId, SparseVector, Terms};

use super::samples::{case, channel, dense, space};
use threadlore_ports::{
    Authority, CaseIndex, Dense, Generation, Opened, PortError, Projection, Query, Right, Scope,
    Within,
};

/// Runs the suite on an index without any build.
///
/// # Panics
/// When a guarantee does not hold.
pub async fn index(index: &dyn CaseIndex) {
    opens_and_drops(index).await;
    sets::refuses_a_build_that_is_not_open(index).await;
    sets::keeps_builds_apart(index).await;
    sets::replaces_and_removes(index).await;
    sets::gives_rows_in_pages(index).await;
    sets::gives_rows_that_are_asked_for(index).await;
    scores::keeps_spaces_apart(index).await;
    scores::looks_within_a_channel_and_a_status(index).await;
    scores::scores_by_weights_and_idf(index).await;
    scores::gives_the_best_first(index).await;
    scores::scores_vectors_by_cosine(index).await;
    scores::leaves_out_vectors_of_another_length(index).await;
    scores::is_the_same_when_optimised(index).await;
}

/// Runs the suite of an index that is closed and opened again. Each call of `open`
/// opens the same one, which has no build at first; one that lives in memory gives
/// the same handle again.
///
/// # Panics
/// When a guarantee does not hold.
pub async fn index_reopened<F: Future<Output = Arc<dyn CaseIndex>>>(open: impl Fn() -> F) {
    let (build, index) = (build(1), open().await);
    assert_eq!(
        index.open(build, Some(dense(2))).await.expect("opens"),
        MADE
    );
    let mut points: Vec<Point> = (0..40)
        .map(|n| point("a", &format!("c{n}"), &[(1, 1.0), (n + 2, 0.5)]))
        .collect();
    points[3].dense = Some(vec![0.6, 0.8]);
    index.put(build, points.clone()).await.expect("puts");
    let gone = points.split_off(38);
    index.remove(build, &keys(&gone)).await.expect("removes");
    points[7].row.solved = false;
    let changed = vec![points[7].clone()];
    index.put(build, changed).await.expect("replaces");
    let query = Query {
        dense: Some(vec![0.6, 0.8]),
        ..query(&[(1, 1.0), (5, 2.0)])
    };
    let before = found(&*index, build, "a", &Within::default(), &query).await;
    assert_eq!(leg(&before, Leg::Dense).len(), 1);
    drop(index);

    for _ in 0..2 {
        let index = open().await;
        assert_eq!(
            index.open(build, Some(dense(2))).await.expect("opens"),
            FOUND
        );
        assert_eq!(all_rows(&*index, build, 9).await, rows(&points));
        let again = found(&*index, build, "a", &Within::default(), &query).await;
        for of in Leg::ALL {
            assert_eq!(cases(&again, of), cases(&before, of), "{of:?}");
        }
        index.optimise(build).await.expect("optimises");
    }
    let index = open().await;
    assert_eq!(
        index.open(build, Some(dense(3))).await.expect("opens"),
        MADE
    );
    let other = Dense {
        model: 2,
        dimensions: 3,
    };
    assert_eq!(index.open(build, Some(other)).await.expect("opens"), MADE);
    assert_eq!(
        index.open(build, Some(dense(3))).await.expect("opens"),
        MADE
    );
    assert_eq!(all_rows(&*index, build, 9).await, []);
    assert_eq!(index.open(build, None).await.expect("opens"), MADE);
    assert_eq!(index.open(build, None).await.expect("opens"), FOUND);
}

const MADE: Opened = Opened::Made;
const FOUND: Opened = Opened::Found;

async fn opens_and_drops(index: &dyn CaseIndex) {
    let build = build(1);
    index.drop_build(build).await.expect("nothing to drop");
    assert_eq!(index.open(build, None).await.expect("opens"), MADE);
    assert_eq!(index.open(build, None).await.expect("opens"), FOUND);
    let points = vec![point("a", "c1", &[(1, 1.0)])];
    index.put(build, points).await.expect("puts");
    assert_eq!(index.open(build, None).await.expect("opens"), FOUND);
    assert_eq!(all_rows(index, build, 9).await.len(), 1);
    assert_eq!(
        index.open(build, Some(dense(3))).await.expect("opens"),
        MADE
    );
    assert_eq!(all_rows(index, build, 9).await, []);
    index.drop_build(build).await.expect("drops");
    let gone = index.rows(build, None, 9).await;
    assert!(matches!(gone, Err(PortError::Refused { .. })), "{gone:?}");
    index.drop_build(build).await.expect("is dropped");
    assert_eq!(
        index.open(build, Some(dense(3))).await.expect("opens"),
        MADE
    );
    index.drop_build(build).await.expect("drops");
}

fn build(number: u32) -> Generation {
    Generation {
        projection: Projection::Cases,
        number,
    }
}

fn scope(name: &str) -> Scope {
    let space = space(name);
    let authority = Authority::of_grants(vec![(space.clone(), Right::Read)]);
    authority.authorise(&space, Right::Read).expect("granted")
}

/// The same terms in every leg, under other hashes.
fn terms(words: &[(u32, f32)]) -> Terms {
    let shifted = |by: u32| {
        let terms = words.iter().map(|(term, weight)| (term + by, *weight));
        SparseVector::new(terms.collect())
    };
    Terms {
        words: shifted(0),
        stems: shifted(1 << 20),
        grams: shifted(u32::MAX - (1 << 20)),
    }
}

fn query(words: &[(u32, f32)]) -> Query {
    Query {
        terms: terms(words),
        dense: None,
    }
}

/// A point of a solved case in the one channel.
fn point(in_space: &str, name: &str, words: &[(u32, f32)]) -> Point {
    let mut source = [0; 32];
    for (place, byte) in source.iter_mut().zip(name.bytes()) {
        *place = byte;
    }
    Point {
        row: PointRow {
            space: space(in_space),
            case: case(name),
            channel: channel(),
            solved: true,
            source,
        },
        terms: terms(words),
        dense: None,
    }
}

fn keys(points: &[Point]) -> Vec<(SpaceId, CaseId)> {
    let key = |point: &Point| (point.row.space.clone(), point.row.case);
    points.iter().map(key).collect()
}

/// Rows of points, sorted.
fn rows(points: &[Point]) -> Vec<PointRow> {
    let mut rows: Vec<_> = points.iter().map(|point| point.row.clone()).collect();
    rows.sort();
    rows
}

/// All rows, read in pages, sorted.
async fn all_rows(index: &dyn CaseIndex, build: Generation, page: usize) -> Vec<PointRow> {
    let mut all = read_in_pages(index, build, page).await;
    all.sort();
    all
}

async fn read_in_pages(index: &dyn CaseIndex, build: Generation, page: usize) -> Vec<PointRow> {
    let mut all: Vec<PointRow> = Vec::new();
    loop {
        let after = all.last().map(|row| (row.space.clone(), row.case));
        let rows = index
            .rows(build, after.as_ref(), page)
            .await
            .expect("reads");
        let last = rows.len() < page;
        all.extend(rows);
        if last {
            return all;
        }
    }
}

/// What a search of a space found: legs in order, candidates sorted by case.
type Candidates = Vec<(Leg, Vec<(CaseId, f32)>)>;

async fn found(
    index: &dyn CaseIndex,
    build: Generation,
    in_space: &str,
    within: &Within,
    query: &Query,
) -> Candidates {
    let found = index
        .find(build, &scope(in_space), within, query, 1_000)
        .await;
    let mut legs: Candidates = Vec::new();
    for mut found in found.expect("searches") {
        found.candidates.sort_by_key(|(case, _)| *case);
        legs.push((found.leg, found.candidates));
    }
    legs.sort_by_key(|(leg, _)| *leg);
    legs
}

fn leg(found: &Candidates, wanted: Leg) -> &[(CaseId, f32)] {
    let found = found.iter().find(|(leg, _)| *leg == wanted);
    found.map_or(&[], |(_, candidates)| candidates)
}

/// The cases that a leg found, in the order of their ids.
fn cases(found: &Candidates, wanted: Leg) -> Vec<CaseId> {
    leg(found, wanted).iter().map(|(case, _)| *case).collect()
}

/// Cases by name, in the order of their ids.
fn named(names: &[&str]) -> Vec<CaseId> {
    let mut cases: Vec<_> = names.iter().map(|name| case(name)).collect();
    cases.sort();
    cases
}

fn assert_close(is: f32, wanted: f32, of: &str) {
    let near = (is - wanted).abs() <= wanted.abs() * 1e-3;
    assert!(near, "{of}: {is} instead of {wanted}");
}

fn assert_same(a: &Candidates, b: &Candidates) {
    for leg_of in Leg::ALL {
        assert_eq!(cases(a, leg_of), cases(b, leg_of), "{leg_of:?}");
        for ((case, is), (_, wanted)) in leg(a, leg_of).iter().zip(leg(b, leg_of)) {
            assert_close(*is, *wanted, &format!("{leg_of:?} of {case}"));
        }
    }
}
