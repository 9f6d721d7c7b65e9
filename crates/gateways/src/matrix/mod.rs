//! The Matrix gateway: the bot is in rooms of Matrix, as `docs/matrix.md` describes.
//!
//! What is received is handed over before the homeserver's token for it is kept, so nothing said
//! while the bot was away is lost, and a room that it joins tells it of its past. What is sent has
//! the delivery's key as its transaction, so the server takes it once however often it is sent.
//! Nothing from the server is trusted: answers are bounded, and an event that is none of the
//! specification's is passed over. No token and no text of a message is in an error, in a log or in
//! `Debug`.
//!
//! | module | holds |
//! |---|---|
//! | `config` | what is configured, checked once |
//! | `client` | calls to the homeserver |
//! | `receive` | what happens in the rooms, and their past, handed over |
//! | `direct` | which rooms are conversations with one person |
//! | `state` | what the state of a room says |
//! | `room` | what is known of a room, and what its events mean, without I/O |
//! | `send` | an answer becomes messages of a room |

mod client;
mod config;
mod direct;
mod receive;
mod room;
mod send;
mod state;

use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use threadlore_model::{Delivery, SpaceId};
use threadlore_ports::{Clock, Gateway, Inbox, PortError, SentMessage};
use tokio::sync::Mutex;

use client::Client;
pub use config::{MatrixConfig, MatrixError, MatrixSettings};
use receive::Account;
pub(crate) use room::{Heard, Reader, Room};

/// Longest time of a call that answers at once.
const CALL: Duration = Duration::from_secs(20);

/// A gateway for the rooms of one account.
pub struct MatrixGateway {
    config: MatrixConfig,
    client: Client,
    clock: Arc<dyn Clock>,
    /// Kept while receiving is begun again, so that a server that was away is not asked about every
    /// room once more.
    account: Mutex<Option<Account>>,
}

impl fmt::Debug for MatrixGateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MatrixGateway")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl MatrixGateway {
    /// A gateway that has called nobody yet.
    ///
    /// # Errors
    /// When no HTTP call can be made.
    pub fn new(config: MatrixConfig, clock: Arc<dyn Clock>) -> Result<Self, MatrixError> {
        Ok(Self {
            client: Client::new(&config, Arc::clone(&clock))?,
            config,
            clock,
            account: Mutex::default(),
        })
    }
}

#[async_trait]
impl Gateway for MatrixGateway {
    fn name(&self) -> &'static str {
        "matrix"
    }

    fn platforms(&self) -> &[String] {
        &self.config.platforms
    }

    async fn receive(&self, inbox: &dyn Inbox) -> Result<Infallible, PortError> {
        let mut account = self.account.lock().await;
        let account = match &mut *account {
            Some(known) => known,
            none => none.insert(self.begin(inbox).await?),
        };
        let mut since = inbox.cursor().await?;
        loop {
            since = Some(self.step(account, since, inbox).await?);
        }
    }

    async fn deliver(
        &self,
        _space: &SpaceId,
        delivery: &Delivery,
    ) -> Result<Vec<SentMessage>, PortError> {
        self.send(delivery).await
    }
}
