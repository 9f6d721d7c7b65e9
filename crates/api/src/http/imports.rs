//! Chats that programs import.

use std::convert::Infallible;

use axum::body::Body;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::http::{HeaderMap, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::future;
use futures::stream::{Stream, StreamExt as _};
use serde::{Deserialize, Serialize};
use threadlore_node::ImportRequest;
use threadlore_ports::Right;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Problems, query};
use super::{At, Caller, InSpace, event};
use crate::cases::actor;
use crate::imports::{ReceivedFile, Stage};
use crate::refused::Refused;
use crate::site::{Site, Visit};

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new().routes(routes!(imported))
}

/// How the file is read.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ReadAs {
    /// What the file is called, such as `result.json`: of some exports the name says what they are.
    #[serde(default)]
    name: String,
    /// The channel it goes to, such as `irc:#help`. Logs need it; of an export it chooses one chat.
    channel: Option<String>,
    /// The zone of times that are written without one, such as `Europe/Berlin`. UTC without it.
    timezone: Option<String>,
    /// The day of the first line of an IRC log that does not say it, such as `2024-05-01`.
    date: Option<String>,
    /// Names of bots, separated by commas: nobody learns from what they say.
    #[serde(default)]
    bots: String,
}

/// So much of a file is taken.
#[derive(Serialize)]
struct ImportProgress {
    bytes: u64,
    of: u64,
}

/// Why nothing, or not all of it, was imported.
#[derive(Serialize)]
struct ImportRefusal {
    why: String,
}

/// The bytes of a file.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
#[expect(dead_code, reason = "it is read by the document alone")]
struct ChatFile(Vec<u8>);

/// Import a chat
///
/// Takes a file as the body: an export of a chat platform, or a log, of at most 256 MiB. The answer is server-sent
/// events: `taking` with `bytes` and `of`, once for each hundredth; then `taken` with `channels`, `messages` and
/// `skipped_lines`, or `not-taken` with `why`. What is said to be taken is durable. The import goes on when nobody reads
/// the answer any more, and the same file sent again adds only what is missing.
#[utoipa::path(
    post, path = "/spaces/{space}/imports",
    operation_id = "importChat", tag = "imports",
    params(InSpace, ReadAs),
    request_body(content = ChatFile, content_type = "application/octet-stream"),
    responses(
        (status = 200, description = "Events, each with JSON as its data.",
            content_type = "text/event-stream", body = String),
        Problems,
    ),
    security(("token" = [])),
)]
async fn imported(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
    which: Result<Query<ReadAs>, QueryRejection>,
    headers: HeaderMap,
    body: Body,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    // A space begins with its first message.
    let visit = caller.begun(&space, Right::Ingest)?;
    let ReadAs {
        name,
        channel,
        timezone,
        date,
        bots,
    } = query(which)?;
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.trim_start().starts_with("multipart/") {
        return Err(Refused::Bad(
            "The body has to be the file itself, as `application/octet-stream`, and not a form."
                .to_owned(),
        )
        .into());
    }
    let request = ImportRequest {
        space: visit.space().clone(),
        channel: Visit::named_channel(channel.as_deref().unwrap_or_default())?,
        bots,
        date,
        timezone,
        format: None,
        again: false,
    };
    let chunks = body.into_data_stream().map(|chunk| {
        chunk.map_err(|error| Refused::Bad(format!("The body cannot be read: {error}.")))
    });
    let file = ReceivedFile::keep(&name, chunks).await?;
    let by = actor(&visit.by);
    let upload = visit.uploads.begin(visit.host(), file, request, by);
    // Nothing of the host is held while somebody reads.
    let events = upload
        .stages()
        .filter_map(|stage| future::ready(event_of(stage)));
    Ok(Sse::new(events.map(Ok)).keep_alive(KeepAlive::default()))
}

/// The event of a stage; none for the first one.
fn event_of(stage: Stage) -> Option<Event> {
    match stage {
        Stage::Reading => None,
        Stage::Taking(bytes, of) => Some(event("taking", &ImportProgress { bytes, of })),
        Stage::Done(result) => Some(event("taken", &result)),
        Stage::Refused(why) => Some(event("not-taken", &ImportRefusal { why })),
    }
}
