//! The settings of each component. Doc comments here are the reference page.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::Secret;
use crate::choices::{Compression, EmbedderEngine, Engine, IndexEngine, LogEngine};
use crate::section::{Key, Kind, Value, section};

section! {
    /// The log: in the data directory, or on a cluster.
    Log "log" {
        /// Where it is: `local` in the data directory, for one process, or `kafka`, which the
        /// table `kafka` describes.
        engine: LogEngine = LogEngine::Local;
        /// Whether an append to the local log is on disk before it is acknowledged. Off is for throw-away
        /// data only: a power cut may then lose what was acknowledged.
        fsync: bool = true;
    }
}

section! {
    /// Apache Kafka, or what speaks its protocol. See kafka.md.
    Kafka "kafka" {
        /// Brokers to begin with, `host:port`, with commas between.
        bootstrap_servers: Option<String> = None;
        /// How records are compressed: `lz4`, `zstd` or `none`.
        compression: Compression = Compression::Lz4;
        /// The name of this process in its consumer groups, the same after a restart: with it a
        /// short restart moves no partitions. Of two processes with one name the first is shut out.
        /// Without it, `standalone` is called that and processes of `run` have no names: what one
        /// had that was cut off goes to the others after the session's time-out.
        instance_id: Option<String> = None;
        /// A file of librdkafka's properties, `name=value` on each line, for TLS, SASL and what
        /// else a cluster asks for; passwords go there too. See kafka.md.
        properties_file: Option<PathBuf> = None;
    }
}

section! {
    /// A schema registry that speaks Confluent's protocol, beside the cluster. With one, values
    /// are framed as it does; without, as Avro's single objects. Both are read at any time. See
    /// kafka.md.
    Registry "registry" {
        /// Where it is, for example `https://registry.example:8081`.
        url: Option<String> = None;
        /// Whom to log in as (basic authentication).
        user: Option<String> = None;
        /// A file with the password and nothing else.
        password_file: Option<PathBuf> = None;
        /// Whether schemas that it does not have are registered; else somebody else has to.
        register: bool = true;
        /// Longest time for one request, in seconds.
        timeout_seconds: u64 = 5, 1..=600;
    }
}

section! {
    /// The database of state and projections. Without `url`, a private PostgreSQL is started
    /// in the data directory.
    Postgres "postgres" {
        /// Connection URL of a server of your own, `postgres://user:password@host/database`.
        /// `DATABASE_URL` sets it too.
        url: Option<Secret> = None;
        /// Connections of this process at most; all processes together stay below the server's
        /// `max_connections`.
        connections: u32 = 16, 2..=1_000;
        /// Directory with `initdb` and `postgres`, for the private server. Without it, installed
        /// places are searched. `PG_BIN` sets it too.
        bin: Option<PathBuf> = None;
    }
}

section! {
    /// People are known by a keyed hash of their native id.
    People "people" {
        /// File with the hash key; created on first start, by default in the data directory. Another key makes
        /// everyone a stranger.
        hash_key_file: Option<PathBuf> = None;
    }
}

section! {
    /// Keys that seal texts and names, kept apart from the log so that erasing a key erases
    /// the text. Without `url`, they are files in the data directory.
    Keystore "keystore" {
        /// Connection URL of a PostgreSQL database of its own, for several processes. Never that of
        /// `postgres.url`, which may be dropped and rebuilt.
        url: Option<Secret> = None;
        /// File with the key that wraps all others; created on first start, by default in the data directory.
        /// Back it up apart from the log: without it every text is lost.
        master_key_file: Option<PathBuf> = None;
    }
}

section! {
    /// Limits on incoming messages.
    Intake "intake" {
        /// Longest text of one message, in bytes of UTF-8; a longer one is cut at a character.
        max_text_bytes: usize = 65_536, 1..=1_000_000;
        /// How often `chat.inbox` is truncated behind what `intake` took and published, in seconds.
        /// What was sent is not kept there for longer; see privacy.md.
        truncate_inbox_seconds: u64 = 300, 1..=86_400;
    }
}

