//! The target of an import.

use threadlore_model::{Body, ChannelId, Envelope, Event, Key, PlatformEvent, SpaceId, Timestamp};

use crate::bots::Bots;
use crate::parsed::Parsed;

/// The channel that a file is imported into, and its bots.
#[derive(Debug, Clone)]
pub struct Target {
    /// The space.
    pub space: SpaceId,
    /// The channel.
    pub channel: ChannelId,
    /// Names of bots.
    pub bots: Bots,
}

impl Target {
    /// A platform event of this channel. Its id follows from its content, so that the same event
    /// has the same id when it is imported again.
    pub(crate) fn event(
        &self,
        what: PlatformEvent<'_>,
        body: impl Into<Body>,
        time: Timestamp,
    ) -> Parsed {
        let envelope = Envelope {
            id: what.id(&self.space, &self.channel),
            space: self.space.clone(),
            key: Key::of_channel(&self.space, &self.channel),
            time,
            producer: None,
            cause: None,
            traceparent: None,
        };
        Parsed::Event(Box::new(Event {
            envelope,
            body: body.into(),
        }))
    }
}
