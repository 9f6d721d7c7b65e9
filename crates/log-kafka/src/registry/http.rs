//! The three questions that are asked of a registry.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, StatusCode, Url};
use serde::Deserialize;
use serde_json::{Value, json};
use threadlore_ports::{Breaker, Clock, PortError};

use super::error::{RegistryError, broken, unavailable};
use super::settings::RegistrySettings;

const CONTENT: &str = "application/vnd.schemaregistry.v1+json";
/// Waits between tries of one question.
const WAITS: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(400)];
/// Questions in a row without an answer after which the registry is left alone, and for
/// how long.
const ERRORS: u32 = 3;
const PAUSE: Duration = Duration::from_secs(5);
/// Longest answer that is read, in bytes.
const MOST_BYTES: usize = 1_000_000;
/// Longest part of the registry's own words that is repeated.
const WORDS: usize = 200;
/// The registry's codes for an id that it does not have.
const NO_SCHEMA: i64 = 40403;
/// The registry's codes for a schema that a subject does not have, or a subject.
const NOT_REGISTERED: [i64; 2] = [40401, NO_SCHEMA];

/// The schema of an id.
pub(super) enum Answer {
    /// The text of a schema.
    Avro(String),
    /// A schema that is no usable Avro schema, with the reason.
    Other(String),
    /// The registry says that there is none.
    Missing,
}

pub(super) struct Http {
    client: Client,
    /// Without a slash at its end.
    url: String,
    login: Option<(String, Option<String>)>,
    breaker: Breaker,
    clock: Arc<dyn Clock>,
}

