//! The settings of each component. Doc comments here are the reference page.

use std::net::SocketAddr;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use threadlore_roles::{BufferParams, ExtractorParams, ResponderParams};

use crate::Secret;
use crate::choices::{AnswerReader, Compression, Engine, IndexEngine, LogEngine};
use crate::section::{Key, Kind, Value, section};

pub use api::{Api, Oidc};
pub use gateways::{GATEWAYS, GatewayName, Irc, Matrix, Webhook, listed};
pub use models::{Embedder, OpenAi, Reranker};

mod api;
mod gateways;
mod models;

section! {
    /// The log: in the data directory, or on a cluster.
    Log "log" {
        /// Where the log is: `local` in the data directory, for one process, or `kafka` on the
        /// cluster that the table `kafka` describes.
        engine: LogEngine = LogEngine::Local;
        /// Whether an append to the local log is on disk before it is acknowledged. Switch it off
        /// for throw-away data only: a power cut may then lose acknowledged events.
        fsync: bool = true;
        /// How many partitions each topic has (`log.skips` has one): as many processes can share the work of a
        /// role, and a channel is in one of them. It is chosen before the first record. More come by
        /// an export of each space into a log that has more, see partitions.md.
        partitions: u32 = 4, 1..=1_024;
    }
}

section! {
    /// Apache Kafka, or another broker that speaks its protocol. See kafka.md.
    Kafka "kafka" {
        /// The first brokers to connect to, as `host:port`, separated by commas.
        bootstrap_servers: Option<String> = None;
        /// How records are compressed: `lz4`, `zstd` or `none`.
        compression: Compression = Compression::Lz4;
        /// The name of this process in its consumer groups, the same after a restart. With a name,
        /// a short restart moves no partitions; of two processes with one name the first is shut
        /// out. The default for `standalone` is `standalone`. Processes of `run` have no name by
        /// default: the partitions of one that dies go to the others after the session's time-out.
        instance_id: Option<String> = None;
        /// A file of librdkafka's properties, `name=value` on each line, for TLS, SASL and other
        /// needs of a cluster, passwords included. See kafka.md.
        properties_file: Option<PathBuf> = None;
    }
}

section! {
    /// A schema registry of the cluster that speaks Confluent's protocol. With a registry, values
    /// are written in its wire format; without one, in Avro's single-object encoding. Both are
    /// always read. See kafka.md.
    Registry "registry" {
        /// The registry's URL, for example `https://registry.example:8081`.
        url: Option<String> = None;
        /// The user name for basic authentication.
        user: Option<String> = None;
        /// A file with the password and nothing else.
        password_file: Option<PathBuf> = None;
        /// Whether schemas that the registry does not have are registered. If not, register them
        /// yourself.
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
        /// A file with this URL and nothing else, in place of `url`.
        url_file: Option<PathBuf> = None;
        /// The most connections of this process. The sum over all processes must stay below the
        /// server's `max_connections`.
        connections: u32 = 16, 2..=1_000;
        /// Directory with `initdb` and `postgres`, for the private server. Without it, the usual
        /// directories are searched. `PG_BIN` sets it too.
        bin: Option<PathBuf> = None;
    }
}

section! {
    /// People are known by a keyed hash of their native id.
    People "people" {
        /// File with the hash key; created on first start, by default in the data directory. With
        /// another key, everyone counts as a new person.
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
        /// A file with this URL and nothing else, in place of `url`.
        url_file: Option<PathBuf> = None;
        /// File with the key that wraps all others; created on first start, by default in the data
        /// directory. Back it up apart from the log: without it every text is lost.
        master_key_file: Option<PathBuf> = None;
        /// File with a second master key, whose keys are read too: while one master key takes the place of
        /// another. See keys.md.
        second_master_key_file: Option<PathBuf> = None;
    }
}

section! {
    /// Limits on incoming messages.
    Intake "intake" {
        /// Longest text of one message, in bytes of UTF-8; a longer one is cut at a character.
        max_text_bytes: usize = 65_536, 1..=1_000_000;
        /// How often the records that `intake` has processed and published are deleted from
        /// `chat.inbox`, in seconds. See privacy.md.
        truncate_inbox_seconds: u64 = 300, 1..=86_400;
    }
}

