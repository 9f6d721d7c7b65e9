//! The HTTP API, below `/api/v1`: what pages show and change, for programs in any language.
//!
//! Every request brings a token, which is for one space. What reads is scoped by it; what changes
//! something asks the log for it and waits until it has happened. An error is a problem (RFC 9457).
//!
//! | file | holds |
//! |---|---|
//! | `problem` | errors, as they are said to programs |
//! | `mcp` | tools for assistants, each a request of these routes |
//! | `asking`, `cases`, `questions`, `memories`, `messages`, `people`, `imports`, `dead_letters`, `replays`, `settings`, `tokens`, `reports`, `graph`, `channels` | a resource each: its routes beside what the OpenAPI document says of them |

mod accounts;
mod asking;
mod cases;
mod channels;
mod dead_letters;
mod graph;
mod imports;
mod mcp;
mod memories;
mod messages;
mod people;
mod problem;
mod questions;
mod replays;
mod reports;
mod settings;
mod spaces;
mod tokens;

use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRequestParts, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::sse::Event;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use threadlore_model::ChannelId;
use threadlore_ports::Right;
use threadlore_retrieval::CONSOLE;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{IntoParams, OpenApi};
use utoipa_axum::router::OpenApiRouter;

use crate::access::Bearer;
use crate::readers::READERS;
use crate::refused::Refused;
use crate::site::{Open, Site, Visit};
use crate::words::{BODY, MOST, SHOWN};
use problem::Problem;

/// What the document says of itself.
#[derive(OpenApi)]
#[openapi(
    components(schemas(problem::ProblemDetails)),
    info(
        title = "Threadlore",
        description = "Answers from what was solved in chat before, with where they come from; cases, questions and memories of a space.",
        license(name = "Apache-2.0"),
    )
)]
struct Document;

/// The routes, and the document that says what they are.
fn documented() -> OpenApiRouter<Site> {
    OpenApiRouter::with_openapi(Document::openapi())
        .merge(asking::routes())
        .merge(cases::routes())
        .merge(questions::routes())
        .merge(memories::routes())
        .merge(channels::routes())
        .merge(reports::routes())
        .merge(graph::routes())
        .merge(messages::routes())
        .merge(people::routes())
        .merge(tokens::routes())
        .merge(accounts::routes())
        .merge(imports::routes())
        .merge(dead_letters::routes())
        .merge(replays::routes())
        .merge(settings::routes())
        .merge(spaces::routes())
}

/// The routes below `/api/v1`.
pub(crate) fn routes(site: &Site) -> Router<Site> {
    let (routes, _) = documented().split_for_parts();
    routes
        .route("/openapi.json", get(|| async { axum::Json(document()) }))
        .method_not_allowed_fallback(|| async { Problem(Refused::Method) })
        .fallback(|| async {
            Problem(Refused::NotThere(
                "There is no such route: /api/v1/openapi.json has those that there are.".to_owned(),
            ))
        })
        .layer(DefaultBodyLimit::max(BODY))
        .layer(from_fn_with_state(site.clone(), counted))
        .layer(from_fn(marked))
        .with_state(site.clone())
}

/// The door for assistants.
pub(crate) fn assistants(site: &Site) -> Router<Site> {
    mcp::routes(site, routes(site).with_state(site.clone()))
}

/// Why a request of a program is not answered, where no route says it.
pub(crate) fn problem(refused: Refused) -> Response {
    Problem(refused).into_response()
}

/// The OpenAPI document.
#[must_use]
pub(crate) fn document() -> utoipa::openapi::OpenApi {
    let (_, mut document) = documented().split_for_parts();
    document.info.version = "1".to_owned();
    document.servers = Some(vec![utoipa::openapi::Server::new("/api/v1")]);
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(
            "A token of `threadlore token create`: for one space, with some of the rights ingest, ask, read and admin.",
        ))
        .build();
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("token", SecurityScheme::Http(bearer));
    document
}

/// The same, as the file `docs/openapi.json` has it.
///
/// # Panics
/// When it cannot be written as JSON.
#[must_use]
pub fn openapi() -> String {
    let text = document().to_pretty_json().expect("a document is JSON");
    text + "\n"
}

