//! The network of a cluster on this machine: each pod has a network of its own (a network namespace of Linux), and a
//! router between them lets through what the NetworkPolicies say, by nftables.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream, UnixStream};

/// What the namespaces and links of this are called, so that nothing else is taken away.
const OURS: &str = "tlnet";
/// Where the machine itself is, as the node of a kubelet.
pub(super) const NODE: Ipv4Addr = Ipv4Addr::new(10, 213, 0, 1);
const ROUTER: Ipv4Addr = Ipv4Addr::new(10, 213, 0, 254);

/// Labels, by their names.
pub(super) type Labels = BTreeMap<String, String>;

/// A pod, or what pods talk to.
#[derive(Debug, Clone)]
pub(super) struct Peer {
    pub(super) name: String,
    pub(super) address: Ipv4Addr,
    /// The name of its namespace; none outside of the cluster.
    pub(super) namespace: Option<String>,
    pub(super) labels: Labels,
    /// The numbers of its ports that have names.
    pub(super) ports: BTreeMap<String, u16>,
}

/// Runs commands of the system, each of which has to do what it says.
fn does(script: &str) {
    let ran = Command::new("sh").args(["-e", "-c", script]).output();
    let ran = ran.expect("there is a shell");
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{script}: {said}");
}

fn tries(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Whether this machine lets networks be made.
pub(super) fn can_be_made() -> bool {
    let made = "nft add table inet tried && ip link add tried type veth peer name tried1";
    tries("ip", &["netns", "list"]) && tries("unshare", &["--net", "sh", "-c", made])
}

/// The network, until it is dropped.
pub(super) struct Network {
    peers: Vec<Peer>,
}

impl Network {
    /// The machine itself has the address [`NODE`], and these, at which what is no pod answers.
    pub(super) fn new(here: &[Ipv4Addr]) -> Self {
        clear();
        let router = format!("{OURS}-router");
        does(&format!(
            "ip netns add {router}
             ip link add {OURS} type veth peer name uplink netns {router}
             ip link set {OURS} up
             ip -n {router} addr add {ROUTER}/24 dev uplink
             ip -n {router} link set uplink up
             ip netns exec {router} sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'"
        ));
        for address in [NODE].iter().chain(here) {
            does(&format!("ip addr add {address}/24 dev {OURS}"));
        }
        does(&format!("ip route add 10.213.0.0/16 via {ROUTER}"));
        Self { peers: Vec::new() }
    }

    /// A server at an address of this machine.
    pub(super) fn add_here(&mut self, peer: Peer) {
        self.peers.push(peer);
    }

    /// A pod with a network of its own. `redirected` are addresses of this machine that stand for others.
    pub(super) fn add_pod(
        &mut self,
        name: &str,
        (namespace, labels): (&str, Labels),
        ports: BTreeMap<String, u16>,
        redirected: &[(SocketAddr, SocketAddr)],
    ) {
        let number = self
            .peers
            .iter()
            .filter(|peer| peer.address.octets()[2] > 0)
            .count()
            + 1;
        let number = u8::try_from(number).expect("a few");
        let address = Ipv4Addr::new(10, 213, number, 2);
        let gateway = Ipv4Addr::new(10, 213, number, 1);
        let (router, netns) = (format!("{OURS}-router"), netns(name));
        does(&format!(
            "ip netns add {netns}
             ip -n {router} link add pod{number} type veth peer name eth0 netns {netns}
             ip -n {router} addr add {gateway}/24 dev pod{number}
             ip -n {router} link set pod{number} up
             ip -n {netns} link set lo up
             ip -n {netns} addr add {address}/24 dev eth0
             ip -n {netns} link set eth0 up
             ip -n {netns} route add default via {gateway}"
        ));
        if !redirected.is_empty() {
            does(&format!(
                "ip netns exec {netns} sh -c 'echo 1 > /proc/sys/net/ipv4/conf/all/route_localnet'"
            ));
            let mut rules =
                String::from("table ip there {\nchain out { type nat hook output priority -100;\n");
            for (from, to) in redirected {
                let (ip, port) = (from.ip(), from.port());
                rules += &format!("ip daddr {ip} tcp dport {port} dnat to {to}\n");
            }
            rules += "}\nchain after { type nat hook postrouting priority 100; oifname \"eth0\" masquerade\n}\n}\n";
            filter(&netns, &rules);
        }
        self.peers.push(Peer {
            name: name.to_owned(),
            address,
            namespace: Some(namespace.to_owned()),
            labels,
            ports,
        });
    }

    pub(super) fn address(&self, name: &str) -> Ipv4Addr {
        let found = self.peers.iter().find(|peer| peer.name == name);
        found
            .unwrap_or_else(|| panic!("there is no {name}"))
            .address
    }

    /// From now on the policies hold, of pods in this namespace.
    pub(super) fn hold(&self, policies: &[&Value], namespace: &str) {
        let rules = rules(&self.peers, policies, namespace);
        filter(&format!("{OURS}-router"), &rules);
    }

    /// Whether a pod can open a connection.
    pub(super) fn reaches(&self, from: &str, to: &str, port: u16) -> bool {
        let open = format!("exec 3<>/dev/tcp/{}/{port}", self.address(to));
        let netns = netns(from);
        tries(
            "ip",
            &[
                "netns", "exec", &netns, "timeout", "20", "bash", "-c", &open,
            ],
        )
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        clear();
    }
}

/// The network namespace of a pod.
pub(super) fn netns(pod: &str) -> String {
    format!("{OURS}-{pod}")
}

fn filter(netns: &str, rules: &str) {
    let mut nft = Command::new("ip");
    nft.args(["netns", "exec", netns, "nft", "-f", "-"]);
    let mut nft = nft.stdin(Stdio::piped()).spawn().expect("it starts");
    let mut sent = nft.stdin.take().expect("piped");
    io::Write::write_all(&mut sent, rules.as_bytes()).expect("it is read");
    drop(sent);
    assert!(nft.wait().expect("it ends").success(), "{rules}");
}

/// Takes away what is left of one.
fn clear() {
    tries("ip", &["link", "delete", OURS]);
    let listed = Command::new("ip").args(["netns", "list"]).output();
    let listed = listed.map(|ran| String::from_utf8_lossy(&ran.stdout).into_owned());
    let names = listed.unwrap_or_default();
    let names = names
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    for name in names.filter(|name| name.starts_with(OURS)) {
        tries("ip", &["netns", "delete", name]);
    }
}

/// The policies as a router holds them. What a policy of Kubernetes selects is let in, or out, by one of its rules or not
/// at all; what none selects is free. What belongs to a connection that was let through is let through.
pub(super) fn rules(peers: &[Peer], policies: &[&Value], namespace: &str) -> String {
    let mut ways = [String::new(), String::new()];
    for (way, kind, list, other) in [
        (0, "Egress", "egress", "to"),
        (1, "Ingress", "ingress", "from"),
    ] {
        let (own, theirs) = match kind {
            "Egress" => ("saddr", "daddr"),
            _ => ("daddr", "saddr"),
        };
        let ours = peers
            .iter()
            .filter(|peer| peer.namespace.as_deref() == Some(namespace));
        for pod in ours {
            let selects = |policy: &&&Value| {
                let spec = &policy["spec"];
                let kinds = spec["policyTypes"].as_array().expect("kinds");
                kinds.iter().any(|one| one == kind) && matches(&spec["podSelector"], &pod.labels)
            };
            let selected: Vec<_> = policies.iter().filter(selects).collect();
            if selected.is_empty() {
                continue;
            }
            let address = pod.address;
            for rule in selected
                .iter()
                .flat_map(|policy| items(&policy["spec"][list]))
            {
                let whom = match items(&rule[other]).next() {
                    None => String::new(),
                    Some(_) => {
                        let named = peers.iter().filter(|peer| {
                            items(&rule[other]).any(|wanted| is_peer(wanted, peer, namespace))
                        });
                        let named: Vec<String> =
                            named.map(|peer| peer.address.to_string()).collect();
                        if named.is_empty() {
                            continue;
                        }
                        format!("ip {theirs} {{ {} }} ", named.join(", "))
                    }
                };
                let mut ports = items(&rule["ports"]).peekable();
                if ports.peek().is_none() {
                    ways[way] += &format!("ip {own} {address} {whom}return\n");
                }
                for port in ports {
                    let number = match &port["port"] {
                        Value::String(name) => {
                            let number = pod.ports.get(name);
                            // A name that the pod has not is no port of it.
                            let Some(number) = number else { continue };
                            u64::from(*number)
                        }
                        number => number.as_u64().expect("a number or a name"),
                    };
                    let protocol = port["protocol"].as_str().unwrap_or("TCP").to_lowercase();
                    ways[way] +=
                        &format!("ip {own} {address} {whom}{protocol} dport {number} return\n");
                }
            }
            ways[way] += &format!("ip {own} {address} reject with icmp type admin-prohibited\n");
        }
    }
    let [out, into] = ways;
    format!(
        "table inet policies {{\nchain out {{\n{out}}}\nchain into {{\n{into}}}\n\
         chain between {{ type filter hook forward priority 0; policy accept;\n\
         ct state established,related accept\n\
         # A kubelet reaches the pods of its node.\n\
         ip saddr {NODE} accept\njump out\njump into\n}}\n}}\n"
    )
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// Whether a selector of labels selects these.
fn matches(selector: &Value, labels: &Labels) -> bool {
    let mut wanted = selector["matchLabels"].as_object().into_iter().flatten();
    let has_all =
        wanted.all(|(name, value)| labels.get(name).map(String::as_str) == value.as_str());
    has_all
        && items(&selector["matchExpressions"]).all(|one| {
            assert_eq!(one["operator"], "In", "{one}");
            let value = labels.get(one["key"].as_str().expect("a key"));
            items(&one["values"]).any(|wanted| wanted.as_str() == value.map(String::as_str))
        })
}

/// Whether somebody is one of those that a rule names.
fn is_peer(wanted: &Value, peer: &Peer, own: &str) -> bool {
    assert!(
        wanted["ipBlock"].is_null(),
        "no rule names addresses: {wanted}"
    );
    let Some(namespace) = &peer.namespace else {
        return false;
    };
    let is_there = match &wanted["namespaceSelector"] {
        Value::Null => namespace == own,
        selector => {
            let name = ("kubernetes.io/metadata.name".to_owned(), namespace.clone());
            matches(selector, &Labels::from([name]))
        }
    };
    is_there && (wanted["podSelector"].is_null() || matches(&wanted["podSelector"], &peer.labels))
}

/// What answers at an address.
#[derive(Debug, Clone)]
pub(super) enum Behind {
    Tcp(SocketAddr),
    Socket(PathBuf),
    /// Nothing: who connects has reached it.
    Nobody,
}

/// Serves addresses until the process ends.
pub(super) fn serve(places: Vec<(SocketAddr, Behind)>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.expect("a runtime");
    let bound: Vec<_> = places
        .into_iter()
        .map(|(at, behind)| {
            let listener = runtime.block_on(TcpListener::bind(at));
            (
                listener.unwrap_or_else(|error| panic!("{at}: {error}")),
                behind,
            )
        })
        .collect();
    thread::spawn(move || {
        for (listener, behind) in bound {
            runtime.spawn(async move {
                while let Ok((client, _)) = listener.accept().await {
                    tokio::spawn(passed_on(client, behind.clone()));
                }
            });
        }
        runtime.block_on(std::future::pending::<()>());
    });
}

async fn passed_on(mut client: TcpStream, behind: Behind) -> io::Result<()> {
    match behind {
        Behind::Nobody => {}
        Behind::Tcp(to) => {
            let mut server = TcpStream::connect(to).await?;
            copy_bidirectional(&mut client, &mut server).await?;
        }
        Behind::Socket(to) => {
            let mut server = UnixStream::connect(to).await?;
            copy_bidirectional(&mut client, &mut server).await?;
        }
    }
    Ok(())
}
