//! Questions to the memory of a space.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use serde::Deserialize;
use threadlore_ports::Right;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Problems};
use super::{At, Caller, InSpace};
use crate::asking::{Reply, ask, check};
use crate::site::{Site, Visit};

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new().routes(routes!(asked))
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
    let visit = caller.space(&space, Right::Ask).await?;
    let Json(NewQuestion { question, channel }) = sent?;
    check(&question)?;
    let channel = Visit::named_channel(channel.as_deref().unwrap_or_default())?;
    let reply = ask(visit.node(), visit.space(), channel.as_ref(), &question).await?;
    Ok(Json(reply))
}
