//! An answer becomes messages of a room.

use ruma::api::client::message::send_message_event;
use ruma::api::client::redact::redact_event;
use ruma::api::client::room::get_room_event;
use ruma::events::relation::{InReplyTo, Reply, Thread};
use ruma::events::room::message::{Relation, RoomMessageEventContent};
use ruma::events::{
    AnyMessageLikeEvent, AnyTimelineEvent, Mentions, MessageLikeEvent, MessageLikeEventType,
};
use ruma::serde::Raw;
use ruma::{OwnedEventId, OwnedRoomId, OwnedTransactionId, OwnedUserId, RoomId};
use threadlore_model::{ChannelId, Delivery, DeliveryKind};
use threadlore_ports::{PortError, SentMessage};

use super::client::Failure;
use super::{CALL, MatrixGateway};
use crate::live::GREETING;
use crate::render::{Part, Platform, render};

/// What the bot says once in a room that becomes encrypted.
const ENCRYPTED: &str = "This room is encrypted, and I cannot read it: I learn nothing here and \
                         answer nothing. Ask me in a room without encryption.";

impl MatrixGateway {
    /// Sends a delivery. Each message has a transaction of its own, by which the server knows what
    /// it took already.
    pub(super) async fn send(&self, delivery: &Delivery) -> Result<Vec<SentMessage>, PortError> {
        let room = room_of(&delivery.channel)?;
        match &delivery.what {
            DeliveryKind::Answer {
                text,
                reply_to,
                thread,
            } => {
                let asked = event_id(reply_to)?;
                let asker = self.asker(&room, &asked).await?;
                let thread = thread.as_deref().map(event_id).transpose()?;
                let parts = render(text, Platform::Matrix);
                // Without a message nothing would tell that all of it was sent.
                if parts.is_empty() {
                    return Err(refused("the answer has nothing that can be shown"));
                }
                let mut sent = Vec::new();
                for (at, part) in parts.into_iter().enumerate() {
                    let body = part.body.clone();
                    let mut content = notice(part);
                    content.mentions = Some(Mentions::new());
                    if at == 0 {
                        content.mentions = Some(Mentions::with_user_ids([asker.clone()]));
                    }
                    content.relates_to = related((at == 0).then_some(&asked), thread.as_ref());
                    let transaction = format!("{}-{at}", delivery.key());
                    let event = self.post(&room, transaction, content).await;
                    sent.push(SentMessage {
                        native_id: event.map_err(Failure::delivering)?.to_string(),
                        text: body,
                    });
                }
                Ok(sent)
            }
            DeliveryKind::Withdrawal { native_ids } => {
                for (at, native) in native_ids.iter().enumerate() {
                    let transaction = format!("{}-{at}", delivery.key());
                    let request = redact_event::v3::Request::new(
                        room.clone(),
                        event_id(native)?,
                        OwnedTransactionId::from(transaction),
                    );
                    self.client
                        .call(request, CALL)
                        .await
                        .map_err(Failure::delivering)?;
                }
                Ok(Vec::new())
            }
        }
    }

    /// Who wrote a message, to be told of its answer.
    ///
    /// # Errors
    /// `Refused` where it is gone: nobody waits for an answer then.
    async fn asker(
        &self,
        room: &OwnedRoomId,
        asked: &OwnedEventId,
    ) -> Result<OwnedUserId, PortError> {
        let request = get_room_event::v3::Request::new(room.clone(), asked.clone());
        let answer = self
            .client
            .call(request, CALL)
            .await
            .map_err(Failure::delivering)?;
        match answer.event.deserialize() {
            Ok(AnyTimelineEvent::MessageLike(AnyMessageLikeEvent::RoomMessage(
                MessageLikeEvent::Original(message),
            ))) => Ok(message.sender),
            _ => Err(refused("the message that asks was deleted")),
        }
    }

    async fn post(
        &self,
        room: &OwnedRoomId,
        transaction: String,
        content: RoomMessageEventContent,
    ) -> Result<OwnedEventId, Failure> {
        let body = Raw::new(&content)
            .map_err(|error| Failure::Refused(format!("nothing, for it is no JSON: {error}")))?;
        let request = send_message_event::v3::Request::new_raw(
            room.clone(),
            OwnedTransactionId::from(transaction),
            MessageLikeEventType::RoomMessage,
            body.cast_unchecked(),
        );
        Ok(self.client.call(request, CALL).await?.event_id)
    }

    pub(super) async fn say_that_it_is_encrypted(&self, room: &RoomId) -> Result<(), PortError> {
        self.say(room, "threadlore-encrypted", ENCRYPTED).await
    }

    pub(super) async fn greet(&self, room: &RoomId) -> Result<(), PortError> {
        self.say(room, "threadlore-greeting", GREETING).await
    }

    /// Says something of its own, once in a room.
    async fn say(&self, room: &RoomId, what: &str, text: &str) -> Result<(), PortError> {
        let Some(part) = render(text, Platform::Matrix).into_iter().next() else {
            return Ok(());
        };
        match self
            .post(&room.to_owned(), what.to_owned(), notice(part))
            .await
        {
            Ok(_) => Ok(()),
            Err(Failure::Refused(said)) => {
                tracing::warn!(%room, said, what, "a room cannot be told");
                Ok(())
            }
            Err(other) => Err(other.receiving()),
        }
    }
}

/// A notice is what bots write: no bot that keeps to the specification answers one.
fn notice(part: Part) -> RoomMessageEventContent {
    match part.formatted {
        Some(formatted) => RoomMessageEventContent::notice_html(part.body, formatted),
        None => RoomMessageEventContent::notice_plain(part.body),
    }
}

/// How a message belongs to what was asked: in its thread, and as a reply where it is the first.
fn related(
    asked: Option<&OwnedEventId>,
    thread: Option<&OwnedEventId>,
) -> Option<Relation<ruma::events::room::message::RoomMessageEventContentWithoutRelation>> {
    let reply = asked.map(|asked| InReplyTo::new(asked.clone()));
    match thread {
        Some(root) => {
            let mut thread = Thread::without_fallback(root.clone());
            thread.in_reply_to = reply;
            Some(Relation::Thread(thread))
        }
        None => reply.map(|reply| Relation::Reply(Reply::new(reply))),
    }
}

fn room_of(channel: &ChannelId) -> Result<OwnedRoomId, PortError> {
    let native = channel.native().replace("%2F", "/");
    RoomId::parse(&native).map_err(|_| refused("the channel is no room of Matrix"))
}

fn event_id(native: &str) -> Result<OwnedEventId, PortError> {
    ruma::EventId::parse(native).map_err(|_| refused("a message has no id of Matrix"))
}

fn refused(reason: &str) -> PortError {
    PortError::Refused {
        doing: "sending to a room of Matrix",
        reason: reason.to_owned(),
    }
}
