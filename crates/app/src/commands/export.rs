//! `threadlore export`: everything that a space owns, in a directory.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use serde::Serialize;
use threadlore_model::{
    Body, CaseId, Event, Group, Offset, Partition, Role, Run, SpaceId, Topic, TopicPartition,
};
use threadlore_node::{Node, people_key_file, topics};
use threadlore_ports::{OutboxRow, Shard, Store};
use threadlore_roles::ROLES;
use threadlore_schema::{Codec, move_producer};
use threadlore_store_postgres::Stand;

use super::Call;
use super::archive::{MANIFEST, Manifest, ORDER, Once, Writing, archived, check_free};
use super::copy::{Map, event_at, partitions};
use super::destination::{Destination, is_directory};
use crate::cli::Export;
use crate::exit::BadInput;
use crate::output::Output;
use crate::printable::counted;

/// Records read at a time.
const BATCH: usize = 500;
/// Time between two looks.
const LOOK: Duration = Duration::from_millis(200);

/// The result of an export, or of a dry run.
#[derive(Serialize)]
struct Exported {
    space: SpaceId,
    to: String,
    records: BTreeMap<String, u64>,
    keys: u64,
    /// Records of the space that cannot be decoded; they are not exported.
    unreadable: u64,
    /// The file that a restore into a new installation needs besides, and that is not in it.
    people_key: String,
    dry_run: bool,
}

pub(super) fn check(options: &Export, dir: &Path) -> anyhow::Result<()> {
    match is_directory(&options.to) {
        true => check_free(&dir.join(&options.to)),
        // The store of objects is asked once it is known.
        false => Ok(()),
    }
}

pub(super) async fn run(options: &Export, call: &Call<'_>) -> anyhow::Result<u8> {
    let node = &call.host.node;
    call.host.start().await?;
    // Records that intake has not processed must not be truncated before they are exported.
    let _inbox = node.store.hold_inbox().await?;
    let moment = Moment::now(node, call.out).await?;
    let place = Destination::of(&options.to, call).await?;
    let to = place.dir();
    let manifest = Manifest {
        undecided: Some(moment.undecided),
        ..Manifest::of(node, &options.space)
    };
    let mut chosen = Chosen {
        space: &options.space,
        moment: &moment,
        map: Map::default(),
        once: Once::default(),
        live: node.runs().await?.live,
        cases: HashSet::new(),
        unreadable: 0,
        counts: BTreeMap::new(),
    };
    let mut writing = match options.dry_run {
        true => None,
        false => Some(Writing::begin(to, manifest)?),
    };
    chosen.write(node, call.out, writing.as_mut()).await?;
    let Chosen {
        counts, unreadable, ..
    } = chosen;
    if counts.is_empty() {
        if writing.take().is_some() {
            std::fs::remove_dir_all(to)?;
        }
        let space = &options.space;
        return Err(BadInput(format!("the space {space} has no records here")).into());
    }
    let mut done = Exported {
        space: options.space.clone(),
        to: place.shown(),
        records: counts,
        keys: 0,
        unreadable,
        people_key: absolute(&people_key_file(&node.settings)),
        dry_run: options.dry_run,
    };
    if let Some(writing) = writing {
        done.keys = writing.finish(node.keys.as_ref()).await?.keys;
        place.send(Some(MANIFEST)).await?;
    }
    done.tell(call)?;
    Ok(0)
}

/// A consistent cut through the log: it contains each decision together with its inputs, although
/// roles go on working.
struct Moment {
    /// The end offset of each partition.
    ends: BTreeMap<TopicPartition, Offset>,
    /// The offset of the next record that intake reads.
    inbox: HashMap<Partition, Offset>,
    /// The last sequence of every shard. Later events are left out.
    decided: HashMap<(Group, Partition), u64>,
    /// How many records and calls are left to roles that decide, but for those of the inbox.
    undecided: u64,
}