section! {
    /// When the window of a channel is examined for cases: after a pause, a number of messages, or
    /// a sign of resolution.
    Buffer "buffer" {
        /// Examine it after this many new messages.
        window_count: u32 = BufferParams::DEFAULT.window_count, 1..=10_000;
        /// Examine it after a pause this long, in seconds of channel time.
        pause_seconds: u64 = BufferParams::DEFAULT.pause.as_secs(), 1..=604_800;
        /// For imported history without an end mark (`PlatformHistoryEnded`, which `threadlore
        /// import` writes): examine its last messages when none has arrived for this long, in
        /// milliseconds of real time.
        idle_ms: u64 = BufferParams::DEFAULT.idle.as_millis() as u64, 10..=86_400_000;
        /// The fewest new messages for a sign of resolution to count, in imported history. In a live
        /// channel each counts: see `extractor.debounce_seconds`.
        min_for_resolution: u32 = BufferParams::DEFAULT.min_for_resolution, 1..=10_000;
        /// Messages that a person writes within this time of each other, in milliseconds of channel
        /// time, are one turn, which is answered as a whole. A question to the bot, as the platform
        /// says, ends its turn at once.
        turn_gap_ms: u64 = BufferParams::DEFAULT.turn_gap.as_millis() as u64, 100..=60_000;
    }
}

section! {
    /// Which engine finds cases, and in how much of the chat.
    Extractor "extractor" {
        /// The engine that finds cases: `builtin` for the built-in rules, or `openai` for the chat
        /// model of the table `openai`. See models.md.
        engine: Engine = Engine::Builtin;
        /// How long after a sign of resolution in a live channel (thanks, "it works", a positive
        /// reaction) a chat model examines it, in seconds of channel time, so that what else is said
        /// then is seen. The built-in rules examine it at once.
        debounce_seconds: u64 = 20, 0..=600;
        /// Messages older than this leave the window, in hours of channel time.
        window_hours: u64 = ExtractorParams::DEFAULT.window_age.as_secs() / 3600, 1..=8_760;
        /// Messages kept in the window of a channel.
        window_messages: usize = ExtractorParams::DEFAULT.window_messages, 10..=10_000;
        /// How many recent cases of a channel the extractor remembers. It opens none of them twice,
        /// and erases those that quote a redacted message.
        known_cases: usize = ExtractorParams::DEFAULT.known_cases, 1..=100_000;
        /// How similar the problems of two cases must be, in thousandths, for one to be merged into
        /// the other; 1001 switches merging off.
        merge_at: u32 = ExtractorParams::DEFAULT.merge_at as u32, 1..=1_001;
        /// An open case without news is archived after this many days of channel time.
        open_case_days: u64 = ExtractorParams::DEFAULT.open_case_age.as_secs() / 86_400, 1..=3_650;
    }
}

section! {
    /// When the bot answers in a channel. It is silent in channels without an active admin.
    Responder "responder" {
        /// Names by which people ask the bot, as `@lore` or `lore:`, separated by commas.
        names: String = ResponderParams::NAMES.to_owned();
        /// A message that was sent longer ago than this is not answered, in seconds of channel time.
        answer_within_seconds: u64 = ResponderParams::ANSWER_WITHIN.as_secs(), 5..=86_400;
        /// The words of a case are given once in this time in a channel, in seconds of channel time,
        /// unless the bot is asked by name.
        repeat_after_seconds: u64 = ResponderParams::REPEAT_AFTER.as_secs(), 0..=86_400;
        /// The most answers of a channel in any minute. Those in a thread of it are counted for that thread alone.
        answers_per_minute: usize = ResponderParams::PER_MINUTE, 1..=1_000;
        /// The most answers of a channel in any 24 hours, counted likewise.
        answers_per_day: usize = ResponderParams::PER_DAY, 1..=1_000_000;
    }
}

