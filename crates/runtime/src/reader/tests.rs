use std::sync::Arc;

use futures::executor::block_on;
use threadlore_ports::{EventLog, NewRecord, Ownership};
use threadlore_stream::FoldPorts;

use super::*;
use crate::testing::{AT, TOPIC, context, event, gated, shard};

fn reader(ports: &FoldPorts) -> Reader {
    let owned = Ownership {
        recovered: true,
        ..Ownership::default()
    };
    let (log, shard) = (Arc::clone(&ports.log), shard());
    let consumer = Consumer::start(log, ports.vault.clone(), &shard, &[TOPIC], &owned);
    Reader::new(block_on(consumer).expect("starts"))
}

fn publish(log: &dyn EventLog, sequence: u64) {
    let record = NewRecord {
        topic: TOPIC,
        event: event(sequence),
    };
    block_on(log.publish(vec![record])).expect("appends");
}

/// Reads at most one record; the offsets of what was read, and the next one.
fn read(reader: &mut Reader) -> Option<(Vec<Offset>, Offset)> {
    reader.start(1, BTreeSet::new());
    reader.poll(&mut context()).expect("reads");
    let read = reader.take()?;
    let offsets = read.records.iter().map(|record| record.offset);
    Some((offsets.collect(), read.positions[&TOPIC]))
}

#[test]
fn what_is_read_ahead_does_not_move_the_positions_of_what_was_read_before() {
    // given
    let (log, _, ports) = gated();
    (1..4).for_each(|n| publish(log.inner.as_ref(), n));
    let mut reader = reader(&ports);
    reader.start(1, BTreeSet::new());
    assert!(reader.poll(&mut context()).expect("reads"));
    let first = reader.take().expect("a record");
    // when
    let second = read(&mut reader);
    // then
    assert_eq!(first.positions[&TOPIC], Offset(1));
    assert_eq!(second, Some((vec![Offset(1)], Offset(2))));
}

#[test]
fn one_batch_is_read_ahead_and_filled_while_it_waits() {
    let (log, _, ports) = gated();
    publish(log.inner.as_ref(), 1);
    let mut reader = reader(&ports);
    let mut go_on = || {
        reader.start(2, BTreeSet::new());
        reader.poll(&mut context()).expect("reads");
        reader.ready()
    };
    assert_eq!(go_on(), 1);
    (2..5).for_each(|n| publish(log.inner.as_ref(), n));
    assert_eq!(go_on(), 2);
    assert_eq!(go_on(), 2);
    let read = reader.take().expect("records");
    assert_eq!(read.records.len(), 2);
    assert_eq!(read.positions[&TOPIC], Offset(2));
    assert!(reader.take().is_none());
}

#[test]
fn at_the_end_it_waits_until_it_is_woken_or_something_else_is_paused() {
    // given
    let (log, _, ports) = gated();
    let mut reader = reader(&ports);
    assert_eq!(read(&mut reader), None);
    assert_eq!(reader.awaited(), Some(vec![(AT, Offset(0))]));
    publish(log.inner.as_ref(), 1);
    assert_eq!(read(&mut reader), None, "nobody said that something came");
    // when
    reader.wake();
    // then
    assert_eq!(read(&mut reader), Some((vec![Offset(0)], Offset(1))));
    // and when
    assert_eq!(read(&mut reader), None);
    reader.start(1, [TOPIC].into());
    assert!(reader.is_reading());
    reader.poll(&mut context()).expect("reads");
    assert_eq!(
        reader.awaited(),
        Some(vec![]),
        "what is paused is not awaited"
    );
}

#[test]
fn repeats_are_passed_over_and_counted() {
    let (log, _, ports) = gated();
    publish(log.inner.as_ref(), 1);
    publish(log.inner.as_ref(), 1);
    let mut reader = reader(&ports);
    reader.start(9, BTreeSet::new());
    reader.poll(&mut context()).expect("reads");
    let read = reader.take().expect("records");
    assert_eq!(read.records.len(), 1);
    assert_eq!(read.repeats.into_values().sum::<usize>(), 1);
    assert_eq!(read.positions[&TOPIC], Offset(2));
}
