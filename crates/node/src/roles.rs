//! Roles as tasks of this process: one task per role and partition.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use threadlore_callers::EmbedCaller;
use threadlore_model::Role;
use threadlore_ports::PortError;
use threadlore_roles::{
    Buffer, Embedder, Gateway, Intake, Learner, Processor, Promoter, ROLES, Responder,
};
use threadlore_roles::{
    BufferParams, EmbedderParams, ExtractorParams, GatewayParams, IntakeParams, ResponderParams,
};
use threadlore_runtime::{Caller, Limits, NoCaller, keep_running};
use threadlore_settings::{Engine, GATEWAYS, Settings};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::error::BadInput;
use crate::feeder::why;
use crate::feeding::Feeding;
use crate::gateways;
use crate::node::Node;
use crate::truncation::Truncation;

/// The roles that processes run: those that decide, and two that fold.
pub const WORKERS: [Role; ROLES.len() + 2] = {
    let mut all = [Role::Projector; ROLES.len() + 2];
    let mut n = 0;
    while n < ROLES.len() {
        all[n] = ROLES[n].role;
        n += 1;
    }
    all[n + 1] = Role::Indexer;
    all
};

/// Running roles. Dropped without [`Roles::stop`], their tasks are cut off, as in a crash.
pub struct Roles {
    stop: CancellationToken,
    tasks: JoinSet<Result<(), PortError>>,
    feeding: Arc<Feeding>,
    /// Looks which builds are fed, and truncates the inbox; cut off when this is dropped.
    watch: JoinSet<()>,
    /// Truncates the inbox of a local log once more when the roles have stopped.
    last_truncation: Option<Truncation>,
    failures: UnboundedReceiver<anyhow::Error>,
}

impl Roles {
    /// All roles that can run here: the embedder only where a model is chosen for it, and gateways
    /// where there are some.
    #[must_use]
    pub fn all(node: &Node) -> Vec<Role> {
        let can = |role: &Role| match role {
            Role::Embedder => node.embedder.is_some(),
            Role::Gateway => !node.gateways.is_empty(),
            _ => true,
        };
        WORKERS.into_iter().filter(can).collect()
    }

    /// Starts roles on the partitions that are this process's: all of them where no other
    /// process works.
    ///
    /// # Errors
    /// What the store says; the embedder without a model; the gateway where none is chosen.
    pub async fn start(node: &Node, which: &[Role]) -> anyhow::Result<Self> {
        let (feeding, failures) = Feeding::start(node, which).await?;
        let mut roles = Self {
            stop: CancellationToken::new(),
            tasks: JoinSet::new(),
            watch: JoinSet::new(),
            last_truncation: None,
            feeding: Arc::clone(&feeding),
            failures,
        };
        roles.watch.spawn(feeding.watch(Arc::clone(&node.clock)));
        let settings = &node.settings;
        for role in which {
            match role {
                Role::Intake => {
                    roles.run(node, Intake(intake(node)), NoCaller);
                    let truncation = Truncation::of(node);
                    if node.local.is_some() {
                        roles.last_truncation = Some(truncation.clone());
                    }
                    roles.watch.spawn(truncation.keep());
                }
                Role::Buffer => roles.run(node, Buffer(buffer(settings)), NoCaller),
                Role::Responder => roles.run(node, Responder(responder(node)), node.outside()),
                Role::Learner => roles.run(node, Learner, NoCaller),
                Role::Promoter => roles.run(node, Promoter, NoCaller),
                Role::Embedder => {
                    let engine = node.embedder.as_ref().ok_or_else(|| {
                        let sentence = "the role embedder needs a model: set `embedder.engine` and what \
                                        it needs";
                        BadInput(sentence.to_owned())
                    })?;
                    let params = EmbedderParams::of_model(engine.model());
                    roles.run(node, Embedder(params), EmbedCaller(Arc::clone(engine)));
                }
                Role::Gateway => roles.run_gateways(node)?,
                // The feeding runs the first three; who starts the process serves the pages.
                Role::Extractor | Role::Projector | Role::Indexer | Role::Api => {}
            }
        }
        Ok(roles)
    }

