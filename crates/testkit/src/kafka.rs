//! Apache Kafka for tests: nodes of its own for each test, from the jars that `./dev` fetches.
//! A node is broker and controller in one process (KRaft), so it can be killed and started
//! again; it costs about two seconds of processor time and 160 MB.

mod commands;
mod secure;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::kafka::commands::Commands;
use crate::not_run::not_run;
use crate::port::Port;
use crate::service::Service;

pub use secure::SecureKafka;

/// What a node logs once it serves.
const SERVES: &str = "Kafka Server started";
/// The listener of the nodes among themselves, and of clients where no other is asked for.
const PLAIN: &str = "PLAIN";
/// The listener of clients with a protocol of their own.
const CLIENTS: &str = "CLIENTS";

/// How a cluster is to be.
#[derive(Debug, Clone)]
pub struct KafkaSetup {
    nodes: usize,
    protocol: Option<String>,
    properties: Vec<(String, String)>,
    format: Vec<String>,
}

impl Default for KafkaSetup {
    fn default() -> Self {
        Self {
            nodes: 1,
            protocol: None,
            properties: Vec::new(),
            format: Vec::new(),
        }
    }
}

impl KafkaSetup {
    /// With so many nodes. With three or more, topics of Kafka's own have three replicas, as have
    /// those that are made without a count of them.
    #[must_use]
    pub fn nodes(mut self, nodes: usize) -> Self {
        self.nodes = nodes;
        self
    }

    /// Clients connect to a listener of their own, by this protocol, such as `SASL_SSL`; its
    /// properties begin with `listener.name.clients.`. The nodes, and [`Kafka::plain`], keep one
    /// without TLS and names, whose user is `User:ANONYMOUS`.
    #[must_use]
    pub fn clients_by(mut self, protocol: &str) -> Self {
        self.protocol = Some(protocol.to_owned());
        self
    }

    /// Every node has this property (it wins over those of `tools/kafka/server.properties`).
    #[must_use]
    pub fn property(mut self, name: &str, value: &str) -> Self {
        self.properties.push((name.to_owned(), value.to_owned()));
        self
    }

    /// An argument of `kafka-storage format`, such as `--add-scram`, or a value of one.
    #[must_use]
    pub fn format(mut self, argument: &str) -> Self {
        self.format.push(argument.to_owned());
        self
    }

    /// Starts the cluster, with its data in a directory. Where no node can run here, the test is
    /// reported as not run, and there is none.
    ///
    /// # Panics
    /// When a node does not start, with the last lines of its log.
    #[must_use]
    pub fn start(&self, dir: &Path) -> Option<Kafka> {
        if let Some(reason) = missing(&mut script(&["check"])) {
            not_run(&reason);
            return None;
        }
        let started = self.try_start(dir);
        Some(started.unwrap_or_else(|error| panic!("{error}")))
    }

    fn try_start(&self, dir: &Path) -> Result<Kafka, String> {
        let hold = |_| Ok([Port::hold()?, Port::hold()?, Port::hold()?]);
        let ports: Result<Vec<[Port; 3]>, std::io::Error> = (0..self.nodes).map(hold).collect();
        let ports = ports.map_err(|error| format!("no free port for Kafka: {error}"))?;
        let voters: Vec<String> = (1..)
            .zip(&ports)
            .map(|(id, [_, _, controller])| format!("{id}@127.0.0.1:{}", controller.number()))
            .collect();
        let voters = voters.join(",");
        let mut nodes = Vec::new();
        for (id, ports) in (1..).zip(ports) {
            let dir = dir.join(format!("node-{id}"));
            let text = self.text(id, &ports, &voters);
            std::fs::create_dir_all(&dir)
                .and_then(|()| std::fs::write(dir.join("node.properties"), text))
                .map_err(|error| format!("{} cannot be written: {error}", dir.display()))?;
            nodes.push(Node {
                id,
                dir,
                ports,
                service: None,
            });
        }
        let mut kafka = Kafka {
            nodes,
            format: self.format.clone(),
            own_listener: self.protocol.is_some(),
        };
        kafka.try_start_again()?;
        Ok(kafka)
    }

