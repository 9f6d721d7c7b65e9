//! The server: calls with events come in.

use std::future::IntoFuture as _;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures::StreamExt as _;
use serde_json::json;
use threadlore_model::{ChannelId, SpaceId};
use threadlore_ports::Clock;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::timeout;

use super::config::WebhookConfig;
use super::connections::Bounded;
use super::inflow::{Job, Outcome};
use super::problem::Problem;
use super::signature::{ID, SIGNATURE, Secret, Signed, TIMESTAMP, Unsigned};
use crate::body;
use crate::bots::Bots;
use crate::target::Target;

/// Longest body, in bytes.
const BODY_MAX: usize = 1 << 20;
/// So much is read of a longer one and not kept, because most callers hear no answer before they
/// have sent all.
const PASSED_OVER: usize = 16 << 20;
/// Most calls at a time whose bodies are held.
const CALLS: usize = 64;
const EVENTS: &str = "/v1/spaces/{space}/channels/{channel}/events";
/// Types of JSON lines, and of one object.
const TYPES: [&str; 5] = [
    "application/x-ndjson",
    "application/ndjson",
    "application/jsonl",
    "application/x-jsonlines",
    "application/json",
];

/// What every call needs.
pub(super) struct Shared {
    secret: Secret,
    platforms: Vec<String>,
    time_limit: Duration,
    clock: Arc<dyn Clock>,
    jobs: mpsc::Sender<Job>,
    places: Semaphore,
}

impl Shared {
    pub(super) fn new(
        config: &WebhookConfig,
        clock: Arc<dyn Clock>,
        jobs: mpsc::Sender<Job>,
    ) -> Self {
        Self {
            secret: config.secret.clone(),
            platforms: config.platforms.clone(),
            time_limit: config.time_limit,
            clock,
            jobs,
            places: Semaphore::new(CALLS),
        }
    }
}

/// Serves calls. Connections end when `gone` does.
pub(super) async fn serve(
    listener: TcpListener,
    shared: Shared,
    gone: oneshot::Receiver<()>,
) -> io::Result<()> {
    // A call may wait for the log without a word from the caller.
    let silence = shared.time_limit.saturating_mul(3);
    let router = Router::new()
        .route(EVENTS, post(events))
        .fallback(|| async {
            let detail = "There is no such path. Send events to \
                          /v1/spaces/{space}/channels/{channel}/events.";
            Problem::new(StatusCode::NOT_FOUND, detail)
        })
        .method_not_allowed_fallback(|| async {
            let detail = "This path takes only POST.";
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, detail)
        })
        // The limit is that of the handler, which says so in words.
        .layer(DefaultBodyLimit::disable())
        .with_state(Arc::new(shared));
    axum::serve(Bounded::new(listener, silence), router)
        .with_graceful_shutdown(async {
            gone.await.ok();
        })
        .into_future()
        .await
}

type Names = Result<Path<(String, String)>, PathRejection>;

async fn events(
    State(shared): State<Arc<Shared>>,
    names: Names,
    headers: HeaderMap,
    body: Body,
) -> Response {
    match shared.receive(names, &headers, body).await {
        Ok(taken) => {
            let kind = [(header::CONTENT_TYPE, "application/json")];
            let body = json!({ "taken": taken }).to_string();
            (StatusCode::ACCEPTED, kind, body).into_response()
        }
        Err(problem) => {
            tracing::debug!(?problem, "a webhook call is refused");
            problem.into_response()
        }
    }
}

