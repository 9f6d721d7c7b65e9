//! `threadlore restore`: brings a space back from an export.
//!
//! Its records are appended after the existing ones. Then the roles of their partitions recover
//! their state from the log, as after the loss of a database: decisions are folded, and nothing is
//! decided again.
//!
//! | file | holds |
//! |---|---|
//! | `people` | the key for people, for a new installation |
//! | `plan` | the checked content of the export |
//! | `target` | the log: its records of the space, and the missing ones |

mod people;
mod plan;
mod repartition;
mod target;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use serde::Serialize;
use threadlore_model::{SpaceId, Subject, SubjectKey};
use threadlore_node::Node;
use threadlore_ports::PortError;
use threadlore_roles::ROLES;
use threadlore_store_postgres::{AdvisoryLock, Restoring};

pub(super) use self::people::key as people_key;
use self::plan::Plan;
use self::target::Found;
use super::Call;
use super::archive::{Archive, of_space, people};
use super::import::{drained, work};
use crate::cli::Restore;
use crate::exit::BadInput;
use crate::printable::counted;

/// How often a moment is waited for at which nothing is undecided.
const TRIES: usize = 10;

/// The result of a restore, or of a dry run.
#[derive(Serialize)]
struct Restored {
    space: SpaceId,
    /// When it was exported.
    exported_at: String,
    records: BTreeMap<String, u64>,
    keys: u64,
    /// Records that an interrupted restore of the same export had appended.
    earlier: u64,
    appended: u64,
    /// Partitions whose roles recover their state.
    partitions: usize,
    dry_run: bool,
}

/// Whether it can be read at all.
pub(super) fn check(options: &Restore, dir: &Path) -> anyhow::Result<()> {
    Archive::open(&dir.join(&options.from)).map(|_| ())
}

pub(super) async fn run(options: &Restore, call: &Call<'_>) -> anyhow::Result<u8> {
    let (node, out) = (&call.host.node, call.out);
    let archive = Archive::open(&call.dir.join(&options.from))?;
    let space = archive.manifest.space.clone();
    check_people(&archive, node)?;
    let plan = Plan::read(&archive, node.log.as_ref(), out)?;
    let keys = missing_keys(&archive, node).await?;
    let _lock = lock(node).await?;
    let _inbox = node.store.hold_inbox().await?;
    let other = other(&archive, node).await?;
    let resumes = other.as_ref().is_some_and(|other| other.begun);
    let mut found = Found::of_run(node.runs().await?.live);
    found.read(node.raw.as_ref(), &space, out).await?;
    if found.records() > 0 && !resumes {
        return Err(BadInput(format!(
            "the space {space} has {} here already: restore it into an installation without a \
             space of that name",
            counted(found.records(), "record")
        ))
        .into());
    }
    found.check(&plan, &space)?;
    let mut done = Restored {
        exported_at: archive.manifest.exported_at.clone(),
        records: archive.manifest.records.clone(),
        keys: keys.len() as u64,
        earlier: found.earlier(&plan),
        appended: 0,
        partitions: plan.partitions.len(),
        dry_run: options.dry_run,
        space,
    };
    if options.dry_run {
        done.tell(call)?;
        return Ok(0);
    }
    let _expected = node.expect_restore();
    if !resumes {
        // A restore that was interrupted before it appended anything.
        if other.is_some() {
            node.store.release().await?;
        }
        alone(call, &archive, &plan, &mut found).await?;
    }
    let appended = async {
        // A key is there before anything that is sealed with it; one may have been destroyed
        // meanwhile.
        let keys = missing_keys(&archive, node).await?;
        node.keys.put(keys).await?;
        let partitions: Vec<_> = plan.partitions.iter().copied().collect();
        node.store
            .forget_partitions(&ROLES.map(|spec| spec.role), &partitions)
            .await?;
        let whole = (&archive, plan);
        let appended = found.complete(node.raw.as_ref(), whole, out).await?;
        node.store.release().await?;
        anyhow::Ok(appended)
    };
    done.appended = appended.await.context(
        "the space is not restored yet, and until then no role works: once the cause is mended, \
         the same command goes on from there",
    )?;
    work(call).await?;
    done.tell(call)?;
    Ok(0)
}

