//! A live channel: what people write there goes to `chat.inbox`, and what the responder decides
//! comes from `answers`.

use std::time::Duration;

use threadlore_model::{
    ChannelId, Event, Key, Offset, PersonErasureAsked, PersonId, PlatformEvent, PlatformMessage,
    PlatformRedaction, SpaceId, Timestamp, Topic, TopicPartition,
};
use threadlore_ports::{EventLog, NewRecord, PortError, place};

use crate::target::platform_event;

/// What the bot says in a channel that it comes into for the first time.
pub(crate) const GREETING: &str = "Hello. I learn from what is solved here, and answer who has the \
    same problem later. What is written here I keep until it is deleted; names and texts are sealed \
    with a key of each person. Name me and say \"forget me\", and everything that you wrote is \
    erased. Name me and say \"help\" for what else I understand.";

/// Records read at a time.
const PAGE: usize = 100;

/// A channel of a space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveChannel {
    /// The space.
    pub space: SpaceId,
    /// The channel.
    pub channel: ChannelId,
}

/// A message as the platform has it.
#[derive(Debug, Clone, Copy)]
pub struct Posted<'a> {
    /// The platform's id of the message.
    pub native_id: &'a str,
    /// The platform's id of the author.
    pub author: &'a str,
    /// The author's name.
    pub name: &'a str,
    /// Whether a bot wrote it.
    pub bot: bool,
    /// The text.
    pub text: &'a str,
    /// The platform's id of the message that it replies to.
    pub reply_to: Option<&'a str>,
    /// When it was sent.
    pub at: Timestamp,
}

impl LiveChannel {
    fn key(&self) -> Key {
        Key::of_channel(&self.space, &self.channel)
    }

    /// Appends a message to `chat.inbox`. The same message twice is one, because its id follows
    /// from the platform's.
    ///
    /// # Errors
    /// Those of the log.
    pub async fn post(&self, log: &dyn EventLog, posted: Posted<'_>) -> Result<(), PortError> {
        let (topic, event) = (Topic::ChatInbox, self.message(posted));
        log.publish(vec![NewRecord { topic, event }]).await
    }

    /// The message as an event for `chat.inbox`.
    #[must_use]
    pub fn message(&self, posted: Posted<'_>) -> Event {
        let message = PlatformMessage {
            channel: self.channel.clone(),
            native_id: posted.native_id.to_owned(),
            author_id: posted.author.to_owned(),
            author_name: Some(posted.name.to_owned()),
            author_is_bot: posted.bot,
            text: posted.text.to_owned(),
            sent_at: posted.at,
            reply_to: posted.reply_to.map(str::to_owned),
            mentions: Vec::new(),
            thread_root: None,
            to_bot: false,
        };
        let what = PlatformEvent::Message(posted.native_id);
        platform_event((&self.space, &self.channel), what, message, posted.at)
    }

    /// That a message was deleted, as an event for `chat.inbox`.
    #[must_use]
    pub fn redaction(&self, native_id: &str, at: Timestamp) -> Event {
        let redaction = PlatformRedaction {
            channel: self.channel.clone(),
            native_id: native_id.to_owned(),
            redacted_at: at,
        };
        let what = PlatformEvent::Redaction(native_id);
        platform_event((&self.space, &self.channel), what, redaction, at)
    }

    /// That a person asks to be forgotten, as an event for `chat.inbox`.
    #[must_use]
    pub fn person_erasure(&self, person: PersonId, at: Timestamp) -> Event {
        let asked = PersonErasureAsked {
            channel: self.channel.clone(),
            person,
            asked_at: at,
        };
        let named = person.to_string();
        let what = PlatformEvent::PersonErasure(&named);
        platform_event((&self.space, &self.channel), what, asked, at)
    }

    /// Follows what the responder decides about the channel from now on.
    ///
    /// # Errors
    /// Those of the log.
    pub async fn decisions(&self, log: &dyn EventLog) -> Result<Decisions, PortError> {
        let key = self.key();
        let at = place(log, Topic::Answers, key.as_str().as_bytes());
        let next = log.range(at).await?.end;
        Ok(Decisions { at, next, key })
    }
}

/// What the responder decides about a channel, in the order of the log.
#[derive(Debug)]
pub struct Decisions {
    at: TopicPartition,
    next: Offset,
    key: Key,
}

impl Decisions {
    /// The next events, with private fields still sealed; none where none came within `wait`.
    ///
    /// # Errors
    /// Those of the log.
    pub async fn next(
        &mut self,
        log: &dyn EventLog,
        wait: Duration,
    ) -> Result<Vec<Event>, PortError> {
        log.wait(&[(self.at, self.next)], wait).await?;
        let mut events = Vec::new();
        for record in log.read(self.at, self.next, PAGE).await? {
            self.next = record.offset.next();
            // What cannot be decoded is a dead letter of the projector.
            if let Ok(event) = record.body
                && event.envelope.key == self.key
            {
                events.push(*event);
            }
        }
        Ok(events)
    }
}
