//! Where gateways hand over what they receive.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use async_trait::async_trait;
use threadlore_model::{
    Audience, ChannelId, ChannelSettings, Event, Mode, PersonHasher, PersonId, SpaceId, Topic,
};
use threadlore_ports::{
    Authority, CaseReader as _, Clock, Denied, EventLog, Inbox, NewRecord, PortError, Right,
};
use threadlore_store_postgres::PostgresStore;
use tokio::sync::Mutex;

use crate::channels::configure;
use crate::node::{Node, check_not_restoring};

/// What a platform says of a channel.
type Report = (BTreeSet<PersonId>, Option<Audience>);

/// The inbox of one gateway: `chat.inbox`, and its cursor in the database.
pub(super) struct NodeInbox {
    /// The gateway's name.
    gateway: &'static str,
    log: Arc<dyn EventLog>,
    store: Arc<PostgresStore>,
    clock: Arc<dyn Clock>,
    hasher: PersonHasher,
    authority: Authority,
    /// What was reported last: the same again changes nothing.
    reported: Mutex<HashMap<(SpaceId, ChannelId), Report>>,
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
    ) -> Result<Option<ChannelSettings>, PortError> {
        let denied = |error: Denied| PortError::Refused {
            doing: "reading the settings of a channel",
            reason: error.to_string(),
        };
        let scope = self
            .authority
            .authorise(space, Right::Read)
            .map_err(denied)?;
        Ok(self.store.configured(&scope).await?.remove(channel))
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

    async fn channel(
        &self,
        space: &SpaceId,
        channel: &ChannelId,
        admins: &[String],
        audience: Option<Audience>,
    ) -> Result<bool, PortError> {
        let person = |native: &String| self.hasher.person(space, channel.platform(), native);
        let admins: BTreeSet<PersonId> = admins.iter().map(person).collect();
        let report = (admins, audience);
        let of = (space.clone(), channel.clone());
        let mut reported = self.reported.lock().await;
        if reported.get(&of) == Some(&report) {
            return Ok(false);
        }
        let known = self.known(space, channel).await?;
        let (admins, audience) = report.clone();
        let next = match &known {
            None => ChannelSettings {
                admins,
                audience: audience.unwrap_or_default(),
                mode: Mode::default(),
                docs: Vec::new(),
                published: false,
            },
            Some(known) => ChannelSettings {
                admins,
                // The later one is the narrower.
                audience: known.audience.max(audience.unwrap_or(known.audience)),
                mode: known.mode,
                docs: known.docs.clone(),
                published: known.published,
            },
        };
        if known.as_ref() != Some(&next) {
            check_not_restoring(&self.store).await?;
            let now = self.clock.now();
            configure(self.log.as_ref(), (space, channel), next, (now, None)).await?;
        }
        reported.insert(of, report);
        Ok(known.is_none())
    }
}
