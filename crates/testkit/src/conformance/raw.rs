//! What every [`RawLog`] must do.

use std::sync::Arc;

use threadlore_model::{Offset, Partition, Timestamp, Topic, TopicPartition};

use threadlore_ports::{RawLog, RawRecord};

/// Runs the suite. Each call of `make` gives an empty log, and ends the one before.
///
/// # Panics
/// When a guarantee is not kept.
pub async fn raw<F: Future<Output = Arc<dyn RawLog>>>(make: impl Fn() -> F) {
    let at = TopicPartition {
        topic: Topic::ChatInbox,
        partition: Partition(1),
    };
    let first = make().await;
    let sent: Vec<_> = (0..50).map(record).collect();
    for part in sent.chunks(7) {
        first.append_raw(at, part.to_vec()).await.expect("appends");
    }
    first.append_raw(at, Vec::new()).await.expect("nothing");
    let read = read_all(first.as_ref(), at).await;
    assert_eq!(contents(&read), contents(&sent));
    let offsets: Vec<i64> = read.iter().map(|record| record.offset.0).collect();
    assert_eq!(offsets, (0..50).collect::<Vec<_>>());
    assert!(read.is_sorted_by_key(|record| record.appended));
    // Now, and not before: there may be one at a time.
    drop(first);
    let second = make().await;
    second.append_raw(at, read.clone()).await.expect("appends");
    let copied = read_all(second.as_ref(), at).await;
    assert_eq!(contents(&copied), contents(&read), "from log to log");
    // What no event can be made of is a record like any other.
    let decoded = second.read(at, Offset(0), 50).await.expect("reads");
    assert!(!decoded.is_empty());
    assert!(decoded.iter().all(|record| record.body.is_err()));
}

/// Keys that belong elsewhere, bytes of no encoding, unknown headers.
fn record(number: u8) -> RawRecord {
    let headers = [("x-odd", vec![0xff, number]), ("empty", Vec::new())];
    let headers = headers.map(|(name, value)| (name.to_owned(), value));
    RawRecord {
        offset: Offset(99),
        appended: Timestamp::from_millis(1_000),
        key: vec![number % 3; usize::from(number % 3)],
        headers: headers[..usize::from(number % 3)].to_vec(),
        value: vec![number; usize::from(number)],
    }
}

type Content<'a> = (&'a [u8], &'a [(String, Vec<u8>)], &'a [u8]);

fn contents(records: &[RawRecord]) -> Vec<Content<'_>> {
    records
        .iter()
        .map(|r| (&r.key[..], &r.headers[..], &r.value[..]))
        .collect()
}

async fn read_all(log: &dyn RawLog, at: TopicPartition) -> Vec<RawRecord> {
    let mut all: Vec<RawRecord> = Vec::new();
    loop {
        let from = all.last().map_or(Offset(0), |record| record.offset.next());
        let some = log.read_raw(at, from, 8).await.expect("reads");
        if some.is_empty() {
            return all;
        }
        all.extend(some);
    }
}
