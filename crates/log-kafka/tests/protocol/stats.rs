//! What clients tell of themselves, and of partitions that come.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use threadlore_model::{Group, Role, Topic};
use threadlore_ports::{Change, ClientStats, EventLog, Observer};
use threadlore_testkit::Kafka;
use tokio::sync::Notify;

use crate::support::{connect, place, read_all, records};

#[derive(Default)]
struct Told {
    clients: Mutex<HashMap<&'static str, ClientStats>>,
    assigned: Mutex<usize>,
    news: Notify,
}

impl Observer for Told {
    fn moved(&self, group: &Group, assigned: usize, _revoked: usize) {
        assert_eq!(group.as_str(), "buffer");
        *self.assigned.lock().expect("a lock") += assigned;
    }
    fn clients(&self, kind: &'static str, stats: &ClientStats) {
        let mut clients = self.clients.lock().expect("a lock");
        let sum = clients.entry(kind).or_default();
        *sum = ClientStats {
            sent: sum.sent + stats.sent,
            received: sum.received + stats.received,
            ..*stats
        };
        self.news.notify_one();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_every_kind_say_how_they_are() {
    let dir = tempfile::tempdir().expect("a directory");
    let Some(kafka) = Kafka::start(dir.path()) else {
        return;
    };
    let log = connect(&kafka.bootstrap()).await;
    let told = Arc::new(Told::default());
    log.tell(Arc::clone(&told) as Arc<dyn Observer>);
    let group = Group::of_role(Role::Buffer);
    let mut member = log.join(&group, Topic::ChatEvents).await.expect("joins");
    assert!(matches!(
        member.change().await.expect("a member"),
        Change::Assigned(_)
    ));
    log.publish(records(0..100)).await.expect("appends");
    assert_eq!(read_all(&log, place()).await.len(), 100);

    let works = |stats: Option<&ClientStats>| {
        stats.is_some_and(|s| s.brokers_up == 1 && s.sent > 0 && s.received > 0)
    };
    loop {
        {
            let clients = told.clients.lock().expect("a lock");
            if ["writer", "reader", "member"]
                .iter()
                .all(|kind| works(clients.get(kind)))
            {
                let writer = clients["writer"];
                assert!(writer.round_trip_p99 > 0.0, "{writer:?}");
                assert_eq!((writer.records_to_write, writer.errors), (0, 0));
                break;
            }
        }
        let next = told.news.notified();
        let next = tokio::time::timeout(std::time::Duration::from_secs(60), next);
        next.await.expect("they tell every few seconds");
    }
    assert_eq!(*told.assigned.lock().expect("a lock"), 4);
}
