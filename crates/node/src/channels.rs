//! The configuration of channels, as events.

use std::collections::BTreeSet;

use threadlore_model::{
    ChannelConfigured, ChannelId, Envelope, Event, EventId, Key, PersonId, SpaceId, Timestamp,
    Topic,
};
use threadlore_ports::{EventLog, NewRecord, PortError, Right};

use crate::node::Node;

impl Node {
    /// Publishes the admins of a channel.
    ///
    /// # Errors
    /// A space is being restored; what the log says; the right is not granted.
    pub async fn configure(
        &self,
        space: &SpaceId,
        channel: &ChannelId,
        admins: BTreeSet<PersonId>,
    ) -> anyhow::Result<()> {
        let scope = self.scope(space, Right::Admin)?;
        self.check_not_restoring().await?;
        let of = (scope.space(), channel);
        configure(self.log.as_ref(), of, admins, self.clock.now()).await?;
        Ok(())
    }
}

/// Publishes the admins of a channel.
pub(crate) async fn configure(
    log: &dyn EventLog,
    (space, channel): (&SpaceId, &ChannelId),
    admins: BTreeSet<PersonId>,
    now: Timestamp,
) -> Result<(), PortError> {
    let body = ChannelConfigured {
        channel: channel.clone(),
        admins: admins.into_iter().collect(),
        now,
    };
    let time = now.as_millis().to_string();
    let envelope = Envelope {
        id: EventId::of_content("channel", &[space.as_str(), channel.as_str(), &time]),
        space: space.clone(),
        key: Key::of_space(space),
        time: now,
        producer: None,
        cause: None,
        traceparent: None,
    };
    let event = Event {
        envelope,
        body: body.into(),
    };
    let topic = Topic::Settings;
    log.publish(vec![NewRecord { topic, event }]).await
}
