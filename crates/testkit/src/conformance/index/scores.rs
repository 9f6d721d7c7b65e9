//! Which points a search finds, and how it scores them.

use std::collections::BTreeSet;

use threadlore_model::{CaseId, ChannelId, Leg, Point, SparseVector};

use super::super::samples::dense;
use super::{
    assert_close, assert_same, build, case, cases, found, keys, leg, named, point, query, scope,
};
use threadlore_ports::{CaseIndex, Generation, Query, Within};

pub(super) async fn keeps_spaces_apart(index: &dyn CaseIndex) {
    let build = build(1);
    index.open(build, Some(dense(2))).await.expect("opens");
    let words = [(1, 1.0), (2, 1.0)];
    let points = [("a", "c1"), ("b", "c2"), ("b", "c3"), ("ab", "c4")];
    let points = points.map(|(space, name)| Point {
        dense: Some(vec![1.0, 1.0]),
        ..point(space, name, &words)
    });
    index.put(build, points.to_vec()).await.expect("puts");
    let query = Query {
        dense: Some(vec![1.0, 1.0]),
        ..query(&words)
    };
    for (space, names) in [
        ("a", &["c1"][..]),
        ("b", &["c2", "c3"]),
        ("ab", &["c4"]),
        ("c", &[]),
    ] {
        let seen = found(index, build, space, &Within::default(), &query).await;
        for leg in Leg::ALL {
            assert_eq!(cases(&seen, leg), named(names), "{leg:?} in {space}");
        }
    }
    index.drop_build(build).await.expect("drops");
}

pub(super) async fn looks_within_a_channel_and_a_status(index: &dyn CaseIndex) {
    let build = build(1);
    index.open(build, Some(dense(2))).await.expect("opens");
    let channels = ["irc:#one", "irc:#One", "slack:\"o\\ne\""];
    let channels = channels.map(|name| ChannelId::parse(name).expect("valid"));
    let mut points = Vec::new();
    for (n, channel) in channels.iter().enumerate() {
        for solved in [true, false] {
            let mut point = point("a", &format!("c{n}{solved}"), &[(1, 1.0)]);
            point.row.channel = channel.clone();
            point.row.solved = solved;
            point.dense = Some(vec![0.0, 1.0]);
            points.push(point);
        }
    }
    index.put(build, points).await.expect("puts");
    let query = Query {
        dense: Some(vec![0.0, 2.0]),
        ..query(&[(1, 1.0)])
    };
    for (channel, solved, names) in [
        (
            None,
            None,
            &[
                "c0true", "c0false", "c1true", "c1false", "c2true", "c2false",
            ][..],
        ),
        (None, Some(true), &["c0true", "c1true", "c2true"]),
        (None, Some(false), &["c0false", "c1false", "c2false"]),
        (Some(0), None, &["c0true", "c0false"]),
        (Some(1), Some(false), &["c1false"]),
        (Some(2), Some(true), &["c2true"]),
    ] {
        let within = Within {
            channels: channel.map(|n: usize| BTreeSet::from([channels[n].clone()])),
            solved,
        };
        let seen = found(index, build, "a", &within, &query).await;
        for leg in Leg::ALL {
            assert_eq!(cases(&seen, leg), named(names), "{leg:?} {within:?}");
        }
    }
    index.drop_build(build).await.expect("drops");
}

/// Weights that differ, terms that many, some and one have, and one term of each.
fn weighed_points() -> Vec<Point> {
    let weight = |n: u32| 0.25 + (n % 7) as f32 / 3.0;
    (0..30)
        .map(|n| {
            let mut words = vec![(1, weight(n)), (100 + n, 1.0)];
            words.extend((n % 3 == 0).then_some((2, weight(n + 1))));
            words.extend((n % 10 == 0).then_some((3, weight(n + 2))));
            let space = if n % 5 == 4 { "b" } else { "a" };
            point(space, &format!("w{n}"), &words)
        })
        .collect()
}

