//! A node that commands run on: those of this process and those of its guests.

use std::sync::Arc;

use threadlore_settings::Settings;
use tokio::sync::{Mutex, Notify, OnceCell};

use super::feeding::Feeding;
use super::{Node, Roles};
use crate::environment::Environment;

/// A node, and its roles once a command needs them.
pub(crate) struct Host {
    // Dropped in this order: the roles, then what they work on.
    feeding: OnceCell<Arc<Feeding>>,
    roles: Mutex<Option<Roles>>,
    started: Notify,
    pub(crate) node: Node,
}

impl Host {
    /// Opens the node; the roles do not run yet.
    pub(crate) async fn open(
        settings: Settings,
        environment: &Environment,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            feeding: OnceCell::new(),
            roles: Mutex::new(None),
            started: Notify::new(),
            node: Node::open(settings, environment).await?,
        })
    }

    /// Starts the roles, unless they run; returns what feeds the builds.
    pub(crate) async fn start(&self) -> anyhow::Result<&Feeding> {
        let start = || async {
            let roles = Roles::start(&self.node).await?;
            let feeding = roles.feeding();
            *self.roles.lock().await = Some(roles);
            self.started.notify_one();
            anyhow::Ok(feeding)
        };
        Ok(self.feeding.get_or_try_init(start).await?.as_ref())
    }

    /// Whether the roles were started.
    pub(crate) fn works(&self) -> bool {
        self.feeding.get().is_some()
    }

    /// Returns when a role failed, with why; while none runs, it waits.
    pub(crate) async fn failed(&self) -> anyhow::Error {
        self.started.notified().await;
        match self.roles.lock().await.as_mut() {
            Some(roles) => roles.failed().await,
            None => std::future::pending().await,
        }
    }

    /// Lets the roles finish what is in hand, if they run.
    pub(crate) async fn stop(&self) -> anyhow::Result<()> {
        match self.roles.lock().await.take() {
            Some(roles) => roles.stop().await,
            None => Ok(()),
        }
    }

    /// Puts in order what a command left that was cut off.
    pub(crate) async fn tidy(&self) {
        if let Some(feeding) = self.feeding.get()
            && let Err(error) = feeding.hold(&self.node).await
        {
            tracing::warn!(%error, "what a stopped command left could not be put in order");
        }
    }
}
