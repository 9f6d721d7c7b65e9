//! Truncating `chat.inbox`: what `intake` took is plain text, or was until it was sealed, and
//! nothing needs it any more.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use threadlore_model::{Group, Offset, Role, Topic, TopicPartition};
use threadlore_ports::{Clock, EventLog, PortError, Store};
use threadlore_store_postgres::{PostgresStore, Stand};
use threadlore_telemetry::{Metrics, catalogue::STEP};

use crate::node::Node;

/// How often it is looked whether what was decided is published, and how long between; then
/// it is left to the next time.
const LOOKS: usize = 10;
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

/// The inbox of a log, and how often it is truncated.
#[derive(Clone)]
pub(crate) struct Truncation {
    log: Arc<dyn EventLog>,
    store: Arc<PostgresStore>,
    clock: Arc<dyn Clock>,
    metrics: Metrics,
    every: Duration,
    /// In a data directory, where a process that was killed left what it had taken. On a
    /// cluster there are others, and many processes that start together.
    begins_at_once: bool,
}

impl Truncation {
    pub(crate) fn of(node: &Node) -> Self {
        Self {
            log: Arc::clone(&node.log),
            store: Arc::clone(&node.store),
            clock: Arc::clone(&node.clock),
            metrics: node.metrics.clone(),
            every: Duration::from_secs(node.settings.intake.truncate_inbox_seconds),
            begins_at_once: node.local.is_some(),
        }
    }

    /// Truncates from time to time, for as long as it is polled. A failure is logged when it
    /// begins and when it is over.
    pub(crate) async fn keep(self) {
        let mut fails = false;
        if !self.begins_at_once {
            self.clock.sleep(self.every).await;
        }
        loop {
            let failed = self.once().await.err();
            match &failed {
                Some(error) if !fails => tracing::warn!(
                    error = error as &dyn std::error::Error,
                    seconds = self.every.as_secs(),
                    "chat.inbox cannot be truncated, so what was sent stays there until its \
                     retention ends; it is tried again at this interval"
                ),
                None if fails => tracing::info!("chat.inbox is truncated again"),
                _ => {}
            }
            fails = failed.is_some();
            self.clock.sleep(self.every).await;
        }
    }

    /// Truncates every partition behind what intake took and published. While a command reads
    /// the inbox ([`PostgresStore::hold_inbox`]), nothing is done.
    pub(crate) async fn once(&self) -> Result<(), PortError> {
        let started = self.clock.now();
        let done = self.truncate().await;
        let result = if done.is_ok() { "ok" } else { "failed" };
        let seconds = self.clock.now().since(started).as_secs_f64();
        self.metrics.record(&STEP, &["truncate", result], seconds);
        done
    }

    async fn truncate(&self) -> Result<(), PortError> {
        let Some(_lock) = self.store.lock_inbox().await? else {
            return Ok(());
        };
        let intake = Group::of_role(Role::Intake);
        let mut before = BTreeMap::new();
        for stand in self.store.stands().await? {
            let next = stand.positions.get(&Topic::ChatInbox).copied();
            let Some(next) = next.filter(|next| stand.shard.group == intake && *next > Offset(0))
            else {
                continue;
            };
            // What followed from those records may be in the outbox alone, and a lost database
            // must not take it along.
            if stand.recovered && self.is_published(&stand).await? {
                let topic = Topic::ChatInbox;
                let partition = stand.shard.partition;
                before.insert(TopicPartition { topic, partition }, next);
            }
        }
        if before.is_empty() {
            return Ok(());
        }
        self.log.truncate(before).await
    }

    /// Whether everything left the outbox that was in it then. What is published leaves with
    /// the batch after it, so in a busy channel there is always something newer.
    async fn is_published(&self, stand: &Stand) -> Result<bool, PortError> {
        for _ in 0..LOOKS {
            let outbox = self.store.outbox(&stand.shard, 0, 1).await?;
            let first = outbox.first();
            if first.is_none_or(|row| row.sequence > stand.sequence) {
                return Ok(true);
            }
            self.clock.sleep(BETWEEN_LOOKS).await;
        }
        Ok(false)
    }
}
