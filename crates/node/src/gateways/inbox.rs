//! Where gateways hand over what they receive.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use async_trait::async_trait;
use threadlore_model::{ChannelId, Event, PersonHasher, PersonId, SpaceId, Topic};
use threadlore_ports::{
    Authority, CaseReader as _, Clock, Denied, EventLog, Inbox, NewRecord, PortError, Right,
};
use threadlore_store_postgres::PostgresStore;
use tokio::sync::Mutex;

use crate::channels::configure;
use crate::node::{Node, check_not_restoring};

/// The inbox of one gateway: `chat.inbox`, and its cursor in the database.
pub(super) struct NodeInbox {
    /// The gateway's name.
    gateway: &'static str,
    log: Arc<dyn EventLog>,
    store: Arc<PostgresStore>,
    clock: Arc<dyn Clock>,
    hasher: PersonHasher,
    authority: Authority,
    /// The admins that were reported last: the tables have them a moment later.
    reported: Mutex<HashMap<(SpaceId, ChannelId), BTreeSet<PersonId>>>,
}

impl NodeInbox {
    pub(super) fn of(node: &Node, gateway: &'static str) -> Self {
        Self {
            gateway,
            log: Arc::clone(&node.log),
            store: Arc::clone(&node.store),
            clock: Arc::clone(&node.clock),
            hasher: node.hasher.clone(),
            authority: node.authority.clone(),
            reported: Mutex::default(),
        }
    }

    async fn known(
        &self,
        space: &SpaceId,
        channel: &ChannelId,
    ) -> Result<BTreeSet<PersonId>, PortError> {
        let denied = |error: Denied| PortError::Refused {
            doing: "reading the admins of a channel",
            reason: error.to_string(),
        };
        let scope = self
            .authority
            .authorise(space, Right::Read)
            .map_err(denied)?;
        let admins = self.store.admins(&scope, channel).await?;
        Ok(admins.into_iter().collect())
    }
}

#[async_trait]
impl Inbox for NodeInbox {
    async fn take(&self, events: Vec<Event>) -> Result<(), PortError> {
        let records = events.into_iter().map(|event| NewRecord {
            topic: Topic::ChatInbox,
            event,
        });
        self.log.publish(records.collect()).await
    }

    async fn cursor(&self) -> Result<Option<String>, PortError> {
        self.store.gateway_cursor(self.gateway).await
    }

    async fn keep(&self, cursor: &str) -> Result<(), PortError> {
        self.store.keep_gateway_cursor(self.gateway, cursor).await
    }

    async fn admins(
        &self,
        space: &SpaceId,
        channel: &ChannelId,
        people: &[String],
    ) -> Result<(), PortError> {
        let person = |native: &String| self.hasher.person(space, channel.platform(), native);
        let admins: BTreeSet<PersonId> = people.iter().map(person).collect();
        let of = (space.clone(), channel.clone());
        let mut reported = self.reported.lock().await;
        let known = match reported.get(&of) {
            Some(known) => known.clone(),
            None => self.known(space, channel).await?,
        };
        if known != admins {
            check_not_restoring(&self.store).await?;
            let now = self.clock.now();
            configure(self.log.as_ref(), (space, channel), admins.clone(), now).await?;
        }
        reported.insert(of, admins);
        Ok(())
    }
}
