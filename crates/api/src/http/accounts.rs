//! Accounts: the people who may something in a space, for programs that look after them.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::HeaderMap;
use serde::Deserialize;
use threadlore_ports::Right;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Problems};
use super::{At, Caller, InSpace};
use crate::accounts::{
    AccountLine, AccountLink, AccountList, AccountRights, lines, list, no_account,
};
use crate::pages::origin_for_others;
use crate::refused::Refused;
use crate::site::Site;

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new()
        .routes(routes!(listed))
        .routes(routes!(given, taken))
        .routes(routes!(linked))
}

/// Somebody's account in a space.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct OfAccount {
    /// The space.
    space: String,
    /// The name of the account: a-z, 0-9, `.`, `_`, `-`, `+` and `@`, such as an e-mail address.
    account: String,
}

/// List accounts
///
/// The people who may something in the space, by their names.
#[utoipa::path(
    get, path = "/spaces/{space}/accounts",
    operation_id = "listAccounts", tag = "accounts",
    params(InSpace),
    responses((status = 200, description = "What was asked for.", body = AccountList), Problems),
    security(("token" = [])),
)]
async fn listed(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
) -> Result<Json<AccountList>, Problem> {
    let visit = caller.begun(&space, Right::Admin)?;
    Ok(Json(list(visit.node(), Some(visit.space())).await?))
}

/// Give somebody rights
///
/// In the space, in place of those that they have there: rights that the token of this request has. Who has no account
/// has one then, and needs a link to choose a password, or signs in at the provider of the installation.
#[utoipa::path(
    put, path = "/spaces/{space}/accounts/{account}",
    operation_id = "giveRights", tag = "accounts",
    params(OfAccount),
    request_body = AccountRights,
    responses((status = 200, description = "What they may.", body = AccountLine), Problems),
    security(("token" = [])),
)]
async fn given(
    caller: Caller,
    At(OfAccount { space, account }): At<OfAccount>,
    sent: Result<Json<AccountRights>, JsonRejection>,
) -> Result<Json<AccountLine>, Problem> {
    let visit = caller.begun(&space, Right::Admin)?;
    let Json(AccountRights { may }) = sent.map_err(Refused::from)?;
    let access = caller.site.open()?.access;
    let account = visit.give_account(&access, &account, &may).await?;
    let mut here = lines(account).filter(|one| one.space == visit.space().as_str());
    Ok(Json(here.next().ok_or_else(no_account)?))
}

/// Take somebody's rights away
///
/// All that they have in the space, within five seconds in every process. An account that may nothing more is gone.
#[utoipa::path(
    delete, path = "/spaces/{space}/accounts/{account}",
    operation_id = "takeRights", tag = "accounts",
    params(OfAccount),
    responses((status = 200, description = "Those that there are.", body = AccountList), Problems),
    security(("token" = [])),
)]
async fn taken(
    caller: Caller,
    At(OfAccount { space, account }): At<OfAccount>,
) -> Result<Json<AccountList>, Problem> {
    let visit = caller.begun(&space, Right::Admin)?;
    let access = caller.site.open()?.access;
    Ok(Json(visit.take_account(&access, &account).await?))
}

/// Make a link to choose a password
///
/// Whoever has it chooses the password of the account with it, once, within seven days, and is signed in; sessions with
/// another password end then, and so does the link where the rights of the account change. For accounts alone that may no more than the token of this request.
#[utoipa::path(
    post, path = "/spaces/{space}/accounts/{account}/link",
    operation_id = "makeAccountLink", tag = "accounts",
    params(OfAccount),
    responses((status = 200, description = "The link.", body = AccountLink), Problems),
    security(("token" = [])),
)]
async fn linked(
    caller: Caller,
    At(OfAccount { space, account }): At<OfAccount>,
    headers: HeaderMap,
) -> Result<Json<AccountLink>, Problem> {
    let visit = caller.begun(&space, Right::Admin)?;
    let open = caller.site.open()?;
    let origin = origin_for_others(&caller.site, &headers);
    let account = visit.account(&account).await?;
    Ok(Json(visit.account_link(&open.access, &account, &origin)?))
}
