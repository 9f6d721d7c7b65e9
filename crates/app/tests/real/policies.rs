//! The NetworkPolicies of the chart, held by the kernel of this machine: the processes work, and reach nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};
use threadlore_testkit::not_run;

use super::chart::{helm, name, named, of_kind};
use super::chat::{import, parts};
use super::cluster::{Cluster, key};
use super::network::{Behind, Labels, Network, Peer, can_be_made, serve};
use super::pod::{Pod, Pods, SAME, has_sandbox};
use super::support::{Place, Running, signal};

/// The namespace of the installation.
const OURS: &str = "lore";
/// Where metrics are scraped.
const METRICS: u16 = 9464;
/// The workloads whose processes run here, and one whose network alone is there.
const ROLES: [&str; 4] = [
    "threadlore-intake",
    "threadlore-responder",
    "threadlore-projector",
    "threadlore-api",
];
const GATEWAY: &str = "threadlore-gateway-irc";
const TOPICS: &str = "threadlore-topics";

/// Whoever is no pod here, and answers at these ports.
struct Neighbour {
    name: &'static str,
    /// The last part of the address.
    last: u8,
    namespace: Option<&'static str>,
    label: Option<(&'static str, &'static str)>,
    ports: &'static [u16],
}

const fn neighbour(
    name: &'static str,
    last: u8,
    namespace: Option<&'static str>,
    ports: &'static [u16],
) -> Neighbour {
    Neighbour {
        name,
        last,
        namespace,
        label: None,
        ports,
    }
}

const NEIGHBOURS: [Neighbour; 6] = [
    neighbour("kafka", 2, Some("messaging"), &[9092]),
    Neighbour {
        label: Some(("cnpg.io/cluster", "threadlore")),
        ..neighbour("postgres", 3, Some(OURS), &[5432])
    },
    neighbour("qdrant", 4, Some("search"), &[6334]),
    neighbour("names", 5, Some("kube-system"), &[53]),
    neighbour("internet", 6, None, &[80, 443, 6697]),
    // What answers at the same ports, and is not what the policies name.
    neighbour("stranger", 7, Some("elsewhere"), &[9092, 5432, 6334]),
];

const fn here(last: u8) -> Ipv4Addr {
    Ipv4Addr::new(10, 213, 0, last)
}

/// The network of a cluster, with all that is no pod.
fn network(cluster: &Cluster, kafka: SocketAddr) -> Network {
    let addresses = NEIGHBOURS.map(|one| here(one.last));
    let mut network = Network::new(&addresses);
    let index = cluster.index.url().replace("http://", "");
    let served = NEIGHBOURS.iter().flat_map(|one| {
        one.ports.iter().map(|port| {
            let behind = match one.name {
                "kafka" => Behind::Tcp(kafka),
                "postgres" => Behind::Socket(cluster.socket()),
                "qdrant" => Behind::Tcp(index.parse().expect("an address")),
                _ => Behind::Nobody,
            };
            (SocketAddr::from((here(one.last), *port)), behind)
        })
    });
    serve(served.collect());
    for one in NEIGHBOURS {
        let labels = one.label.into_iter();
        let labels = labels.map(|(name, value)| (name.to_owned(), value.to_owned()));
        network.add_here(Peer {
            name: one.name.to_owned(),
            address: here(one.last),
            namespace: one.namespace.map(str::to_owned),
            labels: labels.collect(),
            ports: BTreeMap::new(),
        });
    }
    for other in ["monitoring", "ingress", "elsewhere"] {
        network.add_pod(other, (other, Labels::new()), BTreeMap::new(), &[]);
    }
    network
}

/// Policies that name each neighbour, as in a namespace that is closed.
fn values() -> Value {
    let at = |name: &str| {
        let named = json!({ "kubernetes.io/metadata.name": name });
        json!({ "namespaceSelector": { "matchLabels": named } })
    };
    let database = json!({ "podSelector": { "matchLabels": { "cnpg.io/cluster": "threadlore" } } });
    json!({
        "settings": {
            "index": { "url": format!("http://{}:6334", here(4)) },
            "api": { "public_url": "https://lore.example.org" },
            "irc": { "server": "irc.example.org:6697", "channels": "#help" },
        },
        "networkPolicy": {
            "kafka": [{ "to": [at("messaging")], "ports": [{ "port": 9092 }] }],
            "postgres": [{ "to": [database], "ports": [{ "port": 5432 }] }],
            "qdrant": [{ "to": [at("search")], "ports": [{ "port": 6334 }] }],
            "metricsFrom": [at("monitoring")],
            "apiFrom": [at("ingress")],
        },
    })
}

/// The named ports of the pod of an object.
fn ports(object: &Value) -> BTreeMap<String, u16> {
    let ports = &object["spec"]["template"]["spec"]["containers"][0]["ports"];
    let ports = ports.as_array().into_iter().flatten().map(|port| {
        let number = port["containerPort"].as_u64().expect("a number");
        let name = port["name"].as_str().expect("a name");
        (name.to_owned(), u16::try_from(number).expect("a port"))
    });
    ports.collect()
}

