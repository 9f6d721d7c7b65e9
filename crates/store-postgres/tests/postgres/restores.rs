//! What a restore rests on: no shard has an owner while it works.

use std::collections::BTreeMap;

use threadlore_model::{EventId, Group, Key, Offset, Partition, Role, Topic};
use threadlore_ports::{Changes, Class, Shard, StateRow, Store as _};

use crate::support::{Server, connect};

fn shard(role: Role, partition: i32) -> Shard {
    Shard {
        group: Group::of_role(role),
        partition: Partition(partition),
    }
}

fn changes(sequence: u64) -> Changes {
    Changes {
        positions: BTreeMap::from([(Topic::ChatEvents, Offset(7))]),
        sequence,
        recovered: true,
        accepted: vec![EventId::of_content("test", &["a"])],
        states: vec![StateRow {
            key: Key::parse("s/irc:#a").expect("a key"),
            body: vec![1],
            wake: None,
            parts: Vec::new(),
        }],
        ..Changes::default()
    }
}

#[tokio::test]
async fn nobody_owns_a_shard_while_a_space_is_restored() {
    let server = Server::start();
    let store = server.database("halted").await;
    let other = connect(&server.url("halted")).await;
    let ours = shard(Role::Buffer, 0);
    let before = other.acquire(&ours).await.expect("acquired");
    // when
    store.halt("s", "d").await.expect("halted");
    // then: who had it changes nothing, and who wants it waits.
    let late = other.commit(&ours, before.epoch, changes(1)).await;
    assert!(late.expect_err("shut out").is_fenced());
    for shard in [&ours, &shard(Role::Intake, 3)] {
        let refused = other.acquire(shard).await.expect_err("halted");
        assert_eq!(refused.class(), Class::Retry, "{refused}");
        assert!(
            refused.to_string().contains("a restore is in progress"),
            "{refused}"
        );
    }
    let second = other.halt("t", "e").await.expect_err("one at a time");
    assert!(second.to_string().contains("under way"), "{second}");
    let under_way = other.restoring().await.expect("answers").expect("one");
    assert_eq!((under_way.space.as_str(), under_way.begun), ("s", false));
    store.release().await.expect("released");
    let after = other.acquire(&ours).await.expect("acquired");
    assert!(after.epoch > before.epoch);
    assert_eq!(other.restoring().await.expect("answers"), None);
}

#[tokio::test]
async fn what_is_forgotten_is_of_these_shards_and_the_sequence_stays() {
    let server = Server::start();
    let store = server.database("forgot").await;
    let shards = [
        shard(Role::Buffer, 0),
        shard(Role::Buffer, 1),
        shard(Role::Projector, 0),
    ];
    for shard in &shards {
        let owned = store.acquire(shard).await.expect("acquired");
        let done = store.commit(shard, owned.epoch, changes(5)).await;
        done.expect("committed");
    }
    // when
    store.halt("s", "d").await.expect("halted");
    let partitions = [Partition(0)];
    let forgot = store.forget_partitions(&[Role::Buffer, Role::Intake], &partitions);
    forgot.await.expect("forgot");
    // then
    let under_way = store.restoring().await.expect("answers").expect("one");
    assert!(under_way.begun);
    store.release().await.expect("released");
    let stands = store.stands().await.expect("answers");
    // How far it had decided is kept, also when it is forgotten twice.
    store.halt("s", "d").await.expect("halted");
    let again = store.forget_partitions(&[Role::Buffer], &partitions).await;
    again.expect("forgot");
    store.release().await.expect("released");
    let owned = store.acquire(&shards[0]).await.expect("acquired");
    let decided = BTreeMap::from([(Topic::ChatEvents, Offset(7))]);
    assert_eq!((owned.decided, owned.recovered), (decided, false));
    let key = Key::parse("s/irc:#a").expect("a key");
    for (shard, knows) in shards.iter().zip([false, true, true]) {
        let stand = stands.iter().find(|stand| stand.shard == *shard);
        let stand = stand.expect("it stands");
        assert_eq!((stand.sequence, stand.recovered), (5, knows), "{shard}");
        assert_eq!(stand.positions.is_empty(), !knows, "{shard}");
        let states = store.load(shard, std::slice::from_ref(&key)).await;
        assert_eq!(states.expect("loads").len(), usize::from(knows), "{shard}");
        let accepted = changes(5).accepted;
        let accepted = store.accepted(shard, &accepted).await.expect("answers");
        assert_eq!(accepted.len(), usize::from(knows), "{shard}");
    }
}
