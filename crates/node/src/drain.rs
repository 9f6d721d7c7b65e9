//! Whether anything is left to do.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt, TryStreamExt, stream};
use threadlore_model::{Group, Offset, Partition, Role, Run, Topic, TopicPartition};
use threadlore_ports::{
    Clock, EventLog, Generation, Generations, IndexSource, PortError, Positions, Projection, Shard,
    Store,
};
use threadlore_roles::{ROLES, RoleSpec};
use threadlore_store_postgres::PostgresStore;
use threadlore_telemetry::{Metrics, Standing, catalogue as metric};

use crate::node::{Node, partitions};
use crate::observer::role;

/// A key that wants to be examined within this time is something left to do;
/// one that waits longer (a pause of a live channel, an expiry) is not.
const SOON: Duration = Duration::from_secs(10);
/// Unpublished events counted of one shard at most; there are few, or something is wrong.
const COUNTED: usize = 1000;
/// Time between two looks.
const LOOK: Duration = Duration::from_millis(200);

/// What is left to do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Records that a role has not taken yet.
    pub records: u64,
    /// Events not published, calls not answered, keys to look at soon, points to make; counted
    /// once no record is left.
    pub others: u64,
}

impl Node {
    /// What is left to do, over all roles and builds. Others are counted once no
    /// record is left: before that there is work anyway, and looking costs the
    /// database what the roles need.
    ///
    /// # Errors
    /// What log and store say.
    pub async fn waiting(&self) -> Result<Waiting, PortError> {
        self.backlog().waiting().await
    }

    /// Dead letters that are kept, of each topic of them.
    ///
    /// # Errors
    /// What the log says.
    pub async fn dead_letters(&self) -> Result<BTreeMap<&'static str, u64>, PortError> {
        let mut letters = BTreeMap::new();
        for topic in Topic::ALL.into_iter().filter_map(Topic::dead_letters) {
            let mut count = 0;
            for partition in partitions(self, topic) {
                let range = self.log.range(TopicPartition { topic, partition }).await?;
                count += u64::try_from(range.end.0 - range.start.0).unwrap_or(0);
            }
            letters.insert(topic.name(), count);
        }
        Ok(letters)
    }

    /// Returns when nothing is left to do; `progress` gets what is.
    ///
    /// # Errors
    /// What log and store say.
    pub async fn drain(&self, progress: &(dyn Fn(Waiting) + Sync)) -> Result<(), PortError> {
        loop {
            let left = self.waiting().await?;
            progress(left);
            if left == Waiting::default() {
                return Ok(());
            }
            self.clock.sleep(LOOK).await;
        }
    }
}

/// Positions of the roles and builds, and the ends of the log.
#[derive(Clone)]
pub struct Backlog {
    pub(crate) log: Arc<dyn EventLog>,
    pub(crate) store: Arc<PostgresStore>,
    pub(crate) clock: Arc<dyn Clock>,
    /// The groups of roles that have others than one by their name.
    pub(crate) groups: BTreeMap<Role, Vec<Group>>,
}

/// A shard, the topics that it reads, and what it takes next of each.
struct Reading {
    shard: Shard,
    /// The role, where it decides; `None` for what folds.
    spec: Option<&'static RoleSpec>,
    topics: &'static [Topic],
    positions: Positions,
}

/// Where partitions begin and end.
type Ranges = HashMap<TopicPartition, Range<Offset>>;
/// Partitions that are asked for at a time; on a cluster each is a round trip.
const ASKED: usize = 16;

/// The position of a group in one partition of a topic.
struct Place<'a> {
    group: &'a Group,
    at: TopicPartition,
    /// What it takes next.
    next: Offset,
    end: Offset,
}

impl Place<'_> {
    /// Records that it has not taken yet.
    fn lag(&self) -> u64 {
        u64::try_from(self.end.0 - self.next.0).unwrap_or(0)
    }
}

