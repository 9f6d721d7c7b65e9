//! What every store with [`IndexSource`] must do.

use std::collections::BTreeSet;

use threadlore_model::{Case, CaseId, Signal, SpaceId, Status, vector_source};

use super::samples::{archived, case, computed, confirmed, erased, fold, opened, solved, space};
use threadlore_ports::{
    CaseVector, Generation, Generations, IndexSource, PortError, Projection, Store, Unindexed,
};

/// Runs the suite on a store.
///
/// # Panics
/// When a guarantee does not hold.
pub async fn index_source<S: Store + Generations + IndexSource>(store: &S) {
    let build = store.create(Projection::Cases).await.expect("makes");
    assert_eq!(store.waiting(build).await.expect("counts"), 0);
    let first = vec![
        opened("a", "c1", "no sound", 10),
        solved("a", "c2", "no network", Signal::Thanks, 20),
        solved("b", "c2", "the same id elsewhere", Signal::Thanks, 30),
    ];
    fold(store, build, first).await.expect("folds");
    every_change_marks(store, build).await;
    what_changed_meanwhile_stays_marked(store, build).await;
    marks_by_hand(store, build).await;
    takes_vectors(store, build).await;
    reads_in_pages(store, build).await;
    an_erased_case_has_no_vectors(store, build).await;
    is_of_one_build(store, build).await;
}

fn keys(marked: &[Unindexed]) -> BTreeSet<(SpaceId, CaseId)> {
    marked.iter().map(|one| one.key.clone()).collect()
}

fn row(marked: &Unindexed) -> &Case {
    marked.case.as_ref().expect("there is a row")
}

fn all() -> BTreeSet<(SpaceId, CaseId)> {
    [("a", "c1"), ("a", "c2"), ("b", "c2")]
        .map(|(of, name)| (space(of), case(name)))
        .into()
}

async fn every_change_marks<S: Store + IndexSource>(store: &S, build: Generation) {
    assert_eq!(store.waiting(build).await.expect("counts"), 3);
    let some = store.unindexed(build, 2).await.expect("reads");
    assert_eq!(some.len(), 2, "no more than asked for");
    let marked = store.unindexed(build, 9).await.expect("reads");
    assert_eq!(keys(&marked), all());
    store.indexed(build, &marked).await.expect("takes away");
    assert_eq!(store.waiting(build).await.expect("counts"), 0);
    assert_eq!(store.unindexed(build, 9).await.expect("reads"), []);
    // A reaction changes the status, and so the point.
    fold(store, build, vec![confirmed("a", "c1", "ann", 40)])
        .await
        .expect("folds");
    let marked = store.unindexed(build, 9).await.expect("reads");
    assert_eq!(marked.len(), 1);
    assert_eq!(row(&marked[0]).status(), Status::Solved);
    assert_eq!(row(&marked[0]).evidence.len(), 1, "the whole case is read");
    store.indexed(build, &marked).await.expect("takes away");
}

async fn what_changed_meanwhile_stays_marked<S: Store + IndexSource>(store: &S, build: Generation) {
    fold(store, build, vec![confirmed("a", "c1", "bob", 50)])
        .await
        .expect("folds");
    let before = store.unindexed(build, 9).await.expect("reads");
    fold(store, build, vec![confirmed("a", "c1", "cyd", 60)])
        .await
        .expect("folds");
    store.indexed(build, &before).await.expect("takes nothing");
    let after = store.unindexed(build, 9).await.expect("reads");
    assert_eq!(keys(&after), keys(&before));
    assert_ne!(after[0].mark, before[0].mark);
    store.indexed(build, &after).await.expect("takes away");
    // A mark that was taken away is never given again.
    fold(store, build, vec![archived("a", "c1", 70)])
        .await
        .expect("folds");
    store.indexed(build, &before).await.expect("takes nothing");
    store.indexed(build, &after).await.expect("takes nothing");
    let marked = store.unindexed(build, 9).await.expect("reads");
    assert_eq!(row(&marked[0]).status(), Status::Archived);
    store.indexed(build, &marked).await.expect("takes away");
}

async fn marks_by_hand<S: Store + IndexSource>(store: &S, build: Generation) {
    let one = [(space("b"), case("c2"))];
    store.mark(build, &one).await.expect("marks");
    store.mark(build, &one).await.expect("marks again");
    let marked = store.unindexed(build, 9).await.expect("reads");
    assert_eq!(keys(&marked), one.into());
    store.indexed(build, &marked).await.expect("takes away");
    // Of a case that is not there yet the mark is given back, and taken away.
    let none = (space("a"), case("c8"));
    store
        .mark(build, std::slice::from_ref(&none))
        .await
        .expect("marks");
    let marked = store.unindexed(build, 9).await.expect("reads");
    assert_eq!((&marked[0].key, &marked[0].case), (&none, &None));
    store.indexed(build, &marked).await.expect("takes away");
    assert_eq!(store.waiting(build).await.expect("counts"), 0);
}