section! {
    /// Which answers are given, in rooms and by `ask`.
    Answer "answer" {
        /// How many of a hundred answers may be wrong ones. Higher gives more answers, and more wrong
        /// ones. The chances are those of the questions that the weights were learned from;
        /// `threadlore eval` says what a value gives for yours.
        wrong_at_most: u32 = 18, 1..=60;
        /// Whether a chat model reads the question and the best cases, says which of them answers or
        /// that none does, and answers in one to three sentences: `none`, or `openai` for the model of
        /// the table `openai`. Question and cases are sent to it.
        reader: AnswerReader = AnswerReader::None;
        /// The longest time of a reading, in seconds. Then the rules choose.
        read_seconds: u64 = 15, 1..=300;
        /// The most tokens that the calls of that model may cost for a space on a day (UTC), counted in each
        /// process by what the server says. Beyond, the rules choose until the next day.
        tokens_per_day: u64 = 1_000_000, 1..=1_000_000_000_000;
        /// Whether the model that `reader` chooses writes each question anew before it is looked up, with the
        /// five lines before it, so that "does it work there too?" can be found. A call more for a question.
        rewrite: bool = false;
        /// Whether that model says of each message that is to nobody by name whether it asks for an answer,
        /// with the nine lines before it, in place of the rules. A call for a message; where it fails, the
        /// rules decide.
        gate: bool = false;
        /// Whether that model says of what is said after an answer, and asks nothing, whether the answer
        /// helped, where the rules see nothing in it. A call for such a message; where it fails, the message
        /// says nothing.
        judge: bool = false;
        /// Whether that model finds what people say of themselves ("my node is 7.6"), to be remembered as if
        /// they had told the bot to. A call for a message in which somebody speaks of himself and asks
        /// nothing; where it fails, nothing is remembered.
        facts: bool = false;
        /// A directory with words of the bot in place of the built-in ones, which are in English,
        /// German, Russian, Ukrainian and Hebrew: files such as `en.toml`, and those of one space in a
        /// directory with its name. `threadlore config words` prints such a file. What a model that reads is
        /// told (`read.md`) and may ask (`tools.toml`) is there too. Read at the start.
        words_dir: Option<PathBuf> = None;
    }
}

section! {
    /// The index of cases: in the data directory, or on a Qdrant cluster.
    Index "index" {
        /// Where the index is: `local` in the memory of this process, with a snapshot in the data
        /// directory (300,000 cases with vectors take 0.7 GB, and a search of them 37 ms; a server is
        /// the right choice for more); or `qdrant` on the
        /// cluster that `url` names.
        engine: IndexEngine = IndexEngine::Local;
        /// The cluster's gRPC address, for example `http://qdrant:6334`.
        url: Option<String> = None;
        /// The key, for clusters that want one.
        api_key: Option<Secret> = None;
        /// A file with the key and nothing else, in place of `api_key`.
        api_key_file: Option<PathBuf> = None;
        /// The beginning of the names of collections. With different prefixes, several
        /// installations can share a cluster.
        prefix: String = "threadlore_".to_owned();
        /// How many nodes keep each point. A change applies to collections that are made
        /// afterwards.
        replication_factor: u32 = 1, 1..=100;
        /// Longest time for one request, in seconds.
        timeout_seconds: u64 = 5, 1..=600;
    }
}

section! {
    /// How cases are found for a question.
    Search "search" {
        /// A file with your own synonyms. Each line lists the names of one thing, separated by `|`,
        /// such as `edge-7 | the router`. A question with one of the names is also searched by the
        /// others. English and Hebrew lists are built in.
        synonyms_file: Option<PathBuf> = None;
    }
}

