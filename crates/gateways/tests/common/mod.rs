//! What the tests of several gateways share.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use threadlore_model::{
    AnswerId, Audience, Body, ChannelId, Delivery, DeliveryKind, Event, EventId, PlatformMessage,
    SpaceId, Timestamp,
};
use threadlore_ports::{Inbox, PortError};

/// A channel, its admins, and its audience.
pub(crate) type Reported = (String, Vec<String>, Option<&'static str>);

/// Keeps what it is handed, once it has refused so often.
#[derive(Default)]
pub(crate) struct RefusingInbox {
    pub(crate) refuses: Mutex<usize>,
    pub(crate) events: Mutex<Vec<Event>>,
    pub(crate) channels: Mutex<Vec<Reported>>,
    pub(crate) cursor: Mutex<Option<String>>,
    /// Whether the next channel was never heard of before.
    pub(crate) is_new: AtomicBool,
}

#[async_trait]
impl Inbox for RefusingInbox {
    async fn take(&self, events: Vec<Event>) -> Result<(), PortError> {
        let mut refuses = self.refuses.lock().expect("no panic");
        if *refuses > 0 {
            *refuses -= 1;
            return Err(PortError::Unavailable {
                doing: "testing",
                what: "the log",
                source: None,
            });
        }
        self.events.lock().expect("no panic").extend(events);
        Ok(())
    }

    async fn cursor(&self) -> Result<Option<String>, PortError> {
        Ok(self.cursor.lock().expect("no panic").clone())
    }

    async fn keep(&self, cursor: &str) -> Result<(), PortError> {
        *self.cursor.lock().expect("no panic") = Some(cursor.to_owned());
        Ok(())
    }

    async fn channel(
        &self,
        _: &SpaceId,
        channel: &ChannelId,
        admins: &[String],
        audience: Option<Audience>,
    ) -> Result<bool, PortError> {
        let mut channels = self.channels.lock().expect("no panic");
        let audience = audience.map(Audience::name);
        channels.push((channel.to_string(), admins.to_vec(), audience));
        Ok(self.is_new.swap(false, Ordering::Relaxed))
    }
}

impl RefusingInbox {
    pub(crate) fn messages(&self) -> Vec<PlatformMessage> {
        let events = self.events.lock().expect("no panic");
        let messages = events.iter().filter_map(|event| match &event.body {
            Body::PlatformMessage(message) => Some(message.clone()),
            _ => None,
        });
        messages.collect()
    }
}

/// An answer to a message of a channel.
pub(crate) fn answer(channel: &str, text: &str, reply_to: &str) -> Delivery {
    Delivery {
        answer: AnswerId::carried_by(EventId::of_content("test", &[text])),
        channel: ChannelId::parse(channel).expect("valid"),
        what: DeliveryKind::Answer {
            text: text.to_owned(),
            reply_to: reply_to.to_owned(),
            thread: None,
        },
        until: Timestamp::from_millis(i64::MAX),
    }
}

pub(crate) fn space() -> SpaceId {
    SpaceId::parse("acme").expect("valid")
}
