//! What the tests share.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use threadlore_log_kafka::{Readable, Registry, RegistrySettings};
use threadlore_model::{
    ArchiveReason, Body, CaseArchived, CaseId, ChannelId, Envelope, Event, EventId, Group, Key,
    Partition, PlatformMessage, Producer, Role, SpaceId, Timestamp,
};
use threadlore_ports::{Clock, PortError};
use threadlore_schema::Codec;

/// Waits at once, and is later by as much.
#[derive(Default)]
pub(crate) struct QuickClock(AtomicI64);

impl QuickClock {
    pub(crate) fn pass(&self, by: Duration) {
        let by = i64::try_from(by.as_millis()).expect("a short time");
        self.0.fetch_add(by, Ordering::SeqCst);
    }
}

#[async_trait]
impl Clock for QuickClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.load(Ordering::SeqCst))
    }
    async fn sleep(&self, by: Duration) {
        self.pass(by);
        tokio::task::yield_now().await;
    }
}

/// A client of a registry at an address.
pub(crate) fn registry(url: &str) -> (Registry, Arc<QuickClock>) {
    with(&RegistrySettings::new(url))
}

pub(crate) fn with(settings: &RegistrySettings) -> (Registry, Arc<QuickClock>) {
    let clock = Arc::new(QuickClock::default());
    let registry = Registry::new(settings, Arc::clone(&clock) as Arc<dyn Clock>);
    (registry.expect("usable settings"), clock)
}

/// A message as a gateway sends it.
pub(crate) fn message() -> Event {
    let channel = ChannelId::parse("irc:#ubuntu").expect("a channel");
    event(
        Role::Gateway,
        &channel.clone(),
        PlatformMessage {
            channel,
            native_id: "m-1".to_owned(),
            author_id: "ann".to_owned(),
            author_name: None,
            author_is_bot: false,
            text: "private words".to_owned(),
            sent_at: Timestamp::from_millis(1_717_171_717_171),
            reply_to: None,
            mentions: vec!["bob".to_owned()],
            thread_root: None,
            to_bot: false,
        }
        .into(),
    )
}

/// A decision.
pub(crate) fn archived() -> Event {
    let channel = ChannelId::parse("irc:#ubuntu").expect("a channel");
    event(
        Role::Extractor,
        &channel.clone(),
        CaseArchived {
            case: CaseId::from_uuid(uuid::Uuid::from_u128(4)),
            channel,
            reason: ArchiveReason::Expired,
            now: Timestamp::from_millis(7),
        }
        .into(),
    )
}

fn event(role: Role, channel: &ChannelId, body: Body) -> Event {
    let space = SpaceId::parse("acme").expect("a space");
    Event {
        envelope: Envelope {
            id: EventId::of_content("test", &[]),
            key: Key::of_channel(&space, channel),
            space,
            time: Timestamp::from_millis(1_717_171_717_171),
            producer: Some(Producer {
                group: Group::of_role(role),
                partition: Partition(0),
                sequence: 1,
            }),
            cause: None,
            actor: None,
            traceparent: None,
        },
        body,
    }
}

/// An event's value without a registry.
pub(crate) fn single(event: &Event) -> Vec<u8> {
    let topic = event.body.topic().expect("a topic");
    Codec::new().encode(topic, event).expect("encodes").value
}

/// Decodes a value with the headers and the key of an event.
pub(crate) fn decode(event: &Event, readable: &Readable) -> Result<Event, String> {
    let topic = event.body.topic().expect("a topic");
    let encoded = Codec::new().encode(topic, event).expect("encodes");
    let headers: Vec<_> = encoded.headers.iter().map(|(n, v)| (*n, &v[..])).collect();
    let key = event.envelope.key.as_str().as_bytes();
    readable.codec.decode(&headers, key, &readable.value)
}

/// A value as the registry frames it.
pub(crate) async fn framed(registry: &Registry, event: &Event) -> Result<Vec<u8>, PortError> {
    let topic = event.body.topic().expect("a topic");
    let mut framed = registry.to_wire(vec![(topic, single(event))]).await?;
    Ok(framed.pop().expect("one value"))
}

/// A value under an id.
pub(crate) fn under(id: u32, datum: &[u8]) -> Vec<u8> {
    [&[0], &id.to_be_bytes()[..], datum].concat()
}

/// One value as a codec reads it.
pub(crate) async fn read(
    registry: &Registry,
    value: &[u8],
) -> Result<Result<Readable, String>, PortError> {
    let mut found = registry.from_wire(&[value]).await?;
    Ok(found.pop().expect("one value"))
}

/// An error with all its causes.
pub(crate) fn chain(error: &PortError) -> String {
    let mut said = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        said = format!("{said}: {error}");
        source = error.source();
    }
    said
}

pub(crate) fn unavailable<T>(found: Result<T, PortError>) -> String {
    match found {
        Err(error @ PortError::Unavailable { .. }) => chain(&error),
        Err(error) => panic!("unavailable, not {error:?}"),
        Ok(_) => panic!("unavailable, not an answer"),
    }
}

pub(crate) fn broken<T>(found: Result<T, PortError>) -> String {
    match found {
        Err(error @ PortError::Broken { .. }) => chain(&error),
        Err(error) => panic!("broken, not {error:?}"),
        Ok(_) => panic!("broken, not an answer"),
    }
}
