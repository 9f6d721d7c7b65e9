//! Partitions are shared out among members, and handed over.

use std::collections::BTreeSet;
use std::time::Duration;

use rdkafka::consumer::{BaseConsumer, Consumer as _};
use threadlore_model::{Group, Offset, Partition, Role, Topic};
use threadlore_ports::{Change, Class, EventLog, Membership};
use threadlore_testkit::KafkaSetup;

use crate::cluster::{Cluster, client, options};
use crate::support::{connect, connect_by, connect_with};

/// How groups agree: by their members, or by the brokers (KIP-848).
pub(crate) const PROTOCOLS: [&str; 2] = ["classic", "consumer"];

/// Where members by the brokers' protocol are heard of every second.
async fn cluster() -> Option<Cluster> {
    let heartbeat = ("group.consumer.heartbeat.interval.ms", "1000");
    Cluster::with(KafkaSetup::default().property(heartbeat.0, heartbeat.1)).await
}

/// What a member has after this change.
async fn next(member: &mut Box<dyn Membership>, has: &mut BTreeSet<Partition>) {
    match member.change().await.expect("a member") {
        Change::Assigned(new) => has.extend(new),
        Change::Revoked(gone, _released) => has.retain(|one| !gone.contains(one)),
    }
}

pub(crate) fn all() -> BTreeSet<Partition> {
    (0..4).map(Partition).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_is_closed_has_left_its_groups() {
    let Some(cluster) = cluster().await else {
        return;
    };
    let (group, topic) = (Group::of_role(Role::Buffer), Topic::ChatEvents);
    let members = || {
        let asked: BaseConsumer = client(&cluster.bootstrap()).create().expect("a client");
        let found = asked.fetch_group_list(Some(group.as_str()), Duration::from_secs(10));
        let found = found.expect("the broker answers");
        let members = found.groups().iter().map(|group| group.members().len());
        members.sum::<usize>()
    };
    for closed_first in [false, true] {
        let log = connect(&cluster.bootstrap()).await;
        let mut member = log.join(&group, topic).await.expect("joins");
        let mut ours = BTreeSet::new();
        while ours != all() {
            next(&mut member, &mut ours).await;
        }
        assert_eq!(members(), 1);
        if closed_first {
            drop(log);
            drop(member);
        } else {
            drop(member);
            drop(log);
        }
        assert_eq!(members(), 0, "closed first: {closed_first}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_partition_is_one_members() {
    let Some(cluster) = cluster().await else {
        return;
    };
    for protocol in PROTOCOLS {
        let (one, two) = (
            connect_by(&cluster.bootstrap(), protocol).await,
            connect_by(&cluster.bootstrap(), protocol).await,
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
}

/// Nobody gets a partition while whoever had it still has a batch in hand.
#[tokio::test(flavor = "multi_thread")]
async fn a_partition_is_handed_over_when_it_is_released() {
    let Some(cluster) = cluster().await else {
        return;
    };
    for protocol in PROTOCOLS {
        let (one, two) = (
            connect_by(&cluster.bootstrap(), protocol).await,
            connect_by(&cluster.bootstrap(), protocol).await,
        );
        let (group, topic) = (Group::of_role(Role::Intake), Topic::ChatTurns);
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
}

/// Of two processes with one name, one ends and says why: by the classic protocol the first,
/// by the other the second.
#[tokio::test(flavor = "multi_thread")]
async fn one_name_for_two_processes_is_refused() {
    let Some(cluster) = cluster().await else {
        return;
    };
    for protocol in PROTOCOLS {
        let (group, topic) = (Group::of_role(Role::Buffer), Topic::ChatEvents);
        let mut options = options(&cluster.bootstrap());
        options.instance = Some("one".to_owned());
        let property = ("group.protocol".to_owned(), protocol.to_owned());
        options.client.extend([property]);
        let one = connect_with(options.clone()).await;
        let mut first = one.join(&group, topic).await.expect("joins");
        let mut ours = BTreeSet::new();
        while ours != all() {
            next(&mut first, &mut ours).await;
        }
        let two = connect_with(options).await;
        let mut second = two.join(&group, topic).await.expect("joins");
        let refused = loop {
            let change = tokio::select! {
                change = first.change() => change,
                change = second.change() => change,
            };
            if let Err(error) = change {
                break error;
            }
        };
        assert_eq!(refused.class(), Class::Fatal, "{protocol}: {refused:?}");
        let said = refused.to_string();
        assert!(
            said.contains("another process has the same kafka.instance_id"),
            "{protocol}: {said}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn how_far_a_group_got_can_be_seen_from_outside() {
    use rdkafka::TopicPartitionList;
    use rdkafka::consumer::{BaseConsumer, Consumer};
    let Some(cluster) = Cluster::start().await else {
        return;
    };
    let log = connect(&cluster.bootstrap()).await;
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
    let bootstrap = cluster.bootstrap();
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
