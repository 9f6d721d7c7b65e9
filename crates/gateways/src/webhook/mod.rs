//! The webhook gateway: any chat platform joins by two HTTP calls, as `docs/webhook.md` describes.
//!
//! Events come in by calls to a server of this process, and deliveries go out by calls to one URL.
//! Both are signed with one secret, as Standard Webhooks says. A call is taken as a whole or not at
//! all, and its answer comes when its events are durable. A call that is sent again has no effect,
//! because the ids of events follow from those of the platform. So there is no cursor: the platform
//! sends again what was not answered with 202.
//!
//! Nothing from outside is trusted. Bodies, times, connections and answers are bounded. Neither
//! secret nor URL nor text of a message is in an error, in a log or in `Debug`.
//!
//! | module | holds |
//! |---|---|
//! | `config` | what is configured, checked once |
//! | `signature` | signatures of Standard Webhooks |
//! | `server` | the server: paths, checks, statuses |
//! | `connections` | connections: not too many, none silent for long |
//! | `inflow` | from the server to the inbox |
//! | `problem` | errors as problem details |
//! | `outflow` | calls with deliveries, and what their statuses mean |
//! | `payload` | the JSON of a delivery, and of its answer |

mod config;
mod connections;
mod inflow;
mod outflow;
mod payload;
mod problem;
mod server;
mod signature;

use std::convert::Infallible;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use threadlore_model::{Delivery, SpaceId};
use threadlore_ports::{Clock, Gateway, Inbox, PortError, SentMessage};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

pub use config::{WebhookConfig, WebhookError, WebhookFormat};
use outflow::Outflow;
use server::Shared;

const DOING: &str = "receiving webhook calls";

/// A gateway for every platform that makes and takes HTTP calls.
pub struct WebhookGateway {
    config: WebhookConfig,
    clock: Arc<dyn Clock>,
    outflow: Outflow,
    /// What listens already, and waits to be served.
    bound: Mutex<Option<TcpListener>>,
}

impl fmt::Debug for WebhookGateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookGateway")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl WebhookGateway {
    /// A gateway that neither listens nor sends yet.
    ///
    /// # Errors
    /// When the HTTP client cannot be set up.
    pub fn new(config: WebhookConfig, clock: Arc<dyn Clock>) -> Result<Self, WebhookError> {
        let outflow = Outflow::new(config.clone(), Arc::clone(&clock))?;
        Ok(Self {
            config,
            clock,
            outflow,
            bound: Mutex::new(None),
        })
    }

    /// Listens from now on, so that a bad address is found at the start; returns the address, whose
    /// port is known now where 0 was configured. The next [`Gateway::receive`] serves it. Without
    /// this, `receive` listens itself.
    ///
    /// # Errors
    /// `Unavailable` where something else uses the address, `Refused` where it cannot be had.
    pub async fn bind(&self) -> Result<SocketAddr, PortError> {
        if let Some(listener) = self.lock().as_ref() {
            return listener.local_addr().map_err(|e| self.unbound(e));
        }
        let listener = self.listen().await?;
        let address = listener.local_addr().map_err(|e| self.unbound(e))?;
        *self.lock() = Some(listener);
        Ok(address)
    }

    async fn listen(&self) -> Result<TcpListener, PortError> {
        let listener = TcpListener::bind(self.config.listen).await;
        let listener = listener.map_err(|e| self.unbound(e))?;
        tracing::info!(address = %self.config.listen, "receiving webhook calls");
        Ok(listener)
    }

    fn unbound(&self, error: io::Error) -> PortError {
        if error.kind() == io::ErrorKind::AddrInUse {
            return PortError::Busy {
                doing: DOING,
                reason: "something else uses the address of the setting `webhook.listen`: choose another address, or \
                         stop what uses it",
                source: Some(Box::new(error)),
            };
        }
        PortError::Refused {
            doing: DOING,
            reason: format!(
                "{} of the setting `webhook.listen` cannot be listened on: {error}; choose another \
                 address",
                self.config.listen
            ),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<TcpListener>> {
        self.bound.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl Gateway for WebhookGateway {
    fn name(&self) -> &'static str {
        "webhook"
    }

    fn platforms(&self) -> &[String] {
        &self.config.platforms
    }

    async fn receive(&self, inbox: &dyn Inbox) -> Result<Infallible, PortError> {
        let bound = self.lock().take();
        let listener = match bound {
            Some(listener) => listener,
            None => self.listen().await?,
        };
        let (jobs, todo) = inflow::queue();
        let shared = Shared::new(&self.config, Arc::clone(&self.clock), jobs);
        // Connections have tasks of their own, which end when this is dropped.
        let (_serving, gone) = oneshot::channel();
        tokio::select! {
            served = server::serve(listener, shared, gone) => Err(PortError::Busy {
                doing: DOING,
                reason: "the server of this process ended",
                source: served.err().map(|error| Box::new(error) as _),
            }),
            fatal = inflow::hand_over(inbox, todo) => Err(fatal),
        }
    }

    async fn deliver(
        &self,
        space: &SpaceId,
        delivery: &Delivery,
    ) -> Result<Vec<SentMessage>, PortError> {
        self.outflow.send(space, delivery).await
    }
}
