//! What every [`BlobStore`] must do.

use std::sync::Arc;

use threadlore_ports::{BlobStore, Class};

/// Runs the suite. Each call of `open` opens the same store, which is empty at
/// first; one that lives in memory gives the same handle again.
///
/// # Panics
/// When a guarantee is not kept.
pub async fn blobs<F: Future<Output = Arc<dyn BlobStore>>>(open: impl Fn() -> F) {
    let store = open().await;
    let large = vec![7; 300_000];
    for (name, bytes) in [("a", &b""[..]), ("a/b.c", b"two"), ("large", &large)] {
        assert_eq!(store.get(name).await.expect("reads"), None);
        store.put(name, b"first").await.expect("stores");
        store.put(name, bytes).await.expect("replaces");
    }
    drop(store);

    let store = open().await;
    assert_eq!(store.get("a").await.expect("reads"), Some(Vec::new()));
    assert_eq!(
        store.get("a/b.c").await.expect("reads"),
        Some(b"two".to_vec())
    );
    assert_eq!(store.get("large").await.expect("reads"), Some(large));
    store.delete("a").await.expect("removes");
    store.delete("a").await.expect("removes again");
    drop(store);

    let store = open().await;
    assert_eq!(store.get("a").await.expect("reads"), None);
    assert!(store.get("a/b.c").await.expect("reads").is_some());
    assert_eq!(
        store.names(None, 9).await.expect("lists"),
        ["a/b.c", "large"]
    );
    assert_eq!(store.names(None, 1).await.expect("lists"), ["a/b.c"]);
    let rest = store.names(Some("a/b.c"), 9).await.expect("lists");
    assert_eq!(rest, ["large"]);
    for bad in [
        "",
        "/a",
        "a//b",
        "../a",
        "a/..",
        "A",
        "a b",
        &"a".repeat(201),
    ] {
        let refusals = [
            store.put(bad, b"x").await.err(),
            store.get(bad).await.err(),
            store.delete(bad).await.err(),
        ];
        for refusal in refusals {
            let class = refusal.expect("a bad name is refused").class();
            assert_eq!(class, Class::DeadLetter, "{bad:?}");
        }
    }
}
