//! A space in a directory: the format that `export` writes and `restore` reads.
//!
//! | file | holds |
//! |---|---|
//! | `manifest.json` | a description; written last, so a directory without it is no export |
//! | `records.avro` | records of the log, private fields sealed |
//! | `keys.jsonl` | the keys that open them: with both files, everything can be read |

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use threadlore_model::{
    Event, EventId, Group, Partition, PersonHasher, SpaceId, Subject, SubjectKey, Timestamp, Topic,
    TopicPartition,
};
use threadlore_node::Node;
use threadlore_ports::{Keystore, RawRecord};
use threadlore_schema::{ArchiveReader, ArchiveWriter, Archived};

use super::copy::Sum;
use crate::exit::BadInput;

/// The format that this version writes and reads.
const FORMAT: u32 = 1;
pub(super) const MANIFEST: &str = "manifest.json";
const RECORDS: &str = "records.avro";
const KEYS: &str = "keys.jsonl";
/// Keys read at a time.
const BATCH: usize = 500;

/// Topics in the order of the file: causes come before their effects. The inbox is an exception,
/// because only its unread records are exported.
pub(super) const ORDER: [Topic; 23] = [
    Topic::ChatEvents,
    Topic::KnowledgeRequests,
    Topic::ChatTurns,
    Topic::KnowledgeCases,
    Topic::Answers,
    Topic::Deliveries,
    Topic::Outcomes,
    Topic::KnowledgeMemories,
    Topic::Settings,
    Topic::Vectors,
    Topic::LogSkips,
    Topic::ChatInboxDlq,
    Topic::ChatEventsDlq,
    Topic::ChatTurnsDlq,
    Topic::KnowledgeCasesDlq,
    Topic::KnowledgeRequestsDlq,
    Topic::KnowledgeMemoriesDlq,
    Topic::AnswersDlq,
    Topic::DeliveriesDlq,
    Topic::OutcomesDlq,
    Topic::SettingsDlq,
    Topic::VectorsDlq,
    Topic::ChatInbox,
];

/// The description of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) format: u32,
    pub(super) space: SpaceId,
    /// When it was exported, and by which version.
    pub(super) exported_at: String,
    pub(super) version: String,
    /// A hash that shows whether two installations hash people with the same key. The key cannot be
    /// computed from it.
    pub(super) people: String,
    /// Partitions of each topic.
    pub(super) partitions: BTreeMap<String, u32>,
    /// How many records roles had not decided then; an export of an older version does not say it.
    #[serde(default)]
    pub(super) undecided: Option<u64>,
    /// Records of each topic that has any.
    pub(super) records: BTreeMap<String, u64>,
    pub(super) keys: u64,
    /// Of all records, and of all keys.
    pub(super) records_digest: String,
    pub(super) keys_digest: String,
}

