//! The settings, for programs of who looks after the whole installation.

use axum::Json;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Caller;
use super::problem::{Problem, Problems};
use crate::settings::{ProcessSettings, settings as of_process};
use crate::site::Site;

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new().routes(routes!(settings))
}

/// See the settings
///
/// What the process that answers runs with, secrets masked, and what each setting means. Settings are changed in
/// the file or the environment of a process, which reads them at its start.
#[utoipa::path(
    get, path = "/settings",
    operation_id = "getSettings", tag = "installation",
    responses((status = 200, description = "What was asked for.", body = ProcessSettings), Problems),
    security(("token" = [])),
)]
async fn settings(caller: Caller) -> Result<Json<ProcessSettings>, Problem> {
    Ok(Json(of_process(&caller.installation()?.host)?))
}
