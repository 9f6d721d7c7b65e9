//! What every [`Store`] must do.

use std::collections::BTreeMap;
use std::sync::Arc;

use threadlore_model::{EventId, Key, Offset, Partition, PersonId, Subject, Timestamp, Topic};

use super::samples::{at, cause, channel, id, shard, space};
use threadlore_ports::{
    Changes, Class, EffectRow, EncodedRecord, OutboxRow, PartRow, PortError, Positions,
    RecordHeader, Shard, StateRow, Store,
};

/// Runs the suite on a store of its own.
///
/// # Panics
/// When a guarantee does not hold.
pub async fn store(store: &dyn Store) {
    starts_empty(store).await;
    gives_back_what_was_committed(store).await;
    forgets_all_but_the_sequence_of_a_shard(store).await;
    keeps_the_parts_of_a_state(store).await;
    keeps_parts_over_many_commits(store).await;
    refuses_a_zombie(store).await;
    refuses_an_id_twice_and_then_changes_nothing(store).await;
    cuts_the_outbox_where_decisions_end(store).await;
    keeps_effects_until_they_are_answered(store).await;
    tells_shards_apart(store).await;
}

async fn commit(store: &dyn Store, shard: &Shard, epoch: i64, changes: Changes) {
    let done = store.commit(shard, epoch, changes).await;
    done.expect("the owner commits");
}

async fn acquire(store: &dyn Store, shard: &Shard) -> i64 {
    let owner = store.acquire(shard).await.expect("the shard is acquired");
    owner.epoch
}

fn positions(offset: i64) -> Positions {
    [(Topic::ChatInbox, Offset(offset))].into()
}

fn key(name: &str) -> Key {
    Key::parse(&format!("{}/{}{name}", space("a"), channel())).expect("a valid key")
}

fn state(name: &str, body: &[u8], wake: Option<Timestamp>) -> StateRow {
    StateRow {
        key: key(name),
        body: body.to_vec(),
        wake,
        parts: Vec::new(),
    }
}

/// A state of this key with these parts.
fn parted(name: &str, parts: &[(&str, Option<&[u8]>)]) -> StateRow {
    let part = |(name, body): &(&str, Option<&[u8]>)| PartRow {
        name: (*name).to_owned(),
        body: body.map(<[u8]>::to_vec),
    };
    StateRow {
        parts: parts.iter().map(part).collect(),
        ..state(name, b"whole", None)
    }
}

/// An encoded event; that of every third sequence erases somebody.
fn row(sequence: u64, ends_decision: bool) -> OutboxRow {
    let header = |name: &'static str, value: &[u8]| RecordHeader {
        name: name.into(),
        value: value.to_vec(),
    };
    let record = EncodedRecord {
        topic: Topic::KnowledgeCases,
        key: key("row"),
        headers: vec![header("ce_id", b"1"), header("empty", b"")],
        value: vec![0, 1, 255, 3],
    };
    let erases = Subject::Person(space("a"), PersonId::from_uuid(id("p").as_uuid()));
    OutboxRow {
        sequence,
        ends_decision,
        record: Arc::new(record),
        erases: sequence.is_multiple_of(3).then_some(erases),
    }
}

fn effect(id: u64) -> EffectRow {
    EffectRow {
        id,
        key: key(""),
        cause: cause(),
        traceparent: id
            .is_multiple_of(2)
            .then(|| format!("00-{id:032x}-{id:016x}-01")),
        call: vec![0, 1, 255, id as u8],
    }
}

async fn starts_empty(store: &dyn Store) {
    let shard = shard("empty");
    assert!(store.positions(&shard).await.expect("reads").is_empty());
    let first = store.acquire(&shard).await.expect("acquires");
    assert!(first.positions.is_empty() && first.marks.is_empty());
    assert_eq!((first.sequence, first.recovered), (0, false));
    assert!(acquire(store, &shard).await > first.epoch, "epochs grow");
    assert_eq!(store.load(&shard, &[key("")]).await.expect("loads"), []);
    assert_eq!(store.wakes(&shard).await.expect("loads"), []);
    assert_eq!(store.outbox(&shard, 0, 9).await.expect("loads"), []);
    assert_eq!(store.effects(&shard).await.expect("loads"), []);
}