    /// What feeds the builds.
    pub(crate) fn feeding(&self) -> Arc<Feeding> {
        Arc::clone(&self.feeding)
    }

    /// Every gateway in both directions.
    fn run_gateways(&mut self, node: &Node) -> anyhow::Result<()> {
        if node.gateways.is_empty() {
            let keys = GATEWAYS
                .map(|gateway| format!("`{}`", gateway.key))
                .join(" or ");
            return Err(BadInput(format!(
                "the role gateway needs a gateway: set {keys} and what it needs (see docs/irc.md, docs/matrix.md \
                 and docs/webhook.md)"
            ))
            .into());
        }
        for gateway in &node.gateways {
            let posting = gateways::posting(node, gateway);
            let (inbox, clock) = (Arc::clone(&posting.inbox), Arc::clone(&node.clock));
            let (gateway, stop) = (Arc::clone(gateway), self.stop.clone());
            let (name, is_exclusive) = (gateway.name(), gateway.is_exclusive());
            let params = GatewayParams::of(name, gateway.platforms());
            let deliveries = self.work(node, Gateway(params), posting);
            let (observer, receiving) = (node.observer(), stop.clone());
            let receive = move || {
                let (gateway, inbox) = (Arc::clone(&gateway), Arc::clone(&inbox));
                let (clock, observer) = (Arc::clone(&clock), Arc::clone(&observer));
                gateways::receive(gateway, inbox, clock, observer, receiving.clone())
            };
            // A data directory has one owner, so nobody else is connected.
            if !is_exclusive || node.local.is_some() {
                self.tasks.spawn(receive());
                self.tasks.spawn(deliveries);
                continue;
            }
            let (store, clock) = (Arc::clone(&node.store), Arc::clone(&node.clock));
            self.tasks.spawn(async move {
                let Some(hold) = gateways::Hold::gained(store, clock, name, stop).await? else {
                    return Ok(());
                };
                // Only who is connected can send.
                futures::try_join!(hold.during(receive), deliveries).map(|_| ())
            });
        }
        Ok(())
    }

    fn run<P: Processor>(&mut self, node: &Node, processor: P, caller: impl Caller<P> + 'static) {
        let work = self.work(node, processor, caller);
        self.tasks.spawn(work);
    }

    /// The work of a role on the partitions that are this process's, once it is polled.
    fn work<P: Processor, C: Caller<P> + 'static>(
        &self,
        node: &Node,
        processor: P,
        caller: C,
    ) -> impl Future<Output = Result<(), PortError>> + Send + use<P, C> {
        let processor = Arc::new(processor);
        let caller: Arc<dyn Caller<P>> = Arc::new(caller);
        let ports = node.fold_ports();
        let limits = limits(&node.settings);
        let shared = node.shared(processor.group(), P::INPUTS[0]);
        let work = move |partition, stop| {
            let (processor, caller) = (Arc::clone(&processor), Arc::clone(&caller));
            keep_running(processor, caller, partition, ports.clone(), limits, stop)
        };
        shared.run(self.stop.clone(), work)
    }

    /// Returns when a role ended before it was asked to: with what ended it.
    pub async fn failed(&mut self) -> anyhow::Error {
        let ended = tokio::select! {
            Some(ended) = self.tasks.join_next() => why(ended),
            Some(error) = self.failures.recv() => Some(error),
            else => None,
        };
        ended.unwrap_or_else(|| anyhow::anyhow!("a role stopped without being asked to"))
    }

    /// Lets every role finish its batch and stop.
    ///
    /// # Errors
    /// What a role ended with, or that it did not end in time.
    pub async fn stop(mut self) -> anyhow::Result<()> {
        self.stop.cancel();
        let all = async {
            while let Some(ended) = self.tasks.join_next().await {
                why(ended).map_or(Ok(()), Err)?;
            }
            self.watch.shutdown().await;
            self.feeding.stop().await;
            if let Some(truncation) = &self.last_truncation
                && let Err(error) = truncation.once().await
            {
                // The next start does it.
                tracing::debug!(%error, "chat.inbox was not truncated at the end");
            }
            self.failures.try_recv().map_or(Ok(()), Err)
        };
        tokio::time::timeout(GRACE, all)
            .await
            .context("roles did not stop within their grace period")?
    }
}

