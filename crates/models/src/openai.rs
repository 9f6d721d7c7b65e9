//! A client for chat models that speak OpenAI's protocol:
//! `POST {base_url}/chat/completions`, the answer as JSON of a given schema.
//!
//! A call has a time limit, an answer a size limit. Neither what is sent nor what
//! comes back is logged or repeated in an error. The key goes into one header and
//! nowhere else: redirects are not followed, and no proxy is looked up.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, StatusCode, Url};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threadlore_ports::{Breaker, Clock, PortError};

/// Longest answer that is read, in bytes.
const MOST_BYTES: usize = 1_000_000;
/// Failures in a row after which the server is left alone, and for how long (M34).
const ERRORS: u32 = 5;
const PAUSE: Duration = Duration::from_secs(30);
const DOING: &str = "asking the model";

/// Which model, and how to reach it.
pub struct ChatSettings {
    /// What stands before `/chat/completions`, such as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// The model's name.
    pub model: String,
    /// The key, for servers that want one.
    pub api_key: Option<String>,
    /// Longest time for one call.
    pub timeout: Duration,
    /// Whether temperature 0 is asked for; some models refuse any.
    pub temperature_zero: bool,
}

/// Why a client cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum ChatError {
    /// The URL is none.
    #[error("the base URL of the model server is no http or https URL")]
    Url,
    /// The key cannot stand in a header.
    #[error("the API key has characters that an HTTP header cannot have")]
    Key,
    /// TLS or the like.
    #[error("the HTTP client cannot be set up")]
    Client(#[source] reqwest::Error),
}

/// One message of a conversation with a model.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Message {
    role: &'static str,
    content: String,
}

impl Message {
    pub(crate) fn system(content: impl Into<String>) -> Self {
        let (role, content) = ("system", content.into());
        Self { role, content }
    }
    pub(crate) fn user(content: impl Into<String>) -> Self {
        let (role, content) = ("user", content.into());
        Self { role, content }
    }
    pub(crate) fn assistant(content: impl Into<String>) -> Self {
        let (role, content) = ("assistant", content.into());
        Self { role, content }
    }
}

/// The JSON that is asked for.
#[derive(Debug)]
pub(crate) struct Format {
    pub(crate) name: &'static str,
    pub(crate) schema: Value,
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Said,
}

#[derive(Deserialize)]
struct Said {
    content: Option<String>,
}

/// A chat model behind HTTP, with a breaker.
pub(crate) struct Chat {
    http: Client,
    url: Url,
    pub(crate) model: String,
    temperature_zero: bool,
    breaker: Breaker,
    clock: Arc<dyn Clock>,
}

impl Chat {
    pub(crate) fn new(settings: ChatSettings, clock: Arc<dyn Clock>) -> Result<Self, ChatError> {
        let url = format!(
            "{}/chat/completions",
            settings.base_url.trim_end_matches('/')
        );
        let url = Url::parse(&url).map_err(|_| ChatError::Url)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(ChatError::Url);
        }
        let mut headers = HeaderMap::new();
        if let Some(key) = &settings.api_key {
            let bearer = HeaderValue::from_str(&format!("Bearer {key}"));
            let mut bearer = bearer.map_err(|_| ChatError::Key)?;
            bearer.set_sensitive(true);
            headers.insert(AUTHORIZATION, bearer);
        }
        let http = Client::builder()
            .default_headers(headers)
            .timeout(settings.timeout)
            .redirect(Policy::none())
            .no_proxy()
            .build()
            .map_err(ChatError::Client)?;
        Ok(Self {
            http,
            url,
            model: settings.model,
            temperature_zero: settings.temperature_zero,
            breaker: Breaker::new(ERRORS, PAUSE),
            clock,
        })
    }

    /// What the model says to `messages`; empty where it says nothing.
    pub(crate) async fn ask(
        &self,
        messages: &[Message],
        format: &Format,
    ) -> Result<String, PortError> {
        let Some(admitted) = self.breaker.admit(self.clock.now()) else {
            let what = "the model server, which failed several times in a row and is left alone,";
            return Err(unavailable(what, None));
        };
        let answer = self.call(messages, format).await;
        match &answer {
            Err(PortError::Unavailable { .. }) => admitted.failed(self.clock.now()),
            _ => admitted.worked(),
        }
        answer
    }

    async fn call(&self, messages: &[Message], format: &Format) -> Result<String, PortError> {
        let mut body = json!({
            "model": self.model,
            "messages": messages,
            "response_format": {
                "type": "json_schema",
                "json_schema": { "name": format.name, "strict": true, "schema": format.schema },
            },
        });
        if self.temperature_zero {
            body["temperature"] = json!(0);
        }
        let request = self.http.post(self.url.clone());
        let request = request
            .header("content-type", "application/json")
            .body(body.to_string());
        let response = request.send().await.map_err(broken_off)?;
        usable(response.status())?;
        let bytes = bounded(response).await?;
        let completion: Completion = serde_json::from_slice(&bytes).map_err(|e| {
            let (line, column) = (e.line(), e.column());
            refused(format!(
                "what the model server answered is no chat completion (line {line}, column {column})"
            ))
        })?;
        let first = completion.choices.into_iter().next();
        let said = first.ok_or_else(|| refused("the model server answered without a choice"))?;
        Ok(said.message.content.unwrap_or_default())
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

/// The answer's bytes, read only as far as they may go.
async fn bounded(mut response: Response) -> Result<Vec<u8>, PortError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(broken_off)? {
        if bytes.len() + chunk.len() > MOST_BYTES {
            return Err(refused(format!(
                "the model server's answer is longer than {MOST_BYTES} bytes"
            )));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
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

fn refused(reason: impl Into<String>) -> PortError {
    PortError::Refused {
        doing: DOING,
        reason: reason.into(),
    }
}
