//! A week of a space, beside the week before.

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
use crate::refused::Refused;
use crate::report::{DAYS, MOST_DAYS, Report, report};
use crate::site::Site;
use crate::words::ending;

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new().routes(routes!(reported))
}

/// Which time.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Which {
    /// How many days, 7 if it is not said.
    #[param(minimum = 1, maximum = 366)]
    days: Option<u32>,
    /// When they end, such as `2026-11-23T08:00:00Z`; now, if it is not said. Imported history has its own time.
    #[param(format = DateTime)]
    until: Option<String>,
}

/// Report on a stretch of time
#[utoipa::path(
    get, path = "/spaces/{space}/report",
    operation_id = "report", tag = "reports",
    params(InSpace, Which),
    responses((status = 200, description = "What was asked for.", body = Report), Problems),
    security(("token" = [])),
)]
async fn reported(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
    sent: Result<Query<Which>, QueryRejection>,
) -> Result<Json<Report>, Problem> {
    let visit = caller.space(&space, Right::Read).await?;
    let which = query(sent)?;
    let days = which.days.unwrap_or(DAYS);
    if !(1..=MOST_DAYS).contains(&days) {
        let sentence = format!("`days` is {days}, and 1 to {MOST_DAYS} are possible.");
        return Err(Refused::Bad(sentence).into());
    }
    let until = ending(which.until.as_deref(), visit.node().clock.now()).map_err(Refused::from)?;
    Ok(Json(report(visit.node(), &visit.scope, until, days).await?))
}