impl Backlog {
    async fn waiting(&self) -> Result<Waiting, PortError> {
        let (mut shards, ranges) = self.shards().await?;
        shards.retain(|reading| reading.spec.is_none_or(|spec| spec.awaited));
        let mut left = Waiting {
            records: places(&shards, &ranges).iter().map(Place::lag).sum(),
            others: 0,
        };
        if left.records == 0 {
            for reading in &shards {
                left.others += self.others(&reading.shard).await?;
            }
            left.others += self.points().await?;
        }
        if left == Waiting::default() {
            // A call may have been answered since the records were counted.
            let later = self.ranges(ranges.keys().copied()).await?;
            left.others = u64::from(later != ranges);
        }
        Ok(left)
    }

    /// Shards of roles that decide, those that ever had an input.
    ///
    /// # Errors
    /// What log and store say.
    pub async fn deciders(&self) -> Result<Vec<Shard>, PortError> {
        let (mut shards, _) = self.shards().await?;
        shards.retain(decides);
        Ok(shards.into_iter().map(|reading| reading.shard).collect())
    }

    /// What roles that decide have not done: records of topics that only roles write, events
    /// to publish, calls to be answered.
    ///
    /// # Errors
    /// What log and store say.
    pub async fn undecided(&self) -> Result<u64, PortError> {
        let (mut shards, ranges) = self.shards().await?;
        shards.retain(decides);
        let places = places(&shards, &ranges);
        let written = places.iter().filter(|p| p.at.topic != Topic::ChatInbox);
        let mut left = written.map(Place::lag).sum();
        for Reading { shard, .. } in &shards {
            left += self.store.outbox(shard, 0, COUNTED).await?.len() as u64;
            left += self.store.effects(shard).await?.len() as u64;
        }
        Ok(left)
    }

    /// Records that wait, of each group that has any input.
    ///
    /// # Errors
    /// What log and store say.
    pub async fn lags(&self) -> Result<BTreeMap<String, u64>, PortError> {
        let (shards, ranges) = self.shards().await?;
        let mut lags = BTreeMap::new();
        for place in places(&shards, &ranges) {
            *lags.entry(place.group.as_str().to_owned()).or_default() += place.lag();
        }
        Ok(lags)
    }

    /// Tells what waits, of each role: records, events and calls.
    pub(crate) async fn tell(&self, metrics: &Metrics) -> Result<(), PortError> {
        let (mut outbox, mut effects) = (BTreeMap::new(), BTreeMap::new());
        let (shards, ranges) = self.shards().await?;
        for Reading { shard, .. } in &shards {
            let role = role(&shard.group);
            let unpublished = self.store.outbox(shard, 0, COUNTED).await?.len();
            *outbox.entry(role).or_insert(0) += unpublished as u64;
            *effects.entry(role).or_insert(0) += self.store.effects(shard).await?.len() as u64;
        }
        let standings = places(&shards, &ranges).into_iter().map(|place| Standing {
            lag: place.lag(),
            group: place.group.as_str().to_owned(),
            topic: place.at.topic.name(),
            partition: place.at.partition.0,
            next: place.next.0,
        });
        metrics.standings(&standings.collect::<Vec<_>>());
        let points = self.points().await?;
        metrics.record(&metric::INDEX_PENDING, &[], points as f64);
        for (role, events) in outbox {
            metrics.record(&metric::OUTBOX, &[role], events as f64);
        }
        for (role, calls) in effects {
            metrics.record(&metric::EFFECTS_PENDING, &[role], calls as f64);
        }
        Ok(())
    }

    /// Whether the database answers.
    pub(crate) async fn answers(&self) -> bool {
        self.store.fed().await.is_ok()
    }

