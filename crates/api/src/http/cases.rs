//! Cases: listed, searched, one with its conversation and history, corrected, erased.

use axum::Json;
use axum::extract::Query;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use threadlore_model::{Case, Status};
use threadlore_ports::Right;
use threadlore_store_postgres::CaseFilter;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Problems, query};
use super::{At, Caller, InSpace, limit};
use crate::asking::check;
use crate::cases::{CaseDetail, CaseList, Why, list, search, show, why};
use crate::refused::{Refused, no_page};
use crate::site::{Site, Visit};
use crate::words::worth_saying;

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new()
        .routes(routes!(listed))
        .routes(routes!(one, erased))
        .routes(routes!(explained))
        .routes(routes!(corrected))
        .routes(routes!(archived))
        .routes(routes!(merged))
        .routes(routes!(split))
}

/// Which cases.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Which {
    /// Words: the cases nearest to them, the nearest first, whatever else is asked for.
    #[param(min_length = 1, max_length = 2000)]
    q: Option<String>,
    /// `open`, `solved`, `archived`, `merged` or `erased`.
    #[param(pattern = "^(open|solved|archived|merged|erased)$")]
    state: Option<String>,
    /// Those of this channel, such as `irc:#help`.
    channel: Option<String>,
    /// The oldest first.
    #[serde(default)]
    #[param(default = false)]
    oldest: bool,
    /// How many, 50 if it is not said.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
    /// Those behind this one: what the page before has as `next`. A search has one page.
    after: Option<String>,
}

/// List or search cases
#[utoipa::path(
    get, path = "/spaces/{space}/cases",
    operation_id = "listCases", tag = "cases",
    params(InSpace, Which),
    responses((status = 200, description = "What was asked for.", body = CaseList), Problems),
    security(("token" = [])),
)]
async fn listed(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
    sent: Result<Query<Which>, QueryRejection>,
) -> Result<Json<CaseList>, Problem> {
    let visit = caller.space(&space, Right::Read).await?;
    let which = query(sent)?;
    let (node, scope) = (visit.node(), &visit.scope);
    let status = which.state.as_deref().map(state).transpose()?;
    let channel = Visit::named_channel(which.channel.as_deref().unwrap_or_default())?;
    let limit = limit(which.limit)?;
    let Some(q) = which.q else {
        let after = match &which.after {
            Some(after) => Some(visit.case(after).await.map_err(no_page)?.case),
            None => None,
        };
        let filter = CaseFilter {
            status,
            channel: channel.as_ref(),
            oldest: which.oldest,
            after,
            limit,
        };
        return Ok(Json(list(node, scope, filter).await?));
    };
    check(&q)?;
    let mut cases = search(node, scope, &q).await;
    let fitting = cases.len() as u64;
    cases.truncate(limit as usize);
    Ok(Json(CaseList {
        cases,
        fitting,
        next: None,
    }))
}

/// A case of a space.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct OfCase {
    /// The space of the token.
    space: String,
    /// The id of the case.
    case: String,
}

fn state(name: &str) -> Result<Status, Problem> {
    let known = Status::ALL.into_iter().find(|status| status.name() == name);
    known.ok_or_else(|| {
        let names = Status::ALL.map(Status::name).join(", ");
        Refused::Bad(format!(
            "There is no state `{name}` of a case; there are: {names}."
        ))
        .into()
    })
}

/// Show a case
///
/// Its texts, the messages that it comes from, and every event that changed it. `ETag` is its version.
#[utoipa::path(
    get, path = "/spaces/{space}/cases/{case}",
    operation_id = "getCase", tag = "cases",
    params(OfCase),
    responses((status = 200, description = "What was asked for.", body = CaseDetail), Problems),
    security(("token" = [])),
)]
async fn one(caller: Caller, At(OfCase { space, case }): At<OfCase>) -> Result<Response, Problem> {
    let visit = caller.space(&space, Right::Read).await?;
    let case = visit.case(&case).await?;
    shown(&visit, &case).await
}

async fn shown(visit: &Visit, case: &Case) -> Result<Response, Problem> {
    let detail = show(visit.node(), &visit.scope, case).await?;
    Ok(([(header::ETAG, version(case))], Json(detail)).into_response())
}

/// As an `ETag` has it.
fn version(case: &Case) -> String {
    format!("\"{}\"", case.version)
}

/// Say why a case is solved
#[utoipa::path(
    get, path = "/spaces/{space}/cases/{case}/why",
    operation_id = "whyCase", tag = "cases",
    params(OfCase),
    responses((status = 200, description = "What was asked for.", body = Why), Problems),
    security(("token" = [])),
)]
async fn explained(
    caller: Caller,
    At(OfCase { space, case }): At<OfCase>,
) -> Result<Json<Why>, Problem> {
    let visit = caller.space(&space, Right::Read).await?;
    let case = visit.case(&case).await?;
    Ok(Json(why(visit.node(), &visit.scope, &case).await?))
}