/// Headers of every answer: its type is not guessed, and it is not cached.
async fn marked(request: Request, next: Next) -> Response {
    const SAID: [(HeaderName, &str); 2] = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    let mut response = next.run(request).await;
    for (name, value) in SAID {
        let headers = response.headers_mut();
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Every request with a token that counts: refuses it where the token made too many, and says how many it
/// may make now.
async fn counted(State(site): State<Site>, mut request: Request, next: Next) -> Response {
    const LEFT: HeaderName = HeaderName::from_static("ratelimit-remaining");
    let (open, bearer) = match bearer(&site, request.headers()).await {
        Ok(Some(found)) => found,
        Ok(None) => return next.run(request).await,
        Err(refused) => return problem(refused),
    };
    let left = match open.access.count(&bearer.id) {
        Ok(left) => left,
        Err(wait) => return problem(Refused::TooMany(wait.as_secs() + 1)),
    };
    request.extensions_mut().insert(bearer);
    let mut response = next.run(request).await;
    response.headers_mut().insert(LEFT, left.into());
    response
}

/// Who sends a request, if its token counts.
async fn bearer(site: &Site, headers: &HeaderMap) -> Result<Option<(Open, Bearer)>, Refused> {
    let sent = headers.get(header::AUTHORIZATION);
    let sent = sent.and_then(|sent| sent.to_str().ok()?.split_once(' '));
    let (Some(open), Some((scheme, token))) = (site.known(), sent) else {
        return Ok(None);
    };
    if !scheme.eq_ignore_ascii_case("bearer") {
        return Ok(None);
    }
    let node = &open.host.node;
    let now = node.clock.now();
    let Some(bearer) = open.access.bearer(token.trim(), now) else {
        return Ok(None);
    };
    let counts = open.access.counts(&node.store, &bearer.id, now).await?;
    Ok(counts.then_some((open, bearer)))
}

/// Who sends a request, and the process that it is for.
struct Caller {
    site: Site,
    bearer: Bearer,
}

impl Caller {
    /// A space, where the caller has this right.
    async fn space(&self, name: &str, right: Right) -> Result<Visit, Problem> {
        let visit = self.site.enter(&self.bearer.visitor(), name, right).await?;
        if right == Right::Admin {
            let Bearer { id, name, .. } = &self.bearer;
            tracing::info!(token = id, name, space = %visit.space(), "a program asks for a change");
        }
        Ok(visit)
    }

    /// The process, where the caller looks after the whole installation.
    fn installation(&self) -> Result<Open, Problem> {
        Ok(self.site.installation(&self.bearer.visitor())?)
    }

    /// The same, to change something.
    fn installation_to_change(&self) -> Result<Open, Problem> {
        let open = self.installation()?;
        let Bearer { id, name, .. } = &self.bearer;
        tracing::info!(
            token = id,
            name,
            "a program asks for a change of the installation"
        );
        Ok(open)
    }

    /// The same, of a space in which there may be nothing yet.
    fn begun(&self, name: &str, right: Right) -> Result<Visit, Problem> {
        Ok(self.site.begun(&self.bearer.visitor(), name, right)?)
    }
}

impl FromRequestParts<Site> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, site: &Site) -> Result<Self, Problem> {
        site.open()?;
        // A route finds the bearer who was counted; the door for assistants looks for itself.
        let bearer = match parts.extensions.remove::<Bearer>() {
            Some(bearer) => Some(bearer),
            None => bearer(site, &parts.headers)
                .await?
                .map(|(_, bearer)| bearer),
        };
        let site = site.clone();
        let bearer = bearer.ok_or(Refused::NoToken)?;
        Ok(Self { site, bearer })
    }
}

/// A space of the process.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct InSpace {
    /// The space of the token.
    space: String,
}

/// What a path names; one that cannot be read is a problem like others.
struct At<T>(T);

impl<T: DeserializeOwned + Send> FromRequestParts<Site> for At<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, site: &Site) -> Result<Self, Problem> {
        let Path(named) = Path::from_request_parts(parts, site).await?;
        Ok(Self(named))
    }
}

/// A server-sent event with JSON as its data.
fn event(name: &str, data: &impl Serialize) -> Event {
    let event = Event::default().event(name);
    // All that is sent can be JSON.
    event.json_data(data).unwrap_or_default()
}

/// A channel in which nothing may have been said yet.
fn new_channel(name: &str) -> Result<ChannelId, Refused> {
    let channel = ChannelId::parse(name).ok();
    let channel = channel.filter(|channel| ![CONSOLE, READERS].contains(&channel.platform()));
    channel.ok_or_else(|| {
        Refused::Bad(format!(
            "`channel` is “{name}”, and has to be a platform, a colon and the platform's own name of it, \
             such as `forum:help`. The platform `{CONSOLE}` is the operator's own terminal, and `{READERS}` \
             is for who reads the published pages."
        ))
    })
}

/// How many lines of a list: as many as are asked for, within what may be.
fn limit(asked: Option<u32>) -> Result<u32, Problem> {
    match asked {
        None => Ok(SHOWN),
        Some(n) if (1..=MOST).contains(&n) => Ok(n),
        Some(n) => {
            Err(Refused::Bad(format!("`limit` is {n}, and 1 to {MOST} are possible.")).into())
        }
    }
}