    /// Shards that ever had an input, for the others have nothing to do; and all inputs. A shard of
    /// a role that the installation does without is left out until it has run.
    async fn shards(&self) -> Result<(Vec<Reading>, Ranges), PortError> {
        let mut groups: Vec<(Group, &'static [Topic], Option<&'static RoleSpec>)> = Vec::new();
        for spec in &ROLES {
            let of_role: Vec<Group> = match (self.groups.get(&spec.role), spec.role) {
                (Some(groups), _) => groups.clone(),
                (None, Role::Extractor) => self.runs().await?.into_iter().map(Run::group).collect(),
                (None, role) => vec![Group::of_role(role)],
            };
            let of_role = of_role.into_iter();
            groups.extend(of_role.map(|group| (group, spec.inputs, Some(spec))));
        }
        for generation in self.builds().await? {
            groups.push((generation.group(), generation.projection.inputs(), None));
        }
        let mut shards: Vec<Reading> = Vec::new();
        for (group, topics, spec) in groups {
            let partitions = (0..self.log.partitions(topics[0])).map(partition);
            let reading = |partition| {
                let group = group.clone();
                Reading {
                    shard: Shard { group, partition },
                    spec,
                    topics,
                    positions: Positions::new(),
                }
            };
            shards.extend(partitions.map(reading));
        }
        let all: HashSet<TopicPartition> = shards.iter().flat_map(inputs).collect();
        let ranges = self.ranges(all.into_iter()).await?;
        let used = |at| ranges.get(&at).is_some_and(|range| range.end > Offset(0));
        shards.retain(|reading| inputs(reading).any(used));
        let stands = self.store.stands().await?.into_iter();
        let mut begun: HashMap<_, _> = stands.map(|s| (s.shard, s.positions)).collect();
        shards.retain_mut(|reading| match begun.remove(&reading.shard) {
            Some(positions) => {
                reading.positions = positions;
                true
            }
            // One that wants no answers runs no responder and no gateway.
            None => !reading.spec.is_some_and(|spec| spec.optional),
        });
        Ok((shards, ranges))
    }

    /// Builds that are to have what came: those that are fed, and the live ones even while a
    /// replay holds them back.
    async fn builds(&self) -> Result<BTreeSet<Generation>, PortError> {
        let mut builds: BTreeSet<_> = self.store.fed().await?.into_iter().collect();
        for projection in Projection::ALL {
            builds.insert(self.store.live(projection).await?);
        }
        Ok(builds)
    }

    /// The runs that decide cases; before anything was made, the first.
    async fn runs(&self) -> Result<BTreeSet<Run>, PortError> {
        let mut runs = self.store.runs().await?;
        if runs.is_empty() {
            runs.insert(Run::FIRST);
        }
        Ok(runs)
    }

    async fn ranges(&self, all: impl Iterator<Item = TopicPartition>) -> Result<Ranges, PortError> {
        let range = |at| async move { Ok((at, self.log.range(at).await?)) };
        let ranges = stream::iter(all.map(range)).buffer_unordered(ASKED);
        ranges.try_collect().await
    }

    /// Cases whose points are to be made, of all builds.
    async fn points(&self) -> Result<u64, PortError> {
        let mut left = 0;
        for build in self.builds().await? {
            if build.projection == Projection::Cases {
                left += IndexSource::waiting(self.store.as_ref(), build).await?;
            }
        }
        Ok(left)
    }

    async fn others(&self, shard: &Shard) -> Result<u64, PortError> {
        let soon = self.clock.now().plus(SOON);
        let outbox = self.store.outbox(shard, 0, 1).await?.len();
        let effects = self.store.effects(shard).await?.len();
        let wakes = self.store.wakes(shard).await?;
        let wakes = wakes.iter().filter(|wake| wake.at <= soon).count();
        Ok((outbox + effects + wakes) as u64)
    }
}

/// Whether its role decides, and a command waits for that.
fn decides(reading: &Reading) -> bool {
    reading.spec.is_some_and(|spec| spec.awaited)
}

/// The position of every shard in each of its inputs.
fn places<'a>(shards: &'a [Reading], ranges: &Ranges) -> Vec<Place<'a>> {
    let of_shard = |reading: &'a Reading| {
        inputs(reading).filter_map(|at| {
            let range = ranges.get(&at)?;
            let next = reading.positions.get(&at.topic).copied();
            Some(Place {
                group: &reading.shard.group,
                at,
                next: next.unwrap_or(range.start),
                end: range.end,
            })
        })
    };
    shards.iter().flat_map(of_shard).collect()
}

/// What a shard reads.
fn inputs(reading: &Reading) -> impl Iterator<Item = TopicPartition> + use<> {
    let (partition, topics) = (reading.shard.partition, reading.topics);
    let at = move |&topic: &Topic| TopicPartition { topic, partition };
    topics.iter().map(at)
}

fn partition(n: u32) -> Partition {
    Partition(i32::try_from(n).unwrap_or(i32::MAX))
}