async fn takes_vectors<S: Store + Generations + IndexSource>(store: &S, build: Generation) {
    let key = (space("a"), case("c1"));
    let vectors = store.live(Projection::Vectors).await.expect("makes");
    fold(
        store,
        vectors,
        vec![computed("a", "c1", "m/1", "no sound", &[0.5, 1.0])],
    )
    .await
    .expect("folds");
    let marked = store.unindexed(build, 9).await.expect("reads");
    assert_eq!(
        keys(&marked),
        [key.clone()].into(),
        "its case has another point now"
    );
    store.indexed(build, &marked).await.expect("takes away");
    let asked = [key.clone(), (space("b"), case("c1"))];
    let found = store.vectors("m/1", &asked).await.expect("reads");
    let expected = CaseVector {
        key,
        source: vector_source("no sound"),
        vector: vec![0.5, 1.0],
    };
    assert_eq!(found, [expected]);
    assert_eq!(store.vectors("m/2", &asked).await.expect("reads"), []);
}

async fn reads_in_pages<S: Store + IndexSource>(store: &S, build: Generation) {
    let (mut after, mut read) = (None, Vec::new());
    loop {
        let page = store.cases_after(build, after.as_ref(), 2).await;
        let page = page.expect("reads");
        let Some(last) = page.last() else { break };
        after = Some((last.space.clone(), last.case));
        read.extend(page.into_iter().map(|case| (case.space, case.case)));
    }
    assert!(read.is_sorted());
    assert_eq!(read.into_iter().collect::<BTreeSet<_>>(), all());
    let asked = [
        (space("a"), case("c2")),
        (space("b"), case("c1")),
        (space("b"), case("c2")),
    ];
    let found = store.cases_of(build, &asked).await.expect("reads");
    let found: BTreeSet<_> = found
        .into_iter()
        .map(|case| (case.space, case.case))
        .collect();
    assert_eq!(found, [asked[0].clone(), asked[2].clone()].into());
}

async fn an_erased_case_has_no_vectors<S: Store + Generations + IndexSource>(
    store: &S,
    build: Generation,
) {
    let live = store.live(Projection::Vectors).await.expect("finds");
    let other = store.create(Projection::Vectors).await.expect("makes");
    let of_both = || ["a", "b"].map(|of| computed(of, "c2", "m/1", "no network", &[1.0, 0.0]));
    let of_other = computed("a", "c2", "m/2", "no network", &[2.0]);
    let named = ["a", "b"].map(|of| (space(of), case("c2")));
    for vectors in [live, other] {
        fold(store, vectors, of_both().to_vec())
            .await
            .expect("folds");
    }
    fold(store, other, vec![of_other]).await.expect("folds");
    fold(store, build, vec![erased("a", "c2", 90)])
        .await
        .expect("folds");
    for late in [false, true] {
        if late {
            for vectors in [live, other] {
                fold(store, vectors, of_both().to_vec())
                    .await
                    .expect("folds");
            }
        }
        let found = store.vectors("m/1", &named).await.expect("reads");
        let found: Vec<_> = found.into_iter().map(|one| one.key).collect();
        assert_eq!(found, named[1..], "late: {late}");
        let digest = store.digest(other).await.expect("digests");
        assert_eq!(digest["vectors"].0, 1, "late: {late}");
    }
    store.drop_generation(other).await.expect("drops");
    // Both have another point now, or none.
    let marked = store.unindexed(build, 9).await.expect("reads");
    assert_eq!(keys(&marked), named.into());
    store.indexed(build, &marked).await.expect("takes away");
}

async fn is_of_one_build<S: Store + Generations + IndexSource>(store: &S, build: Generation) {
    let other = store.create(Projection::Cases).await.expect("makes");
    fold(store, other, vec![opened("a", "c9", "elsewhere", 10)])
        .await
        .expect("folds");
    assert_eq!(store.waiting(other).await.expect("counts"), 1);
    assert_eq!(store.waiting(build).await.expect("counts"), 0);
    store.drop_generation(other).await.expect("drops");
    let gone = store.unindexed(other, 9).await.expect_err("it is gone");
    assert!(matches!(gone, PortError::Broken { .. }), "{gone}");
}
