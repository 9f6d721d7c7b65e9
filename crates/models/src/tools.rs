//! Tools of spaces: HTTP endpoints that an operator declares, and that a model which reads may ask.
//!
//! A tool is asked with GET at the URL that was declared, and nowhere else: what the model gives it is one
//! part of the path or one value of the query, and a redirect is followed on the same host alone. Unless
//! the operator says that a tool is inside his own network, no private address is asked, whatever the
//! name of the host leads to at that moment. Neither calls nor answers are logged or quoted in errors.

mod address;
mod answer;
mod declared;

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{ACCEPT, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use threadlore_model::SpaceId;
use threadlore_ports::{Breaker, Clock, PortError, Tool, ToolCall, ToolEngine};

use crate::server::bounded;
use address::{Outside, Private};
use declared::Address;
pub use declared::{BadTool, ToolSettings};

/// Failures in a row after which a tool is left alone, and for how long.
const ERRORS: u32 = 5;
const PAUSE: Duration = Duration::from_secs(30);
/// Redirects that are followed.
const REDIRECTS: usize = 3;
/// The most bytes of an answer.
const MOST_BYTES: usize = 256 * 1024;
const DOING: &str = "asking a tool";

/// Counts calls: whether the tool answered.
pub type ToolMeter = Arc<dyn Fn(bool) + Send + Sync>;

/// The tools of all spaces.
pub struct HttpTools {
    of: BTreeMap<SpaceId, Vec<Arc<HttpTool>>>,
    /// Of spaces without their own.
    all: Vec<Arc<HttpTool>>,
    clock: Arc<dyn Clock>,
    meter: ToolMeter,
}

/// One tool, ready to be asked.
pub struct HttpTool {
    tool: Tool,
    address: Address,
    header: Option<(HeaderName, HeaderValue)>,
    http: Client,
    breaker: Breaker,
}

impl HttpTool {
    /// A tool by its name; `token` is what its `token_file` holds. Nothing is sent yet.
    ///
    /// # Errors
    /// What is wrong with the declaration.
    pub fn new(name: &str, declared: ToolSettings, token: Option<&str>) -> Result<Self, BadTool> {
        let address = declared.address(name)?;
        let header = declared.header(token)?;
        let same = address.clone();
        let redirects = Policy::custom(move |attempt| {
            let is_same = same.is_of(attempt.url());
            match is_same && attempt.previous().len() <= REDIRECTS {
                true => attempt.follow(),
                false => attempt.error(Elsewhere),
            }
        });
        let mut http = Client::builder()
            .timeout(declared.limit())
            .redirect(redirects)
            // Each call is a connection of its own, whose address is looked at.
            .pool_max_idle_per_host(0)
            .no_proxy();
        if !declared.private {
            http = http.dns_resolver(Arc::new(Outside));
        }
        Ok(Self {
            tool: Tool {
                name: name.to_owned(),
                host: address.host().to_owned(),
                about: declared.about,
                inputs: declared.inputs,
            },
            address,
            header,
            http: http.build().map_err(BadTool::Client)?,
            breaker: Breaker::new(ERRORS, PAUSE),
        })
    }

    async fn call(&self, call: &ToolCall, clock: &dyn Clock) -> Result<Vec<String>, PortError> {
        let url = self.address.with(&call.inputs).map_err(refused)?;
        let Some(admitted) = self.breaker.admit(clock.now()) else {
            let what = "the tool, which failed several times in a row and is left alone,";
            return Err(unavailable(what, None));
        };
        let request = self
            .http
            .get(url)
            .header(ACCEPT, "application/json, text/plain");
        let request = match &self.header {
            Some((name, value)) => request.header(name, value),
            None => request,
        };
        let answer = match request.send().await {
            Ok(response) => read(response).await,
            Err(error) => Err(broken_off(error)),
        };
        match &answer {
            Err(PortError::Unavailable { .. }) => admitted.failed(clock.now()),
            _ => admitted.worked(),
        }
        answer
    }
}

impl HttpTools {
    /// The most tools of a space: all of them are shown to the model with every question.
    pub const MOST: usize = 16;

    /// The tools of spaces, and those of all others.
    #[must_use]
    pub fn new(
        all: Vec<Arc<HttpTool>>,
        of: BTreeMap<SpaceId, Vec<Arc<HttpTool>>>,
        clock: Arc<dyn Clock>,
        meter: ToolMeter,
    ) -> Self {
        Self {
            of,
            all,
            clock,
            meter,
        }
    }

    fn of(&self, space: &SpaceId) -> &[Arc<HttpTool>] {
        self.of.get(space).unwrap_or(&self.all)
    }
}

#[async_trait]
impl ToolEngine for HttpTools {
    fn tools(&self, space: &SpaceId) -> Vec<Tool> {
        let tools = self.of(space).iter();
        tools.map(|one| one.tool.clone()).collect()
    }

    async fn call(&self, space: &SpaceId, call: &ToolCall) -> Result<Vec<String>, PortError> {
        let mut tools = self.of(space).iter();
        let Some(tool) = tools.find(|one| one.tool.name == call.tool) else {
            return Err(refused("the space has no such tool"));
        };
        let answer = tool.call(call, self.clock.as_ref()).await;
        (self.meter)(answer.is_ok());
        answer
    }
}

/// The lines of an answer.
async fn read(response: Response) -> Result<Vec<String>, PortError> {
    let status = response.status();
    if status.is_server_error() || status.as_u16() == 429 {
        let what = "the tool, which answered that it cannot do that now (429 or 5xx),";
        return Err(unavailable(what, None));
    }
    if !status.is_success() {
        return Err(refused(format!("it answered {status}")));
    }
    let kind = response.headers().get(reqwest::header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.to_owned();
    let bytes = bounded(response, MOST_BYTES).await.map_err(broken_off)?;
    let too_long = || refused(format!("its answer is longer than {MOST_BYTES} bytes"));
    let bytes = bytes.ok_or_else(too_long)?;
    answer::lines(&kind, &bytes).map_err(refused)
}

/// A redirect leads to another host, or there are too many of them.
#[derive(Debug, thiserror::Error)]
#[error("it leads elsewhere")]
struct Elsewhere;

fn broken_off(error: reqwest::Error) -> PortError {
    let mut cause: Option<&(dyn Error + 'static)> = Some(&error);
    while let Some(one) = cause {
        if one.is::<Private>() {
            return refused(
                "its host has a private address, which is asked only where it is declared with \
                 `private = true`",
            );
        }
        if one.is::<Elsewhere>() {
            return refused(format!(
                "it redirects to another host, or more than {REDIRECTS} times"
            ));
        }
        cause = one.source();
    }
    let what = match (error.is_timeout(), error.is_connect()) {
        (true, _) => "the tool, which did not answer in time,",
        (_, true) => "the tool, which cannot be reached,",
        _ => "the tool, which broke off,",
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

#[cfg(test)]
mod tests;
