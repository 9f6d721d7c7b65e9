//! Tools for assistants over HTTP, at `/mcp` (Model Context Protocol, Streamable HTTP without sessions). A
//! tool is a request of the API with the token of the assistant, so it may what the token may.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::{Caller, problem};
use crate::access::Bearer;
use crate::refused::Refused;
use crate::site::Site;
use crate::tools::{TOOLS, ToolSpec, about};
use crate::words::BODY;

/// The most bytes of an answer of the API: those of a list as long as one may be.
const ANSWER: usize = 16 << 20;
/// Hosts of this machine alone.
const HERE: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The door for assistants, which works by these routes of the API.
pub(crate) fn routes(site: &Site, api: Router) -> Router<Site> {
    let assistant = Assistant { api };
    let public = site.public.as_deref().into_iter();
    let hosts = HERE.into_iter().chain(public).map(str::to_owned);
    let mut config = StreamableHttpServerConfig::default().with_allowed_hosts(hosts);
    // Every request stands for itself, so any process that serves pages can answer it.
    config.legacy_session_mode = false;
    config.json_response = true;
    // No page of a browser speaks for an assistant.
    let config = config.enforce_origin_validation();
    let sessions = Arc::new(NeverSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(assistant.clone()), sessions, config);
    Router::new()
        .route_service("/mcp", service)
        .layer(from_fn_with_state(site.clone(), with_token))
        .with_state(site.clone())
}

/// Whoever has no token that counts does not reach the protocol.
async fn with_token(State(site): State<Site>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    match Caller::from_request_parts(&mut parts, &site).await {
        Ok(caller) => {
            let Ok(body) = to_bytes(body, BODY).await else {
                return problem(Refused::TooLarge);
            };
            parts.extensions.insert(caller.bearer);
            next.run(Request::from_parts(parts, Body::from(body))).await
        }
        Err(problem) => problem.into_response(),
    }
}

/// Serves one assistant, or many: it knows none of them.
#[derive(Clone)]
struct Assistant {
    api: Router,
}

/// Who calls.
fn parts(context: &RequestContext<RoleServer>) -> Result<(&Parts, &Bearer), ErrorData> {
    let parts = context.extensions.get::<Parts>();
    let found = parts.and_then(|parts| Some((parts, parts.extensions.get::<Bearer>()?)));
    found.ok_or_else(|| ErrorData::internal_error("a call without its request", None))
}

fn tools(bearer: &Bearer) -> impl Iterator<Item = &'static ToolSpec> {
    let may = |tool: &&ToolSpec| {
        bearer
            .authority
            .authorise(&bearer.space, tool.right)
            .is_ok()
    };
    TOOLS.iter().filter(may)
}

impl ServerHandler for Assistant {
    fn get_info(&self) -> ServerConfig {
        about()
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let (_, bearer) = parts(&context)?;
        let tools = tools(bearer).map(ToolSpec::tool).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (parts, bearer) = parts(&context)?;
        let Some(tool) = tools(bearer).find(|tool| tool.name == request.name) else {
            let sentence = format!("there is no tool {:?} for this token", request.name);
            return Err(ErrorData::invalid_params(sentence, None));
        };
        let given = tool.given(&request.arguments.unwrap_or_default());
        let refused = |sentence: String| CallToolResult::error(vec![ContentBlock::text(sentence)]);
        let result = match given {
            Err(sentence) => refused(sentence),
            Ok(given) => {
                let Some(asked) = asked(tool.name, &given, bearer, parts) else {
                    let sentence = format!("{} is served by `threadlore mcp` alone", tool.name);
                    return Ok(refused(sentence).into());
                };
                match self.answer(asked).await {
                    Ok(value) => CallToolResult::structured(value),
                    Err(sentence) => refused(sentence),
                }
            }
        };
        Ok(result.into())
    }
}

