//! The spaces, for programs of who looks after the whole installation.

use axum::Json;
use serde::Serialize;
use threadlore_model::SpaceId;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Caller;
use super::problem::{Problem, Problems};
use crate::site::Site;

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new().routes(routes!(listed))
}

/// The spaces of an installation.
#[derive(Debug, Serialize, ToSchema)]
struct SpaceList {
    /// The names of those that have any message, case or channel.
    spaces: Vec<String>,
}

/// List spaces
///
/// Those that have any message, case or channel: a space begins with its first message, or with a channel that is set
/// up.
#[utoipa::path(
    get, path = "/spaces",
    operation_id = "listSpaces", tag = "installation",
    responses((status = 200, description = "What was asked for.", body = SpaceList), Problems),
    security(("token" = [])),
)]
async fn listed(caller: Caller) -> Result<Json<SpaceList>, Problem> {
    let spaces = caller.installation()?.host.node.store.spaces().await?;
    Ok(Json(SpaceList {
        spaces: spaces.iter().map(SpaceId::to_string).collect(),
    }))
}
