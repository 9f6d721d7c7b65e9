//! A clock, errors and events that both have.

use std::sync::Mutex;
use std::time::Duration;

use async_trait::async_trait;
use threadlore_model::{Body, ChannelId, Envelope, Event, EventId, Key, SpaceId, Timestamp};
use threadlore_ports::{Clock, PortError};

/// Stands still, and remembers how long somebody wanted to sleep.
#[derive(Default)]
pub(crate) struct Still(pub(crate) Mutex<Vec<Duration>>);

#[async_trait]
impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_760_000_000_000)
    }
    async fn sleep(&self, by: Duration) {
        self.0.lock().expect("not poisoned").push(by);
    }
}

pub(crate) fn down() -> PortError {
    PortError::Unavailable {
        doing: "asking",
        what: "the model",
        source: None,
    }
}

pub(crate) fn useless() -> PortError {
    PortError::Refused {
        doing: "asking",
        reason: "the answer cannot be used".to_owned(),
    }
}

pub(crate) fn channel(name: &str) -> ChannelId {
    ChannelId::parse(&format!("test:{name}")).expect("a valid channel")
}

/// In a channel; the name makes its id.
pub(crate) fn event(at: &str, name: &str, body: impl Into<Body>) -> Event {
    let space = SpaceId::parse("a").expect("a valid space");
    Event {
        envelope: Envelope {
            id: EventId::of_content("test", &[at, name]),
            key: Key::of_channel(&space, &channel(at)),
            space,
            time: Still::default().now(),
            producer: None,
            cause: None,
            actor: None,
            traceparent: None,
        },
        body: body.into(),
    }
}