async fn gives_back_what_was_committed(store: &dyn Store) {
    let shard = shard("given");
    let epoch = acquire(store, &shard).await;
    let producer = |n| (Topic::ChatInbox, shard.group.clone(), Partition(n));
    let changes = Changes {
        positions: [(Topic::ChatInbox, Offset(4)), (Topic::Settings, Offset(1))].into(),
        marks: [(producer(0), 7), (producer(1), 9)].into(),
        sequence: 3,
        recovered: true,
        states: vec![
            state("x", b"old", None),
            state("y", b"", Some(at(50))),
            state("x", b"\0new", None),
        ],
        accepted: vec![id("p1"), id("p2")],
        ..Changes::default()
    };
    commit(store, &shard, epoch, changes).await;
    let later = Changes {
        positions: positions(5),
        marks: [(producer(1), 10)].into(),
        sequence: 4,
        recovered: true,
        states: vec![state("z", b"z", Some(at(40)))],
        ..Changes::default()
    };
    commit(store, &shard, epoch, later).await;

    let owner = store.acquire(&shard).await.expect("acquires");
    assert_eq!(owner.epoch, epoch + 1);
    let expected: Positions = [(Topic::ChatInbox, Offset(5)), (Topic::Settings, Offset(1))].into();
    assert_eq!(owner.positions, expected);
    assert_eq!(store.positions(&shard).await.expect("reads"), expected);
    assert_eq!(owner.marks, [(producer(0), 7), (producer(1), 10)].into());
    assert_eq!((owner.sequence, owner.recovered), (4, true));
    let mut states = store
        .load(&shard, &[key("x"), key("y"), key("none")])
        .await
        .expect("loads");
    states.sort_by(|a, b| a.key.cmp(&b.key));
    assert_eq!(
        states,
        [state("x", b"\0new", None), state("y", b"", Some(at(50)))]
    );
    let mut wakes = store.wakes(&shard).await.expect("loads");
    wakes.sort_by_key(|wake| wake.at);
    let wakes: Vec<_> = wakes.into_iter().map(|wake| (wake.key, wake.at)).collect();
    assert_eq!(wakes, [(key("z"), at(40)), (key("y"), at(50))]);
    let known = store
        .accepted(&shard, &[id("p2"), id("p3")])
        .await
        .expect("loads");
    assert_eq!(known, [id("p2")].into());
}

async fn forgets_all_but_the_sequence_of_a_shard(store: &dyn Store) {
    let (gone, kept) = (shard("gone"), shard("kept"));
    for shard in [&gone, &kept] {
        let epoch = acquire(store, shard).await;
        let changes = Changes {
            positions: positions(4),
            marks: [((Topic::ChatInbox, shard.group.clone(), Partition(0)), 7)].into(),
            sequence: 3,
            recovered: true,
            states: vec![parted("x", &[("a", Some(b"1"))])],
            accepted: vec![id("p1")],
            outbox: vec![row(3, true)],
            effects: vec![effect(1)],
            ..Changes::default()
        };
        commit(store, shard, epoch, changes).await;
    }
    let old = acquire(store, &gone).await;
    let owner = acquire(store, &gone).await;
    let refused = store.forget(&gone, old, 5).await;
    assert!(matches!(refused, Err(PortError::Fenced { .. })));
    store.forget(&gone, owner, 5).await.expect("forgets");

    for (shard, layout, knows) in [(&gone, 5, false), (&kept, 0, true)] {
        let owner = store.acquire(shard).await.expect("acquires");
        let stands = (owner.sequence, owner.layout, owner.recovered);
        assert_eq!(stands, (3, layout, knows));
        assert_eq!(owner.positions.is_empty(), !knows);
        assert_eq!(owner.marks.is_empty(), !knows);
        let count = usize::from(knows);
        let keys = [key("x")];
        assert_eq!(store.load(shard, &keys).await.expect("loads").len(), count);
        let known = store.accepted(shard, &[id("p1")]).await.expect("loads");
        assert_eq!(known.len(), count);
        assert_eq!(store.outbox(shard, 0, 9).await.expect("loads").len(), count);
        assert_eq!(store.effects(shard).await.expect("loads").len(), count);
    }
    // Parts are gone with their states.
    let owner = acquire(store, &gone).await;
    let again = Changes {
        states: vec![state("x", b"new", None)],
        ..Changes::default()
    };
    commit(store, &gone, owner, again).await;
    let now = store.load(&gone, &[key("x")]).await.expect("loads");
    assert_eq!(now, [state("x", b"new", None)]);
}

