//! Which builds are fed, and whose lock it is, for several processes on one database.

use threadlore_ports::{Generation, Generations as _, Projection};

use crate::support::{Server, connect};

#[tokio::test]
async fn what_is_made_is_held_back_until_it_is_to_be_fed() {
    let server = Server::start();
    let store = server.database("fed").await;
    let first = store.live(Projection::Cases).await.expect("makes");
    assert_eq!(store.fed().await.expect("lists"), [first]);
    let second = store.create(Projection::Cases).await.expect("makes");
    assert_eq!(store.fed().await.expect("lists"), [first]);
    store.feed(second, true).await.expect("is there");
    store.feed(first, false).await.expect("is there");
    let other = connect(&server.url("fed")).await;
    assert_eq!(other.fed().await.expect("lists"), [second]);
    assert_eq!(other.generations().await.expect("lists"), [first, second]);
    let none = Generation { number: 9, ..first };
    let refused = store.feed(none, true).await.expect_err("not there");
    assert!(
        refused.to_string().contains("cases g9 does not exist"),
        "{refused}"
    );
}

#[tokio::test]
async fn an_advisory_lock_is_one_holders_and_ends_with_it() {
    let server = Server::start();
    let ours = server.database("turns").await;
    let theirs = connect(&server.url("turns")).await;
    let lock = ours.lock_builds(Projection::Cases).await.expect("answers");
    assert!(lock.is_some());
    let other = theirs
        .lock_builds(Projection::Messages)
        .await
        .expect("answers");
    assert!(other.is_some(), "every projection has its own");
    let restore = theirs.lock_restores().await.expect("answers");
    assert!(restore.is_some(), "and so have restores");
    let second = ours.lock_restores().await.expect("answers");
    assert!(second.is_none(), "one at a time");
    let taken = theirs
        .lock_builds(Projection::Cases)
        .await
        .expect("answers");
    assert!(taken.is_none(), "it is ours");
    drop(lock);
    let free = theirs
        .lock_builds(Projection::Cases)
        .await
        .expect("answers");
    assert!(free.is_some(), "it ended");
}
