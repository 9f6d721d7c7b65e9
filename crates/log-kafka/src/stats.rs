//! Statistics of clients, collected every few seconds and summed up by purpose, because the number
//! of readers and members changes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rdkafka::Statistics;
use threadlore_ports::{ClientStats, Observer};

/// The purpose of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Writer,
    Reader,
    Member,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::Writer => "writer",
            Self::Reader => "reader",
            Self::Member => "member",
        }
    }
}

/// The latest statistics of a log's clients, and the observer that gets them.
#[derive(Default)]
pub(crate) struct Board {
    observer: OnceLock<Arc<dyn Observer>>,
    next: AtomicU64,
    latest: Mutex<HashMap<u64, (Kind, Sample)>>,
}

impl Board {
    /// Sets the observer.
    pub(crate) fn tell(&self, observer: Arc<dyn Observer>) {
        // The first observer stays.
        self.observer.set(observer).ok();
    }

    pub(crate) fn observer(&self) -> Option<&dyn Observer> {
        self.observer.get().map(Arc::as_ref)
    }

    /// A place for one client.
    pub(crate) fn place(self: &Arc<Self>, kind: Kind) -> Place {
        Place {
            board: Arc::clone(self),
            kind,
            number: self.next.fetch_add(1, Ordering::Relaxed),
        }
    }

    fn take(&self, number: u64, kind: Kind, sample: Sample) {
        let Some(observer) = self.observer() else {
            return;
        };
        let stats = {
            let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
            let before = latest.insert(number, (kind, sample)).map(|(_, s)| s.totals);
            let of_kind = latest.values().filter(|(other, _)| *other == kind);
            let together = of_kind.map(|(_, sample)| sample.now).reduce(together);
            let before = before.unwrap_or_default();
            let [sent, received, errors] =
                [0, 1, 2].map(|n| sample.totals[n].saturating_sub(before[n]));
            ClientStats {
                sent,
                received,
                errors,
                ..together.unwrap_or_default()
            }
        };
        observer.clients(kind.name(), &stats);
    }
}

/// The entry of one client; it is removed when this is dropped.
pub(crate) struct Place {
    board: Arc<Board>,
    kind: Kind,
    number: u64,
}

impl Place {
    pub(crate) fn board(&self) -> &Board {
        &self.board
    }

    pub(crate) fn take(&self, statistics: &Statistics) {
        self.board
            .take(self.number, self.kind, Sample::of(statistics));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let latest = &self.board.latest;
        let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
        latest.remove(&self.number);
    }
}

/// The last statistics of one client.
#[derive(Debug, Clone, Copy)]
struct Sample {
    /// The current values, without the counts since the last report.
    now: ClientStats,
    /// Bytes sent, bytes received, errors: since the client is there.
    totals: [u64; 3],
}

impl Sample {
    fn of(statistics: &Statistics) -> Self {
        let count = |number: i64| u64::try_from(number).unwrap_or(0);
        // The bootstrap addresses have no node id, and are among the other brokers anyway.
        let brokers = || statistics.brokers.values().filter(|b| b.nodeid >= 0);
        let in_state = |state: &str| brokers().filter(|b| b.state == state).count() as u64;
        let slowest = |of: fn(&rdkafka::statistics::Window) -> i64| {
            let windows = statistics.brokers.values().filter_map(|b| b.rtt.as_ref());
            windows.map(of).max().unwrap_or(0) as f64 / 1_000_000.0
        };
        let partitions = statistics
            .topics
            .values()
            .flat_map(|t| t.partitions.values());
        let all = || statistics.brokers.values();
        Self {
            now: ClientStats {
                brokers_up: in_state("UP"),
                brokers_down: in_state("DOWN"),
                round_trip_p50: slowest(|window| window.p50),
                round_trip_p99: slowest(|window| window.p99),
                requests_waiting: all().map(|broker| count(broker.outbuf_cnt)).sum(),
                records_to_write: statistics.msg_cnt,
                records_to_take: partitions.map(|one| count(one.fetchq_cnt)).sum(),
                ..ClientStats::default()
            },
            totals: [
                count(statistics.tx_bytes),
                count(statistics.rx_bytes),
                all().map(|b| b.txerrs + b.rxerrs + b.req_timeouts).sum(),
            ],
        }
    }
}

/// Two clients as one: the worse of two, or both together.
fn together(a: ClientStats, b: ClientStats) -> ClientStats {
    ClientStats {
        brokers_up: a.brokers_up.min(b.brokers_up),
        brokers_down: a.brokers_down.max(b.brokers_down),
        round_trip_p50: a.round_trip_p50.max(b.round_trip_p50),
        round_trip_p99: a.round_trip_p99.max(b.round_trip_p99),
        requests_waiting: a.requests_waiting + b.requests_waiting,
        records_to_write: a.records_to_write + b.records_to_write,
        records_to_take: a.records_to_take + b.records_to_take,
        ..a
    }
}

#[cfg(test)]
mod tests {
    use rdkafka::statistics::{Broker, Window};

    use super::*;

    #[derive(Default)]
    struct Told(Mutex<Vec<(&'static str, ClientStats)>>);

    impl Observer for Told {
        fn clients(&self, kind: &'static str, stats: &ClientStats) {
            self.0.lock().expect("a lock").push((kind, *stats));
        }
    }

    /// A client of a cluster of two brokers, after so many bytes.
    fn said(bytes: i64, states: [&str; 2], p99: i64) -> Statistics {
        let brokers = states.iter().zip(1..).map(|(state, nodeid)| {
            let broker = Broker {
                nodeid,
                state: (*state).to_owned(),
                outbuf_cnt: 1,
                rtt: Some(Window {
                    p99,
                    ..Window::default()
                }),
                ..Broker::default()
            };
            (nodeid.to_string(), broker)
        });
        Statistics {
            tx_bytes: bytes,
            brokers: brokers.collect(),
            ..Statistics::default()
        }
    }

    #[test]
    fn clients_of_a_kind_are_one() {
        let (board, told) = (Arc::<Board>::default(), Arc::<Told>::default());
        let (one, two) = (board.place(Kind::Reader), board.place(Kind::Reader));
        let writer = board.place(Kind::Writer);
        one.take(&said(1, ["UP", "UP"], 1));
        board.tell(Arc::clone(&told) as Arc<dyn Observer>);
        one.take(&said(100, ["UP", "UP"], 2_000));
        two.take(&said(10, ["DOWN", "UP"], 3_000));
        one.take(&said(150, ["UP", "INIT"], 1_000));
        drop(two);
        one.take(&said(150, ["UP", "INIT"], 1_000));
        writer.take(&said(7, ["UP", "UP"], 0));
        let seen = told.0.lock().expect("a lock").clone();
        let seen = seen.iter().map(|(kind, s)| {
            let up = (s.brokers_up, s.brokers_down);
            (*kind, s.sent, up, s.requests_waiting, s.round_trip_p99)
        });
        assert_eq!(
            seen.collect::<Vec<_>>(),
            [
                ("reader", 100, (2, 0), 2, 0.002),
                ("reader", 10, (1, 1), 4, 0.003),
                ("reader", 50, (1, 1), 4, 0.003),
                ("reader", 0, (1, 0), 2, 0.001),
                ("writer", 7, (2, 0), 2, 0.0),
            ]
        );
    }
}
