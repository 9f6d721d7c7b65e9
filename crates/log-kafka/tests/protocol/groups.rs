//! Partitions are shared out among members, and handed over.

use std::collections::BTreeSet;

use threadlore_model::{Group, Offset, Partition, Role, Topic};
use threadlore_ports::{Change, EventLog, Membership};

use crate::cluster::{Cluster, client};
use crate::support::connect;

/// What a member has after this change.
async fn next(member: &mut Box<dyn Membership>, has: &mut BTreeSet<Partition>) {
    match member.change().await.expect("a member") {
        Change::Assigned(new) => has.extend(new),
        Change::Revoked(gone, _released) => has.retain(|one| !gone.contains(one)),
    }
}

fn all() -> BTreeSet<Partition> {
    (0..4).map(Partition).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_partition_is_one_members() {
    let broker = Cluster::start().await;
    let (one, two) = (
        connect(broker.bootstrap()).await,
        connect(broker.bootstrap()).await,
    );
    let (group, topic) = (Group::of_role(Role::Buffer), Topic::ChatEvents);
    let mut first = one.join(&group, topic).await.expect("joins");
    let mut ours = BTreeSet::new();
    while ours != all() {
        next(&mut first, &mut ours).await;
    }
    let mut second = two.join(&group, topic).await.expect("joins");
    let mut theirs = BTreeSet::new();
    while ours.len() != 2 || theirs.len() != 2 {
        tokio::select! {
            () = next(&mut first, &mut ours) => {}
            () = next(&mut second, &mut theirs) => {}
        }
        assert!(ours.is_disjoint(&theirs), "{ours:?} {theirs:?}");
    }
    drop(second);
    while ours != all() {
        next(&mut first, &mut ours).await;
    }
}

/// Nobody gets a partition while whoever had it still has a batch in hand.
#[tokio::test(flavor = "multi_thread")]
async fn a_partition_is_handed_over_when_it_is_released() {
    let broker = Cluster::start().await;
    let (one, two) = (
        connect(broker.bootstrap()).await,
        connect(broker.bootstrap()).await,
    );
    let (group, topic) = (Group::of_role(Role::Extractor), Topic::ChatTurns);
    let mut first = one.join(&group, topic).await.expect("joins");
    let mut ours = BTreeSet::new();
    while ours != all() {
        next(&mut first, &mut ours).await;
    }
    let mut second = two.join(&group, topic).await.expect("joins");
    let (gone, released) = match first.change().await.expect("a member") {
        Change::Revoked(gone, released) => (gone, released),
        change => panic!("{change:?}"),
    };
    let held = tokio::time::timeout(std::time::Duration::from_secs(2), second.change()).await;
    assert!(
        held.is_err(),
        "handed over before it was released: {held:?}"
    );
    drop(released);
    let mut theirs = BTreeSet::new();
    while theirs.is_empty() {
        next(&mut second, &mut theirs).await;
    }
    assert_eq!(theirs, gone.into_iter().collect());
}

#[tokio::test(flavor = "multi_thread")]
async fn how_far_a_group_got_can_be_seen_from_outside() {
    use rdkafka::TopicPartitionList;
    use rdkafka::consumer::{BaseConsumer, Consumer};
    let broker = Cluster::start().await;
    let log = connect(broker.bootstrap()).await;
    let (group, topic) = (Group::of_role(Role::Extractor), Topic::ChatEvents);
    let mut member = log.join(&group, topic).await.expect("joins");
    let mut ours = BTreeSet::new();
    while ours != all() {
        next(&mut member, &mut ours).await;
    }
    let turns = Topic::ChatTurns;
    log.reached(
        &group,
        Partition(1),
        &[(topic, Offset(7)), (turns, Offset(3))].into(),
    );
    drop(member);
    let bootstrap = broker.bootstrap().to_owned();
    let seen = tokio::task::spawn_blocking(move || {
        let outside: BaseConsumer = client(&bootstrap)
            .set("group.id", group.as_str())
            .create()
            .expect("a client");
        let mut list = TopicPartitionList::new();
        list.add_partition(topic.name(), 1);
        list.add_partition(turns.name(), 1);
        loop {
            let patience = std::time::Duration::from_secs(30);
            let told = outside
                .committed_offsets(list.clone(), patience)
                .expect("told");
            let told: Vec<_> = told.elements().iter().map(|e| e.offset()).collect();
            if told
                .iter()
                .all(|offset| offset.to_raw().is_some_and(|raw| raw >= 0))
            {
                return told;
            }
        }
    });
    let at = |offset| rdkafka::Offset::Offset(offset);
    assert_eq!(seen.await.expect("seen"), [at(7), at(3)]);
}
