//! What every [`Keystore`] must do.

use std::sync::Arc;

use threadlore_model::{CaseId, EventId, PersonId, SpaceId, Subject, SubjectKey};

use threadlore_ports::{Keystore, PortError, Wrapping};

/// Runs the suite. Each call of `open` opens the same keystore, which is empty
/// at first; one that lives in memory gives the same handle again.
///
/// # Panics
/// When a guarantee is not kept.
pub async fn keystore<F: Future<Output = Arc<dyn Keystore>>>(open: impl Fn() -> F) {
    let all: Vec<_> = (0..20).map(subject).collect();
    let store = open().await;
    assert!(store.keys(&all).await.expect("reads").is_empty());
    let twice = [&all[..10], &all[..10]].concat();
    let made = store.ensure(&twice).await.expect("makes");
    assert_eq!(made.len(), 10);
    for a in &all[..10] {
        for b in &all[..10] {
            assert_eq!(made[a] == made[b], a == b, "each subject has its own key");
        }
    }
    assert_eq!(store.keys(&all).await.expect("reads"), made);
    drop(store);

    let store = open().await;
    assert_eq!(
        store.keys(&all).await.expect("reads"),
        made,
        "keys are durable"
    );
    let more = store.ensure(&all).await.expect("makes");
    assert_eq!(more.len(), 20);
    assert!(
        made.iter().all(|(s, k)| more.get(s) == Some(k)),
        "keys stay"
    );
    store.destroy(&all[3]).await.expect("destroys");
    store.destroy(&all[3]).await.expect("destroys again");
    store
        .destroy(&subject(99))
        .await
        .expect("nothing to destroy");
    drop(store);

    let store = open().await;
    let left = store.ensure(&all).await.expect("makes");
    assert_eq!(left.len(), 19);
    assert!(
        !left.contains_key(&all[3]),
        "a destroyed key is never made again"
    );
    assert_eq!(store.keys(&all).await.expect("reads"), left);

    let rows = walk(store.as_ref()).await;
    assert_eq!(rows.len(), 21, "destroyed ones too");
    for (subject, key) in &rows {
        assert_eq!(left.get(subject), key.as_ref());
    }
    let other = SubjectKey::from_bytes([7; 32]);
    let new = vec![
        (subject(40), Some(other.clone())),
        (subject(41), None),
        (all[0].clone(), Some(other.clone())),
    ];
    store.put(new.clone()).await.expect("takes over");
    drop(store);

    let store = open().await;
    assert_eq!(walk(store.as_ref()).await.len(), 23);
    let wanted: Vec<Subject> = new.into_iter().map(|(subject, _)| subject).collect();
    let keys = store.ensure(&wanted).await.expect("reads");
    assert_eq!(
        (keys.get(&wanted[0]), keys.get(&wanted[1])),
        (Some(&other), None)
    );
    assert_eq!(
        keys.get(&wanted[2]),
        Some(&other),
        "instead of what was there"
    );
}

/// A master key takes the place of another: what there was can be read all the time, what was destroyed stays so, and
/// afterwards the first one opens nothing.
///
/// # Panics
/// When the store does otherwise.
pub async fn replaced_master_key<F>(open: impl Fn(Wrapping) -> F)
where
    F: Future<Output = Result<Arc<dyn Keystore>, PortError>>,
{
    let (first, second) = ([7; 32], [8; 32]);
    let all: Vec<_> = (0..20).map(subject).collect();
    let old = open(Wrapping::under(first)).await.expect("opens");
    let mut keys = old.ensure(&all).await.expect("makes");
    old.destroy(&all[3]).await.expect("destroys");
    keys.remove(&all[3]);
    drop(old);
    // Processes learn of the second key one after the other, and then write under it.
    let both = open(Wrapping::under(first).reading(Some(second))).await;
    let both = both.expect("opens");
    assert_eq!(both.keys(&all).await.expect("reads"), keys);
    assert_eq!(both.rewrap().await.expect("rewraps"), 0);
    drop(both);
    let new = open(Wrapping::under(second).reading(Some(first))).await;
    let new = new.expect("opens");
    let more: Vec<_> = (20..23).map(subject).collect();
    keys.extend(new.ensure(&more).await.expect("makes"));
    // The row that tells whether a master key is the right one, too.
    assert_eq!(new.rewrap().await.expect("rewraps"), 20);
    assert_eq!(new.rewrap().await.expect("rewraps"), 0);
    drop(new);
    let alone = open(Wrapping::under(second)).await.expect("opens");
    let everybody = [all.as_slice(), &more].concat();
    assert_eq!(alone.ensure(&everybody).await.expect("reads"), keys);
    drop(alone);
    let refused = open(Wrapping::under(first)).await.err().expect("refused");
    assert!(refused.to_string().contains("master key is not the one"));
}

/// All rows, some at a time.
async fn walk(store: &dyn Keystore) -> Vec<(Subject, Option<SubjectKey>)> {
    let mut rows: Vec<(Subject, Option<SubjectKey>)> = Vec::new();
    loop {
        let after = rows.last().map(|(subject, _)| subject.clone());
        let more = store.walk(after.as_ref(), 4).await.expect("walks");
        if more.is_empty() {
            return rows;
        }
        assert!(more.len() <= 4);
        rows.extend(more);
    }
}

/// Persons and cases with equal ids, in two spaces.
fn subject(number: u32) -> Subject {
    let space = if number % 4 < 2 { "a" } else { "b" };
    let space = SpaceId::parse(space).expect("a space");
    let id = EventId::of_content("subject", &[&(number / 4).to_string()]);
    if number.is_multiple_of(2) {
        Subject::Person(space, PersonId::from_uuid(id.as_uuid()))
    } else {
        Subject::Case(space, CaseId::from_uuid(id.as_uuid()))
    }
}
