//! Which points there are.

use threadlore_model::{Leg, Point};

use super::super::samples::dense;
use super::{
    MADE, all_rows, build, case, cases, found, keys, leg, named, point, query, read_in_pages, rows,
    scope, space,
};
use threadlore_ports::{CaseIndex, PortError, Query, Within};

pub(super) async fn refuses_a_build_that_is_not_open(index: &dyn CaseIndex) {
    let build = build(9);
    let scope = scope("a");
    let (within, query) = (Within::default(), Query::default());
    let refusals = [
        index.put(build, Vec::new()).await.err(),
        index.remove(build, &[]).await.err(),
        index.find(build, &scope, &within, &query, 1).await.err(),
        index.rows(build, None, 1).await.err(),
        index.rows_of(build, &[]).await.err(),
        index.optimise(build).await.err(),
    ];
    for (n, refusal) in refusals.into_iter().enumerate() {
        let refused = matches!(refusal, Some(PortError::Refused { .. }));
        assert!(refused, "call {n}: {refusal:?}");
    }
}

pub(super) async fn keeps_builds_apart(index: &dyn CaseIndex) {
    let (one, two) = (build(1), build(2));
    for build in [one, two] {
        assert_eq!(index.open(build, None).await.expect("opens"), MADE);
    }
    let words = [(1, 1.0)];
    let mut changed = point("a", "c1", &words);
    changed.row.solved = false;
    for (build, points) in [
        (
            one,
            vec![point("a", "c1", &words), point("a", "c2", &words)],
        ),
        (two, vec![changed, point("a", "c3", &words)]),
    ] {
        index.put(build, points.clone()).await.expect("puts");
        assert_eq!(all_rows(index, build, 9).await, rows(&points));
    }
    let found_in = async |build| {
        let found = found(index, build, "a", &Within::default(), &query(&words)).await;
        cases(&found, Leg::Words)
    };
    assert_eq!(found_in(one).await, named(&["c1", "c2"]));
    assert_eq!(found_in(two).await, named(&["c1", "c3"]));
    index.drop_build(one).await.expect("drops");
    assert_eq!(found_in(two).await, named(&["c1", "c3"]));
    index.drop_build(two).await.expect("drops");
}

pub(super) async fn replaces_and_removes(index: &dyn CaseIndex) {
    let build = build(1);
    index.open(build, Some(dense(2))).await.expect("opens");
    let mut first = point("a", "c1", &[(1, 1.0), (2, 1.0)]);
    first.dense = Some(vec![1.0, 0.0]);
    let other = point("a", "c2", &[(2, 1.0)]);
    let points = vec![first.clone(), other.clone()];
    index.put(build, points).await.expect("puts");
    let mut second = point("a", "c1", &[(3, 1.0)]);
    second.row.solved = false;
    second.row.source = [9; 32];
    // The last of two with one id is kept.
    let points = vec![first.clone(), second.clone()];
    index.put(build, points).await.expect("replaces");
    assert_eq!(
        all_rows(index, build, 9).await,
        rows(&[second.clone(), other.clone()])
    );
    let any = Within::default();
    let query = Query {
        dense: Some(vec![1.0, 0.0]),
        ..query(&[(1, 1.0), (2, 1.0), (3, 1.0)])
    };
    let seen = found(index, build, "a", &any, &query).await;
    assert_eq!(cases(&seen, Leg::Stems), named(&["c1", "c2"]));
    assert_eq!(cases(&seen, Leg::Dense), [], "the old vector is gone");

    let elsewhere = vec![(space("b"), case("c1")), (space("a"), case("c9"))];
    index.remove(build, &elsewhere).await.expect("is not there");
    assert_eq!(all_rows(index, build, 9).await.len(), 2);
    for _ in 0..2 {
        let gone = keys(std::slice::from_ref(&second));
        index.remove(build, &gone).await.expect("removes");
        assert_eq!(
            all_rows(index, build, 9).await,
            rows(std::slice::from_ref(&other))
        );
    }
    let seen = found(index, build, "a", &any, &query).await;
    assert_eq!(cases(&seen, Leg::Grams), named(&["c2"]));
    index.put(build, vec![first]).await.expect("puts again");
    let seen = found(index, build, "a", &any, &query).await;
    assert_eq!(cases(&seen, Leg::Grams), named(&["c1", "c2"]));
    assert_eq!(leg(&seen, Leg::Dense).len(), 1);
    index.put(build, Vec::new()).await.expect("puts nothing");
    index.remove(build, &[]).await.expect("removes nothing");
    index.drop_build(build).await.expect("drops");
}

pub(super) async fn gives_rows_in_pages(index: &dyn CaseIndex) {
    let build = build(1);
    index.open(build, None).await.expect("opens");
    assert_eq!(read_in_pages(index, build, 3).await, []);
    let mut points: Vec<Point> = (0..25)
        .map(|n| {
            let space = if n % 3 == 0 { "b" } else { "a" };
            point(space, &format!("p{n}"), &[(n, 1.0)])
        })
        .collect();
    points[4].row.solved = false;
    index.put(build, points.clone()).await.expect("puts");
    let order = read_in_pages(index, build, 100).await;
    for page in [1, 5, 7, 25, 26] {
        assert_eq!(read_in_pages(index, build, page).await, order, "by {page}");
    }
    let mut sorted = order.clone();
    sorted.sort();
    assert_eq!(sorted, rows(&points));

    // What was the last row read may be gone by the next page.
    let gone = (order[9].space.clone(), order[9].case);
    let key = std::slice::from_ref(&gone);
    index.remove(build, key).await.expect("removes");
    let rest = index.rows(build, Some(&gone), 100).await.expect("reads");
    assert_eq!(rest, order[10..]);
    let few = index.rows(build, Some(&gone), 2).await.expect("reads");
    assert_eq!(few, order[10..12]);
    index.drop_build(build).await.expect("drops");
}

pub(super) async fn gives_rows_that_are_asked_for(index: &dyn CaseIndex) {
    let build = build(1);
    index.open(build, None).await.expect("opens");
    let points = [
        point("a", "c1", &[(1, 1.0)]),
        point("a", "c2", &[(1, 1.0)]),
        point("b", "c3", &[(1, 1.0)]),
        // Nothing to be found by, and still a point.
        point("b", "c4", &[]),
    ];
    index.put(build, points.to_vec()).await.expect("puts");
    let mut asked = keys(&points);
    let mut all = index.rows_of(build, &asked).await.expect("reads");
    all.sort();
    assert_eq!(all, rows(&points));
    asked.remove(0);
    asked.extend([(space("a"), case("c3")), (space("a"), case("c9"))]);
    let mut some = index.rows_of(build, &asked).await.expect("reads");
    some.sort();
    assert_eq!(some, rows(&points[1..]));
    let elsewhere = [(space("a"), case("c3"))];
    let other = index.rows_of(build, &elsewhere).await.expect("reads");
    assert_eq!(other, [], "a point of another space");
    assert_eq!(index.rows_of(build, &[]).await.expect("reads"), []);
    index.drop_build(build).await.expect("drops");
}
