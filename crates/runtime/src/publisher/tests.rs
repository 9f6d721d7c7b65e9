use std::sync::atomic::Ordering;

use threadlore_ports::Class;

use super::*;
use crate::testing::{context, gated, rows, shard};

#[test]
fn rows_are_appended_in_order_and_one_call_waits_for_the_other() {
    // given
    let (log, _, ports) = gated();
    let mut publisher = Publisher::new(&ports, shard().group);
    publisher.push(rows(log.as_ref(), 1..3));
    assert!(!publisher.poll(&mut context()).expect("appends"));
    publisher.push(rows(log.as_ref(), 3..5));
    assert!(!publisher.poll(&mut context()).expect("appends"));
    assert_eq!((publisher.pending(), publisher.appended()), (4, None));
    // when
    log.open.store(true, Ordering::Relaxed);
    // then
    assert!(publisher.poll(&mut context()).expect("appends"));
    assert_eq!(log.sequences(), [1, 2, 3, 4]);
    assert_eq!(publisher.pending(), 0);
    let appended = publisher.take_appended().expect("all of it");
    assert_eq!(appended.through, 4);
    assert_eq!(publisher.appended(), None);
}

#[test]
fn nothing_may_leave_the_outbox_that_is_not_known_to_be_in_the_log() {
    // given
    let (log, _, ports) = gated();
    let mut publisher = Publisher::new(&ports, shard().group);
    publisher.push(rows(log.as_ref(), 1..2));
    log.open.store(true, Ordering::Relaxed);
    log.broken.store(true, Ordering::Relaxed);
    // when
    let error = publisher.poll(&mut context()).expect_err("the log is away");
    // then
    assert_eq!(error.class(), Class::Retry);
    assert_eq!(publisher.appended(), None);
}
