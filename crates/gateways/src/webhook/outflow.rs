//! Deliveries go out: one signed call each.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, RETRY_AFTER, USER_AGENT};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode};
use threadlore_model::{Delivery, SpaceId, Timestamp};
use threadlore_ports::{Clock, PortError, SentMessage};

use super::config::{WebhookConfig, WebhookError};
use super::payload;
use super::signature::{ID, SIGNATURE, TIMESTAMP};

const DOING: &str = "sending a webhook delivery";
/// Longest answer that is read, in bytes.
const MOST: usize = 64 << 10;
/// Longest pause that a receiver may ask for.
const PAUSE_MAX: Duration = Duration::from_secs(60);

/// Sends deliveries to one URL.
pub(super) struct Outflow {
    http: Client,
    config: WebhookConfig,
    clock: Arc<dyn Clock>,
    /// The receiver asked to be left alone until then.
    paused: Mutex<Option<Timestamp>>,
}

impl Outflow {
    pub(super) fn new(config: WebhookConfig, clock: Arc<dyn Clock>) -> Result<Self, WebhookError> {
        let http = Client::builder()
            .timeout(config.time_limit)
            .redirect(Policy::none())
            .no_proxy()
            .build()
            .map_err(|error| WebhookError::Client(error.without_url()))?;
        Ok(Self {
            http,
            config,
            clock,
            paused: Mutex::new(None),
        })
    }

    /// Sends a delivery; returns the ids of the receiver's messages.
    pub(super) async fn send(
        &self,
        space: &SpaceId,
        delivery: &Delivery,
    ) -> Result<Vec<SentMessage>, PortError> {
        let platform = delivery.channel.platform();
        if !self.config.platforms.iter().any(|name| name == platform) {
            return Err(refused(
                "the platform of the channel is not in `webhook.platforms`",
            ));
        }
        let payload = payload::of(space, delivery, self.config.format)
            .ok_or_else(|| refused("the answer has nothing that can be shown"))?;
        self.wait(delivery.until).await?;
        let key = delivery.key();
        let now = self.clock.now();
        let (timestamp, signature) = self.config.secret.sign(&key, now, &payload.body);
        let request = self.http.post(self.config.deliver_url.clone());
        let request = request
            .header(CONTENT_TYPE, "application/json")
            .header(USER_AGENT, "threadlore")
            .header(ID, key)
            .header(TIMESTAMP, timestamp)
            .header(SIGNATURE, signature)
            .body(payload.body);
        let response = request.send().await.map_err(broken_off)?;
        if let Err(error) = usable(response.status()) {
            self.pause(&response);
            return Err(error);
        }
        if payload.texts.is_empty() {
            return Ok(Vec::new());
        }
        let bytes = bounded(response).await?;
        let ids = payload::native_ids(&bytes, payload.texts.len()).map_err(refused)?;
        let sent = ids.into_iter().zip(payload.texts);
        Ok(sent
            .map(|(native_id, text)| SentMessage { native_id, text })
            .collect())
    }

    /// Waits for as long as the receiver asked for, but not beyond the delivery's time.
    async fn wait(&self, until: Timestamp) -> Result<(), PortError> {
        let paused = *self.lock();
        let Some(paused) = paused else {
            return Ok(());
        };
        let pause = paused.min(until).since(self.clock.now());
        if !pause.is_zero() {
            self.clock.sleep(pause.min(PAUSE_MAX)).await;
        }
        if paused > until {
            return Err(unavailable(
                "the receiver, which asked for a pause that is longer than the delivery's time,",
                None,
            ));
        }
        Ok(())
    }

    /// Keeps the pause that a receiver asks for in seconds; one with a date is not kept.
    fn pause(&self, response: &Response) {
        if !matches!(
            response.status(),
            StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
        ) {
            return;
        }
        let asked = response.headers().get(RETRY_AFTER);
        let asked = asked.and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let pause = asked.map(|seconds| Duration::from_secs(seconds).min(PAUSE_MAX));
        *self.lock() = pause.map(|pause| self.clock.now().plus(pause));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Timestamp>> {
        self.paused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a status means that the delivery was taken, and if not, whether trying again may help.
fn usable(status: StatusCode) -> Result<(), PortError> {
    let what = match status {
        _ if status.is_success() => return Ok(()),
        StatusCode::REQUEST_TIMEOUT => {
            "the receiver, which answered that the call took too long (408),"
        }
        StatusCode::TOO_EARLY => "the receiver, which answered that the call is too early (425),",
        StatusCode::TOO_MANY_REQUESTS => {
            "the receiver, which answered that it has too many calls (429),"
        }
        _ if status.is_server_error() => "the receiver, which answered that it failed (5xx),",
        _ if status.is_redirection() => {
            return Err(refused(format!(
                "the receiver answered {status}, and redirects are not followed: write the final \
                 address into `webhook.deliver_url`"
            )));
        }
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
            return Err(refused(format!(
                "the receiver answered {status}: compare its secret with `webhook.secret`, and the \
                 clocks"
            )));
        }
        StatusCode::NOT_FOUND => {
            return Err(refused(format!(
                "the receiver answered {status}: look at `webhook.deliver_url`"
            )));
        }
        _ => return Err(refused(format!("the receiver answered {status}"))),
    };
    Err(unavailable(what, None))
}

/// The answer's bytes, read only as far as they may go.
async fn bounded(mut response: Response) -> Result<Vec<u8>, PortError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(broken_off)? {
        if bytes.len() + chunk.len() > MOST {
            return Err(refused(format!(
                "the receiver's answer is longer than {MOST} bytes"
            )));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

fn broken_off(error: reqwest::Error) -> PortError {
    let what = if error.is_timeout() {
        "the receiver, which did not answer in time,"
    } else if error.is_connect() {
        "the receiver, which cannot be reached,"
    } else {
        "the receiver, which broke off,"
    };
    unavailable(what, Some(error.without_url()))
}

fn unavailable(what: &'static str, source: Option<reqwest::Error>) -> PortError {
    PortError::Unavailable {
        doing: DOING,
        what,
        source: source.map(|error| Box::new(error) as _),
    }
}

fn refused(reason: impl Into<String>) -> PortError {
    PortError::Refused {
        doing: DOING,
        reason: reason.into(),
    }
}
