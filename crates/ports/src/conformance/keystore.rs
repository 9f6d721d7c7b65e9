//! What every [`Keystore`] must do.

use std::sync::Arc;

use threadlore_model::{CaseId, EventId, PersonId, SpaceId, Subject};

use crate::Keystore;

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
