//! What a gateway sends becomes messages of the channel, as what people write does: so that a reply
//! to the bot is known as one, and so that the bot never answers itself.

use std::sync::Arc;

use async_trait::async_trait;
use threadlore_gateways::{LiveChannel, Posted};
use threadlore_model::{Delivery, DeliveryKind, Event, Key, SpaceId};
use threadlore_ports::{Clock, Gateway, Inbox, PortError, SentMessage};
use threadlore_runtime::{Caller, Patience};

/// Sends by a gateway. What was sent is handed to the inbox once the platform took it.
pub(crate) struct Posting {
    pub(crate) gateway: Arc<dyn Gateway>,
    pub(crate) inbox: Arc<dyn Inbox>,
    pub(crate) clock: Arc<dyn Clock>,
    /// The bot's name.
    pub(crate) name: String,
}

impl Posting {
    /// The bot's messages, or that they are gone, as its platform would hand it over.
    fn messages(&self, space: &SpaceId, delivery: &Delivery, sent: &[SentMessage]) -> Vec<Event> {
        let channel = LiveChannel {
            space: space.clone(),
            channel: delivery.channel.clone(),
        };
        let now = self.clock.now();
        let reply_to = match &delivery.what {
            DeliveryKind::Answer { reply_to, .. } => reply_to,
            DeliveryKind::Withdrawal { native_ids } => {
                let gone = native_ids.iter().map(|id| channel.redaction(id, now));
                return gone.collect();
            }
        };
        let events = sent.iter().map(|message| {
            channel.message(Posted {
                native_id: &message.native_id,
                author: &self.name,
                name: &self.name,
                bot: true,
                text: &message.text,
                reply_to: Some(reply_to),
                at: now,
            })
        });
        events.collect()
    }
}

#[async_trait]
impl Caller<threadlore_roles::Gateway> for Posting {
    fn step(&self) -> &'static str {
        "deliver"
    }

    fn patience(&self, delivery: &Delivery) -> Patience {
        Patience::Until(delivery.until)
    }

    async fn answer(&self, key: &Key, delivery: &Delivery) -> Result<Vec<String>, PortError> {
        let space = key.space().map_err(|error| PortError::Refused {
            doing: "sending to a platform",
            reason: error.to_string(),
        })?;
        let sent = self.gateway.deliver(&space, delivery).await?;
        // A crash before this line sends once more: the platform gives the same ids.
        let own = self.messages(&space, delivery, &sent);
        if !own.is_empty() {
            self.inbox.take(own).await?;
        }
        Ok(sent.into_iter().map(|sent| sent.native_id).collect())
    }
}
