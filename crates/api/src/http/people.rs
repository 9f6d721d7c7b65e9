//! People: what there is of one, and forgetting them, for programs.

use axum::Json;
use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use serde::Deserialize;
use threadlore_ports::Right;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Problems, query};
use super::{At, Caller, InSpace};
use crate::people::PersonDetails;
use crate::refused::Refused;
use crate::site::Site;

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new()
        .routes(routes!(found))
        .routes(routes!(shown, forgotten))
}

/// Who it is on a platform.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Who {
    /// The platform, such as `irc`: the part of a channel's name before the colon.
    platform: String,
    /// The platform's id of the person.
    id: String,
}

/// A person of a space.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct OfPerson {
    /// The space of the token.
    space: String,
    /// The id of the person, as messages have it.
    person: String,
}

/// Find a person
///
/// What there is of somebody, by the platform's id of them.
#[utoipa::path(
    get, path = "/spaces/{space}/people",
    operation_id = "findPerson", tag = "people",
    params(InSpace, Who),
    responses((status = 200, description = "What was asked for.", body = PersonDetails), Problems),
    security(("token" = [])),
)]
async fn found(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
    who: Result<Query<Who>, QueryRejection>,
) -> Result<Json<PersonDetails>, Problem> {
    let visit = caller.space(&space, Right::Admin).await?;
    let Who { platform, id } = query(who)?;
    let person = visit.person_of(&platform, &id);
    Ok(Json(visit.person(&person.to_string()).await?))
}

/// See what there is of a person
#[utoipa::path(
    get, path = "/spaces/{space}/people/{person}",
    operation_id = "getPerson", tag = "people",
    params(OfPerson),
    responses((status = 200, description = "What was asked for.", body = PersonDetails), Problems),
    security(("token" = [])),
)]
async fn shown(
    caller: Caller,
    At(OfPerson { space, person }): At<OfPerson>,
) -> Result<Json<PersonDetails>, Problem> {
    let visit = caller.space(&space, Right::Admin).await?;
    Ok(Json(visit.person(&person).await?))
}

/// Forget a person
///
/// Their key, their messages, what they had remembered and the cases with their words are gone for good, as when they say
/// "forget me". What they write from now on is not kept, and the bot does not answer them.
#[utoipa::path(
    delete, path = "/spaces/{space}/people/{person}",
    operation_id = "forgetPerson", tag = "people",
    params(OfPerson),
    responses((status = 200, description = "What is left of them.", body = PersonDetails), Problems),
    security(("token" = [])),
)]
async fn forgotten(
    caller: Caller,
    At(OfPerson { space, person }): At<OfPerson>,
) -> Result<Json<PersonDetails>, Problem> {
    let visit = caller.space(&space, Right::Admin).await?;
    let left = visit.forget_person(&person).await?;
    Ok(Json(left.ok_or(Refused::Waits)?))
}
