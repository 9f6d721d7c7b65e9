//! Gateways: what connects a chat platform with the log. A gateway hands what people write to
//! `chat.inbox`, and sends the answers of the responder.

use std::convert::Infallible;

use async_trait::async_trait;
use threadlore_model::{Audience, ChannelId, Delivery, Event, SpaceId};

use crate::PortError;

/// A connection with one chat platform, or with all those that use one protocol.
///
/// Both directions run side by side. [`Gateway::receive`] is dropped at any moment and called
/// again; where the platform keeps what was said meanwhile, it begins at the cursor that it kept
/// last. [`Gateway::deliver`] may be called twice with the same delivery: after a crash nobody knows
/// whether the platform took it.
#[async_trait]
pub trait Gateway: Send + Sync {
    /// Its name in settings, groups and labels, such as `matrix`.
    fn name(&self) -> &'static str;

    /// The platforms whose channels it serves: the part of a channel's id before the colon.
    fn platforms(&self) -> &[String];

    /// Whether one process at a time may be connected, because the platform would take a second one
    /// for somebody else, and hear of what is said twice.
    fn is_exclusive(&self) -> bool {
        false
    }

    /// Hands over what people write, for as long as it is polled.
    ///
    /// # Errors
    /// `Unavailable` to be called again after a pause; `Refused` where the platform does not let
    /// it in, which does not end the process; `Broken` where going on would do harm.
    async fn receive(&self, inbox: &dyn Inbox) -> Result<Infallible, PortError>;

    /// Sends to a channel. The same delivery is sent once where the platform has a key for it
    /// ([`Delivery::key`]).
    ///
    /// Returns the messages that were sent, in their order; none for a withdrawal.
    ///
    /// # Errors
    /// `Unavailable` to be called again after a pause; `Refused` when the platform will never take
    /// it. The reason has no text of the delivery.
    async fn deliver(
        &self,
        space: &SpaceId,
        delivery: &Delivery,
    ) -> Result<Vec<SentMessage>, PortError>;
}

/// A message that a gateway sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMessage {
    /// The platform's id of it.
    pub native_id: String,
    /// Its text as people see it, without markup.
    pub text: String,
}

/// Where a gateway hands over what it receives.
#[async_trait]
pub trait Inbox: Send + Sync {
    /// Appends platform events to `chat.inbox`; they are durable when it returns. An event that
    /// was handed over before has the same id, and is dropped as a repeat.
    ///
    /// # Errors
    /// Those of the log.
    async fn take(&self, events: Vec<Event>) -> Result<(), PortError>;

    /// The cursor that the gateway kept last; `None` before the first.
    ///
    /// # Errors
    /// Those of the store.
    async fn cursor(&self) -> Result<Option<String>, PortError>;

    /// Keeps a cursor: everything before it was taken.
    ///
    /// # Errors
    /// Those of the store.
    async fn keep(&self, cursor: &str) -> Result<(), PortError>;

    /// Says who the admins of a channel are now, by the platform's ids, and who can read it, where
    /// the platform says so. They become the channel's configuration where they differ from it. An
    /// audience of a channel that is configured is only ever made narrower so: that more people may
    /// read what was said is for an admin to say.
    ///
    /// Returns whether the channel was never heard of before: then the gateway says there what the
    /// bot keeps, and how to be forgotten.
    ///
    /// # Errors
    /// Those of log and store.
    async fn channel(
        &self,
        space: &SpaceId,
        channel: &ChannelId,
        admins: &[String],
        audience: Option<Audience>,
    ) -> Result<bool, PortError>;
}
