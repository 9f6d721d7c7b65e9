//! What the tests of this directory share.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use reqwest::{Client, RequestBuilder};
use serde_json::Value;
use sha2::Sha256;
use threadlore_gateways::{WebhookConfig, WebhookFormat, WebhookGateway};
use threadlore_model::{Audience, ChannelId, Event, SpaceId, Timestamp};
use threadlore_ports::{Clock, Gateway, Inbox, PortError};
use tokio::task::JoinHandle;

pub(crate) const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
pub(crate) const GENERAL: &str = "/v1/spaces/acme/channels/webhook%3Ageneral/events";
/// 2024-05-01T12:00:00Z, in seconds.
pub(crate) const NOW: i64 = 1_714_564_800;

/// A clock that moves only while somebody sleeps.
pub(crate) struct Turned(Mutex<(Timestamp, Vec<Duration>)>);

impl Default for Turned {
    fn default() -> Self {
        Self(Mutex::new((Timestamp::from_millis(NOW * 1000), Vec::new())))
    }
}

impl Turned {
    /// How long was slept, each time.
    pub(crate) fn slept(&self) -> Vec<Duration> {
        self.0.lock().expect("no panic").1.clone()
    }
}

#[async_trait]
impl Clock for Turned {
    fn now(&self) -> Timestamp {
        self.0.lock().expect("no panic").0
    }

    async fn sleep(&self, by: Duration) {
        let mut turned = self.0.lock().expect("no panic");
        turned.0 = turned.0.plus(by);
        turned.1.push(by);
    }
}

/// What an inbox does instead of taking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trouble {
    Unavailable,
    Refused,
    Broken,
    Endless,
}

/// An inbox in memory.
#[derive(Default)]
pub(crate) struct MemoryInbox {
    pub(crate) events: Mutex<Vec<Event>>,
    pub(crate) admins: Mutex<Vec<(String, Vec<String>)>>,
    pub(crate) trouble: Mutex<Option<Trouble>>,
}

impl MemoryInbox {
    pub(crate) fn ids(&self) -> Vec<String> {
        let events = self.events.lock().expect("no panic");
        events.iter().map(|e| e.envelope.id.to_string()).collect()
    }

    pub(crate) fn set(&self, trouble: Option<Trouble>) {
        *self.trouble.lock().expect("no panic") = trouble;
    }

    async fn fail(&self) -> Result<(), PortError> {
        let doing = "appending";
        let trouble = *self.trouble.lock().expect("no panic");
        match trouble {
            None => Ok(()),
            Some(Trouble::Unavailable) => Err(PortError::Unavailable {
                doing,
                what: "the log",
                source: None,
            }),
            Some(Trouble::Refused) => Err(PortError::Refused {
                doing,
                reason: "a record is too large".to_owned(),
            }),
            Some(Trouble::Broken) => Err(PortError::broken(doing, "the log lost a range")),
            Some(Trouble::Endless) => std::future::pending().await,
        }
    }
}

#[async_trait]
impl Inbox for MemoryInbox {
    async fn take(&self, events: Vec<Event>) -> Result<(), PortError> {
        self.fail().await?;
        self.events.lock().expect("no panic").extend(events);
        Ok(())
    }

    async fn cursor(&self) -> Result<Option<String>, PortError> {
        Ok(None)
    }

    async fn keep(&self, _: &str) -> Result<(), PortError> {
        Ok(())
    }

    async fn channel(
        &self,
        space: &SpaceId,
        channel: &ChannelId,
        people: &[String],
        _: Option<Audience>,
    ) -> Result<bool, PortError> {
        self.fail().await?;
        let of = format!("{space}/{channel}");
        let mut admins = self.admins.lock().expect("no panic");
        admins.push((of, people.to_vec()));
        Ok(false)
    }
}

pub(crate) fn gateway(url: &str, format: WebhookFormat) -> (Arc<WebhookGateway>, Arc<Turned>) {
    limited(url, format, Duration::from_secs(60))
}

/// A gateway with a time limit of its own.
pub(crate) fn limited(
    url: &str,
    format: WebhookFormat,
    limit: Duration,
) -> (Arc<WebhookGateway>, Arc<Turned>) {
    let clock = Arc::new(Turned::default());
    (at(clock.clone(), url, format, limit), clock)
}

