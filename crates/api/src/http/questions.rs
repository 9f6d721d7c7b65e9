//! What people asked, why it was answered so, and the answer that memory had not.

use axum::Json;
use axum::extract::Query;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use threadlore_model::{Rating, TurnOutcome};
use threadlore_ports::Right;
use threadlore_store_postgres::TurnFilter;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::cases::Solution;
use super::problem::{Problem, Problems, query};
use super::{At, Caller, InSpace, limit, new_channel};
use crate::access::random;
use crate::cases::{CaseDetail, show};
use crate::questions::{
    ChannelQuestion, ChannelReply, Questions, Ratings, Why, list, outcomes, why,
};
use crate::refused::{Refused, no_page};
use crate::site::{Site, Visit};

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new()
        .routes(routes!(listed, asked))
        .routes(routes!(explained))
        .routes(routes!(taught))
        .routes(routes!(rated))
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

/// A question of somebody.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewChannelQuestion)]
struct NewQuestion {
    /// The channel that it is asked in: a platform that you name, a colon and a name, such as `web:help`.
    channel: String,
    /// Your id of who asks, of at most 256 bytes: a person of that platform.
    author: String,
    /// The name of who asks.
    name: Option<String>,
    /// Your id of the question, of at most 256 bytes, so that it can be sent again: it is asked once, and has the same
    /// answer. Without it, it is another question each time.
    id: Option<String>,
    /// What is asked, of at most 2,000 characters.
    #[schema(max_length = 2000)]
    question: String,
}

/// Ask for somebody
///
/// Asks a question for somebody as a message of a channel, to the bot, and answers what the bot says to it. Unlike what
/// `ask` is asked, it is kept: it is in the list of questions, a moderator can answer it where the bot could not, and who
/// asked can say what the answer was worth. It needs the rights `ingest` and `ask`, and a channel that is set up. A question
/// that does not end with a question mark is answered two seconds later: more might follow.
#[utoipa::path(
    post, path = "/spaces/{space}/questions",
    operation_id = "askQuestion", tag = "questions",
    params(InSpace),
    request_body = NewQuestion,
    responses((status = 200, description = "What was asked for.", body = ChannelReply), Problems),
    security(("token" = [])),
)]
async fn asked(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
    sent: Result<Json<NewQuestion>, JsonRejection>,
) -> Result<Json<ChannelReply>, Problem> {
    let visit = caller.begun(&space, Right::Ask)?;
    if !visit.may(Right::Ingest) {
        return Err(Refused::Lacks(Right::Ingest).into());
    }
    let Json(sent) = sent?;
    let id = match sent.id {
        Some(id) => id,
        None => URL_SAFE_NO_PAD.encode(random()?),
    };
    let question = ChannelQuestion {
        channel: new_channel(&sent.channel)?,
        author: &sent.author,
        name: sent.name.as_deref(),
        id: &id,
        text: &sent.question,
    };
    let turn = visit.ask_for(&question).await?;
    let turn = turn.ok_or(Refused::Waits)?;
    Ok(Json(visit.reply_to(&turn).await?))
}

/// What somebody says of an answer.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = NewRating)]
struct NewRating {
    /// Your id of who says so, as of who asks: a person of the channel's platform. Without it the program itself says
    /// so.
    author: Option<String>,
    /// `helped` or `failed`; null to take it back.
    #[schema(value_type = Option<String>)]
    rating: Option<Rating>,
}

/// Rate an answer
///
/// Takes what somebody says of the answer to a question: of each person the last word counts, and that of who asked
/// before those of others. What follows from it is that of a reaction in a chat.
#[utoipa::path(
    put, path = "/spaces/{space}/questions/{question}/rating",
    operation_id = "rateAnswer", tag = "questions",
    params(OfQuestion),
    request_body = NewRating,
    responses((status = 200, description = "What was asked for.", body = Ratings), Problems),
    security(("token" = [])),
)]
async fn rated(
    caller: Caller,
    At(OfQuestion { space, question }): At<OfQuestion>,
    sent: Result<Json<NewRating>, JsonRejection>,
) -> Result<Json<Ratings>, Problem> {
    let visit = caller.space(&space, Right::Ingest).await?;
    let Json(NewRating { author, rating }) = sent?;
    let turn = visit.turn(&question).await?;
    let person = visit.author(&turn.channel, author.as_deref())?;
    let rated = visit.rate(&turn, person, rating).await?;
    Ok(Json(rated.ok_or(Refused::Waits)?))
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