section! {
    /// How answers refer to cases.
    Links "links" {
        /// The beginning of a link to a case; the case id follows it. The default is the page of the case
        /// behind `api.public_url`, such as `https://lore.example.org/case/`, and without that
        /// `threadlore:case/`.
        base: Option<String> = None;
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
    /// A store of objects that speaks the S3 protocol, for exports to `s3://BUCKET/NAME`.
    S3 "s3" {
        /// Its address, for example `http://seaweedfs:8333`; without it AWS's, of the region.
        endpoint: Option<String> = None;
        /// The region; stores outside of AWS take any.
        region: String = "us-east-1".to_owned();
        /// The name of the key.
        access_key_id: Option<String> = None;
        /// The key.
        secret_access_key: Option<Secret> = None;
        /// A file with the key and nothing else, in place of `secret_access_key`.
        secret_access_key_file: Option<PathBuf> = None;
        /// Longest time for one request, in seconds.
        timeout_seconds: u64 = 60, 1..=3600;
    }
}

section! {
    /// How many records share one transaction. A batch takes the records that are there and never
    /// waits for more.
    Batch "batch" {
        /// Records in one batch.
        max_records: usize = 500, 1..=10_000;
    }
}

section! {
    /// Slow and outside calls: models, searches of memory, deliveries.
    Effects "effects" {
        /// Calls running at the same time, per process; calls of one channel never overlap.
        concurrency: usize = 8, 1..=1_000;
        /// How often a call is tried before it becomes a dead letter.
        attempts: u32 = 3, 1..=100;
    }
}

section! {
    /// Logs on standard error, metrics, health and traces.
    Telemetry "telemetry" {
        /// The least severe level that is written: `error`, `warn`, `info`, `debug` or `trace`
        /// (libraries write warnings and errors only), or a filter such as
        /// `info,threadlore_runtime=debug`.
        level: String = "info".to_owned();
        /// One JSON object per line instead of text for people.
        json: bool = false;
        /// Where `standalone` and `run` serve metrics and health over HTTP, without authorisation,
        /// for example `127.0.0.1:9464`; without it nothing is served. See metrics.md.
        listen: Option<SocketAddr> = None;
        /// A collector that takes traces by OTLP over gRPC, for example `http://127.0.0.1:4317`;
        /// without it nothing is traced. `OTEL_EXPORTER_OTLP_ENDPOINT` sets it too. See traces.md.
        otlp_endpoint: Option<String> = None;
        /// How many of 1000 messages that arrive without a trace begin one.
        traces_per_thousand: u32 = 1_000, 0..=1_000;
    }
}

impl Responder {
    /// The names, lower case.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        listed(&self.names.to_lowercase())
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
    /// The cluster's schema registry.
    pub registry: Registry,
    /// The database of state and projections.
    pub postgres: Postgres,
    /// The hash key of people.
    pub people: People,
    /// The keys that seal texts and names.
    pub keystore: Keystore,
    /// Limits on incoming messages.
    pub intake: Intake,
    /// When the window of a channel is examined for cases.
    pub buffer: Buffer,
    /// Which engine finds cases, and in how much of the chat.
    pub extractor: Extractor,
    /// When the bot answers in a channel.
    pub responder: Responder,
    /// Which answers are given.
    pub answer: Answer,
    /// Channels of an IRC server.
    pub irc: Irc,
    /// Rooms of Matrix.
    pub matrix: Matrix,
    /// Platforms that join by HTTP calls.
    pub webhook: Webhook,
    /// A chat model.
    pub openai: OpenAi,
    /// A model that makes vectors of cases.
    pub embedder: Embedder,
    /// A model that reads a question and a case together.
    pub reranker: Reranker,
    /// The index of cases.
    pub index: Index,
    /// How cases are found for a question.
    pub search: Search,
    /// How answers refer to cases.
    pub links: Links,
    /// A store of objects, for exports.
    pub s3: S3,
    /// How many records share one transaction.
    pub batch: Batch,
    /// How projections are rebuilt.
    pub replay: Replay,
    /// Slow and outside calls.
    pub effects: Effects,
    /// Pages.
    pub api: Api,
    /// Signing in at a provider.
    pub oidc: Oidc,
    /// Logs, metrics, health and traces.
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
            responder: Responder::default(),
            answer: Answer::default(),
            irc: Irc::default(),
            matrix: Matrix::default(),
            webhook: Webhook::default(),
            openai: OpenAi::default(),
            embedder: Embedder::default(),
            reranker: Reranker::default(),
            index: Index::default(),
            search: Search::default(),
            links: Links::default(),
            s3: S3::default(),
            batch: Batch::default(),
            replay: Replay::default(),
            effects: Effects::default(),
            api: Api::default(),
            oidc: Oidc::default(),
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
        .chain(info![Log Kafka Registry Postgres People Keystore Intake Buffer Extractor Responder Answer Irc Matrix Webhook OpenAi Embedder Reranker Index Search Links S3 Batch Replay Effects Api Oidc Telemetry])
        .collect()
}

#[cfg(test)]
mod tests;