section! {
    /// When a channel is looked at again: after a pause, a count, or a sign of resolution.
    Buffer "buffer" {
        /// Look after this many new messages.
        window_count: usize = 40, 1..=10_000;
        /// Look after a pause this long, in seconds of channel time.
        pause_seconds: u64 = 600, 1..=604_800;
        /// Imported history that no record says the end of (`PlatformHistoryEnded`; `threadlore
        /// import` writes one): how long nothing more of it arrives, in milliseconds of real time,
        /// until its last messages are looked at.
        idle_ms: u64 = 600_000, 10..=86_400_000;
        /// A sign of resolution counts from this many new messages on.
        min_for_resolution: usize = 8, 1..=10_000;
    }
}

section! {
    /// What finds cases, and what it keeps in view.
    Extractor "extractor" {
        /// What finds cases in a window: the rules that are built in, or a chat model behind
        /// OpenAI's protocol, which the table `openai` names. See models.md.
        engine: Engine = Engine::Builtin;
        /// Messages older than this leave the window, in hours of channel time.
        window_hours: u64 = 72, 1..=8_760;
        /// Messages kept in the window of a channel.
        window_messages: usize = 200, 10..=10_000;
        /// Recent cases of a channel that the extractor remembers, so as not to open one twice, and to erase those that quote a redacted message.
        known_cases: usize = 500, 1..=100_000;
        /// How alike the problems of two cases must be, in thousandths, for one to be merged into the
        /// other; 1001 merges nothing.
        merge_at: u32 = 650, 1..=1_001;
        /// An open case without news is archived after this many days of channel time.
        open_case_days: u64 = 7, 1..=3_650;
    }
}

section! {
    /// A chat model behind OpenAI's protocol, here or elsewhere: it gets to read the chat. See
    /// models.md.
    OpenAi "openai" {
        /// What stands before `/chat/completions`, for example `http://127.0.0.1:8080/v1`.
        base_url: Option<String> = None;
        /// The name of the model.
        model: Option<String> = None;
        /// The key, for servers that want one.
        api_key: Option<Secret> = None;
        /// A file with the key and nothing else, in place of `api_key`.
        api_key_file: Option<PathBuf> = None;
        /// Longest time for one call, in seconds.
        timeout_seconds: u64 = 60, 1..=3_600;
        /// Most of a window that the model is shown, in characters: its latest lines. Four
        /// characters are about one token, and what the model says needs room too.
        window_chars: usize = 48_000, 1_000..=10_000_000;
        /// Whether temperature 0 is asked for, so that answers differ less. Off for models that refuse
        /// any.
        temperature_zero: bool = true;
    }
}

section! {
    /// A model that makes vectors of cases, behind OpenAI's protocol: it gets to read their texts.
    /// Without one the search goes by words alone. See models.md.
    Embedder "embedder" {
        /// Whether there is one: `none`, or `openai` for a server of that protocol.
        engine: EmbedderEngine = EmbedderEngine::None;
        /// What stands before `/embeddings`, for example `http://127.0.0.1:8080/v1`.
        base_url: Option<String> = None;
        /// The name of the model. With another model, or other dimensions, passage prefix or
        /// characters, the vectors of all cases are computed anew.
        model: Option<String> = None;
        /// Numbers in each of its vectors; an answer with another count is refused.
        dimensions: Option<u32> = None, 1..=8_192;
        /// The key, for servers that want one.
        api_key: Option<Secret> = None;
        /// A file with the key and nothing else, in place of `api_key`.
        api_key_file: Option<PathBuf> = None;
        /// Longest time for one call of at most 32 texts, in seconds.
        timeout_seconds: u64 = 10, 1..=3_600;
        /// What stands before the text of a case; models of the e5 family want `"passage: "`.
        passage_prefix: Option<String> = None;
        /// What stands before a question; models of the e5 family want `"query: "`.
        query_prefix: Option<String> = None;
        /// The cosine, in thousandths, from which on a case is close enough to a question to be an
        /// answer by its vector alone. Without it only words say what is close. Every model needs
        /// its own; see models.md.
        close_at: Option<u32> = None, 1..=999;
        /// Characters of a text that are sent: many servers refuse a text that is longer than the
        /// model can read. Four characters are about one token.
        text_chars: usize = 1_600, 100..=1_000_000;
    }
}

