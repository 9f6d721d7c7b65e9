//! Tokens: what programs of a space are given, for programs that look after them.

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::http::StatusCode;
use serde::Deserialize;
use threadlore_ports::Right;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Problems};
use super::{At, Caller, InSpace};
use crate::refused::Refused;
use crate::site::Site;
use crate::tokens::{FreshToken, NewToken, TokenList, list};

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new()
        .routes(routes!(listed, made))
        .routes(routes!(revoked))
}

/// A token of a space.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct OfToken {
    /// The space of the token.
    space: String,
    /// What a list has as its `id`.
    token: String,
}

/// List tokens
///
/// Those that were made for the space, the latest first, with when each was used last; also those that count no more.
#[utoipa::path(
    get, path = "/spaces/{space}/tokens",
    operation_id = "listTokens", tag = "tokens",
    params(InSpace),
    responses((status = 200, description = "What was asked for.", body = TokenList), Problems),
    security(("token" = [])),
)]
async fn listed(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
) -> Result<Json<TokenList>, Problem> {
    let visit = caller.begun(&space, Right::Admin)?;
    Ok(Json(list(visit.node(), visit.space()).await?))
}

/// Make a token
///
/// For another program of the space, with rights that the token of this request has, and for no longer than that one
/// counts. What the program sends is in the answer, and nowhere else.
#[utoipa::path(
    post, path = "/spaces/{space}/tokens",
    operation_id = "makeToken", tag = "tokens",
    params(InSpace),
    request_body = NewToken,
    responses((status = 201, description = "The token.", body = FreshToken), Problems),
    security(("token" = [])),
)]
async fn made(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
    sent: Result<Json<NewToken>, JsonRejection>,
) -> Result<(StatusCode, Json<FreshToken>), Problem> {
    let visit = caller.begun(&space, Right::Admin)?;
    let Json(wanted) = sent.map_err(Refused::from)?;
    let access = caller.site.open()?.access;
    let own = Some(caller.bearer.until);
    let made = visit.make_token(&access, wanted, own).await?;
    Ok((StatusCode::CREATED, Json(made)))
}

/// Revoke a token
///
/// It counts no more, within five seconds in every process. One that was revoked stays as it is.
#[utoipa::path(
    delete, path = "/spaces/{space}/tokens/{token}",
    operation_id = "revokeToken", tag = "tokens",
    params(OfToken),
    responses((status = 200, description = "Those that there are.", body = TokenList), Problems),
    security(("token" = [])),
)]
async fn revoked(
    caller: Caller,
    At(OfToken { space, token }): At<OfToken>,
) -> Result<Json<TokenList>, Problem> {
    let visit = caller.begun(&space, Right::Admin)?;
    Ok(Json(visit.revoke_token(&token).await?))
}
