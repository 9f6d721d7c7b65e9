//! A node that commands run on: those of this process and those of its guests.

use std::sync::Arc;

use threadlore_model::Role;
use threadlore_ports::Projection;
use threadlore_settings::Settings;
use tokio::sync::{Mutex, Notify, OnceCell};

use crate::environment::Environment;
use crate::feeding::Feeding;
use crate::node::Node;
use crate::roles::Roles;

/// A node, and its roles once a command needs them.
pub struct Host {
    // Dropped in this order: the roles, then what they work on.
    feeding: OnceCell<Arc<Feeding>>,
    roles: Mutex<Option<Roles>>,
    /// The roles of this process: none for a command beside processes that have them.
    which: Vec<Role>,
    started: Notify,
    /// The node.
    pub node: Node,
}

impl Host {
    /// Opens the node for a command; its roles do not run yet. A data directory that is made
    /// now takes `people` for its key for people.
    ///
    /// # Errors
    /// Those of [`Node::open`].
    pub async fn open(
        settings: Settings,
        environment: &Environment,
        people: Option<[u8; 32]>,
    ) -> anyhow::Result<Self> {
        let node = Node::open_with(settings, environment, people).await?;
        let which = match node.is_shared() {
            true => Vec::new(),
            // A command ends soon, so it is not what a platform is connected to.
            false => {
                let all = Roles::all(&node).into_iter();
                all.filter(|role| *role != Role::Gateway).collect()
            }
        };
        Ok(Self::of(node, which))
    }

    /// For a process that is to work: with these roles.
    #[must_use]
    pub fn of(node: Node, which: Vec<Role>) -> Self {
        Self {
            feeding: OnceCell::new(),
            roles: Mutex::new(None),
            which,
            started: Notify::new(),
            node,
        }
    }

    /// The roles of this process.
    #[must_use]
    pub fn roles(&self) -> &[Role] {
        &self.which
    }

    /// Starts the roles of this process, unless they run; returns what feeds the builds.
    ///
    /// # Errors
    /// Those of [`Roles::start`].
    pub async fn start(&self) -> anyhow::Result<&Feeding> {
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
    #[must_use]
    pub fn works(&self) -> bool {
        self.feeding.get().is_some() || self.node.is_shared()
    }

    /// Returns when a role failed, with why; while none runs, it waits.
    pub async fn failed(&self) -> anyhow::Error {
        self.started.notified().await;
        match self.roles.lock().await.as_mut() {
            Some(roles) => roles.failed().await,
            None => std::future::pending().await,
        }
    }

    /// Lets the roles finish what is in hand, if they run.
    ///
    /// # Errors
    /// Those of [`Roles::stop`].
    pub async fn stop(&self) -> anyhow::Result<()> {
        match self.roles.lock().await.take() {
            Some(roles) => roles.stop().await,
            None => Ok(()),
        }
    }

    /// Puts in order what a command left that was cut off.
    pub async fn tidy(&self) {
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
