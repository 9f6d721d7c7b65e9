//! Work on the partitions of a group that are this process's, as they come and go.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use threadlore_model::{Group, Partition, Timestamp, Topic};
use threadlore_ports::{Change, Class, Clock, EventLog, Membership, PortError};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Pause before a group is tried again that could not be joined.
const JOIN_AGAIN: Duration = Duration::from_secs(5);
/// After this time a partition is taken up again from which another owner shut us out,
/// and that is still said to be ours: the other one is gone, or was a command.
const AGAIN: Duration = Duration::from_secs(10);

/// A group, and the topic whose partitions are shared out in it.
pub(crate) struct Shared {
    pub(crate) log: Arc<dyn EventLog>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) group: Group,
    pub(crate) topic: Topic,
}

type Ended = (Partition, Result<(), PortError>);

/// One partition of ours.
enum Part {
    /// It is worked on.
    Works(CancellationToken),
    /// Its work ended by itself.
    Done,
    /// Another owner shut us out then.
    Fenced(Timestamp),
}

impl Shared {
    /// Has `work` done on every partition that is ours, until asked to stop. A partition
    /// that is given up is left when its batch is done.
    ///
    /// # Errors
    /// What the work ends with, except that another owner took over.
    pub(crate) async fn run<F>(
        self,
        stop: CancellationToken,
        work: impl Fn(Partition, CancellationToken) -> F + Send,
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
            let stop = CancellationToken::new();
            let work = work(partition, stop.clone());
            tasks.spawn(async move { (partition, work.await) });
            Part::Works(stop)
        };
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
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
                partition = self.fenced_for_long(&parts) => {
                    parts.insert(partition, begin(&mut tasks, partition));
                }
            }
        }
        let all = parts.drain().map(|(_, part)| part).collect();
        self.finish(all, &mut tasks, &mut parts).await
    }

    /// The partition of ours from which another owner shut us out first, [`AGAIN`] after
    /// that; never returns where there is none.
    async fn fenced_for_long(&self, parts: &HashMap<Partition, Part>) -> Partition {
        let fenced = parts.iter().filter_map(|(partition, part)| match part {
            Part::Fenced(at) => Some((*at, *partition)),
            Part::Works(_) | Part::Done => None,
        });
        let Some((at, partition)) = fenced.min() else {
            return std::future::pending().await;
        };
        let passed = self.clock.now().since(at);
        self.clock.sleep(AGAIN.saturating_sub(passed)).await;
        partition
    }

    /// Joins the group, as soon as that can be done; `None` when asked to stop before.
    async fn member(
        &self,
        stop: &CancellationToken,
    ) -> Result<Option<Box<dyn Membership>>, PortError> {
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
            () = stop.cancelled() => Ok(None),
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
                stop.cancel();
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
