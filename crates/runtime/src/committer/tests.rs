use futures::executor::block_on;
use threadlore_model::Offset;
use threadlore_ports::Store;
use threadlore_stream::Spans;

use super::*;
use crate::testing::{TOPIC, context, gated, rows, shard};

/// A batch that decides one event.
fn decided(ports: &FoldPorts, number: u64) -> Decided {
    let outbox = rows(ports.log.as_ref(), number..number + 1);
    let positions: Positions = [(TOPIC, Offset(number as i64))].into();
    Decided {
        changes: Changes {
            positions: positions.clone(),
            sequence: number,
            outbox: outbox.clone(),
            ..Changes::default()
        },
        then: Then {
            batch: number,
            outbox,
            effects: Vec::new(),
            spans: Spans::new(&ports.observer, &shard().group, ports.clock.now()),
            notes: Vec::new(),
            positions,
            inputs: 1,
            decided: 1,
            started: ports.clock.now(),
        },
    }
}

fn number(done: Poll<Result<Option<Then>, PortError>>) -> Option<u64> {
    let Poll::Ready(done) = done else {
        panic!("a transaction in memory is done at once")
    };
    done.expect("commits").map(|then| then.batch)
}

#[test]
fn a_batch_is_given_back_once_it_is_committed() {
    // given
    let (_, store, ports) = gated();
    let epoch = block_on(store.acquire(&shard())).expect("acquires").epoch;
    let mut committer = Committer::new(&ports, &shard(), epoch);
    assert!(committer.poll(&mut context()).is_pending(), "nothing to do");
    // when
    committer.commit(decided(&ports, 1));
    // then
    assert!(!committer.is_free());
    assert_eq!(store.outbox_of(&shard()).len(), 0, "not begun");
    assert_eq!(number(committer.poll(&mut context())), Some(1));
    assert!(committer.is_free());
    assert_eq!(store.outbox_of(&shard()).len(), 1);
    // and
    committer.forget_published(1);
    assert_eq!(number(committer.poll(&mut context())), None);
    assert_eq!(store.outbox_of(&shard()).len(), 0);
}

#[test]
fn nothing_is_committed_after_another_owner_took_over() {
    // given
    let (_, store, ports) = gated();
    let epoch = block_on(store.acquire(&shard())).expect("acquires").epoch;
    let mut committer = Committer::new(&ports, &shard(), epoch);
    block_on(store.acquire(&shard())).expect("acquires");
    // when
    committer.commit(decided(&ports, 1));
    let Poll::Ready(Err(error)) = committer.poll(&mut context()) else {
        panic!("it is refused")
    };
    // then
    assert!(error.is_fenced());
    assert!(!committer.is_free(), "no other batch can be begun");
    assert_eq!(store.outbox_of(&shard()).len(), 0);
}
