//! Processes that come and go by what waits, as KEDA has them by the chart's `ScaledObject`: a day of chat, with a
//! quiet night and a rush at noon, in minutes.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;
use threadlore_node::Node;

use super::chart::{helm, named};
use super::chat::{append, import, many_parts};
use super::cluster::Cluster;
use super::processes::{SAME, stopped};
use super::prometheus::Prometheus;
use super::support::{Place, Running, free_address, messages};
use super::throughput::{node, now};

/// The workloads of the chart that are scaled, with their roles: one process each at first.
const SCALED: [(&str, &[&str]); 3] = [
    ("intake", &["intake", "buffer"]),
    ("extractor", &["extractor"]),
    ("projector", &["projector"]),
];
/// Partitions, and so the most processes of a workload.
const PARTITIONS: usize = 6;
/// How much is said in each hour of the day, in parts of 300 lines.
const HOURS: [usize; 24] = [
    1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 4, 20, 120, 20, 4, 4, 3, 2, 2, 1, 1, 1, 1, 1,
];
/// One import alone has a workload behind by more than one process may be, or two.
const FAR: u64 = 3;
/// Time between two looks at what waits.
const LOOK: Duration = Duration::from_millis(500);

/// A day, and what scales.
struct Day {
    /// How long it is here.
    length: Duration,
    /// How often as much as in [`HOURS`] is said.
    times: usize,
    /// Records that one process may be behind before another is started: `keda.lag`.
    threshold: u64,
}

impl Day {
    /// The five minutes of the chart after which fewer processes are enough (`keda.coolDownSeconds`), in this day.
    fn cool_down(&self) -> Duration {
        self.length * 300 / 86_400
    }
}

/// A process, as a pod that Prometheus knows.
struct Pod {
    name: String,
    address: SocketAddr,
    process: Running,
}

/// A workload, and its processes.
struct Workload {
    name: &'static str,
    roles: &'static [&'static str],
    /// What its `ScaledObject` asks Prometheus.
    query: String,
    running: Vec<Pod>,
    /// Processes that were started.
    started: usize,
    ending: Vec<JoinHandle<usize>>,
    /// How many were wanted, of late.
    wanted: VecDeque<(Instant, usize)>,
    most: usize,
    most_lag: u64,
    lag: u64,
    /// When it was last behind by more than [`FAR`] processes may be.
    far_behind: Option<Instant>,
}

