//! What people ask about.

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
use crate::graph::{DAYS, Graph, MOST_DAYS, Which};
use crate::refused::Refused;
use crate::site::Site;
use crate::words::ending;

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new().routes(routes!(shown))
}

/// Which questions.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct GraphQuery {
    /// How many days, 30 if it is not said.
    #[param(minimum = 1, maximum = 3660)]
    days: Option<u32>,
    /// When they end, such as `2026-11-23T08:00:00Z`; now, if it is not said.
    #[param(format = DateTime)]
    until: Option<String>,
    /// Words of a subject, or a whole question.
    about: Option<String>,
    /// A word to which the first one of the subject leads.
    to: Option<String>,
}

/// What people ask about
///
/// The words of their questions, who answered them and how well; of a subject also what is known of it. No
/// model is asked.
#[utoipa::path(
    get, path = "/spaces/{space}/graph",
    operation_id = "graph", tag = "reports",
    params(InSpace, GraphQuery),
    responses((status = 200, description = "What was asked for.", body = Graph), Problems),
    security(("token" = [])),
)]
async fn shown(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
    sent: Result<Query<GraphQuery>, QueryRejection>,
) -> Result<Json<Graph>, Problem> {
    let visit = caller.space(&space, Right::Read).await?;
    let asked = query(sent)?;
    let days = asked.days.unwrap_or(DAYS);
    if !(1..=MOST_DAYS).contains(&days) {
        let sentence = format!("`days` is {days}, and 1 to {MOST_DAYS} are possible.");
        return Err(Refused::Bad(sentence).into());
    }
    let until = ending(asked.until.as_deref(), visit.node().clock.now()).map_err(Refused::from)?;
    let which = Which {
        days,
        until,
        about: asked.about.as_deref(),
        to: asked.to.as_deref(),
    };
    Ok(Json(visit.graph(which).await?))
}
