//! `threadlore log copy`: copies the whole log to the log of another settings file.
//!
//! | file | holds |
//! |---|---|
//! | `map` | the map from old to new offsets |
//! | `moved` | the changes of offsets inside records |
//! | `records` | reading, writing, reading back |
//! | `beside` | keys and blobs |

mod beside;
mod map;
mod moved;
mod records;

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use serde::Serialize;
use threadlore_node::{Kept, SystemClock, read_urls};
use threadlore_ports::{Class, Clock, Observer, Silent};
use threadlore_settings::{LogEngine, Settings};
use threadlore_store_postgres::PostgresStore;

pub(super) use self::map::{Map, NOWHERE, Names, Place};
pub(super) use self::moved::{event_at, moved};
pub(super) use self::records::{Sum, partitions};
use self::records::{check, copy, ends, read_back, survey};
use crate::exit::{BadInput, DIFFERENT};
use crate::output::Output;
use crate::printable::counted;

/// The file of the target's data directory that has the old and new offsets.
const OFFSETS: &str = "copied-offsets.json";

/// The result of a copy, or of a dry run.
#[derive(Serialize)]
struct Copied {
    from: String,
    to: String,
    records: u64,
    keys: u64,
    blobs: u64,
    /// Whether every partition reads back as it must be.
    equal: bool,
    dry_run: bool,
    /// The file with old and new offsets.
    offsets: Option<String>,
    partitions: Vec<Part>,
}

/// One partition that has records.
#[derive(Serialize)]
struct Part {
    partition: String,
    records: u64,
    /// Whether offsets differ.
    moved: bool,
    /// Digests of the source's records and of those read back from the target.
    from: Option<String>,
    to: Option<String>,
    copied: u64,
}

impl Part {
    fn is_equal(&self) -> bool {
        self.records == self.copied && self.from == self.to
    }
}

pub(super) async fn run(
    (to, dry_run): (&Path, bool),
    settings: &Settings,
    json: bool,
) -> anyhow::Result<u8> {
    let out = &Output::Here;
    let target = target(to, settings)?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let observer: Arc<dyn Observer> = Arc::new(Silent);
    let from = Kept::open(settings, &clock, &observer, None).await?;
    check_database(&target, out).await?;
    let mut copied = Copied {
        from: place(settings),
        to: place(&target),
        records: 0,
        keys: 0,
        blobs: 0,
        equal: true,
        dry_run,
        offsets: None,
        partitions: Vec::new(),
    };
    if dry_run {
        let map = survey(from.log.as_ref(), &ends(from.log.as_ref()).await?).await?;
        copied.plan(&map);
    } else {
        let to = Kept::open(&target, &clock, &observer, Some(&from.people)).await?;
        let url = |settings: &Settings| {
            let url = settings.keystore.url.as_ref();
            url.map(|url| url.reveal().to_owned())
        };
        // One keystore for both has all the keys already.
        let one_keystore = url(settings).is_some() && url(settings) == url(&target);
        copied.copy((&from, &to), one_keystore, out).await?;
    }
    copied.tell(out, json)?;
    Ok(if copied.equal { 0 } else { DIFFERENT })
}

/// The settings of the target, from its file only, because the environment is about the source.
fn target(path: &Path, settings: &Settings) -> anyhow::Result<Settings> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|e| BadInput(format!("the settings file {shown} cannot be read: {e}")))?;
    let mut target = Settings::load(Some(&text), &Default::default())
        .with_context(|| format!("reading the target's settings {shown}"))?;
    read_urls(&mut target).with_context(|| format!("reading the target's settings {shown}"))?;
    let from = &settings.data_dir;
    let own = |settings: &Settings| !settings.in_data_dir().is_empty();
    if own(settings) && !from.join("FORMAT").exists() {
        return Err(BadInput(format!(
            "there is no log to copy in {}: name its data directory with --data-dir or --config",
            from.display()
        ))
        .into());
    }
    let canonical = |dir: &Path| dir.canonicalize().ok();
    let same = canonical(from).is_some_and(|from| canonical(&target.data_dir) == Some(from));
    if same && own(settings) && own(&target) {
        return Err(BadInput(format!(
            "{shown} names the data directory that is copied from: the target needs one of its \
             own, because its database stands elsewhere in another log"
        ))
        .into());
    }
    Ok(target)
}

