//! Questions to the memory of a space.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::stream::{self, Stream, StreamExt as _};
use serde::{Deserialize, Serialize};
use threadlore_model::ChannelId;
use threadlore_ports::Right;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Problems};
use super::{At, Caller, InSpace, event};
use crate::asking::{Nearest, Reply, ask, check, nearest};
use crate::site::{Site, Visit};

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new()
        .routes(routes!(asked))
        .routes(routes!(asked_live))
}

/// A question.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewQuestion {
    /// What is asked, of at most 2,000 characters.
    #[schema(max_length = 2000)]
    question: String,
    /// The channel that it is asked in, such as `irc:#help`: then cases count that everybody there can read,
    /// and those of the channel first. Without it all cases of the space count.
    channel: Option<String>,
}

/// Ask
///
/// Answers from what was solved before, with the messages it rests on, or is silent and says why. Nothing is
/// said in any channel, and nothing is kept of it.
#[utoipa::path(
    post, path = "/spaces/{space}/ask",
    operation_id = "ask", tag = "ask",
    params(InSpace),
    request_body = NewQuestion,
    responses((status = 200, description = "What was asked for.", body = Reply), Problems),
    security(("token" = [])),
)]
async fn asked(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
    sent: Result<Json<NewQuestion>, JsonRejection>,
) -> Result<Json<Reply>, Problem> {
    let Question {
        visit,
        channel,
        question,
    } = checked(&caller, &space, sent).await?;
    let reply = ask(visit.node(), visit.space(), channel.as_ref(), &question).await?;
    Ok(Json(reply))
}

/// A question that can be asked.
struct Question {
    visit: Visit,
    channel: Option<ChannelId>,
    question: String,
}

async fn checked(
    caller: &Caller,
    space: &str,
    sent: Result<Json<NewQuestion>, JsonRejection>,
) -> Result<Question, Problem> {
    let visit = caller.space(space, Right::Ask).await?;
    let Json(NewQuestion { question, channel }) = sent?;
    check(&question)?;
    Ok(Question {
        channel: Visit::named_channel(channel.as_deref().unwrap_or_default())?,
        visit,
        question,
    })
}

/// The cases that are nearest to a question, before an answer is decided.
#[derive(Debug, Serialize, ToSchema)]
struct NearestCases {
    /// Those that are nearest to the question, the nearest first. Whether one answers it is not decided yet.
    nearest: Vec<Nearest>,
}

/// Ask, and see the nearest cases first
///
/// The same as server-sent events: `found` with the cases that are nearest to the question, once they are found; then
/// `reply` with what `ask` answers, or `problem`. A chat model that reads takes its seconds between the two.
#[utoipa::path(
    post, path = "/spaces/{space}/ask/events",
    operation_id = "askEvents", tag = "ask",
    params(InSpace),
    request_body = NewQuestion,
    responses(
        (status = 200, description = "Events, each with JSON as its data: `NearestCases`, `Reply`, `ProblemDetails`.",
            content_type = "text/event-stream", body = serde_json::Value),
        Problems,
    ),
    security(("token" = [])),
)]
async fn asked_live(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
    sent: Result<Json<NewQuestion>, JsonRejection>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let asked = Arc::new(checked(&caller, &space, sent).await?);
    let of = Arc::clone(&asked);
    let found = async move {
        let (visit, channel) = (&of.visit, of.channel.as_ref());
        let nearest = nearest(visit.node(), &visit.scope, channel, &of.question).await;
        // What fails here fails the reply too, which says so.
        let found = NearestCases {
            nearest: nearest.ok()?,
        };
        Some(event("found", &found))
    };
    let reply = async move {
        let (visit, channel) = (&asked.visit, asked.channel.as_ref());
        let reply = ask(visit.node(), visit.space(), channel, &asked.question).await;
        Some(match reply {
            Ok(reply) => event("reply", &reply),
            Err(error) => {
                let problem = Problem::from(error);
                problem.0.log();
                event("problem", &problem.details())
            }
        })
    };
    let events = stream::once(found).chain(stream::once(reply));
    let events = events.filter_map(|event| async move { event.map(Ok) });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}
