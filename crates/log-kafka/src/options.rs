//! Configuration of the client library, librdkafka.

use std::collections::BTreeMap;
use std::fmt;

use rdkafka::ClientConfig;
use rdkafka::config::RDKafkaLogLevel;
use threadlore_schema::render::READERS;

use crate::access::User;

/// The largest record that is written, in bytes with key and headers. A dead letter holds a whole
/// record of `chat.inbox`, so this is more than that topic accepts.
pub(crate) const LARGEST: usize = 4 * 1024 * 1024;

/// Time between two reports of a client about itself, in milliseconds.
const REPORTS: &str = "5000";
/// The same of a member of a group, which leaves it by what these say.
const REPORTS_OF_MEMBERS: &str = "500";

/// How records are compressed on their way and in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compression {
    /// Not at all.
    None,
    /// Little work.
    #[default]
    Lz4,
    /// Smaller, for more work.
    Zstd,
}

impl Compression {
    const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        }
    }
}

/// The address of the cluster, and the properties of its clients.
#[derive(Clone, Default)]
pub struct KafkaOptions {
    /// `host:port`, several with commas between.
    pub bootstrap: String,
    /// How records are compressed.
    pub compression: Compression,
    /// The name of this process within its groups, the same after a restart and different for every
    /// process. With a name, a short restart moves no partitions (static membership).
    pub instance: Option<String>,
    /// Properties of librdkafka, such as `security.protocol`, as they are; see
    /// [`KafkaOptions::properties`].
    pub client: BTreeMap<String, String>,
}

impl fmt::Debug for KafkaOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Values may be passwords.
        f.debug_struct("KafkaOptions")
            .field("bootstrap", &self.bootstrap)
            .field("compression", &self.compression)
            .field("instance", &self.instance)
            .field("client", &self.client.keys())
            .finish()
    }
}

/// Properties that are ours to set: on these the promises of the log rest.
const OURS: [&str; 24] = [
    "acks",
    "allow.auto.create.topics",
    "auto.offset.reset",
    "bootstrap.servers",
    "check.crcs",
    "compression.codec",
    "compression.type",
    "delivery.timeout.ms",
    "enable.auto.commit",
    "enable.auto.offset.store",
    "enable.gapless.guarantee",
    "enable.idempotence",
    "enable.partition.eof",
    "group.id",
    "group.instance.id",
    "isolation.level",
    "message.max.bytes",
    "message.timeout.ms",
    "metadata.broker.list",
    "partitioner",
    "partition.assignment.strategy",
    "request.required.acks",
    // Some clients would never collect their statistics.
    "statistics.interval.ms",
    "transactional.id",
];

/// Properties that say how members of a group agree: other clients are not given them.
const OF_MEMBERS: [&str; 5] = [
    "group.protocol",
    "group.remote.assignor",
    "heartbeat.interval.ms",
    "max.poll.interval.ms",
    "session.timeout.ms",
];