fn rarity(points: &[Point], leg: Leg, term: u32) -> f32 {
    let terms = points.iter().filter_map(|point| point.terms.leg(leg));
    let with = terms.filter(|terms| weight(terms, term) > 0.0).count() as f32;
    let all = points.len() as f32;
    (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
}

fn weight(terms: &SparseVector, term: u32) -> f32 {
    let found = terms.terms().iter().find(|(has, _)| *has == term);
    found.map_or(0.0, |(_, weight)| *weight)
}

/// Term 9,999 has nobody.
fn weighed_query() -> Query {
    query(&[(1, 0.5), (2, 1.5), (3, 2.0), (104, 1.0), (9_999, 3.0)])
}

/// Scores of the points of space a are as the port says; not `exact`, where replaced
/// and removed ones may count, only which points are found is.
async fn check_scores(index: &dyn CaseIndex, build: Generation, points: &[Point], exact: bool) {
    let query = weighed_query();
    let seen = found(index, build, "a", &Within::default(), &query).await;
    assert_eq!(leg(&seen, Leg::Dense), []);
    for of in Leg::SPARSE {
        let asked = query.terms.leg(of).expect("a sparse leg").terms();
        let rarities = asked.iter().map(|(term, _)| rarity(points, of, *term));
        let rarities: Vec<f32> = rarities.collect();
        let mut expected = Vec::new();
        for point in points.iter().filter(|p| p.row.space.as_str() == "a") {
            let has = point.terms.leg(of).expect("a sparse leg");
            let parts = asked.iter().zip(&rarities);
            let score: f32 = parts
                .map(|((term, by), rarity)| by * weight(has, *term) * rarity)
                .sum();
            if score > 0.0 {
                expected.push((point.row.case, score));
            }
        }
        expected.sort_by_key(|(case, _)| *case);
        if !exact {
            let cases = |found: &[(CaseId, f32)]| -> BTreeSet<CaseId> {
                found.iter().map(|(case, _)| *case).collect()
            };
            assert_eq!(cases(leg(&seen, of)), cases(&expected), "{of:?}");
            continue;
        }
        assert_same(&vec![(of, leg(&seen, of).to_vec())], &vec![(of, expected)]);
    }
}

pub(super) async fn scores_by_weights_and_idf(index: &dyn CaseIndex) {
    let build = build(1);
    index.open(build, None).await.expect("opens");
    let mut points = weighed_points();
    index.put(build, points.clone()).await.expect("puts");
    check_scores(index, build, &points, true).await;

    // Points that were replaced or removed are not found any more, but may count.
    for (n, changed) in points.iter_mut().enumerate().take(6) {
        let space = changed.row.space.clone();
        *changed = point(space.as_str(), &format!("w{n}"), &[(3, 0.75), (2, 2.0)]);
    }
    index
        .put(build, points[..6].to_vec())
        .await
        .expect("replaces");
    let gone = points.split_off(24);
    index.remove(build, &keys(&gone)).await.expect("removes");
    check_scores(index, build, &points, false).await;
    index.drop_build(build).await.expect("drops");
}

pub(super) async fn gives_the_best_first(index: &dyn CaseIndex) {
    let build = build(1);
    index.open(build, None).await.expect("opens");
    let points = (1_u8..=20).map(|n| point("a", &format!("c{n}"), &[(1, f32::from(n))]));
    index.put(build, points.collect()).await.expect("puts");
    for limit in [0, 1, 3, 20, 50] {
        let (scope, within) = (scope("a"), Within::default());
        let asked = query(&[(1, 1.0)]);
        let found = index.find(build, &scope, &within, &asked, limit).await;
        for found in found.expect("searches") {
            let best = (1..=20).rev().map(|n| case(&format!("c{n}"))).take(limit);
            let seen = found.candidates.iter().map(|(case, _)| *case);
            assert!(seen.eq(best), "{found:?}");
        }
    }
    let nothing = found(index, build, "a", &Within::default(), &Query::default()).await;
    assert!(nothing.iter().all(|(_, found)| found.is_empty()));
    index.drop_build(build).await.expect("drops");
}

pub(super) async fn scores_vectors_by_cosine(index: &dyn CaseIndex) {
    let build = build(1);
    index.open(build, Some(dense(3))).await.expect("opens");
    let vectors = [
        ("same", [3.0, 0.0, 4.0]),
        ("near", [3.0, 1.0, 4.0]),
        ("far", [0.5, -9.0, 0.0]),
    ];
    let mut points: Vec<Point> = vectors
        .iter()
        .map(|(name, vector)| Point {
            dense: Some(vector.to_vec()),
            ..point("a", name, &[(1, 1.0)])
        })
        .collect();
    points.push(point("a", "none", &[(1, 1.0)]));
    index.put(build, points).await.expect("puts");
    let query = Query {
        dense: Some(vec![0.6, 0.0, 0.8]),
        ..Query::default()
    };
    let seen = found(index, build, "a", &Within::default(), &query).await;
    assert_eq!(cases(&seen, Leg::Dense), named(&["same", "near", "far"]));
    for (name, score) in [("same", 1.0), ("near", 0.980_58), ("far", 0.033_282)] {
        let of = leg(&seen, Leg::Dense)
            .iter()
            .find(|(c, _)| *c == case(name));
        assert_close(of.expect("found").1, score, name);
    }
    index.drop_build(build).await.expect("drops");
}

pub(super) async fn leaves_out_vectors_of_another_length(index: &dyn CaseIndex) {
    for (number, of) in [(1, Some(dense(2))), (2, None)] {
        let build = build(number);
        index.open(build, of).await.expect("opens");
        let points = [("two", 2), ("three", 3), ("zero", 0)].map(|(name, length)| Point {
            dense: Some(vec![1.0; length]),
            ..point("a", name, &[(1, 1.0)])
        });
        index.put(build, points.to_vec()).await.expect("puts");
        for length in [0, 2, 3] {
            let query = Query {
                dense: Some(vec![1.0; length]),
                ..query(&[(1, 1.0)])
            };
            let seen = found(index, build, "a", &Within::default(), &query).await;
            assert_eq!(cases(&seen, Leg::Words), named(&["two", "three", "zero"]));
            let fits = of.is_some() && length == 2;
            let wanted = if fits { named(&["two"]) } else { Vec::new() };
            assert_eq!(cases(&seen, Leg::Dense), wanted);
        }
        index.drop_build(build).await.expect("drops");
    }
}

pub(super) async fn is_the_same_when_optimised(index: &dyn CaseIndex) {
    let build = build(1);
    index.open(build, Some(dense(2))).await.expect("opens");
    let mut points = weighed_points();
    for (n, point) in points.iter_mut().enumerate() {
        point.dense = Some(vec![1.0, n as f32]);
    }
    index.put(build, points.clone()).await.expect("puts");
    let query = Query {
        dense: Some(vec![1.0, 1.0]),
        ..query(&[(1, 0.5), (2, 1.5), (3, 2.0)])
    };
    let before = found(index, build, "a", &Within::default(), &query).await;
    index.optimise(build).await.expect("optimises");
    let after = found(index, build, "a", &Within::default(), &query).await;
    assert_same(&after, &before);
    check_scores(index, build, &points, true).await;
    index.drop_build(build).await.expect("drops");
}