async fn keeps_the_parts_of_a_state(store: &dyn Store) {
    let shard = shard("parts");
    let epoch = acquire(store, &shard).await;
    let rounds: [&[StateRow]; 3] = [
        &[
            parted("x", &[("a", Some(b"1")), ("b", Some(b"1"))]),
            parted("y", &[("a", Some(b"y"))]),
        ],
        // What is not named stays; one that was never there may go.
        &[parted("x", &[("b", Some(b"")), ("none", None)])],
        // Of a key that is named twice.
        &[
            parted("x", &[("c", Some(b"3")), ("d", Some(b"3"))]),
            parted("x", &[("a", None), ("d", Some(b"4"))]),
        ],
    ];
    for states in rounds {
        let changes = Changes {
            states: states.to_vec(),
            ..Changes::default()
        };
        commit(store, &shard, epoch, changes).await;
    }
    let mut loaded = store
        .load(&shard, &[key("x"), key("y")])
        .await
        .expect("loads");
    loaded.sort_by(|a, b| a.key.cmp(&b.key));
    let expected = [
        parted(
            "x",
            &[("b", Some(b"")), ("c", Some(b"3")), ("d", Some(b"4"))],
        ),
        parted("y", &[("a", Some(b"y"))]),
    ];
    assert_eq!(loaded, expected);
    let zombie = Changes {
        states: vec![parted("x", &[("b", None)])],
        ..Changes::default()
    };
    let refused = store.commit(&shard, epoch + 1, zombie).await;
    assert!(refused.expect_err("another owns it").is_fenced());
    let loaded = store.load(&shard, &[key("x")]).await.expect("loads");
    assert_eq!(loaded, expected[..1]);
}

/// As the window of a busy channel changes: entries come, are replaced, and leave.
async fn keeps_parts_over_many_commits(store: &dyn Store) {
    const COMMITS: usize = 60;
    let shard = shard("many");
    let epoch = acquire(store, &shard).await;
    let mut expected = BTreeMap::new();
    for n in 0..COMMITS {
        // Large and unlike each other, so that a store that merges what it wrote has to.
        let body: Vec<u8> = (0..4000_usize)
            .map(|at| (((at + 1) * (n + 7) * 2_654_435_761) >> 13) as u8)
            .collect();
        let mut parts = vec![(format!("{n:03}"), Some(body.clone()))];
        parts.push((format!("{:03}", n / 2), Some(body)));
        if n >= 20 {
            parts.push((format!("{:03}", n - 20), None));
        }
        let parts: Vec<PartRow> = parts
            .into_iter()
            .map(|(name, body)| PartRow { name, body })
            .collect();
        expected.extend(parts.iter().map(|part| (part.name.clone(), part.clone())));
        let changes = Changes {
            states: vec![StateRow {
                parts,
                ..state("x", b"x", None)
            }],
            ..Changes::default()
        };
        commit(store, &shard, epoch, changes).await;
        let loaded = store.load(&shard, &[key("x")]).await.expect("loads");
        let there = expected.values().filter(|part| part.body.is_some());
        let there: Vec<PartRow> = there.cloned().collect();
        assert!(loaded[0].parts == there, "after {} commits", n + 1);
    }
}

async fn refuses_a_zombie(store: &dyn Store) {
    let shard = shard("zombie");
    let old = acquire(store, &shard).await;
    let outbox = Changes {
        sequence: 1,
        outbox: vec![row(1, true)],
        ..Changes::default()
    };
    commit(store, &shard, old, outbox).await;
    let new = acquire(store, &shard).await;
    for epoch in [old, new + 1] {
        let changes = Changes {
            positions: positions(9),
            sequence: 2,
            states: vec![state("x", b"zombie", None)],
            accepted: vec![id("zombie")],
            ..Changes::default()
        };
        let refused = store.commit(&shard, epoch, changes).await;
        assert!(refused.expect_err("another owns it").is_fenced());
        let refused = store.published(&shard, epoch, 1).await;
        assert!(refused.expect_err("another owns it").is_fenced());
    }
    assert!(store.positions(&shard).await.expect("reads").is_empty());
    assert_eq!(store.load(&shard, &[key("x")]).await.expect("loads"), []);
    assert!(
        store
            .accepted(&shard, &[id("zombie")])
            .await
            .expect("loads")
            .is_empty()
    );
    assert_eq!(
        store.outbox(&shard, 0, 9).await.expect("loads"),
        [row(1, true)]
    );
    store
        .published(&shard, new, 1)
        .await
        .expect("the owner may");
    assert_eq!(store.outbox(&shard, 0, 9).await.expect("loads"), []);
}