section! {
    /// The index of cases: in the data directory, or on a Qdrant cluster.
    Index "index" {
        /// Where it is: `edge` in the data directory, for one process, or `qdrant`, on the cluster
        /// that `url` names.
        engine: IndexEngine = IndexEngine::Edge;
        /// The cluster's gRPC address, for example `http://qdrant:6334`.
        url: Option<String> = None;
        /// The key, for clusters that want one.
        api_key: Option<Secret> = None;
        /// A file with the key and nothing else, in place of `api_key`.
        api_key_file: Option<PathBuf> = None;
        /// What the names of collections begin with, so that several installations can share a
        /// cluster.
        prefix: String = "threadlore_".to_owned();
        /// Nodes that keep each point, for collections that are made from now on.
        replication_factor: u32 = 1, 1..=100;
        /// Longest time for one request, in seconds.
        timeout_seconds: u64 = 5, 1..=600;
    }
}

section! {
    /// How cases are found for a question.
    Search "search" {
        /// A file with names of your own for the same things, a line for each thing, its names
        /// between `|`, such as `edge-7 | the router`. A question that has one is asked with the
        /// others, too. They come on top of English and Hebrew lists that are built in.
        synonyms_file: Option<PathBuf> = None;
    }
}

section! {
    /// How answers refer to cases.
    Links "links" {
        /// What stands before a case id in a link.
        base: String = "threadlore:case/".to_owned();
    }
}

section! {
    /// How projections are rebuilt.
    Replay "replay" {
        /// Memory that a replay takes beside what the process has anyway, in megabytes: what it
        /// folds before it writes, and which rows it wrote. With more, fewer rows are written twice.
        memory_mb: usize = 256, 1..=1_048_576;
    }
}

section! {
    /// How many records share one transaction. A batch takes what is there and never waits to fill.
    Batch "batch" {
        /// Records in one batch.
        max_records: usize = 500, 1..=10_000;
    }
}

section! {
    /// Slow and outside calls: models, tools, delivery.
    Effects "effects" {
        /// Calls running at the same time, per process; calls of one channel never overlap.
        concurrency: usize = 8, 1..=1_000;
        /// Tries before a call is given up and counted as failed.
        attempts: u32 = 3, 1..=100;
    }
}

section! {
    /// What the process says about itself: on standard error, and to those who ask.
    Telemetry "telemetry" {
        /// Least severe level written: `error`, `warn`, `info`, `debug`, `trace` (libraries tell
        /// warnings at most), or a filter such as `info,threadlore_runtime=debug`.
        level: String = "info".to_owned();
        /// One JSON object per line instead of text for people.
        json: bool = false;
        /// Where `standalone` and `run` serve metrics and health over HTTP, without authorisation, for
        /// example `127.0.0.1:9464`; without it nothing is served. See metrics.md.
        listen: Option<SocketAddr> = None;
        /// A collector of traces that takes OTLP over gRPC, for example `http://127.0.0.1:4317`;
        /// without it nothing is traced. `OTEL_EXPORTER_OTLP_ENDPOINT` sets it too. See traces.md.
        otlp_endpoint: Option<String> = None;
        /// Of 1000 messages that come without a trace, so many begin one.
        traces_per_thousand: u32 = 1_000, 0..=1_000;
    }
}

