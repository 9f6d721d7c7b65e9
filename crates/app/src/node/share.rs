//! Work on the partitions of a group that are this process's, as they come and go.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use threadlore_model::{Group, Partition, Timestamp, Topic};
use threadlore_ports::{Change, Class, Clock, EventLog, Membership, PortError, Stop};
use tokio::task::JoinSet;

/// Time between two looks at the signal to stop.
const LOOK: Duration = Duration::from_millis(200);
/// Pause before a group is tried again that could not be joined.
const JOIN_AGAIN: Duration = Duration::from_secs(5);
/// After this time a partition is taken up again from which another owner shut us out,
/// and that is still said to be ours: the other one is gone, or was a command.
const AGAIN: Duration = Duration::from_secs(10);

/// A group, and the topic whose partitions are shared out in it.
pub(super) struct Shared {
    pub(super) log: Arc<dyn EventLog>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) group: Group,
    pub(super) topic: Topic,
}

type Ended = (Partition, Result<(), PortError>);

/// One partition of ours.
enum Part {
    /// It is worked on.
    Works(Stop),
    /// Its work ended by itself.
    Done,
    /// Another owner shut us out then.
    Fenced(Timestamp),
}

impl Shared {
    /// Has `work` done on every partition that is ours, until told to stop. A partition
    /// that is given up is left when its batch is done.
    ///
    /// # Errors
    /// What the work ends with, except that another owner took over.
    pub(super) async fn run<F>(
        self,
        stop: Stop,
        work: impl Fn(Partition, Stop) -> F + Send,
    ) -> Result<(), PortError>
    where
        F: Future<Output = Result<(), PortError>> + Send + 'static,
    {
        let Some(mut membership) = self.member(&stop).await? else {
            return Ok(());
        };
        let mut tasks: JoinSet<Ended> = JoinSet::new();
        let mut parts: HashMap<Partition, Part> = HashMap::new();
        let begin = |tasks: &mut JoinSet<Ended>, partition| {
            let stop = Stop::default();
            let work = work(partition, stop.clone());
            tasks.spawn(async move { (partition, work.await) });
            Part::Works(stop)
        };
        while !stop.is_set() {
            tokio::select! {
                change = membership.change() => match change? {
                    Change::Assigned(new) => {
                        tracing::debug!(group = %self.group, partitions = ?numbers(&new), "assigned");
                        for partition in new {
                            parts.insert(partition, begin(&mut tasks, partition));
                        }
                    }
                    Change::Revoked(gone, released) => {
                        tracing::debug!(group = %self.group, partitions = ?numbers(&gone), "revoked");
                        let gone = gone.iter().filter_map(|partition| parts.remove(partition));
                        self.finish(gone.collect(), &mut tasks, &mut parts).await?;
                        drop(released);
                    }
                },
                Some(ended) = tasks.join_next() => self.ended(ended, &mut parts)?,
                () = self.clock.sleep(LOOK) => {
                    let before = self.clock.now().minus(AGAIN);
                    let ours = parts.iter();
                    let again: Vec<Partition> = ours
                        .filter(|(_, part)| matches!(part, Part::Fenced(at) if *at < before))
                        .map(|(partition, _)| *partition)
                        .collect();
                    for partition in again {
                        parts.insert(partition, begin(&mut tasks, partition));
                    }
                }
            }
        }
        let all = parts.drain().map(|(_, part)| part).collect();
        self.finish(all, &mut tasks, &mut parts).await
    }

    /// Joins the group, as soon as that can be done; `None` when told to stop before.
    async fn member(&self, stop: &Stop) -> Result<Option<Box<dyn Membership>>, PortError> {
        let told = async {
            while !stop.is_set() {
                self.clock.sleep(LOOK).await;
            }
        };
        let joined = async {
            let mut said = false;
            loop {
                match self.log.join(&self.group, self.topic).await {
                    Err(error) if error.class() == Class::Retry => {
                        // Once for each group: it is tried for as long as it takes.
                        if !std::mem::replace(&mut said, true) {
                            tracing::warn!(
                                group = %self.group,
                                error = &error as &dyn std::error::Error,
                                "no partitions are taken yet; trying again"
                            );
                        }
                    }
                    joined => return joined,
                }
                self.clock.sleep(JOIN_AGAIN).await;
            }
        };
        tokio::select! {
            joined = joined => joined.map(Some),
            () = told => Ok(None),
        }
    }

    /// Lets the work on partitions that are ours no more come to its end; the others go on.
    async fn finish(
        &self,
        gone: Vec<Part>,
        tasks: &mut JoinSet<Ended>,
        ours: &mut HashMap<Partition, Part>,
    ) -> Result<(), PortError> {
        let works = |part: &&Part| matches!(part, Part::Works(_));
        let mut left = gone.iter().filter(works).count();
        for part in gone {
            if let Part::Works(stop) = part {
                stop.set();
            }
        }
        while left > 0 {
            let Some(ended) = tasks.join_next().await else {
                break;
            };
            let is_ours = matches!(&ended, Ok((partition, _)) if ours.contains_key(partition));
            left -= usize::from(!is_ours);
            self.ended(ended, ours)?;
        }
        Ok(())
    }

    fn ended(
        &self,
        ended: Result<Ended, tokio::task::JoinError>,
        parts: &mut HashMap<Partition, Part>,
    ) -> Result<(), PortError> {
        let (partition, result) = ended.map_err(|error| PortError::Broken {
            doing: "working on a partition",
            reason: format!("the work of {} was cut off", self.group),
            source: Some(Box::new(error)),
        })?;
        let part = match result {
            Err(error) if error.is_fenced() => Part::Fenced(self.clock.now()),
            Err(error) => return Err(error),
            Ok(()) => Part::Done,
        };
        if let Some(place) = parts.get_mut(&partition) {
            *place = part;
        }
        Ok(())
    }
}

fn numbers(partitions: &[Partition]) -> Vec<i32> {
    partitions.iter().map(|partition| partition.0).collect()
}
