//! Messages: what was said in a channel, and what programs send.

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, QueryRejection};
use axum::extract::{DefaultBodyLimit, Query};
use axum::http::{HeaderMap, StatusCode, header};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use threadlore_model::EventId;
use threadlore_ports::Right;
use threadlore_store_postgres::MessagesEnd;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Problems, query};
use super::{At, Caller, InSpace, limit, new_channel};
use crate::messages::{Messages, list};
use crate::refused::{Refused, no_page};
use crate::site::Site;

/// The most bytes of a body, as of a call of the webhook gateway.
const MOST: usize = 1024 * 1024;

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new()
        .routes(routes!(listed, sent))
        .layer(DefaultBodyLimit::max(MOST))
}

/// In which channel.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct In {
    /// The channel that it happened in: a platform, a colon and the platform's own name, such as
    /// `forum:help`.
    channel: String,
    /// Whether it is history that ends with this body: then all of it is examined now. Without that, what is
    /// old is examined when something newer is said.
    #[serde(default)]
    history: bool,
}

/// Something that happened in a channel; `docs/import-format.md` has every field.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it is read by the document alone")]
struct ChatEvent {
    /// What happened: `message`, `edit`, `redaction`, `reaction_added` or `reaction_removed`.
    r#type: String,
    /// The platform's id of the message.
    id: String,
    /// The platform's id of who wrote or reacted; a redaction has none.
    author: Option<String>,
    /// The name of the author.
    name: Option<String>,
    /// The text of a message or an edit.
    text: Option<String>,
    /// When, such as `2024-05-01T12:00:00Z`.
    at: String,
    /// The message that it replies to.
    reply_to: Option<String>,
    /// The first message of the thread that it is in.
    thread: Option<String>,
    /// Whether a bot wrote it.
    bot: Option<bool>,
    /// Whether the platform knows that it is said to the bot.
    to_bot: Option<bool>,
    /// Those whom it mentions, by the platform's ids.
    mentions: Option<Vec<String>>,
    /// With what somebody reacted.
    emoji: Option<String>,
}

/// What was taken.
#[derive(Debug, Serialize, ToSchema)]
struct Receipt {
    /// How many events.
    taken: usize,
    /// The id of each on the log, in the order in which they were sent.
    #[schema(value_type = Vec<String>)]
    events: Vec<EventId>,
}

/// Which messages.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Which {
    /// Those of this channel, such as `irc:#help`.
    channel: String,
    /// How many, 50 if it is not said.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
    /// Those before this one: what the page before has as `next`.
    after: Option<String>,
}

/// List messages
///
/// What was said in a channel, with what each message answers or continues, as the rules see it now, and the cases that it is
/// evidence of.
#[utoipa::path(
    get, path = "/spaces/{space}/messages",
    operation_id = "listMessages", tag = "messages",
    params(InSpace, Which),
    responses((status = 200, description = "What was asked for.", body = Messages), Problems),
    security(("token" = [])),
)]
async fn listed(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
    sent: Result<Query<Which>, QueryRejection>,
) -> Result<Json<Messages>, Problem> {
    let visit = caller.space(&space, Right::Read).await?;
    let which = query(sent)?;
    let channel = visit.channel(&which.channel).await?.channel;
    let end = match &which.after {
        Some(after) => MessagesEnd::Before(visit.message(after).await.map_err(no_page)?),
        None => MessagesEnd::Latest,
    };
    let limit = limit(which.limit)?;
    let listed = list(visit.node(), &visit.scope, &channel, (end, limit));
    Ok(Json(listed.await?))
}

/// Send messages
///
/// Takes what happened in a channel: an array of events, or one, as `application/json`; or one event a line, as
/// `application/x-ndjson`. All of a body is taken, or nothing. It is durable when the answer comes. The same
/// event sent again has the same id, and counts once.
#[utoipa::path(
    post, path = "/spaces/{space}/messages",
    operation_id = "sendMessages", tag = "messages",
    params(InSpace, In),
    request_body = Vec<ChatEvent>,
    responses((status = 202, description = "It is in the log.", body = Receipt), Problems),
    security(("token" = [])),
)]
async fn sent(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
    which: Result<Query<In>, QueryRejection>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<(StatusCode, Json<Receipt>), Problem> {
    // A space begins with its first message.
    let visit = caller.begun(&space, Right::Ingest)?;
    let In { channel, history } = query(which)?;
    let channel = new_channel(&channel)?;
    let body = body.map_err(Refused::from)?;
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let lines = match kind.to_ascii_lowercase().as_str() {
        "application/json" => lines_of(&body)?,
        "application/x-ndjson" => body.to_vec(),
        _ => {
            return Err(Refused::Bad(
                "`Content-Type` has to be `application/json`, for an event or an array of them, or \
                 `application/x-ndjson`, for one a line."
                    .to_owned(),
            )
            .into());
        }
    };
    let node = visit.node();
    let events = node.ingest(&visit.scope, &channel, &lines, history);
    let events = events.await?;
    let taken = events.len();
    Ok((StatusCode::ACCEPTED, Json(Receipt { taken, events })))
}

/// The events of a JSON body, one a line.
fn lines_of(body: &[u8]) -> Result<Vec<u8>, Refused> {
    let sent: Value = serde_json::from_slice(body)
        .map_err(|error| Refused::Bad(format!("The body is not JSON: {error}.")))?;
    let events = match sent {
        Value::Array(events) => events,
        one => vec![one],
    };
    let lines: Vec<String> = events.iter().map(Value::to_string).collect();
    Ok(lines.join("\n").into_bytes())
}

impl From<BytesRejection> for Refused {
    fn from(rejection: BytesRejection) -> Self {
        match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Self::TooLarge,
            _ => Self::Bad(format!(
                "The body cannot be read: {}.",
                rejection.body_text()
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_event_and_several_are_lines() {
        let lines = |body: &str| {
            let lines = lines_of(body.as_bytes());
            lines.map(|lines| String::from_utf8(lines).expect("text"))
        };
        let one = "{\n  \"id\": \"1\",\n  \"text\": \"a\\nb\"\n}";
        assert_eq!(lines(one).expect("one"), r#"{"id":"1","text":"a\nb"}"#);
        assert_eq!(lines("[{}, {}]").expect("two"), "{}\n{}");
        assert_eq!(lines("[]").expect("none"), "");
        assert!(lines("{").is_err());
    }
}