async fn refuses_an_id_twice_and_then_changes_nothing(store: &dyn Store) {
    let shard = shard("twice");
    let epoch = acquire(store, &shard).await;
    let first = Changes {
        positions: positions(1),
        accepted: vec![id("p1")],
        ..Changes::default()
    };
    commit(store, &shard, epoch, first).await;
    let twice: [&[EventId]; 2] = [&[id("p2"), id("p1")], &[id("p3"), id("p3")]];
    for accepted in twice {
        let changes = Changes {
            positions: positions(2),
            states: vec![state("x", b"x", None)],
            accepted: accepted.to_vec(),
            ..Changes::default()
        };
        let refused = store
            .commit(&shard, epoch, changes)
            .await
            .expect_err("a repeat");
        assert!(matches!(refused, PortError::Broken { .. }), "{refused}");
        assert_eq!(refused.class(), Class::Fatal);
    }
    assert_eq!(store.positions(&shard).await.expect("reads"), positions(1));
    assert_eq!(store.load(&shard, &[key("x")]).await.expect("loads"), []);
    let known = store
        .accepted(&shard, &[id("p1"), id("p2"), id("p3")])
        .await
        .expect("loads");
    assert_eq!(known, [id("p1")].into());
}

async fn cuts_the_outbox_where_decisions_end(store: &dyn Store) {
    let shard = shard("outbox");
    let epoch = acquire(store, &shard).await;
    let rows: Vec<_> = [(1, true), (2, false), (3, false), (4, true), (5, true)]
        .map(|(sequence, ends)| row(sequence, ends))
        .into();
    for part in [&rows[..1], &rows[1..]] {
        let changes = Changes {
            sequence: part.last().map_or(0, |row| row.sequence),
            outbox: part.to_vec(),
            ..Changes::default()
        };
        commit(store, &shard, epoch, changes).await;
    }
    for (after, max, expected) in [
        (0, 1, &rows[..1]),
        (0, 2, &rows[..4]),
        (1, 1, &rows[1..4]),
        (0, 4, &rows[..4]),
        (0, 9, &rows[..]),
        (4, 9, &rows[4..]),
        (5, 9, &rows[5..]),
    ] {
        let page = store.outbox(&shard, after, max).await.expect("loads");
        assert_eq!(page, expected, "after {after}, at most {max}");
    }
    store
        .published(&shard, epoch, 4)
        .await
        .expect("the owner may");
    assert_eq!(store.outbox(&shard, 0, 9).await.expect("loads"), rows[4..]);
    // With a batch: what is in the log leaves, what the batch decides comes.
    let next = [row(6, true), row(7, true)];
    let changes = Changes {
        sequence: 7,
        published: 5,
        outbox: next.to_vec(),
        ..Changes::default()
    };
    commit(store, &shard, epoch, changes).await;
    assert_eq!(store.outbox(&shard, 0, 9).await.expect("loads"), next);
}

async fn keeps_effects_until_they_are_answered(store: &dyn Store) {
    let shard = shard("effects");
    let epoch = acquire(store, &shard).await;
    let changes = Changes {
        effects: vec![effect(2), effect(10)],
        ..Changes::default()
    };
    commit(store, &shard, epoch, changes).await;
    let changes = Changes {
        effects: vec![effect(11)],
        answered: vec![2, 99],
        ..Changes::default()
    };
    commit(store, &shard, epoch, changes).await;
    let left = store.effects(&shard).await.expect("loads");
    assert_eq!(left, [effect(10), effect(11)]);
}

async fn tells_shards_apart(store: &dyn Store) {
    let one = shard("apart");
    let other = Shard {
        partition: Partition(1),
        ..one.clone()
    };
    let (epoch, other_epoch) = (acquire(store, &one).await, acquire(store, &other).await);
    for (shard, epoch, body) in [(&one, epoch, b"1"), (&other, other_epoch, b"2")] {
        let changes = Changes {
            states: vec![state("x", body, None)],
            accepted: vec![id("p1")],
            outbox: vec![row(1, true)],
            effects: vec![effect(1)],
            sequence: 1,
            ..Changes::default()
        };
        commit(store, shard, epoch, changes).await;
    }
    let loaded = store.load(&one, &[key("x")]).await.expect("loads");
    assert_eq!(loaded, [state("x", b"1", None)]);
    store
        .published(&other, other_epoch, 1)
        .await
        .expect("the owner may");
    assert_eq!(store.outbox(&one, 0, 9).await.expect("loads").len(), 1);
}
