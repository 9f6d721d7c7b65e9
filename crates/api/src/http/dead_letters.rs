//! Dead letters of a space, for programs.

use axum::Json;
use axum::extract::Query;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use serde::Deserialize;
use threadlore_model::Topic;
use threadlore_node::{DeadLetterFilter, WhichDeadLetters, dead_letter_topic};
use threadlore_ports::Right;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Problems, query};
use super::{At, Caller, InSpace, limit};
use crate::dead_letters::{
    DeadLetterDetails, DeadLetterList, RedriveResult, details, list, redrive_one,
};
use crate::refused::{Refused, no_page};
use crate::site::Site;

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new()
        .routes(routes!(listed))
        .routes(routes!(all_redriven))
        .routes(routes!(shown, redriven))
}

/// Which dead letters.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Which {
    /// Those about records of this topic, such as `chat.inbox`.
    topic: Option<String>,
    /// How many, 50 if it is not said.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
    /// Those behind this one: what the page before has as `next`.
    after: Option<String>,
}

/// Whether the value is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct WithValue {
    /// The record's value, too: it may hold text and names of people.
    #[serde(default)]
    #[param(default = false)]
    value: bool,
}

/// A dead letter of a space.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct OfLetter {
    /// The space of the token.
    space: String,
    /// The topic of the dead letter, such as `chat.inbox.dlq`.
    topic: String,
    /// Its partition.
    partition: String,
    /// Its offset.
    offset: String,
}

impl OfLetter {
    fn address(&self) -> String {
        format!("{}/{}/{}", self.topic, self.partition, self.offset)
    }
}

/// Which dead letters are tried again.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct RedriveRequest {
    /// Those about records of this topic, such as `chat.inbox`.
    topic: String,
    /// Of those, the ones whose reason contains these words.
    #[serde(default)]
    reason: String,
    /// Whether only to say what would be done.
    #[serde(default)]
    dry_run: bool,
}

fn topic(name: &str) -> Result<Topic, Problem> {
    dead_letter_topic(name)
        .map_err(|why| Refused::Bad(format!("`topic` cannot be used: {why}.")).into())
}

/// List dead letters
///
/// Records of the space that a role could not process, and calls that failed for good, the newest first. Those of records
/// that could not be read belong to the space `system`, which a token can be for.
#[utoipa::path(
    get, path = "/spaces/{space}/dead-letters",
    operation_id = "listDeadLetters", tag = "letters",
    params(InSpace, Which),
    responses((status = 200, description = "What was asked for.", body = DeadLetterList), Problems),
    security(("token" = [])),
)]
async fn listed(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
    sent: Result<Query<Which>, QueryRejection>,
) -> Result<Json<DeadLetterList>, Problem> {
    let visit = caller.space(&space, Right::Admin).await?;
    let which = query(sent)?;
    let after = match &which.after {
        Some(after) => Some(visit.letter(after, false).await.map_err(no_page)?.0),
        None => None,
    };
    let filter = DeadLetterFilter {
        topic: which.topic.as_deref().map(topic).transpose()?,
        space: Some(visit.space()),
        after,
        limit: limit(which.limit)? as usize,
    };
    Ok(Json(list(visit.node(), &filter).await?))
}

/// Show a dead letter
///
/// All that is known of it, and whether its record can be read by now.
#[utoipa::path(
    get, path = "/spaces/{space}/dead-letters/{topic}/{partition}/{offset}",
    operation_id = "getDeadLetter", tag = "letters",
    params(OfLetter, WithValue),
    responses((status = 200, description = "What was asked for.", body = DeadLetterDetails), Problems),
    security(("token" = [])),
)]
async fn shown(
    caller: Caller,
    At(letter): At<OfLetter>,
    sent: Result<Query<WithValue>, QueryRejection>,
) -> Result<Json<DeadLetterDetails>, Problem> {
    let visit = caller.space(&letter.space, Right::Admin).await?;
    let WithValue { value } = query(sent)?;
    Ok(Json(visit.letter(&letter.address(), value).await?.1))
}

/// Redrive a dead letter
///
/// Tries it again, once its cause is mended. The event that does it has the dead letter as its cause; a dead letter is
/// redriven once, and the same request again adds nothing. Where it cannot be redriven, `detail` says why, and what to do
/// instead.
#[utoipa::path(
    post, path = "/spaces/{space}/dead-letters/{topic}/{partition}/{offset}",
    operation_id = "redriveDeadLetter", tag = "letters",
    params(OfLetter),
    responses(
        (status = 200, description = "It, with the address of the event that redrove it.", body = DeadLetterDetails),
        Problems,
    ),
    security(("token" = [])),
)]
async fn redriven(
    caller: Caller,
    At(letter): At<OfLetter>,
) -> Result<Json<DeadLetterDetails>, Problem> {
    let visit = caller.space(&letter.space, Right::Admin).await?;
    let (place, _) = visit.letter(&letter.address(), false).await?;
    redrive_one(visit.node(), place).await?;
    Ok(Json(details(visit.node(), place, false).await?))
}

/// Redrive dead letters
///
/// Tries all of a topic again, those of this space, each at most once. What cannot be redriven is counted, and the first
/// twenty of those say why.
#[utoipa::path(
    post, path = "/spaces/{space}/dead-letters/redrive",
    operation_id = "redriveDeadLetters", tag = "letters",
    params(InSpace),
    request_body = RedriveRequest,
    responses((status = 200, description = "What became of them.", body = RedriveResult), Problems),
    security(("token" = [])),
)]
async fn all_redriven(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
    sent: Result<Json<RedriveRequest>, JsonRejection>,
) -> Result<Json<RedriveResult>, Problem> {
    let visit = caller.space(&space, Right::Admin).await?;
    let Json(RedriveRequest {
        topic: name,
        reason,
        dry_run,
    }) = sent?;
    let which = WhichDeadLetters::Of {
        topic: topic(&name)?,
        space: Some(visit.space().clone()),
        reason,
    };
    let done = visit.node().redrive(&which, dry_run).await?;
    Ok(Json(RedriveResult::of(done, dry_run)))
}