impl Shared {
    /// Takes a call; returns how many events were in it. What is wrong is said only to who has the
    /// secret.
    async fn receive(
        &self,
        names: Names,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<usize, Problem> {
        let signed = signed(headers).map_err(unsigned)?;
        let place = timeout(self.time_limit, self.places.acquire()).await;
        let Ok(Ok(_place)) = place else {
            return Err(not_now("There are too many calls"));
        };
        let body = self.bytes(body).await?;
        let now = self.clock.now();
        self.secret.verify(signed, &body, now).map_err(unsigned)?;
        let (space, channel) = self.channel(names)?;
        check_type(headers)?;
        let target = Target {
            space: space.clone(),
            channel: channel.clone(),
            bots: Bots::default(),
        };
        let batch = body::read(&body, target, now)
            .map_err(|bad| Problem::new(StatusCode::BAD_REQUEST, bad.to_string()).at(bad.line()))?;
        let taken = batch.events.len();
        let (reply, outcome) = oneshot::channel();
        let job = Job {
            space,
            channel,
            batch,
            reply,
        };
        self.hand_over(job, outcome).await.map(|()| taken)
    }

    async fn bytes(&self, body: Body) -> Result<Vec<u8>, Problem> {
        let mut chunks = body.into_data_stream();
        let read = async {
            let (mut bytes, mut length) = (Vec::new(), 0);
            while let Some(chunk) = chunks.next().await {
                let chunk = chunk.map_err(|_| {
                    let detail = "The body broke off. Send the call again.";
                    Problem::new(StatusCode::BAD_REQUEST, detail)
                })?;
                length += chunk.len();
                if length <= BODY_MAX {
                    bytes.extend_from_slice(&chunk);
                } else if length > PASSED_OVER {
                    break;
                }
            }
            if length > BODY_MAX {
                let detail = format!(
                    "The body has more than {BODY_MAX} bytes. Send its lines in several calls."
                );
                return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, detail));
            }
            Ok(bytes)
        };
        timeout(self.time_limit, read).await.unwrap_or_else(|_| {
            let detail = "The body did not come in time. Send the call again.";
            Err(Problem::new(StatusCode::REQUEST_TIMEOUT, detail))
        })
    }

    fn channel(&self, names: Names) -> Result<(SpaceId, ChannelId), Problem> {
        let bad = |detail: String| Problem::new(StatusCode::BAD_REQUEST, detail);
        let Path((space, channel)) = names.map_err(|_| {
            bad("The path is not valid. Write space and channel in UTF-8, percent-encoded.".into())
        })?;
        let space =
            SpaceId::parse(&space).map_err(|e| bad(format!("The path is not valid: {e}.")))?;
        // A slash that was encoded in the path is part of the channel's own id.
        let channel = channel.replace('/', "%2F");
        let channel =
            ChannelId::parse(&channel).map_err(|e| bad(format!("The path is not valid: {e}.")))?;
        if self.platforms.iter().any(|name| name == channel.platform()) {
            return Ok((space, channel));
        }
        let detail = format!(
            "Channels of the platform {:?} are not received here. Write one of {} before the \
             colon, or add the platform to the setting `webhook.platforms`.",
            channel.platform(),
            self.platforms.join(", ")
        );
        Err(Problem::new(StatusCode::NOT_FOUND, detail))
    }

    async fn hand_over(
        &self,
        job: Job,
        outcome: oneshot::Receiver<Outcome>,
    ) -> Result<(), Problem> {
        let answered = async {
            self.jobs.send(job).await.ok()?;
            outcome.await.ok()
        };
        match timeout(self.time_limit, answered).await {
            Ok(Some(Outcome::Taken)) => Ok(()),
            Ok(Some(Outcome::Refused(reason))) => {
                let detail = format!("The log does not take these events: {reason}.");
                Err(Problem::new(StatusCode::BAD_REQUEST, detail))
            }
            Ok(Some(Outcome::NotNow)) => Err(not_now("The log cannot be written to now")),
            Ok(None) => Err(not_now("This process takes no events now")),
            Err(_) => Err(not_now("The log did not answer in time")),
        }
    }
}

fn signed(headers: &HeaderMap) -> Result<Signed<'_>, Unsigned> {
    let text = |name| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.ok_or(Unsigned::Missing(name))
    };
    Ok(Signed {
        id: text(ID)?,
        timestamp: text(TIMESTAMP)?,
        signature: text(SIGNATURE)?,
    })
}

fn unsigned(why: Unsigned) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, why.to_string())
}

fn not_now(why: &str) -> Problem {
    let detail = format!(
        "{why}. Send the same call again after the seconds of Retry-After, signed anew: what was \
         taken already is not taken twice."
    );
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, detail)
}

fn check_type(headers: &HeaderMap) -> Result<(), Problem> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let kind = text(header::CONTENT_TYPE).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let encoding = text(header::CONTENT_ENCODING).unwrap_or("identity");
    let detail = if !TYPES.iter().any(|one| one.eq_ignore_ascii_case(kind)) {
        "The header Content-Type is not that of JSON lines. Write application/x-ndjson."
    } else if !encoding.eq_ignore_ascii_case("identity") {
        "The header Content-Encoding is not known. Send the body without compression."
    } else {
        return Ok(());
    };
    Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail))
}
