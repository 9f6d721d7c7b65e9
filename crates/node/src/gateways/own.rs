//! What a gateway sends becomes messages of the channel, as what people write does: so that a reply
//! to the bot is known as one, and so that the bot never answers itself.

use std::convert::Infallible;
use std::sync::Arc;

use async_trait::async_trait;
use threadlore_gateways::{LiveChannel, Posted};
use threadlore_model::{Delivery, DeliveryKind, Event, SpaceId};
use threadlore_ports::{Clock, Gateway, Inbox, PortError, SentMessage};

/// A gateway whose messages are handed to the inbox once the platform took them.
pub(crate) struct Posting {
    pub(crate) gateway: Arc<dyn Gateway>,
    pub(crate) inbox: Arc<dyn Inbox>,
    pub(crate) clock: Arc<dyn Clock>,
    /// The bot's name.
    pub(crate) name: String,
}

impl Posting {
    /// The bot's messages, as its platform would hand them over.
    fn messages(&self, space: &SpaceId, delivery: &Delivery, sent: &[SentMessage]) -> Vec<Event> {
        let DeliveryKind::Answer { reply_to, .. } = &delivery.what else {
            return Vec::new();
        };
        let channel = LiveChannel {
            space: space.clone(),
            channel: delivery.channel.clone(),
        };
        let events = sent.iter().map(|message| {
            channel.message(Posted {
                native_id: &message.native_id,
                author: &self.name,
                name: &self.name,
                bot: true,
                text: &message.text,
                reply_to: Some(reply_to),
                at: self.clock.now(),
            })
        });
        events.collect()
    }
}

#[async_trait]
impl Gateway for Posting {
    fn name(&self) -> &'static str {
        self.gateway.name()
    }

    fn platforms(&self) -> &[String] {
        self.gateway.platforms()
    }

    async fn receive(&self, inbox: &dyn Inbox) -> Result<Infallible, PortError> {
        self.gateway.receive(inbox).await
    }

    async fn deliver(
        &self,
        space: &SpaceId,
        delivery: &Delivery,
    ) -> Result<Vec<SentMessage>, PortError> {
        let sent = self.gateway.deliver(space, delivery).await?;
        // A crash before this line sends once more: the platform gives the same ids.
        let own = self.messages(space, delivery, &sent);
        if !own.is_empty() {
            self.inbox.take(own).await?;
        }
        Ok(sent)
    }
}