impl Workload {
    fn of((name, roles): (&'static str, &'static [&'static str]), objects: &[Value]) -> Self {
        let scaled = named(objects, "ScaledObject", &format!("threadlore-{name}"));
        let query = &scaled["spec"]["triggers"][0]["metadata"]["query"];
        Self {
            name,
            roles,
            query: query.as_str().expect("a query").to_owned(),
            running: Vec::new(),
            started: 0,
            ending: Vec::new(),
            wanted: VecDeque::new(),
            most: 0,
            most_lag: 0,
            lag: 0,
            far_behind: None,
        }
    }

    /// Starts processes where more are wanted, and stops some where fewer were enough for long enough.
    fn scale(&mut self, cluster: &Cluster, lag: u64, day: &Day) {
        self.lag = lag;
        self.most_lag = self.most_lag.max(lag);
        if lag > day.threshold * FAR {
            self.far_behind = Some(now());
        }
        let wanted = usize::try_from(lag.div_ceil(day.threshold)).unwrap_or(PARTITIONS);
        self.wanted.push_back((now(), wanted.clamp(1, PARTITIONS)));
        let is_old = |at: &Instant| at.elapsed() > day.cool_down();
        while self.wanted.front().is_some_and(|(at, _)| is_old(at)) && self.wanted.len() > 1 {
            self.wanted.pop_front();
        }
        let wanted = self.wanted.iter().map(|(_, wanted)| *wanted).max();
        let wanted = wanted.unwrap_or(1);
        while self.running.len() < wanted {
            let address = free_address();
            let mut command = cluster.command(self.roles);
            command.env("THREADLORE__TELEMETRY__LISTEN", address.to_string());
            self.running.push(Pod {
                name: format!("{}-{}", self.name, self.started),
                address,
                process: cluster.place.start(&mut command),
            });
            self.started += 1;
        }
        while self.running.len() > wanted
            && let Some(Pod { process, .. }) = self.running.pop()
        {
            // It has its grace period, and the others go on meanwhile.
            self.ending.push(std::thread::spawn(|| stopped(process)));
        }
        self.most = self.most.max(self.running.len());
    }
}

/// Sends the parts of a day, each when it is due, into a channel of its own.
async fn said(node: &Node, place: &Place, parts: &[(String, Vec<u8>)], day: &Day) {
    let began = now();
    let hour = day.length / 24;
    let mut sent = 0;
    for (number, parts_of_hour) in HOURS.iter().enumerate() {
        let count = parts_of_hour * day.times;
        for n in 0..count {
            let due = hour * u32::try_from(number).expect("few")
                + hour * u32::try_from(n).expect("few") / u32::try_from(count).expect("few");
            node.clock.sleep(due.saturating_sub(began.elapsed())).await;
            append(node, place, &parts[sent], &format!("irc:#u{sent}")).await;
            sent += 1;
        }
    }
}

async fn a_day(day: Day) {
    let Some(helm) = helm() else { return };
    let Some(cluster) = Cluster::wide(Place::new(), PARTITIONS, SAME) else {
        return;
    };
    let Some(prometheus) = Prometheus::start(&cluster.place, "groups: []") else {
        return;
    };
    let objects = helm.shape("everything");
    let node = node(&cluster).await;
    let parts = many_parts(HOURS.iter().sum::<usize>() * day.times);
    let mut workloads = SCALED.map(|workload| Workload::of(workload, &objects));
    let indexer = cluster.run(&["indexer"]);
    let began = now();
    let mut hours = 0;
    let watch = async {
        loop {
            for workload in &mut workloads {
                for Pod { process, .. } in &mut workload.running {
                    assert!(process.works(), "{}", process.said());
                }
                // Before anything is said, nothing waits.
                let lag = prometheus.value(&workload.query).await.unwrap_or(0.0);
                workload.scale(&cluster, lag as u64, &day);
            }
            let pods = workloads.iter().flat_map(|one| &one.running);
            prometheus.scrape(
                &cluster.place,
                pods.map(|pod| (pod.name.as_str(), pod.address)),
            );
            let hour = began.elapsed().as_secs_f64() * 24.0 / day.length.as_secs_f64();
            while hours <= 24 && f64::from(hours) <= hour {
                let states = workloads
                    .each_ref()
                    .map(|one| format!("{} {} behind, {}", one.name, one.lag, one.running.len()));
                println!("{hours:02}:00 {}", states.join("; "));
                hours += 1;
            }
            let is_over = began.elapsed() > day.length + day.cool_down() * 2;
            if is_over
                && workloads
                    .iter()
                    .all(|one| one.lag == 0 && one.running.len() == 1)
            {
                return;
            }
            node.clock.sleep(LOOK).await;
        }
    };
    futures::join!(said(&node, &cluster.place, &parts, &day), watch);
    let after = began.elapsed().saturating_sub(day.length);
    println!(
        "the last process too many ended {:.1} s after the day",
        after.as_secs_f64()
    );
    let (mut scaled, mut ended) = (0, 0);
    for workload in workloads {
        let Workload {
            roles,
            most,
            most_lag,
            ..
        } = &workload;
        println!("{roles:?}: at most {most} processes, at most {most_lag} records behind");
        scaled += usize::from(*most > 1);
        let caught_up = workload.far_behind.map(|at| at.duration_since(began));
        let caught_up = caught_up.unwrap_or_default();
        println!(
            "  it was far behind until {:.1} s of the day",
            caught_up.as_secs_f64()
        );
        assert!(
            caught_up < day.length * 20 / 24,
            "what waits only grows: {roles:?}"
        );
        ended += workload.ending.len();
        for process in workload.ending {
            process.join().expect("it ends with 0");
        }
        for pod in workload.running {
            stopped(pod.process);
        }
    }
    assert!(
        scaled >= 1 && ended >= 3,
        "{scaled} were scaled, {ended} ended"
    );
    node.drain(&|_| {}).await.expect("answers");
    stopped(indexer);
    prometheus.stop();
    let sent: usize = parts.iter().map(|(_, log)| messages(log).len()).sum();
    let here = cluster.place.verified();
    assert_eq!(here.table("messages").0, sent as u64, "lost or doubled");
    println!("{sent} messages, {ended} processes stopped");

    let alone = Place::beside(&cluster.place);
    alone.file("threadlore.toml", SAME);
    let owner = alone.standalone();
    import(&alone, &parts, &AtomicBool::new(false));
    stopped(owner);
    here.is_same_as(&alone.verified());
}

/// A day in two minutes.
#[tokio::test(flavor = "multi_thread")]
async fn a_day_is_scaled_by_what_waits_and_loses_nothing() {
    a_day(Day {
        length: Duration::from_secs(120),
        times: 1,
        threshold: 300,
    })
    .await;
}

/// A day in fifteen.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "long form: ./dev soak scaling"]
async fn a_day_soak_scaling() {
    a_day(Day {
        length: Duration::from_secs(900),
        times: 6,
        threshold: 1000,
    })
    .await;
}
