//! Roles as tasks of this process: one task per role and partition.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use threadlore_model::{BufferParams, ExtractorParams, IntakeParams, Partition, PromoterParams};
use threadlore_ports::{Generation, Generations, PortError, Projection, Stop};
use threadlore_replay::keep_folding;
use threadlore_runtime::{Buffer, Extractor, Intake, Limits, Processor, Promoter, keep_running};
use tokio::task::JoinSet;

use super::Node;

/// Running roles. Dropped without [`Roles::stop`], their tasks are cut off, as in a crash.
pub struct Roles {
    stop: Stop,
    tasks: JoinSet<Result<(), PortError>>,
}

impl Roles {
    /// Starts every role on every partition, and a projector per build.
    ///
    /// # Errors
    /// What the store says.
    pub async fn start(node: &Node) -> anyhow::Result<Self> {
        for projection in Projection::ALL {
            node.store.live(projection).await?;
        }
        let mut roles = Self {
            stop: Stop::default(),
            tasks: JoinSet::new(),
        };
        let settings = &node.settings;
        roles.run(node, Intake(intake(node)));
        roles.run(node, Buffer(buffer(settings)));
        roles.run(node, Extractor(extractor(settings)));
        roles.run(node, Promoter(promoter(settings)));
        for generation in node.store.generations().await? {
            roles.project(node, generation);
        }
        Ok(roles)
    }

    fn run<P: Processor>(&mut self, node: &Node, processor: P) {
        let processor = Arc::new(processor);
        let limits = Limits {
            batch: node.settings.batch.max_records,
            effects: node.settings.effects.concurrency,
            attempts: node.settings.effects.attempts,
        };
        for partition in partitions(node, P::INPUTS[0]) {
            self.tasks.spawn(keep_running(
                Arc::clone(&processor),
                partition,
                node.ports(),
                limits,
                self.stop.clone(),
            ));
        }
    }

    /// Feeds a build from now on.
    pub(crate) fn project(&mut self, node: &Node, generation: Generation) {
        for partition in partitions(node, generation.projection.topic()) {
            self.tasks.spawn(keep_folding(
                generation,
                partition,
                node.fold_ports(),
                node.settings.batch.max_records,
                self.stop.clone(),
            ));
        }
    }

    /// Returns when a role ended before it was told to: with what ended it.
    pub async fn failed(&mut self) -> anyhow::Error {
        match self.tasks.join_next().await {
            Some(Ok(Err(error))) => anyhow::Error::new(error).context("a role stopped"),
            Some(Ok(Ok(()))) | None => anyhow::anyhow!("a role stopped without being told to"),
            Some(Err(error)) => anyhow::Error::new(error).context("a role was cut off"),
        }
    }

    /// Lets every role finish its batch and stop.
    ///
    /// # Errors
    /// What a role ended with, or that it did not end in time.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        self.stop.set();
        let all = async {
            while let Some(ended) = self.tasks.join_next().await {
                ended.context("a role was cut off")??;
            }
            Ok(())
        };
        tokio::time::timeout(GRACE, all)
            .await
            .context("roles did not stop within their grace period")?
    }
}

/// Time for roles to finish what they have in hand.
const GRACE: Duration = Duration::from_secs(30);

fn partitions(node: &Node, topic: threadlore_model::Topic) -> impl Iterator<Item = Partition> {
    let count = i32::try_from(node.log.partitions(topic)).unwrap_or(i32::MAX);
    (0..count).map(Partition)
}

fn intake(node: &Node) -> IntakeParams {
    IntakeParams {
        hasher: node.hasher.clone(),
        max_text_bytes: node.settings.intake.max_text_bytes,
        case_link_base: node.settings.links.base.clone(),
    }
}

fn buffer(settings: &threadlore_settings::Settings) -> BufferParams {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    BufferParams {
        window_count: count(settings.buffer.window_count),
        pause: Duration::from_secs(settings.buffer.pause_seconds),
        idle: Duration::from_millis(settings.buffer.idle_ms),
        min_for_resolution: count(settings.buffer.min_for_resolution),
    }
}

fn extractor(settings: &threadlore_settings::Settings) -> ExtractorParams {
    ExtractorParams {
        window_age: Duration::from_secs(settings.extractor.window_hours * 3600),
        window_messages: settings.extractor.window_messages,
        known_cases: settings.extractor.known_cases,
        ..ExtractorParams::default()
    }
}

fn promoter(settings: &threadlore_settings::Settings) -> PromoterParams {
    PromoterParams {
        open_case_age: Duration::from_secs(settings.promoter.open_case_days * 24 * 3600),
    }
}