/// Checks that both installations hash people with the same key.
fn check_people(archive: &Archive, node: &Node) -> anyhow::Result<()> {
    let manifest = &archive.manifest;
    if people(&node.hasher, &manifest.space) == manifest.people {
        return Ok(());
    }
    Err(BadInput(
        "people were hashed with another key where this was exported, so the same people would be \
         others here: restore it into a new data directory, with --people-key and the exporting \
         installation's key"
            .to_owned(),
    )
    .into())
}

/// The keys that are missing here. A key that was destroyed here stays destroyed, so that a restore
/// does not undo an erasure.
async fn missing_keys(
    archive: &Archive,
    node: &Node,
) -> anyhow::Result<Vec<(Subject, Option<SubjectKey>)>> {
    let there = of_space(node.keys.as_ref(), &archive.manifest.space).await?;
    let mut missing = Vec::new();
    for (subject, key) in archive.keys()? {
        match (there.get(&subject), &key) {
            (None, _) | (Some(Some(_)), None) => missing.push((subject, key)),
            (Some(None), _) => {}
            (Some(Some(ours)), Some(theirs)) if ours == theirs => {}
            (Some(Some(_)), Some(_)) => {
                return Err(BadInput(format!(
                    "{subject} has another key here, with which nothing of this export opens: the \
                     space was made anew here, so choose another installation"
                ))
                .into());
            }
        }
    }
    Ok(missing)
}

/// The right to restore: one command at a time has it, over all processes.
async fn lock(node: &Node) -> anyhow::Result<AdvisoryLock> {
    let lock = node.store.lock_restores().await?;
    let busy = || PortError::Busy {
        doing: "restoring",
        reason: "another command is restoring: wait until it has ended",
        source: None,
    };
    Ok(lock.ok_or_else(busy)?)
}

/// An interrupted restore of the same export.
async fn other(archive: &Archive, node: &Node) -> anyhow::Result<Option<Restoring>> {
    let other = node.store.restoring().await?;
    match other {
        Some(other) if other.digest != archive.manifest.records_digest => Err(BadInput(format!(
            "the restore of the space {} was cut off: end that one first, by the same command \
                 that began it",
            other.space
        ))
        .into()),
        same => Ok(same),
    }
}

/// Shuts out the roles, at a moment at which nothing is undecided.
async fn alone(
    call: &Call<'_>,
    archive: &Archive,
    plan: &Plan,
    found: &mut Found,
) -> anyhow::Result<()> {
    let (node, manifest) = (&call.host.node, &archive.manifest);
    call.host.start().await?;
    if node.is_shared() {
        call.out
            .say("waiting for the processes that run the roles to have nothing left to do");
    }
    for _ in 0..TRIES {
        drained(node, call.out).await?;
        node.store
            .halt(manifest.space.as_str(), &manifest.records_digest)
            .await?;
        let look = async {
            if node.backlog().undecided().await? > 0 {
                return Ok(false);
            }
            // Reads the records that arrived since the first reading.
            let read = found.read(node.raw.as_ref(), &manifest.space, call.out);
            read.await?;
            found.check(plan, &manifest.space)?;
            anyhow::Ok(true)
        };
        match look.await {
            Ok(true) => return Ok(()),
            Ok(false) => node.store.release().await?,
            Err(error) => {
                node.store.release().await?;
                return Err(error);
            }
        }
    }
    Err(BadInput(
        "new messages come in faster than the roles are done: stop the gateways for the time of \
         the restore, and try again"
            .to_owned(),
    )
    .into())
}

impl Restored {
    fn tell(&self, call: &Call<'_>) -> anyhow::Result<()> {
        if call.json {
            call.out.json(self)?;
            return Ok(());
        }
        for (topic, records) in &self.records {
            call.out
                .print(format_args!("{topic:<24} {}", counted(*records, "record")));
        }
        let all: u64 = self.records.values().sum();
        let (space, keys, partitions) = (&self.space, self.keys, self.partitions);
        let at = &self.exported_at;
        match self.dry_run {
            true => call.out.print(format_args!(
                "the export of {at} is whole; {} and {} of the space {space} would be \
                 added, and the roles of {} would take up their state anew",
                counted(all - self.earlier, "record"),
                counted(keys, "key"),
                counted(partitions as u64, "partition")
            )),
            false => call.out.print(format_args!(
                "the space {space} is back as it was at {at}: {}, of which an earlier try had appended {}, and {} that \
                 were not here",
                counted(all, "record"),
                self.earlier,
                counted(keys, "key")
            )),
        }
        Ok(())
    }
}