    /// The properties of a node.
    fn text(&self, id: usize, ports: &[Port; 3], voters: &str) -> String {
        let [plain, clients, controller] = ports.each_ref().map(Port::number);
        let mut listeners = format!("{PLAIN}://127.0.0.1:{plain}");
        let mut protocols = format!("CONTROLLER:PLAINTEXT,{PLAIN}:PLAINTEXT");
        if let Some(protocol) = &self.protocol {
            listeners += &format!(",{CLIENTS}://127.0.0.1:{clients}");
            protocols += &format!(",{CLIENTS}:{protocol}");
        }
        let mut text = format!(
            "node.id={id}\n\
             controller.quorum.voters={voters}\n\
             listeners={listeners},CONTROLLER://127.0.0.1:{controller}\n\
             listener.security.protocol.map={protocols}\n"
        );
        if self.nodes >= 3 {
            text += "default.replication.factor=3\n\
                     offsets.topic.replication.factor=3\n";
        }
        for (name, value) in &self.properties {
            text += &format!("{name}={value}\n");
        }
        text
    }
}

/// A cluster on the loopback interface; it ends with this, and with this process.
pub struct Kafka {
    nodes: Vec<Node>,
    format: Vec<String>,
    own_listener: bool,
}

struct Node {
    id: usize,
    dir: PathBuf,
    /// Of the plain listener, of the clients' and of the controller's.
    ports: [Port; 3],
    service: Option<Service>,
}

impl Kafka {
    /// Starts one node; see [`KafkaSetup::start`].
    ///
    /// # Panics
    /// As that.
    #[must_use]
    pub fn start(dir: &Path) -> Option<Self> {
        KafkaSetup::default().start(dir)
    }

    /// Where clients find it: `host:port` of every node, with commas between.
    #[must_use]
    pub fn bootstrap(&self) -> String {
        self.addresses(usize::from(self.own_listener))
    }

    /// The same of the listener without TLS and names, for what a test sets up.
    #[must_use]
    pub fn plain(&self) -> String {
        self.addresses(0)
    }

    /// Runs one command of Kafka's own tools, such as `kafka-configs.sh`, without TLS or a
    /// user; returns what it printed.
    ///
    /// # Panics
    /// When it fails.
    #[must_use]
    pub fn tool(&self, name: &str, words: &[&str]) -> String {
        let mut all = vec![
            name.to_owned(),
            "--bootstrap-server".to_owned(),
            self.plain(),
        ];
        all.extend(words.iter().map(|word| (*word).to_owned()));
        Commands::start(script(&["commands"])).run(&all)
    }

    fn addresses(&self, listener: usize) -> String {
        let ports = self.nodes.iter().map(|node| node.ports[listener].number());
        let addresses: Vec<String> = ports.map(|port| format!("127.0.0.1:{port}")).collect();
        addresses.join(",")
    }

    /// Kills every node (`SIGKILL`); what they acknowledged stays in their directories.
    pub fn kill(&mut self) {
        self.nodes.iter_mut().for_each(|node| node.service = None);
    }

    /// Kills one node by its number, which Kafka calls `node.id`; the first is 1.
    ///
    /// # Panics
    /// Where there is no such node.
    pub fn kill_node(&mut self, id: usize) {
        self.nodes[id - 1].service = None;
    }

    /// Starts every node that was killed, where it was.
    ///
    /// # Panics
    /// When one does not start, with the last lines of its log.
    pub fn start_again(&mut self) {
        self.try_start_again()
            .unwrap_or_else(|error| panic!("{error}"));
    }

    fn try_start_again(&mut self) -> Result<(), String> {
        let mut started = Vec::new();
        for node in self.nodes.iter_mut().filter(|node| node.service.is_none()) {
            node.spawn(&self.format);
            started.push(node);
        }
        // Together: a controller serves once most of them are there.
        for node in started {
            let service = node.service.as_mut().expect("just started");
            service.wait_for(SERVES)?;
        }
        Ok(())
    }

    /// The processes of the nodes that run, by their number.
    pub fn pids(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let running = |node: &Node| Some((node.id, node.service.as_ref()?.pid()));
        self.nodes.iter().filter_map(running)
    }
}

impl Node {
    fn spawn(&mut self, format: &[String]) {
        let dir = self.dir.to_str().expect("a path of UTF-8");
        let mut command = script(&["start", dir]);
        command.args(format);
        let name = format!("node {} of Apache Kafka", self.id);
        self.service = Some(Service::spawn(&name, &command));
    }
}

/// `tools/kafka/node` with these arguments.
fn script(arguments: &[&str]) -> Command {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/kafka/node");
    let mut command = Command::new(path);
    command.args(arguments);
    command
}

/// Why no node can run here, in the words of the check.
fn missing(check: &mut Command) -> Option<String> {
    let told = check.output().expect("tools/kafka/node starts");
    (!told.status.success()).then(|| String::from_utf8_lossy(&told.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests;
