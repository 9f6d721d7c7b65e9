//! Calls of a server, with retries where they may help.

use std::sync::Arc;
use std::time::Duration;

use qdrant_client::qdrant::{PointsOperationResponse, UpdateStatus};
use qdrant_client::{Qdrant, QdrantError};
use threadlore_ports::{Clock, PortError};

use super::failure::{Failure, Kind};
use super::options::ClusterOptions;

/// First and longest pause before a request is sent again.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(5));

/// How often a request is sent. If the connection fails, the client library itself reconnects and
/// sends the request once more, each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tries {
    /// For searches: the caller waits, and has a fallback.
    Once,
    /// For the work of the indexer, which would begin again from the start.
    Few,
}

impl Tries {
    const fn number(self) -> u32 {
        match self {
            Self::Once => 1,
            Self::Few => 4,
        }
    }
}

/// The servers behind one URL.
pub(crate) struct Server {
    client: Qdrant,
    url: String,
    clock: Arc<dyn Clock>,
}

impl Server {
    /// Nothing is sent yet.
    pub(crate) fn new(options: &ClusterOptions, clock: Arc<dyn Clock>) -> Result<Self, PortError> {
        let client = Qdrant::from_url(&options.url)
            .api_key(options.api_key.clone())
            .timeout(options.timeout)
            .connect_timeout(options.timeout)
            // The check would use another runtime, and print its result.
            .skip_compatibility_check()
            .build();
        let broken = |e: QdrantError| PortError::Broken {
            doing: "reading the settings of the index",
            reason: format!("url {:?}: write http://HOST:6334", options.url),
            source: Some(Box::new(e)),
        };
        Ok(Self {
            client: client.map_err(broken)?,
            url: options.url.clone(),
            clock,
        })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        self.clock.as_ref()
    }

    /// Sends a request, at most a few times.
    pub(crate) async fn call<R: Clone, T, F>(
        &self,
        tries: Tries,
        request: &R,
        send: impl Fn(Qdrant, R) -> F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = Result<T, QdrantError>>,
    {
        self.attempts(tries, request, send, Ok).await
    }

    /// As `call`, for a change of points: it returns when searches see the change.
    pub(crate) async fn change<R: Clone, F>(
        &self,
        request: &R,
        send: impl Fn(Qdrant, R) -> F,
    ) -> Result<(), Failure>
    where
        F: Future<Output = Result<PointsOperationResponse, QdrantError>>,
    {
        let is_made = |answer: PointsOperationResponse| {
            let status = answer.result.unwrap_or_default().status();
            if status == UpdateStatus::Completed {
                return Ok(());
            }
            let said = format!("the change is not made yet: {}", status.as_str_name());
            Err(Failure::passing(&self.url, &said))
        };
        self.attempts(Tries::Few, request, send, is_made).await
    }

    async fn attempts<R: Clone, T, U, F>(
        &self,
        tries: Tries,
        request: &R,
        send: impl Fn(Qdrant, R) -> F,
        judge: impl Fn(T) -> Result<U, Failure>,
    ) -> Result<U, Failure>
    where
        F: Future<Output = Result<T, QdrantError>>,
    {
        let (mut pause, longest) = PAUSE;
        let mut left = tries.number();
        loop {
            left -= 1;
            let answer = Box::pin(send(self.client.clone(), request.clone())).await;
            let outcome = match answer {
                Ok(answer) => judge(answer),
                Err(error) => Err(Failure::new(&self.url, &error)),
            };
            let failure = match outcome {
                Err(failure) if failure.kind == Kind::Passing && left > 0 => failure,
                outcome => return outcome,
            };
            let wait = failure.patience.unwrap_or(pause).min(longest);
            self.clock.sleep(wait).await;
            pause = (pause * 2).min(longest);
        }
    }
}
