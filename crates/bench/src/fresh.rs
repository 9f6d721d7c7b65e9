//! What a suite that runs the whole system begins with.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use threadlore_model::{Group, Partition, Role, Topic};
use threadlore_node::Node;
use threadlore_ports::{Generations as _, IndexSource, Projection, Shard, Store as _};
use threadlore_settings::Settings;
use tokio::runtime::{Builder, Runtime};

/// A runtime as the program has it.
pub(crate) fn runtime() -> anyhow::Result<Runtime> {
    let runtime = Builder::new_multi_thread().enable_all().build();
    runtime.context("starting the async runtime")
}

/// The default settings, with a data directory.
pub(crate) fn settings(dir: &Path) -> anyhow::Result<Settings> {
    let mut settings = Settings::load(None, &BTreeMap::new())?;
    settings.data_dir = dir.to_owned();
    Ok(settings)
}

/// How often it is looked whether a role is through.
const LOOK: Duration = Duration::from_millis(20);

/// Returns once a role that runs alone has decided on, or folded, all that it reads, and has published what
/// follows.
pub(crate) async fn through(node: &Node, role: Role) -> anyhow::Result<()> {
    let mut often = tokio::time::interval(LOOK);
    loop {
        often.tick().await;
        let left = match role {
            Role::Indexer => points(node).await?,
            _ => records(node, role).await?,
        };
        if left == 0 {
            return Ok(());
        }
    }
}

/// What a role has not read, or not published. The tables have the groups of no role.
async fn records(node: &Node, role: Role) -> anyhow::Result<u64> {
    let lags = node.backlog().lags().await?;
    let roles: BTreeSet<&str> = Role::ALL.into_iter().map(Role::name).collect();
    let is_own = |name: &str| match role {
        Role::Projector => !roles.contains(name),
        role => name == role.name(),
    };
    let own: Vec<u64> = lags
        .iter()
        .filter(|(name, _)| is_own(name))
        .map(|(_, lag)| *lag)
        .collect();
    // Without one it has not begun.
    let mut left = own.iter().sum::<u64>() + u64::from(own.is_empty());
    if left == 0 {
        for partition in partitions(node, Topic::ChatEvents)? {
            let group = Group::of_role(role);
            left += node
                .store
                .outbox(&Shard { group, partition }, 0, 1)
                .await?
                .len() as u64;
        }
    }
    Ok(left)
}

/// Cases of the live build whose points are to be made.
async fn points(node: &Node) -> anyhow::Result<u64> {
    let live = node.store.live(Projection::Cases).await?;
    Ok(IndexSource::waiting(node.store.as_ref(), live).await?)
}

/// The partitions of a topic.
pub(crate) fn partitions(node: &Node, topic: Topic) -> anyhow::Result<Vec<Partition>> {
    let all = 0..i32::try_from(node.log.partitions(topic))?;
    Ok(all.map(Partition).collect())
}

#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Of seconds, in milliseconds.
pub(crate) fn percentile(seconds: &mut [f64], of_hundred: usize) -> f64 {
    seconds.sort_by(f64::total_cmp);
    let at = (seconds.len() * of_hundred / 100).min(seconds.len().saturating_sub(1));
    seconds.get(at).map_or(0.0, |seconds| seconds * 1_000.0)
}