impl Moment {
    async fn now(node: &Node, out: &Output) -> anyhow::Result<Self> {
        let backlog = node.backlog();
        let said = Said::default();
        let stands = loop {
            let deciders = backlog.deciders().await?;
            let mut stands = node.store.stands().await?;
            // Other roles decide nothing, so they have no decision to wait for.
            stands.retain(|stand| stand.recovered && deciders.contains(&stand.shard));
            if stands.len() == deciders.len() {
                break stands;
            }
            said.once(out, &waiting_for(&deciders, &stands));
            node.clock.sleep(LOOK).await;
        };
        // Committed events are published in a moment, if their role runs.
        for stand in &stands {
            let is_behind = |rows: Vec<OutboxRow>| {
                rows.first()
                    .is_some_and(|row| row.sequence <= stand.sequence)
            };
            let said = Said::default();
            while is_behind(node.store.outbox(&stand.shard, 0, 1).await?) {
                let shard = &stand.shard;
                said.once(
                    out,
                    &format!("waiting for {shard} to publish what it decided"),
                );
                node.clock.sleep(LOOK).await;
            }
        }
        // Topics of effects are cut before the topics of their causes.
        let mut ends = BTreeMap::new();
        let mut all = partitions(node.log.as_ref());
        all.sort_by_key(|at| std::cmp::Reverse(*at));
        for at in all {
            ends.insert(at, node.log.range(at).await?.end);
        }
        let intake = Group::of_role(Role::Intake);
        let inbox = stands.iter().filter(|stand| stand.shard.group == intake);
        let inbox = inbox.filter_map(|stand| {
            let next = stand.positions.get(&Topic::ChatInbox)?;
            Some((stand.shard.partition, *next))
        });
        let mut undecided = 0;
        for stand in &stands {
            let inputs = inputs(&stand.shard.group).filter(|topic| *topic != Topic::ChatInbox);
            let left = inputs.map(|topic| {
                let partition = stand.shard.partition;
                let end = ends.get(&TopicPartition { topic, partition });
                let next = stand.positions.get(&topic);
                let [end, next] = [end, next].map(|at| at.map_or(0, |at| at.0));
                u64::try_from(end - next).unwrap_or(0)
            });
            undecided += left.sum::<u64>();
            undecided += node.store.effects(&stand.shard).await?.len() as u64;
        }
        Ok(Self {
            ends,
            inbox: inbox.collect(),
            undecided,
            decided: stands
                .iter()
                .map(|s| ((s.shard.group.clone(), s.shard.partition), s.sequence))
                .collect(),
        })
    }
}

/// What a group reads.
fn inputs(group: &Group) -> impl Iterator<Item = Topic> {
    let role: Option<Role> = group.role().parse().ok();
    let spec = ROLES.iter().find(|spec| Some(spec.role) == role);
    spec.map_or(&[][..], |spec| spec.inputs).iter().copied()
}

/// Says which shards have not taken up their state, and what to do about it.
fn waiting_for(deciders: &[Shard], ready: &[Stand]) -> String {
    let missing = deciders
        .iter()
        .filter(|shard| ready.iter().all(|stand| stand.shard != **shard))
        .map(Shard::to_string);
    format!(
        "waiting for {} to take up its state from the log; start its role where none runs \
         (threadlore run ROLE)",
        missing.collect::<Vec<_>>().join(", ")
    )
}

/// A message that is printed once, and only after a while.
#[derive(Default)]
struct Said(std::cell::Cell<u32>);

impl Said {
    /// Looks that are not worth a word.
    const SHORT: u32 = 10;

    fn once(&self, out: &Output, words: &str) {
        self.0.set(self.0.get() + 1);
        if self.0.get() == Self::SHORT {
            out.say(words);
        }
    }
}

/// The records of a space.
struct Chosen<'a> {
    space: &'a SpaceId,
    moment: &'a Moment,
    /// Those that are in it so far.
    map: Map,
    once: Once,
    /// The decision run that is exported, as the first one; the others stay behind.
    live: Run,
    /// Its cases.
    cases: HashSet<CaseId>,
    unreadable: u64,
    counts: BTreeMap<String, u64>,
}