/// Refuses a target whose database has offsets of another log.
async fn check_database(target: &Settings, out: &Output) -> anyhow::Result<()> {
    let used = |which: &str| {
        BadInput(format!(
            "{which} has positions of another log: choose an empty one; the tables are rebuilt \
             from the copy"
        ))
    };
    let Some(url) = &target.postgres.url else {
        let own = target.data_dir.join("postgres");
        if own.exists() {
            return Err(used(&format!("the database in {}", own.display())).into());
        }
        return Ok(());
    };
    let has_positions = async {
        let store = PostgresStore::connect(url.reveal(), 1).await?;
        store.has_positions().await
    };
    match has_positions.await {
        Ok(false) => Ok(()),
        Ok(true) => Err(used("the target's database (`postgres.url`)").into()),
        Err(error) if error.class() == Class::Retry => {
            out.say(
                "the target's database does not answer, so nobody looked whether it has positions \
                 of another log: it must have none",
            );
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// The location of a log, in a few words.
fn place(settings: &Settings) -> String {
    let dir = settings.data_dir.display().to_string();
    let keys = match settings.keystore.url {
        Some(_) => "PostgreSQL",
        None => dir.as_str(),
    };
    match (&settings.log.engine, &settings.kafka.bootstrap_servers) {
        (LogEngine::Kafka, Some(servers)) => format!("Kafka at {servers}, keys in {keys}"),
        _ => dir,
    }
}

impl Copied {
    fn plan(&mut self, map: &Map) {
        self.records = map.records();
        for (at, offsets) in &map.0 {
            let records = u64::try_from(offsets.count()).unwrap_or(0);
            if records > 0 {
                self.partitions.push(Part {
                    partition: at.to_string(),
                    records,
                    moved: !offsets.is_identity(),
                    from: None,
                    to: None,
                    copied: 0,
                });
            }
        }
    }

    async fn copy(
        &mut self,
        (from, to): (&Kept, &Kept),
        one_keystore: bool,
        out: &Output,
    ) -> anyhow::Result<()> {
        if from.people != to.people {
            return Err(BadInput(
                "the target hashes people with another key, so the same people would be others: \
                 give it the key of this log (`people.hash_key_file`)"
                    .to_owned(),
            )
            .into());
        }
        check(from.log.as_ref(), to.log.as_ref()).await?;
        let before = ends(from.log.as_ref()).await?;
        let map = survey(from.log.as_ref(), &before).await?;
        self.plan(&map);
        // A key is there before anything that is sealed with it.
        if !one_keystore {
            self.keys = beside::keys(from.keys.as_ref(), to.keys.as_ref()).await?;
        }
        self.blobs = beside::blobs(from.blobs.as_ref(), to.blobs.as_ref()).await?;
        let steps = out.steps("copying", self.records, false);
        let sums = copy(from.log.as_ref(), to.log.as_ref(), &map, &steps).await;
        let sums = sums.context("the copy is of no use: start again with an empty target")?;
        steps.done(&format!("{} records", self.records));
        anyhow::ensure!(
            ends(from.log.as_ref()).await? == before,
            "something wrote to the log while it was copied: stop that, and start again with an \
             empty target"
        );
        self.offsets = Some(save(&map, to.path())?);
        let steps = out.steps("reading back", self.records, false);
        let back = read_back(to.log.as_ref(), &steps, self.records).await?;
        steps.done("every partition was compared");
        for (part, at) in self.partitions.iter_mut().zip(with_records(&map)) {
            part.from = sums.get(&at).map(records::Sum::digest);
            part.to = back.get(&at).map(records::Sum::digest);
            part.copied = back.get(&at).map_or(0, |sum| sum.records);
        }
        let all: u64 = back.values().map(|sum| sum.records).sum();
        self.equal = all == self.records && self.partitions.iter().all(Part::is_equal);
        Ok(())
    }

    fn tell(&self, out: &Output, json: bool) -> anyhow::Result<()> {
        if json {
            out.json(self)?;
            return Ok(());
        }
        for part in &self.partitions {
            let (name, records) = (&part.partition, part.records);
            let moved = if part.moved { ", offsets move" } else { "" };
            let compared = match (&part.from, &part.to) {
                (Some(from), Some(to)) if part.is_equal() => {
                    format!(", equal: {}", &from[..to.len().min(16)])
                }
                (Some(from), Some(to)) => {
                    format!(
                        ", DIFFERENT: {from} became {to} with {} records",
                        part.copied
                    )
                }
                _ => String::new(),
            };
            out.print(format_args!(
                "{name:<24} {}{moved}{compared}",
                counted(records, "record")
            ));
        }
        let (records, keys, blobs) = (self.records, self.keys, self.blobs);
        let (from, to) = (&self.from, &self.to);
        match &self.offsets {
            None => out.print(format_args!(
                "{} would go from {from} to {to}",
                counted(records, "record")
            )),
            Some(file) => out.print(format_args!(
                "{}, {} and {} went from {from} to {to}; old and new offsets are in {file}",
                counted(records, "record"),
                counted(keys, "key"),
                counted(blobs, "blob")
            )),
        }
        Ok(())
    }
}

/// Writes the old and new offsets to a file; returns its path.
fn save(map: &Map, dir: &Path) -> anyhow::Result<String> {
    let path = dir.join(OFFSETS);
    let partitions = map.0.iter();
    let partitions = partitions.map(|(at, offsets)| (at.to_string(), offsets));
    let partitions: std::collections::BTreeMap<_, _> = partitions.collect();
    let text = serde_json::to_string_pretty(&partitions)?;
    std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
    Ok(path.display().to_string())
}

/// Partitions that have records, in their order.
fn with_records(map: &Map) -> impl Iterator<Item = threadlore_model::TopicPartition> + '_ {
    let used = map.0.iter().filter(|(_, offsets)| offsets.count() > 0);
    used.map(|(at, _)| *at)
}
