//! Metrics and health over HTTP, where the setting `telemetry.listen` says.

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

use crate::exit::BadInput;
use crate::node::{Backlog, Node};

/// Longest wait for the database.
const PATIENCE: Duration = Duration::from_secs(2);
/// As Prometheus names its text format.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What is served about; nothing before the roles run and after they were stopped.
type About = Arc<RwLock<Option<(Metrics, Backlog)>>>;

/// A running server; it ends when this is dropped.
pub(crate) struct Http {
    about: About,
    task: AbortHandle,
}

impl Http {
    /// Listens and answers from now on; not ready before [`Http::ready`].
    ///
    /// # Errors
    /// When the address cannot be had.
    pub(crate) async fn listen(address: SocketAddr) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(address).await.map_err(|e| {
            BadInput(format!(
                "metrics cannot be served on {address}, as the setting `telemetry.listen` says: \
                 {e}; choose another address, or stop what uses it"
            ))
        })?;
        tracing::info!(%address, "serving metrics and health");
        let about = About::default();
        let router = Router::new()
            .route("/metrics", get(metrics))
            .route("/health/live", get(|| async { "live\n" }))
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
    pub(crate) fn ready(&self, node: &Node) {
        self.set(Some((node.metrics.clone(), node.backlog())));
    }

    fn set(&self, to: Option<(Metrics, Backlog)>) {
        *self.about.write().unwrap_or_else(PoisonError::into_inner) = to;
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        // Connections that are still open keep nothing of the node alive.
        self.set(None);
        self.task.abort();
    }
}

fn known(about: &About) -> Option<(Metrics, Backlog)> {
    about.read().unwrap_or_else(PoisonError::into_inner).clone()
}

const NOT_READY: (StatusCode, &str) = (StatusCode::SERVICE_UNAVAILABLE, "the roles do not run\n");

async fn ready(State(about): State<About>) -> Response {
    let Some((_, backlog)) = known(&about) else {
        return NOT_READY.into_response();
    };
    match tokio::time::timeout(PATIENCE, backlog.answers()).await {
        Ok(true) => "ready\n".into_response(),
        _ => (
            StatusCode::SERVICE_UNAVAILABLE,
            "the database does not answer\n",
        )
            .into_response(),
    }
}

async fn metrics(State(about): State<About>) -> Response {
    let Some((metrics, backlog)) = known(&about) else {
        return NOT_READY.into_response();
    };
    // Without the database, what was counted is still worth telling.
    match tokio::time::timeout(PATIENCE, backlog.tell(&metrics)).await {
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
