//! A chat platform that answers are sent to, and the gateway that sends them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use threadlore_model::{Delivery, DeliveryKind, Key};
use threadlore_ports::PortError;
use threadlore_roles::Gateway;
use threadlore_runtime::{Caller, Patience};

use crate::sim::faults::Boundary;
use crate::sim::models::late;
use crate::sim::sched::Ctx;

/// The gateway's name.
pub(crate) const GATEWAY: &str = "simulated";

/// What the platform has. It outlives every process.
#[derive(Debug, Default)]
pub(crate) struct Platform(Mutex<PlatformState>);

/// What was sent to the platform.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct PlatformState {
    /// Ids of messages by the key of their delivery; the platform sends each key once.
    pub(crate) posts: BTreeMap<String, String>,
    /// Ids of messages that were taken back.
    pub(crate) withdrawn: Vec<String>,
    /// Calls, repeated ones too.
    pub(crate) calls: usize,
}

impl Platform {
    /// What it has now.
    pub(crate) fn shown(&self) -> PlatformState {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Takes a delivery; returns the ids of its messages.
    fn take(&self, delivery: &Delivery) -> Vec<String> {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown.calls += 1;
        match &delivery.what {
            DeliveryKind::Answer { .. } => {
                let next = format!("posted-{}", shown.posts.len());
                let id = shown.posts.entry(delivery.key()).or_insert(next);
                vec![id.clone()]
            }
            DeliveryKind::Withdrawal { native_ids } => {
                for id in native_ids {
                    if !shown.withdrawn.contains(id) {
                        shown.withdrawn.push(id.clone());
                    }
                }
                Vec::new()
            }
        }
    }
}

/// Sends to the platform, late at random.
pub(crate) struct SimGateway {
    pub(crate) ctx: Ctx,
    pub(crate) platform: Arc<Platform>,
}

#[async_trait]
impl Caller<Gateway> for SimGateway {
    fn step(&self) -> &'static str {
        "deliver"
    }

    fn patience(&self, delivery: &Delivery) -> Patience {
        Patience::Until(delivery.until)
    }

    async fn answer(&self, _key: &Key, delivery: &Delivery) -> Result<Vec<String>, PortError> {
        let call = async {
            late(&self.ctx).await;
            Ok(self.platform.take(delivery))
        };
        self.ctx.around(Boundary::Deliver, call).await
    }
}
