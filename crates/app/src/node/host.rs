//! A node that commands run on: those of this process and those of its guests.

use std::sync::Arc;

use threadlore_model::Role;
use threadlore_ports::Projection;
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
    /// The roles of this process: none for a command beside processes that have them.
    which: Vec<Role>,
    started: Notify,
    pub(crate) node: Node,
}

impl Host {
    /// Opens the node for a command; its roles do not run yet. `people` as in
    /// [`Node::open_with`].
    pub(crate) async fn open(
        settings: Settings,
        environment: &Environment,
        people: Option<[u8; 32]>,
    ) -> anyhow::Result<Self> {
        let node = Node::open_with(settings, environment, people).await?;
        let which = match node.is_shared() {
            true => Vec::new(),
            false => Roles::all(&node),
        };
        Ok(Self::of(node, which))
    }

    /// For a process that is to work: with these roles.
    pub(crate) fn of(node: Node, which: Vec<Role>) -> Self {
        Self {
            feeding: OnceCell::new(),
            roles: Mutex::new(None),
            which,
            started: Notify::new(),
            node,
        }
    }

    /// The roles of this process.
    pub(crate) fn roles(&self) -> &[Role] {
        &self.which
    }

    /// Starts the roles of this process, unless they run; returns what feeds the builds.
    pub(crate) async fn start(&self) -> anyhow::Result<&Feeding> {
        let start = || async {
            self.node.forgive_restore().await?;
            let roles = Roles::start(&self.node, &self.which).await?;
            let feeding = roles.feeding();
            *self.roles.lock().await = Some(roles);
            self.started.notify_one();
            anyhow::Ok(feeding)
        };
        Ok(self.feeding.get_or_try_init(start).await?.as_ref())
    }

    /// Whether roles work on what this command sees, here or in other processes.
    pub(crate) fn works(&self) -> bool {
        self.feeding.get().is_some() || self.node.is_shared()
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
        if let Err(error) = self.node.forgive_restore().await {
            tracing::warn!(%error, "whether a restore was cut off cannot be told");
        }
        let Some(feeding) = self.feeding.get() else {
            return;
        };
        for projection in Projection::ALL {
            if let Err(error) = feeding.hold(&self.node, projection).await {
                tracing::warn!(%error, "what a stopped command left could not be put in order");
            }
        }
    }
}