impl Manifest {
    pub(super) fn of(node: &Node, space: &SpaceId) -> Self {
        let partitions = ORDER.map(|topic| (topic.name().to_owned(), node.log.partitions(topic)));
        Self {
            format: FORMAT,
            space: space.clone(),
            exported_at: node.clock.now().to_string(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            people: people(&node.hasher, space),
            partitions: partitions.into(),
            undecided: None,
            records: BTreeMap::new(),
            keys: 0,
            records_digest: String::new(),
            keys_digest: String::new(),
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.records.values().sum()
    }
}

/// The hash of a person who does not exist. It is equal in two installations with the same key.
pub(super) fn people(hasher: &PersonHasher, space: &SpaceId) -> String {
    hasher.person(space, "threadlore", "").to_string()
}

/// A record of a partition as the file has it.
pub(super) fn archived(at: TopicPartition, record: RawRecord) -> Archived {
    Archived {
        at,
        offset: record.offset,
        appended: record.appended,
        key: record.key,
        headers: record.headers,
        value: record.value,
    }
}

/// A record of the file in the form of the log.
pub(super) fn raw(record: Archived) -> RawRecord {
    RawRecord {
        offset: record.offset,
        appended: record.appended,
        key: record.key,
        headers: record.headers,
        value: record.value,
    }
}

/// Recognises repeated records. A role that is not sure whether an event was published publishes it
/// again with the same sequence.
#[derive(Default)]
pub(super) struct Once {
    /// As readers do: by the highest number of each producer.
    marks: HashMap<(TopicPartition, Group, Partition), u64>,
    /// Skips and dead letters, whose sequences may begin again.
    aside: HashSet<EventId>,
}

impl Once {
    /// Whether the record is no repeat of an earlier one.
    pub(super) fn is_first(&mut self, at: TopicPartition, event: &Event) -> bool {
        let envelope = &event.envelope;
        if at.topic == Topic::LogSkips || at.topic.letters_of().is_some() {
            return self.aside.insert(envelope.id);
        }
        let Some(producer) = &envelope.producer else {
            return true;
        };
        let shard = (at, producer.group.clone(), producer.partition);
        let mark = self.marks.entry(shard).or_default();
        let is_first = producer.sequence > *mark;
        *mark = producer.sequence.max(*mark);
        is_first
    }
}

/// Adds a record as the file has it to a digest.
pub(super) fn add(sum: &mut Sum, record: &Archived) {
    let place = format!(
        "{} {} {}",
        record.at,
        record.offset,
        record.appended.as_millis()
    );
    let headers = record.headers.iter().cloned();
    sum.add(&RawRecord {
        offset: record.offset,
        appended: record.appended,
        key: record.key.clone(),
        headers: headers.chain([(place, Vec::new())]).collect(),
        value: record.value.clone(),
    });
}

/// A directory that is written.
pub(super) struct Writing {
    dir: PathBuf,
    records: ArchiveWriter<BufWriter<File>>,
    sum: Sum,
    manifest: Manifest,
}

/// Whether something can be written there.
pub(super) fn check_free(dir: &Path) -> anyhow::Result<()> {
    match std::fs::read_dir(dir).map(Iterator::count) {
        Ok(0) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Ok(_) => Err(BadInput(format!(
            "{} is not empty: name a directory that does not exist",
            dir.display()
        ))
        .into()),
        Err(error) => Err(BadInput(format!("{} cannot be used: {error}", dir.display())).into()),
    }
}

impl Writing {
    pub(super) fn begin(dir: &Path, manifest: Manifest) -> anyhow::Result<Self> {
        check_free(dir)?;
        let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
        made.with_context(|| format!("creating {}", dir.display()))?;
        let records = ArchiveWriter::new(BufWriter::new(file(&dir.join(RECORDS))?))?;
        Ok(Self {
            dir: dir.to_owned(),
            records,
            sum: Sum::default(),
            manifest,
        })
    }

    pub(super) fn append(&mut self, record: Archived) -> anyhow::Result<()> {
        add(&mut self.sum, &record);
        let topic = record.at.topic.name().to_owned();
        *self.manifest.records.entry(topic).or_default() += 1;
        Ok(self.records.append(record)?)
    }

    /// Finishes the export: writes the keys, syncs all files, and writes the manifest last.
    pub(super) async fn finish(self, keys: &dyn Keystore) -> anyhow::Result<Manifest> {
        let Self {
            dir,
            records,
            sum,
            mut manifest,
        } = self;
        on_disk(records.finish()?, &dir.join(RECORDS))?;
        let path = dir.join(KEYS);
        let mut to = BufWriter::new(file(&path)?);
        let mut digest = Lines::default();
        for (subject, key) in of_space(keys, &manifest.space).await? {
            let line = serde_json::to_string(&KeyLine::of(&subject, key.as_ref()))?;
            digest.add(&line);
            manifest.keys += 1;
            writeln!(to, "{line}").with_context(|| format!("writing {}", path.display()))?;
        }
        on_disk(to, &path)?;
        manifest.records_digest = sum.digest();
        manifest.keys_digest = digest.0.digest();
        let path = dir.join(MANIFEST);
        let mut to = BufWriter::new(file(&path)?);
        writeln!(to, "{}", serde_json::to_string_pretty(&manifest)?)
            .with_context(|| format!("writing {}", path.display()))?;
        on_disk(to, &path)?;
        let synced = File::open(&dir).and_then(|dir| dir.sync_all());
        synced.with_context(|| format!("writing {}", dir.display()))?;
        Ok(manifest)
    }
}

/// A new file for its owner alone.
fn file(path: &Path) -> anyhow::Result<File> {
    let mut options = OpenOptions::new();
    let made = options.write(true).create_new(true).mode(0o600).open(path);
    made.with_context(|| format!("creating {}", path.display()))
}

fn on_disk(to: BufWriter<File>, path: &Path) -> anyhow::Result<()> {
    let synced = to
        .into_inner()
        .map_err(std::io::IntoInnerError::into_error)
        .and_then(|file| file.sync_all());
    synced.with_context(|| format!("writing {}", path.display()))
}

/// Keys of a space's subjects; `None` for those that were destroyed.
pub(super) async fn of_space(
    keys: &dyn Keystore,
    space: &SpaceId,
) -> anyhow::Result<BTreeMap<Subject, Option<SubjectKey>>> {
    let (mut found, mut after) = (BTreeMap::new(), None);
    loop {
        let read = keys.walk(after.as_ref(), BATCH).await?;
        let Some((last, _)) = read.last() else {
            return Ok(found);
        };
        after = Some(last.clone());
        found.extend(read.into_iter().filter(|(of, _)| space_of(of) == space));
    }
}

fn space_of(subject: &Subject) -> &SpaceId {
    match subject {
        Subject::Person(space, _) | Subject::Case(space, _) | Subject::Memory(space, _) => space,
    }
}

/// A line of the file of keys.
#[derive(Serialize, Deserialize)]
struct KeyLine {
    subject: String,
    /// 64 hexadecimal digits; null if the key was destroyed.
    key: Option<String>,
}

impl KeyLine {
    fn of(subject: &Subject, key: Option<&SubjectKey>) -> Self {
        let hex = |key: &SubjectKey| key.as_bytes().iter().map(|b| format!("{b:02x}")).collect();
        Self {
            subject: subject.to_string(),
            key: key.map(hex),
        }
    }

    fn parse(&self) -> Option<(Subject, Option<SubjectKey>)> {
        let subject = self.subject.parse().ok()?;
        let Some(hex) = &self.key else {
            return Some((subject, None));
        };
        if hex.len() != 64 || !hex.is_ascii() {
            return None;
        }
        let mut bytes = [0; 32];
        for (n, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).ok()?;
        }
        Some((subject, Some(SubjectKey::from_bytes(bytes))))
    }
}

/// The digest of lines.
#[derive(Default)]
struct Lines(Sum);

impl Lines {
    fn add(&mut self, line: &str) {
        self.0.add(&RawRecord {
            offset: threadlore_model::Offset(0),
            appended: Timestamp::EARLIEST,
            key: Vec::new(),
            headers: Vec::new(),
            value: line.as_bytes().to_vec(),
        });
    }
}

/// A directory that is read.
pub(super) struct Archive {
    dir: PathBuf,
    pub(super) manifest: Manifest,
}

impl Archive {
    /// Opens an export.
    ///
    /// # Errors
    /// `BadInput` if the directory is no export, or one of another version.
    pub(super) fn open(dir: &Path) -> anyhow::Result<Self> {
        let path = dir.join(MANIFEST);
        let text = std::fs::read_to_string(&path).map_err(|e| {
            BadInput(format!(
                "{} is no export: its {MANIFEST}, which is written last, cannot be read ({e})",
                dir.display()
            ))
        })?;
        let bad = |what: String| BadInput(format!("{}: {what}", path.display()));
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let format: Format =
            serde_json::from_str(&text).map_err(|e| bad(format!("it is no manifest ({e})")))?;
        if format.format != FORMAT {
            let other = format.format;
            return Err(bad(format!(
                "its format is {other}, and this version reads {FORMAT}: restore it with the \
                 version that wrote it"
            ))
            .into());
        }
        let manifest =
            serde_json::from_str(&text).map_err(|e| bad(format!("it is no manifest ({e})")))?;
        Ok(Self {
            dir: dir.to_owned(),
            manifest,
        })
    }

