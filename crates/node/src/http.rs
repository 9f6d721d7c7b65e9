//! Metrics and health over HTTP, at the address of the setting `telemetry.listen`.

use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use threadlore_telemetry::Metrics;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

use crate::drain::Backlog;
use crate::error::BadInput;
use crate::node::Node;

/// Longest wait for the database.
const PATIENCE: Duration = Duration::from_secs(2);
/// As Prometheus names its text format.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The process that is served, as far as it has started.
#[derive(Clone, Default)]
enum About {
    /// Log, database and index are opened, roles are started.
    #[default]
    Starting,
    /// The roles run.
    Running(Arc<(Metrics, Backlog)>),
    /// They were stopped.
    Stopped,
}

type Shared = Arc<RwLock<About>>;

/// A running server; it ends when this is dropped.
pub struct Http {
    about: Shared,
    task: AbortHandle,
}

impl Http {
    /// Listens and answers from now on; not ready before [`Http::ready`].
    ///
    /// # Errors
    /// When the address cannot be had.
    pub async fn listen(address: SocketAddr) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(address).await.map_err(|e| {
            BadInput(format!(
                "metrics cannot be served on {address}, as the setting `telemetry.listen` says: \
                 {e}; choose another address, or stop what uses it"
            ))
        })?;
        tracing::info!(%address, "serving metrics and health");
        let about = Shared::default();
        let router = Router::new()
            .route("/metrics", get(metrics))
            .route("/health/live", get(|| async { "live\n" }))
            .route("/health/startup", get(startup))
            .route("/health/ready", get(ready))
            .with_state(Arc::clone(&about));
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "metrics are not served any more");
            }
        });
        Ok(Self {
            about,
            task: task.abort_handle(),
        })
    }

    /// The roles of a node run.
    pub fn ready(&self, node: &Node) {
        let running = (node.metrics.clone(), node.backlog());
        self.set(About::Running(Arc::new(running)));
    }

    fn set(&self, to: About) {
        *self.about.write().unwrap_or_else(PoisonError::into_inner) = to;
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        // Connections that are still open keep nothing of the node alive.
        self.set(About::Stopped);
        self.task.abort();
    }
}

fn known(about: &Shared) -> About {
    about.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Not now, and why.
fn not_yet(why: &'static str) -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, why).into_response()
}

impl About {
    /// The running parts, or why nothing runs.
    fn running(self) -> Result<Arc<(Metrics, Backlog)>, &'static str> {
        match self {
            Self::Running(running) => Ok(running),
            Self::Starting => Err(STARTING),
            Self::Stopped => Err("the roles were stopped\n"),
        }
    }
}

const STARTING: &str = "log, database and index are still being opened, or the roles started\n";

/// Once it has begun, it has begun.
async fn startup(State(about): State<Shared>) -> Response {
    match known(&about) {
        About::Starting => not_yet(STARTING),
        About::Running(_) | About::Stopped => "started\n".into_response(),
    }
}

async fn ready(State(about): State<Shared>) -> Response {
    let running = match known(&about).running() {
        Ok(running) => running,
        Err(why) => return not_yet(why),
    };
    let (_, backlog) = running.as_ref();
    match tokio::time::timeout(PATIENCE, backlog.answers()).await {
        Ok(true) => "ready\n".into_response(),
        Ok(false) => not_yet("the database does not answer\n"),
        Err(_) => not_yet("the database did not answer within two seconds\n"),
    }
}

async fn metrics(State(about): State<Shared>) -> Response {
    let running = match known(&about).running() {
        Ok(running) => running,
        Err(why) => return not_yet(why),
    };
    let (metrics, backlog) = running.as_ref();
    // Without the database, the counters are still served.
    match tokio::time::timeout(PATIENCE, backlog.tell(metrics)).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::warn!(%error, "what waits could not be counted"),
        Err(_) => tracing::warn!("what waits could not be counted in time"),
    }
    match metrics.render() {
        Ok(text) => ([(header::CONTENT_TYPE, TEXT)], text).into_response(),
        Err(error) => {
            tracing::error!(%error, "the metrics cannot be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
