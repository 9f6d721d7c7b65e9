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
        let event = platform_event((&self.space, &self.channel), what, body, time);
        Parsed::Event(Box::new(event))
    }
}

/// An event of a channel as a platform has it, for `chat.inbox`.
pub(crate) fn platform_event(
    (space, channel): (&SpaceId, &ChannelId),
    what: PlatformEvent<'_>,
    body: impl Into<Body>,
    time: Timestamp,
) -> Event {
    Event {
        envelope: Envelope {
            id: what.id(space, channel),
            space: space.clone(),
            key: Key::of_channel(space, channel),
            time,
            producer: None,
            cause: None,
            actor: None,
            traceparent: None,
        },
        body: body.into(),
    }
}