impl Assistant {
    /// What the API says, or why it does not.
    async fn answer(&self, request: Request) -> Result<Value, String> {
        let Ok(response) = self.api.clone().oneshot(request).await;
        let is_well = response.status().is_success();
        let unread = |error: &dyn std::fmt::Display| format!("the answer cannot be read: {error}");
        let body = to_bytes(response.into_body(), ANSWER).await;
        let value = serde_json::from_slice(&body.map_err(|e| unread(&e))?);
        let value: Value = value.map_err(|e| unread(&e))?;
        match (is_well, value.get("detail").and_then(Value::as_str)) {
            (true, _) => Ok(value),
            (false, Some(detail)) => Err(detail.to_owned()),
            (false, None) => Err(value.to_string()),
        }
    }
}

/// The request of the API that a tool is; `None` for one that is not served here.
fn asked(tool: &str, given: &[Option<String>], bearer: &Bearer, from: &Parts) -> Option<Request> {
    let given = |at: usize| given.get(at).and_then(Option::as_deref);
    let text = |at: usize| given(at).unwrap_or_default();
    // A part of an address, whatever stands in it. Of a link it is the last part.
    let part = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let id = |at: usize| part(text(at).rsplit('/').next().unwrap_or_default());
    let how_many = |name: &str, at: usize, else_: Option<&str>| {
        let number = given(at).or(else_).map(part);
        number.map_or_else(String::new, |number| format!("{name}={number}"))
    };
    let (method, rest, body) = match tool {
        "ask" => (
            Method::POST,
            "ask".to_owned(),
            json!({ "question": text(0) }),
        ),
        "search_cases" => (
            Method::GET,
            format!("cases?q={}&limit=20", part(text(0))),
            Value::Null,
        ),
        "show_case" => (Method::GET, format!("cases/{}", id(0)), Value::Null),
        "unanswered_questions" => {
            let limit = how_many("limit", 0, Some("20"));
            (
                Method::GET,
                format!("questions?only=unanswered&{limit}"),
                Value::Null,
            )
        }
        "why" => (Method::GET, format!("questions/{}/why", id(0)), Value::Null),
        "rate_answer" => {
            let rest = format!("questions/{}/rating", id(0));
            let rating = Some(text(1)).filter(|rating| *rating != "none");
            (Method::PUT, rest, json!({ "rating": rating }))
        }
        "list_memories" => {
            let limit = how_many("limit", 0, Some("20"));
            (Method::GET, format!("memories?{limit}"), Value::Null)
        }
        "teach" => {
            let rest = format!("questions/{}/answer", id(0));
            (Method::PUT, rest, json!({ "solution": text(1) }))
        }
        "correct_case" => {
            let rest = format!("cases/{}/solution", id(0));
            (Method::PUT, rest, json!({ "solution": text(1) }))
        }
        "remember" => {
            let body = json!({ "text": text(0), "channel": text(1) });
            (Method::POST, "memories".to_owned(), body)
        }
        "forget" => (Method::DELETE, format!("memories/{}", id(0)), Value::Null),
        "insights" => (
            Method::GET,
            format!("graph?about={}", part(text(0))),
            Value::Null,
        ),
        "report" => {
            let days = how_many("days", 0, None);
            (Method::GET, format!("report?{days}"), Value::Null)
        }
        _ => return None,
    };
    let space = part(bearer.space.as_str());
    let path = format!("/spaces/{space}/{rest}");
    let body = match body {
        Value::Null => Body::empty(),
        body => Body::from(body.to_string()),
    };
    let mut request = Request::new(body);
    *request.method_mut() = method;
    *request.uri_mut() = path.parse().unwrap_or_default();
    let headers = request.headers_mut();
    if let Some(token) = from.headers.get(header::AUTHORIZATION) {
        headers.insert(header::AUTHORIZATION, token.clone());
    }
    let json = HeaderValue::from_static("application/json");
    headers.insert(header::CONTENT_TYPE, json);
    Some(request)
}