/// What people will be told.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Solution {
    /// The words, of at most 8,000 characters.
    #[schema(min_length = 1, max_length = 8000)]
    pub(super) solution: String,
}

/// Correct a case
///
/// The case has this solution from now on, as an admin's word. With `If-Match` only where it is still the version
/// that was read. The same solution again changes nothing.
#[utoipa::path(
    put, path = "/spaces/{space}/cases/{case}/solution",
    operation_id = "correctCase", tag = "cases",
    params(
        OfCase,
        ("If-Match" = Option<String>, Header, description = "The version that was read, as its `ETag`."),
    ),
    request_body = Solution,
    responses((status = 200, description = "What was asked for.", body = CaseDetail), Problems),
    security(("token" = [])),
)]
async fn corrected(
    caller: Caller,
    At(OfCase { space, case }): At<OfCase>,
    headers: HeaderMap,
    sent: Result<Json<Solution>, JsonRejection>,
) -> Result<Response, Problem> {
    let visit = caller.space(&space, Right::Admin).await?;
    let Json(Solution { solution }) = sent?;
    let solution = worth_saying(&solution)?;
    let case = visit.case(&case).await?;
    if let Some(seen) = headers.get(header::IF_MATCH)
        && seen.as_bytes() != b"*"
        && seen.as_bytes() != version(&case).as_bytes()
    {
        return Err(Refused::Changed.into());
    }
    let done = visit
        .correct(&case, &solution)
        .await?
        .ok_or(Refused::Waits)?;
    shown(&visit, &done).await
}

/// Archive a case
///
/// It is outdated: no answer uses it any more. Its texts stay, and another solution brings it back. One that is
/// archived already stays so.
#[utoipa::path(
    post, path = "/spaces/{space}/cases/{case}/archive",
    operation_id = "archiveCase", tag = "cases",
    params(OfCase),
    responses((status = 200, description = "What was asked for.", body = CaseDetail), Problems),
    security(("token" = [])),
)]
async fn archived(
    caller: Caller,
    At(OfCase { space, case }): At<OfCase>,
) -> Result<Response, Problem> {
    let visit = caller.space(&space, Right::Admin).await?;
    let case = visit.case(&case).await?;
    let done = visit.archive(&case).await?.ok_or(Refused::Waits)?;
    shown(&visit, &done).await
}

/// Where a case goes.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Merge {
    /// The id of the case that stays.
    pub(super) into: String,
}

/// Merge a case into another one
///
/// They are about the same problem: from now on the other one stands for both, with the messages of both. Both are
/// of one channel, and the one that stays is open or solved. One that is merged into it already stays so.
#[utoipa::path(
    post, path = "/spaces/{space}/cases/{case}/merge",
    operation_id = "mergeCase", tag = "cases",
    params(OfCase),
    request_body = Merge,
    responses((status = 200, description = "What was asked for.", body = CaseDetail), Problems),
    security(("token" = [])),
)]
async fn merged(
    caller: Caller,
    At(OfCase { space, case }): At<OfCase>,
    sent: Result<Json<Merge>, JsonRejection>,
) -> Result<Response, Problem> {
    let visit = caller.space(&space, Right::Admin).await?;
    let Json(Merge { into }) = sent?;
    let case = visit.case(&case).await?;
    let into = visit.other_case(&into).await?;
    let done = visit.merge(&case, &into).await?.ok_or(Refused::Waits)?;
    shown(&visit, &done).await
}

/// Undo the merge of a case
///
/// It stands by itself again, as it was. The rules may merge it again when it is solved anew.
#[utoipa::path(
    post, path = "/spaces/{space}/cases/{case}/split",
    operation_id = "splitCase", tag = "cases",
    params(OfCase),
    responses((status = 200, description = "What was asked for.", body = CaseDetail), Problems),
    security(("token" = [])),
)]
async fn split(
    caller: Caller,
    At(OfCase { space, case }): At<OfCase>,
) -> Result<Response, Problem> {
    let visit = caller.space(&space, Right::Admin).await?;
    let case = visit.case(&case).await?;
    let done = visit.split(&case).await?.ok_or(Refused::Waits)?;
    shown(&visit, &done).await
}

/// Erase a case
///
/// Its texts and their key are gone for good; what stays is that there was one.
#[utoipa::path(
    delete, path = "/spaces/{space}/cases/{case}",
    operation_id = "eraseCase", tag = "cases",
    params(OfCase),
    responses((status = 200, description = "What was asked for.", body = CaseDetail), Problems),
    security(("token" = [])),
)]
async fn erased(
    caller: Caller,
    At(OfCase { space, case }): At<OfCase>,
) -> Result<Response, Problem> {
    let visit = caller.space(&space, Right::Admin).await?;
    let case = visit.case(&case).await?;
    let done = visit.erase(&case).await?.ok_or(Refused::Waits)?;
    shown(&visit, &done).await
}
