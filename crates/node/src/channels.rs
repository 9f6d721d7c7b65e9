//! The configuration of channels, as events.

use threadlore_model::{
    Actor, ChannelConfigured, ChannelId, ChannelSettings, Envelope, Event, EventId, Key, SpaceId,
    Timestamp, Topic,
};
use threadlore_ports::{EventLog, NewRecord, PortError, Right};

use crate::node::Node;

/// Whether a text is an address of documentation that people can open.
#[must_use]
pub fn is_address(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty()) && !text.contains(char::is_whitespace)
}

impl Node {
    /// Publishes how a channel is configured.
    ///
    /// # Errors
    /// A space is being restored; what the log says; the right is not granted.
    pub async fn configure(
        &self,
        (space, channel): (&SpaceId, &ChannelId),
        settings: ChannelSettings,
        by: &Actor,
    ) -> anyhow::Result<()> {
        let scope = self.scope(space, Right::Admin)?;
        self.check_not_restoring().await?;
        let of = (scope.space(), channel);
        configure(
            self.log.as_ref(),
            of,
            settings,
            (self.clock.now(), Some(by)),
        )
        .await?;
        Ok(())
    }
}

/// Publishes how a channel is configured; no one of ours where the platform says so.
pub(crate) async fn configure(
    log: &dyn EventLog,
    (space, channel): (&SpaceId, &ChannelId),
    settings: ChannelSettings,
    (now, by): (Timestamp, Option<&Actor>),
) -> Result<(), PortError> {
    let body = ChannelConfigured {
        channel: channel.clone(),
        admins: settings.admins.into_iter().collect(),
        audience: settings.audience,
        mode: settings.mode,
        docs: settings.docs,
        published: settings.published,
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
        actor: by.cloned(),
        traceparent: None,
    };
    let event = Event {
        envelope,
        body: body.into(),
    };
    let topic = Topic::Settings;
    log.publish(vec![NewRecord { topic, event }]).await
}