impl KafkaOptions {
    /// Reads properties of a file: `name=value` on each line. Empty lines and those that begin with
    /// `#` are ignored.
    ///
    /// # Errors
    /// For a line of another form, with its number only, because it may hold a password. For a
    /// line that sets a property on which the guarantees of the log depend.
    pub fn properties(text: &str) -> Result<BTreeMap<String, String>, String> {
        let mut properties = BTreeMap::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, value) = line
                .split_once('=')
                .filter(|(name, _)| !name.trim().is_empty())
                .ok_or_else(|| format!("line {} is not name=value", number + 1))?;
            let name = name.trim();
            if OURS.contains(&name) {
                return Err(format!(
                    "line {} sets {name}, on which rests what the log promises: take it out",
                    number + 1
                ));
            }
            properties.insert(name.to_owned(), value.trim().to_owned());
        }
        Ok(properties)
    }

    /// The user that the clients log in as.
    pub(crate) fn user(&self) -> User {
        User {
            name: self.client.get("sasl.username").cloned(),
        }
    }

    /// A client that only asks.
    pub(crate) fn asker(&self) -> ClientConfig {
        self.with_theirs(Self::base(&self.bootstrap), &OF_MEMBERS)
    }

    /// Adds the operator's properties except `without`. They override our defaults; those on which
    /// the guarantees depend were refused before.
    fn with_theirs(&self, mut config: ClientConfig, without: &[&str]) -> ClientConfig {
        let theirs = self.client.iter();
        for (key, value) in theirs.filter(|(key, _)| !without.contains(&key.as_str())) {
            config.set(key, value);
        }
        config
    }

    /// Whether the brokers share the partitions out (KIP-848), and not the members.
    fn brokers_assign(&self) -> bool {
        let protocol = self.client.get("group.protocol");
        protocol.is_some_and(|name| name.eq_ignore_ascii_case("consumer"))
    }

    /// The properties that all clients share.
    fn base(bootstrap: &str) -> ClientConfig {
        // Sets OpenSSL up before librdkafka does, and without its exit handler: that one frees
        // memory which a thread of a connection may still use while the process ends.
        openssl_sys::init();
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", bootstrap)
            .set("client.id", "threadlore")
            .set("allow.auto.create.topics", "false")
            .set("socket.keepalive.enable", "true")
            .set("reconnect.backoff.ms", "100")
            .set("reconnect.backoff.max.ms", "2000")
            .set_log_level(RDKafkaLogLevel::Warning);
        config
    }

    /// A client that writes: every record once, in order and without a gap, however long
    /// the cluster is away.
    pub(crate) fn producer(&self) -> ClientConfig {
        let mut config = Self::base(&self.bootstrap);
        config
            .set("statistics.interval.ms", REPORTS)
            .set("enable.idempotence", "true")
            .set("enable.gapless.guarantee", "true")
            .set("acks", "all")
            .set("message.timeout.ms", "0")
            .set("message.max.bytes", LARGEST.to_string())
            .set("compression.type", self.compression.name())
            .set("partitioner", "murmur2_random");
        self.with_theirs(config, &OF_MEMBERS)
    }

    /// A client that reads partitions from given offsets.
    pub(crate) fn reader(&self) -> ClientConfig {
        let mut config = Self::base(&self.bootstrap);
        config
            .set("statistics.interval.ms", REPORTS)
            // The library wants a name; the group is never joined, and nothing committed.
            .set("group.id", READERS)
            .set("enable.auto.commit", "false")
            .set("enable.auto.offset.store", "false")
            .set("enable.partition.eof", "true")
            .set("auto.offset.reset", "error")
            .set("isolation.level", "read_committed")
            .set("check.crcs", "true")
            // One fetch holds up to this long those partitions that were added after it.
            .set("fetch.wait.max.ms", "250")
            .set("fetch.queue.backoff.ms", "10")
            .set("fetch.error.backoff.ms", "100")
            // Little is read ahead, because many readers are idle most of the time.
            .set("fetch.max.bytes", (2 * LARGEST).to_string())
            .set("queued.min.messages", "2000")
            .set("queued.max.messages.kbytes", "16384");
        self.with_theirs(config, &OF_MEMBERS)
    }

    /// A member of a group.
    pub(crate) fn member(&self, group: &str) -> ClientConfig {
        let mut config = Self::base(&self.bootstrap);
        config
            .set("statistics.interval.ms", REPORTS_OF_MEMBERS)
            .set("group.id", group)
            .set("enable.auto.commit", "false")
            .set("enable.auto.offset.store", "false")
            .set("auto.offset.reset", "latest");
        if !self.brokers_assign() {
            config.set("partition.assignment.strategy", "cooperative-sticky");
        }
        if let Some(instance) = &self.instance {
            config.set("group.instance.id", instance);
        }
        self.with_theirs(config, &[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A default that silently won would be a property that does nothing.
    #[test]
    fn properties_of_the_operator_win_over_our_defaults() {
        // given
        let text = "fetch.wait.max.ms=20\nreconnect.backoff.ms=7\n";
        let options = KafkaOptions {
            bootstrap: "b:9092".into(),
            compression: Compression::Lz4,
            client: KafkaOptions::properties(text).expect("properties"),
            ..KafkaOptions::default()
        };
        // then
        assert_eq!(options.reader().get("fetch.wait.max.ms"), Some("20"));
        for config in [
            options.asker(),
            options.reader(),
            options.producer(),
            options.member("g"),
        ] {
            assert_eq!(config.get("reconnect.backoff.ms"), Some("7"));
        }
    }

    /// The library makes no client that has both an assignment of its own and one by brokers.
    #[test]
    fn the_protocol_of_groups_is_the_operators_to_choose() {
        for (text, protocol, strategy) in [
            ("", None, Some("cooperative-sticky")),
            (
                "group.protocol=classic",
                Some("classic"),
                Some("cooperative-sticky"),
            ),
            ("group.protocol=consumer", Some("consumer"), None),
        ] {
            let options = KafkaOptions {
                client: KafkaOptions::properties(text).expect("properties"),
                ..KafkaOptions::default()
            };
            let member = options.member("g");
            assert_eq!(member.get("group.protocol"), protocol);
            assert_eq!(member.get("partition.assignment.strategy"), strategy);
            for config in [options.asker(), options.reader(), options.producer()] {
                assert_eq!(config.get("group.protocol"), None);
            }
        }
    }
}
