//! One endpoint of a model server: JSON over HTTP.
//!
//! Calls have a time limit, answers a size limit. Neither requests nor answers are logged or quoted
//! in errors. The key is sent in one header and nowhere else: redirects are not followed, and no
//! proxy is used.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use serde::de::DeserializeOwned;
use serde_json::Value;
use threadlore_ports::{Breaker, Clock, PortError};

/// Failures in a row after which the server is left alone, and for how long.
const ERRORS: u32 = 5;
const PAUSE: Duration = Duration::from_secs(30);
const DOING: &str = "asking the model";

/// Why a client cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The URL is none.
    #[error("the base URL of the model server is no http or https URL")]
    Url,
    /// The key cannot be sent in a header.
    #[error("the API key has characters that an HTTP header cannot have")]
    Key,
    /// TLS or the like.
    #[error("the HTTP client cannot be set up")]
    Client(#[source] reqwest::Error),
}

/// An endpoint, with a breaker.
pub(crate) struct Server {
    http: Client,
    url: Url,
    breaker: Breaker,
    clock: Arc<dyn Clock>,
}

impl Server {
    /// The endpoint `path` below `base_url`.
    pub(crate) fn new(
        (base_url, path): (&str, &str),
        api_key: Option<&str>,
        timeout: Duration,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ClientError> {
        let url = format!("{}/{path}", base_url.trim_end_matches('/'));
        let url = Url::parse(&url).map_err(|_| ClientError::Url)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(ClientError::Url);
        }
        let mut headers = HeaderMap::new();
        if let Some(key) = api_key {
            let bearer = HeaderValue::from_str(&format!("Bearer {key}"));
            let mut bearer = bearer.map_err(|_| ClientError::Key)?;
            bearer.set_sensitive(true);
            headers.insert(AUTHORIZATION, bearer);
        }
        let http = Client::builder()
            .default_headers(headers)
            .timeout(timeout)
            .redirect(Policy::none())
            .no_proxy()
            .build()
            .map_err(ClientError::Client)?;
        Ok(Self {
            http,
            url,
            breaker: Breaker::new(ERRORS, PAUSE),
            clock,
        })
    }

    /// Posts `body` and reads the answer, of `most` bytes at most, as `what`.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        body: &Value,
        most: usize,
        what: &'static str,
    ) -> Result<T, PortError> {
        let Some(admitted) = self.breaker.admit(self.clock.now()) else {
            let what = "the model server, which failed several times in a row and is left alone,";
            return Err(unavailable(what, None));
        };
        let answer = self.call(body, most).await;
        match &answer {
            Err(PortError::Unavailable { .. }) => admitted.failed(self.clock.now()),
            _ => admitted.worked(),
        }
        serde_json::from_slice(&answer?).map_err(|e| {
            let (line, column) = (e.line(), e.column());
            refused(format!(
                "what the model server answered is {what} (line {line}, column {column})"
            ))
        })
    }

    async fn call(&self, body: &Value, most: usize) -> Result<Vec<u8>, PortError> {
        let request = self.http.post(self.url.clone());
        let request = request
            .header("content-type", "application/json")
            .body(body.to_string());
        let response = request.send().await.map_err(broken_off)?;
        usable(response.status())?;
        let bytes = bounded(response, most).await.map_err(broken_off)?;
        bytes.ok_or_else(|| {
            refused(format!(
                "the model server's answer is longer than {most} bytes"
            ))
        })
    }
}

/// Whether a status means an answer, and if not, whether trying again may help.
fn usable(status: StatusCode) -> Result<(), PortError> {
    match status {
        _ if status.is_success() => Ok(()),
        StatusCode::TOO_MANY_REQUESTS => Err(unavailable(
            "the model server, which answered that it has too much to do (429),",
            None,
        )),
        StatusCode::REQUEST_TIMEOUT => Err(unavailable(
            "the model server, which answered that it took too long (408),",
            None,
        )),
        _ if status.is_server_error() => Err(unavailable(
            "the model server, which answered that it failed (5xx),",
            None,
        )),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(refused(format!(
            "the model server answered {status}: look at its API key"
        ))),
        StatusCode::NOT_FOUND => Err(refused(format!(
            "the model server answered {status}: look at its base URL and the name of the model"
        ))),
        _ => Err(refused(format!("the model server answered {status}"))),
    }
}

/// The bytes of an answer, read only as far as they may go; `None` where there are more.
pub(crate) async fn bounded(
    mut response: Response,
    most: usize,
) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if bytes.len() + chunk.len() > most {
            return Ok(None);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Some(bytes))
}

fn broken_off(error: reqwest::Error) -> PortError {
    let what = if error.is_timeout() {
        "the model server, which did not answer in time,"
    } else if error.is_connect() {
        "the model server, which cannot be reached,"
    } else {
        "the model server, which broke off,"
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

pub(crate) fn refused(reason: impl Into<String>) -> PortError {
    PortError::Refused {
        doing: DOING,
        reason: reason.into(),
    }
}