/// A gateway with a clock of its own.
pub(crate) fn at(
    clock: Arc<dyn Clock>,
    url: &str,
    format: WebhookFormat,
    limit: Duration,
) -> Arc<WebhookGateway> {
    let listen = SocketAddr::from(([127, 0, 0, 1], 0));
    let platforms = vec!["webhook".to_owned(), "forum".to_owned()];
    let config = WebhookConfig::new(listen, url, SECRET, platforms, format)
        .expect("a configuration")
        .with_time_limit(limit);
    Arc::new(WebhookGateway::new(config, clock).expect("a gateway"))
}

/// A gateway that receives.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) inbox: Arc<MemoryInbox>,
    pub(crate) task: JoinHandle<PortError>,
    http: Client,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

pub(crate) async fn receiving(limit: Duration) -> Running {
    receiving_at(Arc::new(Turned::default()), limit).await
}

pub(crate) async fn receiving_at(clock: Arc<dyn Clock>, limit: Duration) -> Running {
    let gateway = at(clock, "http://127.0.0.1:9/", WebhookFormat::Markdown, limit);
    let address = gateway.bind().await.expect("an address");
    let inbox = Arc::new(MemoryInbox::default());
    let task = {
        let inbox = Arc::clone(&inbox);
        tokio::spawn(async move {
            match gateway.receive(inbox.as_ref()).await {
                Err(error) => error,
                Ok(never) => match never {},
            }
        })
    };
    let http = Client::builder().no_proxy().build().expect("a client");
    Running {
        address,
        inbox,
        task,
        http,
    }
}

impl Running {
    /// A call that is signed and sent at a moment.
    pub(crate) fn call(
        &self,
        path: &str,
        body: impl Into<Vec<u8>>,
        seconds: i64,
    ) -> RequestBuilder {
        let body = body.into();
        let request = self.http.post(format!("http://{}{path}", self.address));
        request
            .header("content-type", "application/x-ndjson")
            .header("webhook-id", "call-1")
            .header("webhook-timestamp", seconds.to_string())
            .header("webhook-signature", signature("call-1", seconds, &body))
            .body(body)
    }

    /// Sends signed lines.
    pub(crate) async fn send(&self, path: &str, body: impl Into<Vec<u8>>) -> Answer {
        answer(self.call(path, body, NOW)).await
    }
}

pub(crate) fn signature(id: &str, seconds: i64, body: &[u8]) -> String {
    let key = STANDARD.decode(&SECRET["whsec_".len()..]).expect("base64");
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key");
    mac.update(format!("{id}.{seconds}.").as_bytes());
    mac.update(body);
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

/// What a call is answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) kind: String,
    pub(crate) retry_after: Option<String>,
    pub(crate) json: Value,
}

impl Answer {
    /// The sentence of a problem; checks its form.
    pub(crate) fn detail(&self) -> &str {
        assert_eq!(self.kind, "application/problem+json", "{self:?}");
        assert_eq!(self.json["status"], self.status, "{self:?}");
        assert_eq!(self.retry_after.is_some(), self.status == 503, "{self:?}");
        let detail = self.json["detail"].as_str().expect("a sentence");
        assert!(
            detail.ends_with('.') && !detail.contains("MfKQ"),
            "{detail}"
        );
        detail
    }
}

pub(crate) async fn answer(request: RequestBuilder) -> Answer {
    let response = request.send().await.expect("an answer");
    let header = |name| {
        let value = response.headers().get(name)?.to_str().ok()?;
        Some(value.to_owned())
    };
    Answer {
        status: response.status().as_u16(),
        kind: header("content-type").unwrap_or_default(),
        retry_after: header("retry-after"),
        json: serde_json::from_slice(&response.bytes().await.expect("a body")).expect("JSON"),
    }
}

pub(crate) fn message(id: usize) -> String {
    format!(
        r#"{{"type":"message","id":"{id}","author":"u1","text":"hi","at":"2024-05-01T12:00:00Z"}}"#
    )
}
