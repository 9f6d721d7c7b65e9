//! Each alert of the chart, made to fire by the harm that it is about and to stop, by a Prometheus that scrapes
//! processes on a cluster.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use threadlore_node::Node;
use threadlore_testkit::{Asked, KafkaSetup, ModelDouble, Reply};

use super::chart::k8s;
use super::chat::{append, many_parts};
use super::cluster::Cluster;
use super::prometheus::Prometheus;
use super::support::{Place, Running, free_address, look, signal};
use super::throughput::{node, now};

/// The processes, each with its roles.
const PROCESSES: [(&str, &[&str]); 5] = [
    ("intake", &["intake", "buffer"]),
    ("extractor", &["extractor"]),
    ("projector", &["projector"]),
    ("second", &["projector"]),
    ("indexer", &["indexer"]),
];

#[test]
fn each_alert_fires_by_its_harm_and_stops_after_it() {
    each_alert(4);
}

#[test]
#[ignore = "long form: ./dev soak alerts"]
fn each_alert_with_its_own_times_soak_alerts() {
    each_alert(60);
}

/// The rules of the chart, where a minute has so many seconds.
fn rules(minute: u64) -> String {
    let text = std::fs::read_to_string(k8s().join("chart/files/alerts.yaml")).expect("rules");
    let mut scaled = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(at);
        let end = from
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(from.len());
        let (digits, after) = from.split_at(end);
        scaled += before;
        match after.strip_prefix('m') {
            Some(after) if !after.starts_with(char::is_alphanumeric) => {
                let minutes: u64 = digits.parse().expect("a number");
                scaled += &format!("{}s", minutes * minute);
                rest = after;
            }
            _ => {
                scaled += digits;
                rest = after;
            }
        }
    }
    scaled + rest
}

/// What the model does.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Mood {
    Sensible,
    Nonsense,
    Slow,
}

/// What runs, and what was seen.
struct Installation {
    cluster: Cluster,
    addresses: BTreeMap<&'static str, SocketAddr>,
    running: BTreeMap<&'static str, Running>,
    prometheus: Prometheus,
    runtime: tokio::runtime::Runtime,
    node: Node,
    /// Parts that are in the inbox.
    sent: usize,
    minute: u64,
}

impl Installation {
    fn start(&mut self, name: &'static str, settings: &[(&str, String)]) {
        let (_, roles) = PROCESSES
            .iter()
            .find(|(of, _)| *of == name)
            .expect("one of them");
        let mut command = self.cluster.command(roles);
        let listen = self.addresses[name].to_string();
        command.env("THREADLORE__TELEMETRY__LISTEN", listen);
        command.envs(settings.iter().map(|(key, value)| (*key, value.as_str())));
        let mut process = self.cluster.place.start(&mut command);
        assert!(process.wait_for("running "), "{}", process.said());
        self.running.insert(name, process);
    }

    /// Puts parts into the inbox, each into a channel of its own.
    fn say(&mut self, parts: usize) {
        let all = many_parts(self.sent + parts);
        for (number, part) in all.iter().enumerate().skip(self.sent) {
            self.say_in(&format!("irc:#u{number}"), part);
        }
        self.sent += parts;
    }

    fn say_in(&self, channel: &str, part: &(String, Vec<u8>)) {
        let appended = append(&self.node, &self.cluster.place, part, channel);
        self.runtime.block_on(appended);
    }

    /// Waits until an alert fires with these labels, or until it does not; the seconds from `since` on.
    fn until(&mut self, alert: &str, labels: &[(&str, &str)], fires: bool, since: Instant) {
        let began = now();
        // The longest of the rules, and time for the processes.
        let patience = Duration::from_secs(self.minute * 40 + 120);
        loop {
            for process in self.running.values_mut() {
                assert!(process.works(), "{}", process.said());
            }
            let firing = self.firing(alert);
            let is_it = |of: &&Value| labels.iter().all(|(name, value)| of[*name] == *value);
            if firing.iter().any(|of| is_it(&of)) == fires {
                break;
            }
            if began.elapsed() > patience {
                let metrics = self.metrics();
                panic!("{alert} {labels:?}, firing: {fires}, is waited for: {firing:?}\n{metrics}");
            }
            look();
        }
        let becomes = if fires { "fires" } else { "stops" };
        println!(
            "{alert} {becomes} after {:.0} s",
            since.elapsed().as_secs_f64()
        );
    }

    /// What the processes say of themselves, as far as alerts look at it.
    fn metrics(&self) -> String {
        let mut all = String::new();
        for (name, address) in &self.addresses {
            let url = format!("http://{address}/metrics");
            let page = async { reqwest::get(url).await?.text().await };
            let Ok(page) = self.runtime.block_on(page) else {
                continue;
            };
            let is_meant = |line: &&str| {
                let names = [
                    "lag",
                    "dead_letters",
                    "failed",
                    "outbox",
                    "index",
                    "brokers",
                    "fenced",
                    "held",
                ];
                !line.starts_with('#')
                    && names.iter().any(|name| line.contains(name))
                    && !line.ends_with(" 0")
            };
            for line in page.lines().filter(is_meant) {
                all += &format!("{name} {line}\n");
            }
        }
        all
    }

    /// The labels of those of an alert that fire.
    fn firing(&self, alert: &str) -> Vec<Value> {
        self.runtime.block_on(self.prometheus.firing(alert))
    }
}