#[derive(Deserialize)]
struct Given {
    id: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Schema {
    schema: String,
    schema_type: Option<String>,
    #[serde(default)]
    references: Option<Vec<Value>>,
}

/// An answer: its status, and bytes that should be JSON.
struct Said {
    status: StatusCode,
    bytes: Vec<u8>,
}

impl Said {
    /// The registry's error code and message.
    fn error(&self) -> (Option<i64>, String) {
        let body: Value = serde_json::from_slice(&self.bytes).unwrap_or_default();
        let words = body["message"].as_str().unwrap_or("no reason");
        let words = words.chars().filter(|c| !c.is_control()).take(WORDS);
        (body["error_code"].as_i64(), words.collect())
    }
}

impl Http {
    pub(super) fn new(
        settings: &RegistrySettings,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, PortError> {
        // Not repeated, for it may hold a password.
        let url = Url::parse(&settings.url)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or_else(|| broken("the URL of the schema registry is no http or https URL"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(broken(
                "the URL of the schema registry has a user or password in it: put them into \
                 their own settings",
            ));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(broken(
                "the URL of the schema registry has something after its path: remove it",
            ));
        }
        let client = Client::builder()
            .timeout(settings.timeout)
            .redirect(Policy::none())
            .no_proxy()
            .build()
            .map_err(|e| broken(format!("the HTTP client cannot be set up: {e}")))?;
        let login = settings.user.clone();
        Ok(Self {
            client,
            url: url.as_str().trim_end_matches('/').to_owned(),
            login: login.map(|user| (user, settings.password.clone())),
            breaker: Breaker::new(ERRORS, PAUSE),
            clock,
        })
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) async fn pause(&self, wait: Duration) {
        self.clock.sleep(wait).await;
    }

    /// Registers a schema, or finds the registered one.
    pub(super) async fn register(&self, subject: &str, schema: &str) -> Result<u32, PortError> {
        let path = format!("/subjects/{subject}/versions");
        let said = self.post(&path, subject, schema).await?;
        if said.status.is_success() {
            return self.given(subject, &said);
        }
        let (_, words) = said.error();
        Err(match said.status {
            StatusCode::CONFLICT => self.refuses(
                subject,
                &format!(
                    "it says that the schema is not compatible with those before it ({words}): \
                     look at the subject's versions and compatibility level"
                ),
            ),
            status => self.refuses(subject, &format!("it answered {status} ({words})")),
        })
    }

    /// Finds a schema's id under a subject, which must have it.
    pub(super) async fn look_up(&self, subject: &str, schema: &str) -> Result<u32, PortError> {
        let path = format!("/subjects/{subject}");
        let said = self.post(&path, subject, schema).await?;
        if said.status.is_success() {
            return self.given(subject, &said);
        }
        let (code, words) = said.error();
        if code.is_some_and(|code| NOT_REGISTERED.contains(&code)) {
            return Err(self.refuses(
                subject,
                "the schema is not registered: register it, or let it be registered from here",
            ));
        }
        Err(self.refuses(subject, &format!("it answered {} ({words})", said.status)))
    }

    /// Fetches the schema of an id.
    pub(super) async fn schema(&self, id: u32) -> Result<Answer, PortError> {
        let url = format!("{}/schemas/ids/{id}", self.url);
        let about = format!("schema {id}");
        let said = self.ask(&about, || self.client.get(&url)).await?;
        if said.status == StatusCode::NOT_FOUND && said.error().0 == Some(NO_SCHEMA) {
            return Ok(Answer::Missing);
        }
        let not_one = |why: &str| broken(format!("{}: asked for {about}, {why}", self.url));
        if !said.status.is_success() {
            let (_, words) = said.error();
            return Err(not_one(&format!(
                "it answered {} ({words}): look at the URL and the rights of the user",
                said.status
            )));
        }
        let found: Schema = serde_json::from_slice(&said.bytes)
            .map_err(|_| not_one("it answered no schema: look at the URL"))?;
        let other = |why: &str| Ok(Answer::Other(why.to_owned()));
        match found.schema_type.as_deref() {
            None | Some("AVRO") => {}
            Some(_) => return other("it is no Avro schema"),
        }
        if found.references.is_some_and(|others| !others.is_empty()) {
            return other("it refers to schemas of other subjects, which are not followed");
        }
        Ok(Answer::Avro(found.schema))
    }

    async fn post(&self, path: &str, subject: &str, schema: &str) -> Result<Said, PortError> {
        let url = format!("{}{path}", self.url);
        let body = json!({ "schema": schema }).to_string();
        let about = format!("subject {subject}");
        let request = || {
            let request = self.client.post(&url).body(body.clone());
            request.header(CONTENT_TYPE, CONTENT)
        };
        self.ask(&about, request).await
    }

    fn given(&self, subject: &str, said: &Said) -> Result<u32, PortError> {
        let given: Given = serde_json::from_slice(&said.bytes)
            .map_err(|_| self.refuses(subject, "it answered no id: look at the URL"))?;
        Ok(given.id)
    }

    fn refuses(&self, subject: &str, why: &str) -> PortError {
        broken(format!("{}: asked for subject {subject}, {why}", self.url))
    }

    /// Sends a request, several times where a retry may help.
    async fn ask(
        &self,
        about: &str,
        request: impl Fn() -> RequestBuilder,
    ) -> Result<Said, PortError> {
        let error = |why: &str| RegistryError::new(&self.url, format!("asked for {about}, {why}"));
        let Some(admitted) = self.breaker.admit(self.clock.now()) else {
            let what = "the schema registry, which failed several times and is left alone,";
            return Err(unavailable(what, error("it was not asked")));
        };
        let mut waits = WAITS.iter();
        let failed = loop {
            let failed = match self.once(request()).await {
                Ok(said) if passing(said.status) => {
                    let (_, words) = said.error();
                    error(&format!("it answered {} ({words})", said.status))
                }
                Ok(said) => {
                    admitted.worked();
                    return match said.status {
                        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(broken(format!(
                            "{}: asked for {about}, it answered {}: look at user and password",
                            self.url, said.status
                        ))),
                        _ => Ok(said),
                    };
                }
                Err(source) if source.is_timeout() => {
                    error("it did not answer in time").because(source)
                }
                Err(source) if source.is_connect() => error("it cannot be reached").because(source),
                Err(source) => error("it broke off").because(source),
            };
            match waits.next() {
                Some(wait) => self.clock.sleep(*wait).await,
                None => break failed,
            }
        };
        admitted.failed(self.clock.now());
        Err(unavailable("the schema registry", failed))
    }

    async fn once(&self, request: RequestBuilder) -> Result<Said, reqwest::Error> {
        let request = match &self.login {
            Some((user, password)) => request.basic_auth(user, password.as_ref()),
            None => request,
        };
        let sent = request.header(ACCEPT, CONTENT).send().await;
        let mut response = sent.map_err(reqwest::Error::without_url)?;
        let mut bytes = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(reqwest::Error::without_url)?
        {
            // An answer that is cut here is not valid JSON, and is reported as such.
            let room = MOST_BYTES.saturating_sub(bytes.len());
            bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if chunk.len() > room {
                break;
            }
        }
        let status = response.status();
        Ok(Said { status, bytes })
    }
}

/// Whether trying again may help.
fn passing(status: StatusCode) -> bool {
    status.is_server_error()
        || status == StatusCode::REQUEST_TIMEOUT
        || status == StatusCode::TOO_MANY_REQUESTS
}
