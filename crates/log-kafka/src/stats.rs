//! Statistics of clients, collected every few seconds and summed up by purpose, because the number
//! of readers and members changes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rdkafka::Statistics;
use rdkafka::statistics::Broker;
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
            connected: Mutex::default(),
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
    connected: Mutex<Connections>,
}

/// When a client was connected last, to each broker by its number.
type Connections = HashMap<i32, Connection>;

#[derive(Debug, Clone, Copy)]
struct Connection {
    /// The last time that it was up, in seconds since 1970.
    at: i64,
    /// How often the client had tried to connect until then.
    tries: i64,
}

/// A broker that the cluster has no more was taken away and not lost, where it was connected to so many seconds ago.
const LOST_FOR: i64 = 3600;

/// How many brokers a client lost. A broker that is down leaves the cluster's own list, and so the statistics; one that
/// the client alone cannot reach is still there, and tried again and again. One that is merely not needed is not tried.
fn lost(connected: &mut Connections, statistics: &Statistics) -> u64 {
    let brokers = statistics.brokers.values().filter(|b| b.nodeid >= 0);
    let brokers: HashMap<i32, &Broker> = brokers.map(|broker| (broker.nodeid, broker)).collect();
    connected.retain(|_, last| statistics.time - last.at < LOST_FOR);
    let gone = connected.keys().filter(|id| !brokers.contains_key(id));
    let mut lost = gone.count() as u64;
    for (id, broker) in brokers {
        let tries = broker.connects.unwrap_or(0);
        if broker.state == UP {
            let at = statistics.time;
            connected.insert(id, Connection { at, tries });
        } else if tries > connected.get(&id).map_or(0, |last| last.tries) {
            lost += 1;
        }
    }
    lost
}

/// The state of a broker that a client is connected to.
const UP: &str = "UP";

impl Place {
    pub(crate) fn board(&self) -> &Board {
        &self.board
    }

    pub(crate) fn take(&self, statistics: &Statistics) {
        let mut connected = self
            .connected
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let sample = Sample::of(statistics, lost(&mut connected, statistics));
        drop(connected);
        self.board.take(self.number, self.kind, sample);
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
    fn of(statistics: &Statistics, lost: u64) -> Self {
        let count = |number: i64| u64::try_from(number).unwrap_or(0);
        // The bootstrap addresses have no node id, and are among the other brokers anyway.
        let brokers = statistics.brokers.values();
        let up = brokers.filter(|b| b.nodeid >= 0 && b.state == UP).count();
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
                brokers_up: up as u64,
                brokers_down: lost,
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
    use rdkafka::statistics::Window;

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
                connects: Some(1),
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
        two.take(&said(10, ["TRY_CONNECT", "UP"], 3_000));
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

    #[test]
    fn a_broker_is_lost_that_is_gone_or_tried_in_vain() {
        let mut connected = Connections::default();
        let mut lost_at = |time: i64, states: [&str; 2], tries: i64| {
            let mut statistics = Statistics {
                time,
                ..said(0, states, 0)
            };
            statistics
                .brokers
                .retain(|_, broker| broker.state != "GONE");
            for broker in statistics.brokers.values_mut() {
                broker.connects = Some(tries);
            }
            lost(&mut connected, &statistics)
        };
        assert_eq!(lost_at(0, ["UP", "INIT"], 0), 0, "not needed yet");
        assert_eq!(lost_at(5, ["UP", "UP"], 1), 0);
        assert_eq!(
            lost_at(10, ["UP", "INIT"], 1),
            0,
            "closed, for it was not needed"
        );
        assert_eq!(lost_at(15, ["UP", "TRY_CONNECT"], 2), 1, "tried in vain");
        assert_eq!(lost_at(20, ["UP", "GONE"], 2), 1, "gone");
        assert_eq!(lost_at(25, ["UP", "UP"], 3), 0, "there again");
        assert_eq!(lost_at(30, ["UP", "GONE"], 3), 1);
        assert_eq!(
            lost_at(30 + LOST_FOR, ["UP", "GONE"], 3),
            0,
            "taken away for good"
        );
        assert_eq!(lost_at(0, ["UP", "TRY_CONNECT"], 1), 1, "never reached");
    }
}