/// Time for roles to finish what they have in hand.
const GRACE: Duration = Duration::from_secs(30);

/// Bounds of the loop of a role.
pub(crate) fn limits(settings: &Settings) -> Limits {
    Limits {
        batch: settings.batch.max_records,
        calls: settings.effects.concurrency,
        attempts: settings.effects.attempts,
    }
}

fn intake(node: &Node) -> IntakeParams {
    IntakeParams {
        hasher: node.hasher.clone(),
        max_text_bytes: node.settings.intake.max_text_bytes,
        case_link_base: node.settings.link_base(),
    }
}

fn buffer(settings: &Settings) -> BufferParams {
    BufferParams {
        window_count: settings.buffer.window_count,
        pause: Duration::from_secs(settings.buffer.pause_seconds),
        idle: Duration::from_millis(settings.buffer.idle_ms),
        min_for_resolution: settings.buffer.min_for_resolution,
        debounce: match settings.extractor.engine {
            Engine::Builtin => Some(Duration::ZERO),
            Engine::OpenAi => Some(Duration::from_secs(settings.extractor.debounce_seconds)),
        },
        turn_gap: Duration::from_millis(settings.buffer.turn_gap_ms),
    }
}

pub(crate) fn responder(node: &Node) -> ResponderParams {
    let settings = &node.settings;
    let chosen = &settings.responder;
    let nick = settings
        .irc
        .server
        .is_some()
        .then(|| settings.irc.nick.to_lowercase());
    ResponderParams {
        names: chosen.names().into_iter().chain(nick).collect(),
        answer_within: Duration::from_secs(chosen.answer_within_seconds),
        repeat_after: Duration::from_secs(chosen.repeat_after_seconds),
        per_minute: chosen.answers_per_minute,
        per_day: chosen.answers_per_day,
        gate_by_model: settings.answer.gate,
        judge_by_model: settings.answer.judge,
        facts_by_model: settings.answer.facts,
        wordings: Arc::clone(&node.memory.wordings),
    }
}

/// The settings of those who decide the first run.
pub(crate) fn extractor(settings: &Settings) -> ExtractorParams {
    ExtractorParams {
        window_age: Duration::from_secs(settings.extractor.window_hours * 3600),
        window_messages: settings.extractor.window_messages,
        known_cases: settings.extractor.known_cases,
        merge_at: i64::from(settings.extractor.merge_at),
        open_case_age: Duration::from_secs(settings.extractor.open_case_days * 24 * 3600),
        ..ExtractorParams::default()
    }
}

#[cfg(test)]
mod tests {
    use threadlore_model::Topic;
    use threadlore_schema::Topics;

    use super::*;

    #[test]
    fn topics_yaml_lets_a_role_read_and_write_what_it_declares() {
        for spec in ROLES {
            for &topic in spec.inputs {
                let readers = &Topics::embedded().get(topic).readers;
                assert!(readers.contains(&spec.role), "{} reads {topic}", spec.role);
            }
            for topic in Topics::embedded().iter() {
                let is_own = topic.topic.is_truth() && topic.topic != Topic::LogSkips;
                // What a platform says of its admins is no decision of the role.
                let is_own = is_own && topic.topic != Topic::Settings;
                let writes = is_own && topic.writers().contains(&spec.role);
                let declares = spec.outputs.contains(&topic.topic);
                let name = topic.topic;
                assert_eq!(writes, declares, "{} writes {name}", spec.role);
            }
        }
    }

    #[test]
    fn every_role_is_run_once() {
        let unique: std::collections::BTreeSet<Role> = WORKERS.into_iter().collect();
        assert_eq!(unique.len(), WORKERS.len());
    }
}
