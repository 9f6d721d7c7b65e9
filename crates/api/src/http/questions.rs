//! What people asked, why it was answered so, and the answer that memory had not.

use axum::Json;
use axum::extract::Query;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use threadlore_model::TurnOutcome;
use threadlore_ports::Right;
use threadlore_store_postgres::TurnFilter;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::cases::Solution;
use super::problem::{Problem, Problems, query};
use super::{At, Caller, InSpace, limit};
use crate::cases::{CaseDetail, show};
use crate::questions::{Questions, Why, list, outcomes, why};
use crate::refused::{Refused, no_page};
use crate::site::{Site, Visit};

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new()
        .routes(routes!(listed))
        .routes(routes!(explained))
        .routes(routes!(taught))
}

/// Which questions.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Which {
    /// `asked` (all of them, if it is not said), `unanswered`, `answered`, or what became of them, such as
    /// `nothing_close`.
    only: Option<String>,
    /// Those of this channel, such as `irc:#help`.
    channel: Option<String>,
    /// How many, 50 if it is not said.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
    /// Those behind this one: what the page before has as `next`.
    after: Option<String>,
}

/// A question of a space.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct OfQuestion {
    /// The space of the token.
    space: String,
    /// The id of the question, as a list has it in `turn`.
    question: String,
}

/// List questions
#[utoipa::path(
    get, path = "/spaces/{space}/questions",
    operation_id = "listQuestions", tag = "questions",
    params(InSpace, Which),
    responses((status = 200, description = "What was asked for.", body = Questions), Problems),
    security(("token" = [])),
)]
async fn listed(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
    sent: Result<Query<Which>, QueryRejection>,
) -> Result<Json<Questions>, Problem> {
    let visit = caller.space(&space, Right::Read).await?;
    let which = query(sent)?;
    let only = which.only.as_deref().unwrap_or("asked");
    let unknown = || {
        let names = TurnOutcome::ALL.map(TurnOutcome::name).join(", ");
        Refused::Bad(format!(
            "There is no `{only}` of questions; there are: asked, unanswered, answered, {names}."
        ))
    };
    let outcomes = outcomes(only).ok_or_else(unknown)?;
    let channel = Visit::named_channel(which.channel.as_deref().unwrap_or_default())?;
    let after = match &which.after {
        Some(after) => Some(visit.turn(after).await.map_err(no_page)?.turn),
        None => None,
    };
    let filter = TurnFilter {
        channel: channel.as_ref(),
        outcomes: &outcomes,
        after,
        named: None,
        limit: limit(which.limit)?,
    };
    Ok(Json(list(visit.node(), &visit.scope, filter).await?))
}

/// Say why a question was answered so
#[utoipa::path(
    get, path = "/spaces/{space}/questions/{question}/why",
    operation_id = "whyQuestion", tag = "questions",
    params(OfQuestion),
    responses((status = 200, description = "What was asked for.", body = Why), Problems),
    security(("token" = [])),
)]
async fn explained(
    caller: Caller,
    At(OfQuestion { space, question }): At<OfQuestion>,
) -> Result<Json<Why>, Problem> {
    let visit = caller.space(&space, Right::Read).await?;
    let turn = visit.turn(&question).await?;
    Ok(Json(why(visit.node(), &visit.scope, &turn).await?))
}

/// Answer a question that memory had no answer to
///
/// It becomes the solution of the open case about it, or of a new one, which is the answer; whoever asks that from
/// then on is told it. The same answer again changes nothing.
#[utoipa::path(
    put, path = "/spaces/{space}/questions/{question}/answer",
    operation_id = "answerQuestion", tag = "questions",
    params(OfQuestion),
    request_body = Solution,
    responses((status = 200, description = "What was asked for.", body = CaseDetail), Problems),
    security(("token" = [])),
)]
async fn taught(
    caller: Caller,
    At(OfQuestion { space, question }): At<OfQuestion>,
    sent: Result<Json<Solution>, JsonRejection>,
) -> Result<Response, Problem> {
    let visit = caller.space(&space, Right::Admin).await?;
    let Json(Solution { solution }) = sent?;
    let turn = visit.turn(&question).await?;
    let because = format!("{} {solution}", turn.turn);
    let (_, done) = visit.teach(&turn, &solution, because).await?;
    let case = done.ok_or(Refused::Waits)?;
    let detail = show(visit.node(), &visit.scope, &case).await?;
    Ok(Json(detail).into_response())
}
