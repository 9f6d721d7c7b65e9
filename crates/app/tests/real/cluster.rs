//! What several processes share: a node of Apache Kafka, a database for tables and one for keys, and an
//! index, all on this machine.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use threadlore_pg_local::{Mode, Server};
use threadlore_testkit::{Kafka, KafkaSetup, Qdrant};

use super::support::{Place, Running, binaries, psql};

/// Every role of `run` but the embedder.
pub(crate) const ROLES: [&str; 5] = ["intake", "buffer", "extractor", "projector", "indexer"];

/// The key for people, and the master key.
pub(crate) fn key() -> String {
    "5eed".repeat(16)
}

pub(crate) struct Cluster {
    pub(crate) place: Place,
    pub(crate) kafka: Kafka,
    pub(crate) index: Qdrant,
    tables: String,
    server: Option<Server>,
}

impl Cluster {
    /// An empty one; `more` is added to the settings of its processes. None where Kafka cannot
    /// run: then the test is reported as not run.
    pub(crate) fn start(place: Place, more: &str) -> Option<Self> {
        Self::with(&KafkaSetup::default(), "1", place, more)
    }

    /// The same with so many partitions.
    pub(crate) fn wide(place: Place, partitions: usize, more: &str) -> Option<Self> {
        let setup = KafkaSetup::default();
        Self::made(&setup, ("1", partitions), place, more)
    }

    /// The same on a cluster as it is set up, where topics have so many replicas.
    pub(crate) fn with(
        setup: &KafkaSetup,
        replicas: &str,
        place: Place,
        more: &str,
    ) -> Option<Self> {
        Self::made(setup, (replicas, 4), place, more)
    }

    fn made(
        setup: &KafkaSetup,
        (replicas, partitions): (&str, usize),
        place: Place,
        more: &str,
    ) -> Option<Self> {
        let kafka = setup.start(&place.path().join("kafka"))?;
        let index = Qdrant::start();
        let server = server(&place);
        let url = server.url("postgres");
        psql(&url, "CREATE DATABASE tables").expect("made");
        psql(&url, "CREATE DATABASE keys").expect("made");
        for name in ["people.key", "master.key"] {
            if !place.path().join(name).exists() {
                let path = place.file(name, key());
                std::fs::set_permissions(path, Permissions::from_mode(0o600)).expect("closed");
            }
        }
        // A member that was killed is missed after this.
        place.file(
            "client.properties",
            "session.timeout.ms=6000\nheartbeat.interval.ms=1000\n",
        );
        let (tables, keys) = (server.url("tables"), server.url("keys"));
        let (bootstrap, index_url) = (kafka.bootstrap(), index.url());
        place.file(
            "threadlore.toml",
            format!(
                "[log]\nengine = \"kafka\"\npartitions = {partitions}\n\
                 [kafka]\nbootstrap_servers = \"{bootstrap}\"\n\
                 properties_file = \"client.properties\"\n\
                 [postgres]\nurl = \"{tables}\"\nconnections = 4\n\
                 [keystore]\nurl = \"{keys}\"\nmaster_key_file = \"master.key\"\n\
                 [people]\nhash_key_file = \"people.key\"\n\
                 [index]\nengine = \"qdrant\"\nurl = \"{index_url}\"\n{more}"
            ),
        );
        let made = place.run(&["topics", "apply", "--replicas", replicas]);
        assert_eq!(made.code, Some(0), "{}", made.err);
        Some(Self {
            place,
            kafka,
            index,
            tables,
            server: Some(server),
        })
    }

    /// A process with these roles.
    pub(crate) fn run(&self, roles: &[&str]) -> Running {
        self.place.start(&mut self.command(roles))
    }

    pub(crate) fn command(&self, roles: &[&str]) -> Command {
        self.place.command(&[&["run"], roles].concat())
    }

    /// The URLs of the databases of tables and of keys.
    pub(crate) fn urls(&self) -> (String, String) {
        let server = self.server.as_ref().expect("it runs");
        (server.url("tables"), server.url("keys"))
    }

    /// The socket of the databases.
    pub(crate) fn socket(&self) -> PathBuf {
        let server = self.server.as_ref().expect("it runs");
        let name = format!(".s.PGSQL.{}", server.port());
        server.socket_dir().join(name)
    }

    /// Stops the databases, or starts them again.
    pub(crate) fn databases(&mut self, up: bool) {
        self.server = match up {
            true => Some(server(&self.place)),
            false => None,
        };
    }

    /// A statement on the tables; `None` when it fails.
    pub(crate) fn sql(&self, statement: &str) -> Option<String> {
        psql(&self.tables, statement)
    }
}

fn server(place: &Place) -> Server {
    let dir = place.path().join("pg");
    Server::start(&binaries(), &dir, Mode::Test).expect("it starts")
}