/// All settings: one struct per component, and the data directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The data directory: log, private database, keys.
    pub data_dir: PathBuf,
    /// The log.
    pub log: Log,
    /// The cluster of the log.
    pub kafka: Kafka,
    /// Its schema registry.
    pub registry: Registry,
    /// The database of state and projections.
    pub postgres: Postgres,
    /// The hash key of people.
    pub people: People,
    /// The keys that seal texts and names.
    pub keystore: Keystore,
    /// Limits on incoming messages.
    pub intake: Intake,
    /// When a channel is looked at again.
    pub buffer: Buffer,
    /// What finds cases, and what it keeps in view.
    pub extractor: Extractor,
    /// A chat model.
    pub openai: OpenAi,
    /// A model that makes vectors of cases.
    pub embedder: Embedder,
    /// The index of cases.
    pub index: Index,
    /// How cases are found for a question.
    pub search: Search,
    /// How answers refer to cases.
    pub links: Links,
    /// How many records share one transaction.
    pub batch: Batch,
    /// How projections are rebuilt.
    pub replay: Replay,
    /// Slow and outside calls.
    pub effects: Effects,
    /// What the process says about itself.
    pub telemetry: Telemetry,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            data_dir: PathBuf::from("./data"),
            log: Log::default(),
            kafka: Kafka::default(),
            registry: Registry::default(),
            postgres: Postgres::default(),
            people: People::default(),
            keystore: Keystore::default(),
            intake: Intake::default(),
            buffer: Buffer::default(),
            extractor: Extractor::default(),
            openai: OpenAi::default(),
            embedder: Embedder::default(),
            index: Index::default(),
            search: Search::default(),
            links: Links::default(),
            batch: Batch::default(),
            replay: Replay::default(),
            effects: Effects::default(),
            telemetry: Telemetry::default(),
        }
    }
}

/// A table of the file: name, what it is, its keys.
pub(crate) struct SectionInfo {
    pub(crate) name: &'static str,
    pub(crate) about: &'static [&'static str],
    pub(crate) keys: Vec<Key>,
}

/// Every table of the file, in the order of the reference page. The test
/// `every_setting_is_described` compares it with [`Settings`].
pub(crate) fn describe() -> Vec<SectionInfo> {
    macro_rules! info {
        ($($section:ident)+) => {
            [$( SectionInfo {
                name: $section::SECTION,
                about: $section::ABOUT,
                keys: $section::keys(),
            } ),+]
        };
    }
    let top = SectionInfo {
        name: "",
        about: &["Before the first table of the file."],
        keys: vec![Key {
            section: "",
            name: "data_dir",
            about: &[
                "The data directory: log, private database, keys. Created when missing, owned by",
                "one process at a time.",
            ],
            kind: Kind::Path,
            range: None,
            default: Value::show(&Settings::default().data_dir),
        }],
    };
    std::iter::once(top)
        .chain(info![Log Kafka Registry Postgres People Keystore Intake Buffer Extractor OpenAi Embedder Index Search Links Batch Replay Effects Telemetry])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the serialised default says: (`section.key`, default as written in the file).
    fn serialised() -> Vec<(String, String)> {
        let value = serde_json::to_value(Settings::default()).expect("settings serialise");
        let mut found = Vec::new();
        for (name, value) in value.as_object().expect("an object") {
            match value.as_object() {
                Some(section) => {
                    found.extend(
                        section
                            .iter()
                            .map(|(key, value)| (format!("{name}.{key}"), shown(value))),
                    );
                }
                None => found.push((name.clone(), shown(value))),
            }
        }
        found.sort();
        found
    }

    fn shown(value: &serde_json::Value) -> String {
        if value.is_null() {
            String::new()
        } else {
            value.to_string()
        }
    }

    #[test]
    fn every_setting_is_described() {
        let mut described: Vec<_> = describe()
            .into_iter()
            .flat_map(|section| section.keys)
            .map(|key| (key.path(), key.default))
            .collect();
        described.sort();
        assert_eq!(described, serialised());
    }

    #[test]
    fn every_number_has_a_range_that_holds_its_default() {
        for key in describe().into_iter().flat_map(|section| section.keys) {
            if key.kind == Kind::Number {
                let range = key.range.clone().expect("a range");
                // What is not set by default has none to hold.
                if !key.default.is_empty() {
                    let default: u64 = key.default.parse().expect("a number");
                    assert!(range.contains(&default), "{}", key.path());
                }
            }
        }
    }
}