fn each_alert(minute: u64) {
    let setup = KafkaSetup::default().nodes(3);
    let more = "[buffer]\nidle_ms = 86400000\n";
    let Some(cluster) = Cluster::with(&setup, "3", Place::new(), more) else {
        return;
    };
    let names = PROCESSES.iter().map(|(name, _)| *name);
    let addresses: BTreeMap<&str, SocketAddr> = names.map(|name| (name, free_address())).collect();
    let Some(prometheus) = Prometheus::start(&cluster.place, &rules(minute)) else {
        return;
    };
    prometheus.scrape(
        &cluster.place,
        addresses.iter().map(|(pod, at)| (*pod, *at)),
    );
    let mood = Arc::new((Mutex::new(Mood::Sensible), Condvar::new()));
    let of_model = Arc::clone(&mood);
    let model = ModelDouble::start(move |_: &Asked| {
        let (mood, changed) = &*of_model;
        let mood = mood.lock().expect("whole");
        let mood = changed.wait_while(mood, |mood| *mood == Mood::Slow);
        match *mood.expect("whole") {
            Mood::Nonsense => Reply::Says("There was some talk.".to_owned()),
            _ => Reply::json(&json!({ "spans": [], "resolved": [] })),
        }
    });
    let model = model.expect("a model");
    let with_model = [
        ("THREADLORE__EXTRACTOR__ENGINE", "openai".to_owned()),
        ("THREADLORE__OPENAI__BASE_URL", model.base_url()),
        ("THREADLORE__OPENAI__MODEL", "double".to_owned()),
        ("THREADLORE__OPENAI__TIMEOUT_SECONDS", "3600".to_owned()),
    ];
    let becomes = |to: Mood| {
        *mood.0.lock().expect("whole") = to;
        mood.1.notify_all();
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut all = Installation {
        node: runtime.block_on(node(&cluster)),
        runtime,
        cluster,
        addresses,
        running: BTreeMap::new(),
        prometheus,
        sent: 0,
        minute,
    };
    for (name, _) in &PROCESSES[1..] {
        all.start(name, &[]);
    }

    // No process takes what is said.
    let intake = [("consumergroup", "intake")];
    let since = now();
    all.say(48);
    all.until("ThreadloreStands", &intake, true, since);
    all.until("ThreadloreBehind", &intake, true, since);

    // A broker is lost, and one topic wants all of them.
    let insync = |all: &Installation, count: usize| {
        let count = format!("min.insync.replicas={count}");
        let words = ["--alter", "--topic", "chat.events", "--add-config", &count];
        all.cluster.kafka.tool("kafka-configs.sh", &words)
    };
    insync(&all, 3);
    let since = now();
    all.cluster.kafka.kill_node(3);
    let pod = [("pod", "projector")];
    all.until("ThreadloreBrokersDown", &pod, true, since);
    let since = now();
    all.start("intake", &[]);
    all.until("ThreadloreStands", &intake, false, since);
    all.until("ThreadloreOutboxWaits", &[("role", "intake")], true, since);
    signal(all.cluster.index.pid(), "STOP");
    let since = now();
    insync(&all, 2);
    all.cluster.kafka.start_again();
    all.until("ThreadloreOutboxWaits", &[], false, since);
    all.until("ThreadloreBehind", &intake, false, since);

    // The index does not answer.
    all.until("ThreadloreIndexBehind", &[], true, since);
    all.until("ThreadloreBrokersDown", &[], false, since);
    let since = now();
    signal(all.cluster.index.pid(), "CONT");
    all.until("ThreadloreIndexBehind", &[], false, since);

    // A process ends.
    let killed = all.running.remove("extractor").expect("it runs");
    let since = now();
    killed.kill();
    all.until("ThreadloreNotReady", &[("pod", "extractor")], true, since);
    becomes(Mood::Nonsense);
    let since = now();
    all.start("extractor", &with_model);
    all.until("ThreadloreNotReady", &[], false, since);

    // A model says nonsense.
    let since = now();
    all.say(1);
    let extractor = [("role", "extractor")];
    all.until("ThreadloreDeadLetters", &[], true, since);
    all.until("ThreadloreCallsFail", &extractor, true, since);
    becomes(Mood::Sensible);
    let since = now();
    all.until("ThreadloreDeadLetters", &[], false, since);
    all.until("ThreadloreCallsFail", &[], false, since);

    // A model takes its time, and a channel is busy.
    becomes(Mood::Slow);
    let line = |n| format!("[{:02}:{:02}] <ann> what about {n}?\n", n / 60 % 24, n % 60);
    let lines: String = (0..3000).map(line).collect();
    let since = now();
    all.say_in(
        "irc:#busy",
        &("2024-05-01.txt".to_owned(), lines.into_bytes()),
    );
    all.until("ThreadloreChannelsHeld", &extractor, true, since);
    let since = now();
    becomes(Mood::Sensible);
    all.until("ThreadloreChannelsHeld", &extractor, false, since);

    // Two processes lose their partitions to each other again and again.
    let since = now();
    for pod in ["projector", "second"].iter().cycle() {
        if !all.firing("ThreadloreRebalances").is_empty() {
            break;
        }
        assert!(
            since.elapsed() < Duration::from_secs(minute * 30),
            "{}",
            all.metrics()
        );
        let stopped = now();
        all.running[pod].signal("STOP");
        // Longer than a session lasts without a sign of life.
        while stopped.elapsed() < Duration::from_secs(8) {
            all.say(1);
        }
        all.running[pod].signal("CONT");
    }
    all.until("ThreadloreRebalances", &[], true, since);
    all.until("ThreadloreRebalances", &[], false, now());
    all.prometheus.stop();
}