    /// Its records, in the order of the file.
    pub(super) fn records(
        &self,
    ) -> anyhow::Result<impl Iterator<Item = anyhow::Result<Archived>> + use<>> {
        let path = self.dir.join(RECORDS);
        let unreadable = |e: &dyn std::error::Error| {
            let why = e.source().map(|why| format!(": {why}")).unwrap_or_default();
            BadInput(format!("{}: {e}{why}", path.display()))
        };
        let from = File::open(&path).map_err(|e| unreadable(&e))?;
        let reader = ArchiveReader::new(BufReader::new(from)).map_err(|e| unreadable(&e))?;
        let path = path.clone();
        Ok(reader.map(move |record| {
            record.map_err(|e| {
                let e = anyhow::Error::from(e);
                anyhow::Error::new(BadInput(format!("{}: {e:#}", path.display())))
            })
        }))
    }

    /// The keys of the export.
    ///
    /// # Errors
    /// `BadInput` if the file does not match the manifest.
    pub(super) fn keys(&self) -> anyhow::Result<HashMap<Subject, Option<SubjectKey>>> {
        let path = self.dir.join(KEYS);
        let bad = |what: &str| BadInput(format!("{}: {what}", path.display()));
        let from = File::open(&path).map_err(|e| bad(&format!("{e}; restore needs it")))?;
        let (mut keys, mut digest) = (HashMap::new(), Lines::default());
        for (number, line) in BufReader::new(from).lines().enumerate() {
            let line = line.map_err(|e| bad(&e.to_string()))?;
            digest.add(&line);
            // The line holds a secret, so the error has its number only.
            let key = serde_json::from_str::<KeyLine>(&line).ok();
            let key = key.and_then(|line| line.parse());
            let (subject, key) =
                key.ok_or_else(|| bad(&format!("line {} is no key", number + 1)))?;
            if space_of(&subject) != &self.manifest.space {
                let number = number + 1;
                return Err(bad(&format!("line {number} is a key of another space")).into());
            }
            keys.insert(subject, key);
        }
        if digest.0.digest() != self.manifest.keys_digest {
            return Err(bad("these are not the keys that the manifest tells of").into());
        }
        Ok(keys)
    }
}