impl Chosen<'_> {
    async fn write(
        &mut self,
        node: &Node,
        out: &Output,
        mut to: Option<&mut Writing>,
    ) -> anyhow::Result<()> {
        let (codec, topics) = (Codec::new(), topics(&node.settings));
        let mut places = Vec::new();
        let mut total = 0;
        for (at, end) in &self.moment.ends {
            let start = node.log.range(*at).await?.start;
            total += u64::try_from(end.0 - start.0).unwrap_or(0);
            places.push((*at, start, *end));
        }
        let position = |topic| ORDER.iter().position(|t| *t == topic);
        places.sort_by_key(|(at, ..)| (position(at.topic), at.partition));
        let steps = out.steps("exporting", total, false);
        let mut read = 0;
        for (at, start, end) in places {
            let mut next = start;
            while next < end {
                let records = node.raw.read_raw(at, next, BATCH).await?;
                let Some(last) = records.last() else { break };
                next = last.offset.next();
                read += records.len() as u64;
                for mut record in records.into_iter().filter(|record| record.offset < end) {
                    let Ok(event) = event_at((&codec, &topics), at, &record) else {
                        self.unreadable += u64::from(self.is_key_of_space(&record.key));
                        continue;
                    };
                    if !self.has(at, record.offset, &event) || !self.once.is_first(at, &event) {
                        continue;
                    }
                    self.cases.extend(event.body.case());
                    self.map.0.entry(at).or_default().push(record.offset);
                    *self.counts.entry(at.topic.name().to_owned()).or_default() += 1;
                    if let Some(to) = &mut to {
                        move_producer(&mut record.headers, |producer| {
                            if producer.group == self.live.group() {
                                producer.group = Run::FIRST.group();
                            }
                        });
                        to.append(archived(at, record))?;
                    }
                }
                steps.at(read, total);
            }
        }
        let records: u64 = self.counts.values().sum();
        steps.done(&format!("{records} records"));
        Ok(())
    }

    fn is_key_of_space(&self, key: &[u8]) -> bool {
        let rest = key.strip_prefix(self.space.as_str().as_bytes());
        rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'/')))
    }

    /// Whether a record is the space's, and of that moment.
    fn has(&self, at: TopicPartition, offset: Offset, event: &Event) -> bool {
        if event.envelope.space != *self.space {
            return false;
        }
        if at.topic == Topic::ChatInbox {
            let taken = self.moment.inbox.get(&at.partition);
            return taken.is_none_or(|next| offset >= *next);
        }
        // A skip is exported only together with the record that it names.
        if let Body::RecordSkipped(skip) = &event.body {
            let named = TopicPartition {
                topic: skip.topic,
                partition: Partition(skip.partition),
            };
            if !self.map.has(named, skip.offset) {
                return false;
            }
        }
        if !self.is_of_live_run(at, event) {
            return false;
        }
        event.envelope.producer.as_ref().is_none_or(|producer| {
            let shard = (producer.group.clone(), producer.partition);
            let decided = self.moment.decided.get(&shard);
            decided.is_none_or(|last| producer.sequence <= *last)
        })
    }
}

impl Chosen<'_> {
    /// Whether no decision run made it, or the one that is exported.
    fn is_of_live_run(&self, at: TopicPartition, event: &Event) -> bool {
        if let Body::VectorComputed(vector) = &event.body {
            return self.cases.contains(&vector.case);
        }
        let Some(producer) = &event.envelope.producer else {
            return true;
        };
        let shard = Shard {
            group: producer.group.clone(),
            partition: producer.partition,
        };
        let decides = shard.role() == Role::Extractor.name();
        let is_decided = decides || at.topic == Topic::KnowledgeCases;
        !is_decided || Run::of(producer) == self.live
    }
}

/// The absolute form of a path, if it exists.
fn absolute(path: &Path) -> String {
    let absolute = std::path::absolute(path);
    let shown = absolute.as_deref().unwrap_or(path).display();
    shown.to_string()
}

impl Exported {
    fn tell(&self, call: &Call<'_>) -> anyhow::Result<()> {
        if call.json {
            call.out.json(self)?;
            return Ok(());
        }
        for (topic, records) in &self.records {
            call.out
                .print(format_args!("{topic:<24} {}", counted(*records, "record")));
        }
        let records: u64 = self.records.values().sum();
        let (space, to, keys) = (&self.space, &self.to, self.keys);
        let people_key = &self.people_key;
        match self.dry_run {
            true => call.out.print(format_args!(
                "{} of the space {space} would be written to {to}",
                counted(records, "record")
            )),
            false => call.out.print(format_args!(
                "{} and {} of the space {space} are in {to}; whoever has both of its files reads \
                 everything\n\
                 a new installation also needs the key for people, which belongs to all spaces and \
                 is not in the export: keep a copy of it, apart from the export, and name it\n  \
                 cp '{people_key}' COPY\n  \
                 threadlore restore '{to}' --people-key COPY",
                counted(records, "record"),
                counted(keys, "key")
            )),
        }
        if self.unreadable > 0 {
            let count = self.unreadable;
            call.out.say(format_args!(
                "{count} records under keys of the space cannot be read by anybody; they stay behind"
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use threadlore_ports::Positions;

    use super::*;

    #[test]
    fn whoever_waits_hears_for_which_shards() {
        let shard = |role| Shard {
            group: Group::of_role(role),
            partition: Partition(1),
        };
        let deciders = [Role::Buffer, Role::Extractor, Role::Responder].map(shard);
        let ready = Stand {
            shard: shard(Role::Extractor),
            sequence: 3,
            recovered: true,
            positions: Positions::new(),
        };
        let said = waiting_for(&deciders, &[ready]);
        assert!(said.contains("for buffer/1, responder/1 to take"), "{said}");
    }
}
