//! The shards of a run, by number.

use threadlore_model::{Group, Partition, Role, Topic};
use threadlore_ports::{Projection, Shard};
use threadlore_roles::ROLES;

use crate::sim::platform::GATEWAY;
use crate::sim::workload::PARTITIONS;

/// What a shard's processes do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Job {
    Worker(Role),
    Projector(Projection),
}

/// The model of vectors.
pub(crate) const MODEL: &str = "simulated/1";

/// Number of shards: in every partition a worker of each role that decides, then a projector of
/// each projection.
pub(crate) fn shards() -> usize {
    (ROLES.len() + Projection::ALL.len()) * PARTITIONS as usize
}

/// What a shard is, by its number.
pub(crate) fn job_of(n: usize) -> (Job, Partition) {
    let (job, partition) = (n / PARTITIONS as usize, n % PARTITIONS as usize);
    let job = match ROLES.get(job) {
        Some(spec) => Job::Worker(spec.role),
        None => Job::Projector(Projection::ALL[job - ROLES.len()]),
    };
    (job, Partition(partition as i32))
}

/// The shard as the store knows it.
pub(crate) fn shard_of(job: Job, partition: Partition) -> Shard {
    let group = match job {
        Job::Worker(Role::Embedder) => Group::of_embedder(MODEL),
        Job::Worker(Role::Gateway) => Group::of_gateway(GATEWAY),
        Job::Worker(role) => Group::of_role(role),
        Job::Projector(projection) => Group::of_generation(projection.name(), 1),
    };
    Shard { group, partition }
}

/// A shard's name; `None` is the gateway.
pub(crate) fn shard_name(shard: Option<usize>) -> String {
    shard.map(job_of).map_or_else(
        || "gateway".to_owned(),
        |(job, partition)| shard_of(job, partition).to_string(),
    )
}

/// Topics that a job reads.
pub(crate) fn inputs(job: Job) -> Vec<Topic> {
    match job {
        Job::Worker(role) => {
            let mut specs = ROLES.iter().filter(|spec| spec.role == role);
            specs
                .next()
                .map_or_else(Vec::new, |spec| spec.inputs.to_vec())
        }
        Job::Projector(projection) => vec![projection.topic()],
    }
}