/// A network for the pod of each workload, and of the job that makes topics.
fn add_pods(network: &mut Network, objects: &[Value], kafka: SocketAddr) {
    let job = named(objects, "Job", TOPICS);
    for object in of_kind(objects, "Deployment").into_iter().chain([job]) {
        let labels = object["spec"]["template"]["metadata"]["labels"].as_object();
        let labels = labels.into_iter().flatten();
        let labels = labels.map(|(name, value)| {
            let value = value.as_str().expect("a text");
            (name.clone(), value.to_owned())
        });
        let of = (OURS, labels.collect());
        // Brokers say themselves where they are, and here that is this machine.
        let redirected = [(kafka, SocketAddr::from((here(2), 9092)))];
        network.add_pod(name(object), of, ports(object), &redirected);
    }
}

/// Who reaches whom.
fn ways(network: &Network, api: u16) {
    let way = |from: &str, to: &str, port: u16, is_open: bool| {
        let reached = network.reaches(from, to, port);
        assert_eq!(reached, is_open, "from {from} to {to}:{port}");
    };
    for from in ROLES.into_iter().chain([TOPICS]) {
        for one in &NEIGHBOURS {
            let is_needed = ["kafka", "postgres", "qdrant", "names"].contains(&one.name);
            for port in one.ports {
                way(from, one.name, *port, is_needed);
            }
        }
        for to in ROLES.into_iter().filter(|to| *to != from) {
            way(from, to, METRICS, false);
        }
    }
    // A gateway reaches the chat, and no index.
    for (to, port, is_open) in [
        ("kafka", 9092, true),
        ("postgres", 5432, true),
        ("names", 53, true),
        ("internet", 443, true),
        ("internet", 6697, true),
        ("internet", 80, false),
        ("qdrant", 6334, false),
        ("stranger", 5432, false),
    ] {
        way(GATEWAY, to, port, is_open);
    }
    // Who comes in, and where.
    for (from, scrapes, visits) in [
        ("monitoring", true, false),
        ("ingress", false, true),
        ("elsewhere", false, false),
    ] {
        for role in ROLES {
            way(from, role, METRICS, scrapes);
        }
        way(from, "threadlore-api", api, visits);
    }
}

#[test]
fn processes_reach_what_the_policies_name_and_nothing_else() {
    let Some(helm) = helm() else { return };
    if !has_sandbox() || !can_be_made() {
        not_run("bubblewrap or nftables is not installed, or only root makes networks here");
        return;
    }
    let Some(cluster) = Cluster::start(Place::new(), SAME) else {
        return;
    };
    let kafka: SocketAddr = cluster.kafka.bootstrap().parse().expect("one address");
    let mut network = network(&cluster, kafka);
    let url = |database: &str| format!("postgresql://threadlore@{}:5432/{database}", here(3));
    let databases = (url("tables"), url("keys"));
    let pods = Pods::with(&helm, &cluster, &values(), databases);
    add_pods(&mut network, &pods.objects, kafka);
    // Without policies everything is on the way to everything.
    assert!(network.reaches(ROLES[0], "internet", 443));
    assert!(network.reaches(ROLES[0], "stranger", 5432));
    network.hold(&of_kind(&pods.objects, "NetworkPolicy"), OURS);

    // What they are for: topics are made, roles become ready, chat becomes cases.
    let pod = |kind: &str, name: &str| pods.at(kind, name, Some(network.address(name)));
    let applied = pod("Job", TOPICS).run(&["topics", "apply", "--replicas", "1"]);
    assert_eq!(applied.code, Some(0), "{}", applied.err);
    let mut running: Vec<(Pod<'_>, Running)> = ROLES
        .iter()
        .map(|name| {
            let pod = pod("Deployment", name);
            let process = pod.start();
            (pod, process)
        })
        .collect();
    for (pod, process) in &mut running {
        pod.becomes_ready(process);
    }
    let stop = AtomicBool::new(false);
    let parts = &parts()[..2];
    import(&cluster.place, parts, &stop);
    let (api, _) = &running[3];
    let asked = api.run(&["--json", "ask", "how do I mount an iso image?"]);
    assert_eq!(asked.code, Some(0), "{}", asked.err);
    let served = ports(named(&pods.objects, "Deployment", ROLES[3]));
    ways(&network, served["api"]);

    // What a process finds that has it all to itself, with the same key for people.
    let alone = Place::new();
    fs::write(alone.path().join("people.key"), key()).expect("written");
    alone.file("threadlore.toml", SAME);
    import(&alone, parts, &stop);
    cluster.place.verified().is_same_as(&alone.verified());
    for (pod, process) in running {
        signal(pod.inside(&process), "TERM");
        let ended = process.end();
        assert_eq!(ended.code, Some(0), "{}: {}", pod.name, ended.err);
    }
}
