//! The builds of the tables, replays that make others, and what waits, for programs of who looks after the whole
//! installation.

use std::collections::BTreeMap;
use std::convert::Infallible;

use axum::Json;
use axum::extract::rejection::JsonRejection;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures::stream::{Stream, StreamExt as _};
use serde::{Deserialize, Serialize};
use threadlore_model::Timestamp;
use threadlore_node::{ReplayEnd, ReplayRequest};
use threadlore_ports::{Generation, Projection};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Problems};
use super::{At, Caller, event};
use crate::jobs::stages;
use crate::refused::Refused;
use crate::replays::{BuildList, ComparisonResult, Stage, builds};
use crate::site::Site;

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new()
        .routes(routes!(health))
        .routes(routes!(listed))
        .routes(routes!(dropped))
        .routes(routes!(switched))
        .routes(routes!(rolled_back))
        .routes(routes!(replayed))
        .routes(routes!(resumed))
        .routes(routes!(paused))
}

/// A projection.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct OfProjection {
    /// `messages`, `cases`, `memories`, `turns`, `deliveries`, `outcomes`, `channels` or `vectors`.
    projection: String,
}

/// A build of a projection.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct OfBuild {
    /// `messages`, `cases`, `memories`, `turns`, `deliveries`, `outcomes`, `channels` or `vectors`.
    projection: String,
    /// Its number.
    number: String,
}

fn projection(name: &str) -> Result<Projection, Problem> {
    let found = name.parse();
    found.map_err(|why| Refused::NotThere(format!("There is no such projection: {why}.")).into())
}

impl OfBuild {
    fn build(&self) -> Result<Generation, Problem> {
        let unknown = |_| Refused::NotThere("There is no build of this number.".to_owned());
        Ok(Generation {
            projection: projection(&self.projection)?,
            number: self.number.parse().map_err(unknown)?,
        })
    }
}

/// What waits.
#[derive(Debug, Serialize, ToSchema)]
struct Health {
    /// Records that each group of readers has not taken.
    lag: BTreeMap<String, u64>,
    /// Dead letters that are kept, of each topic of them.
    dead_letters: BTreeMap<&'static str, u64>,
}

/// See what waits
///
/// It needs a token with the right `admin` in the space `system`, as all that is about the whole installation.
#[utoipa::path(
    get, path = "/health",
    operation_id = "getHealth", tag = "installation",
    responses((status = 200, description = "What was asked for.", body = Health), Problems),
    security(("token" = [])),
)]
async fn health(caller: Caller) -> Result<Json<Health>, Problem> {
    let host = caller.installation()?.host;
    let lags = host.node.backlog().lags().await?.into_iter();
    Ok(Json(Health {
        lag: lags.map(|(group, lag)| (group.to_string(), lag)).collect(),
        dead_letters: host.node.dead_letters().await?,
    }))
}

/// List builds
///
/// Which is live, which a replay fills and how far it is, and what replays showed when they compared one with the live one.
#[utoipa::path(
    get, path = "/builds",
    operation_id = "listBuilds", tag = "installation",
    responses((status = 200, description = "What was asked for.", body = BuildList), Problems),
    security(("token" = [])),
)]
async fn listed(caller: Caller) -> Result<Json<BuildList>, Problem> {
    let host = caller.installation()?.host;
    Ok(Json(builds(&host.node).await?))
}

/// Make a build live
///
/// One that is kept and fed: of a replay that did not switch, or one from before.
#[utoipa::path(
    post, path = "/builds/{projection}/{number}/live",
    operation_id = "switchBuild", tag = "installation",
    params(OfBuild),
    responses((status = 200, description = "All builds.", body = BuildList), Problems),
    security(("token" = [])),
)]
async fn switched(caller: Caller, At(of): At<OfBuild>) -> Result<Json<BuildList>, Problem> {
    let host = caller.installation_to_change()?.host;
    host.make_live(of.build()?).await?;
    Ok(Json(builds(&host.node).await?))
}

/// Drop a build
///
/// One that is not live: of a replay that is given up, of one up to a time, or one that was kept.
#[utoipa::path(
    delete, path = "/builds/{projection}/{number}",
    operation_id = "dropBuild", tag = "installation",
    params(OfBuild),
    responses((status = 200, description = "Those that are left.", body = BuildList), Problems),
    security(("token" = [])),
)]
async fn dropped(caller: Caller, At(of): At<OfBuild>) -> Result<Json<BuildList>, Problem> {
    let host = caller.installation_to_change()?.host;
    host.drop_build(of.build()?).await?;
    Ok(Json(builds(&host.node).await?))
}

/// Go back
///
/// Makes the build before the live one live again.
#[utoipa::path(
    post, path = "/builds/{projection}/rollback",
    operation_id = "rollBack", tag = "installation",
    params(OfProjection),
    responses((status = 200, description = "All builds.", body = BuildList), Problems),
    security(("token" = [])),
)]
async fn rolled_back(caller: Caller, At(of): At<OfProjection>) -> Result<Json<BuildList>, Problem> {
    let host = caller.installation_to_change()?.host;
    host.roll_back(projection(&of.projection)?).await?;
    Ok(Json(builds(&host.node).await?))
}

/// Which replay is wanted.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewReplay {
    /// Build the tables as they were at this time, such as `2026-11-23T08:00:00Z`. Such a build never goes live.
    until: Option<String>,
    /// Only compare; do not make the new build live.
    #[serde(default)]
    compare_only: bool,
}

/// So much of a replay is done.
#[derive(Serialize)]
struct ReplayProgress {
    number: u32,
    folded: u64,
    of: u64,
}

/// How a replay ended.
#[derive(Serialize)]
struct ReplayResult {
    number: u32,
    live: bool,
    #[serde(flatten)]
    compared: ComparisonResult,
}

/// The build of a replay that is paused.
#[derive(Serialize)]
struct ReplayPause {
    number: u32,
}

/// Why a replay was not done.
#[derive(Serialize)]
struct ReplayRefusal {
    why: String,
}

/// Replay a projection
///
/// Builds its tables from the log again, compares them with the live ones, and makes the new ones live if they are equal. One
/// that was cut off goes on. The answer is server-sent events: `folding` with `number`, `folded` and `of`, once for each
/// hundredth; then `compared` with the digests of both builds and whether the new one is `live`, or `built` of one up to a
/// time, `paused`, or `not-done` with `why`. It goes on when nobody reads the answer any more, and `listBuilds` says in
/// every process how far it is.
#[utoipa::path(
    post, path = "/replays/{projection}",
    operation_id = "replay", tag = "installation",
    params(OfProjection),
    request_body = NewReplay,
    responses(
        (status = 200, description = "Events, each with JSON as its data.",
            content_type = "text/event-stream", body = String),
        Problems,
    ),
    security(("token" = [])),
)]
async fn replayed(
    caller: Caller,
    At(of): At<OfProjection>,
    sent: Result<Json<NewReplay>, JsonRejection>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let site = caller.installation_to_change()?;
    let projection = projection(&of.projection)?;
    let Json(NewReplay {
        until,
        compare_only,
    }) = sent?;
    let time = |text: String| {
        text.parse::<Timestamp>().map_err(|_| {
            Refused::Bad(format!(
                "`until` is {text:?}, and has to be a time such as 2026-11-23T08:00:00Z."
            ))
        })
    };
    let request = ReplayRequest {
        until: until.map(time).transpose()?,
        resumes: false,
        switches: !compare_only,
    };
    let seen = caller.site.replays.begin(&site.host, projection, request)?;
    Ok(sse(stages(&seen)))
}

/// Resume a replay
///
/// Goes on with one that was paused or cut off, where it was. The answer is as that of `replay`.
#[utoipa::path(
    post, path = "/replays/{projection}/resume",
    operation_id = "resumeReplay", tag = "installation",
    params(OfProjection),
    responses(
        (status = 200, description = "Events, each with JSON as its data.",
            content_type = "text/event-stream", body = String),
        Problems,
    ),
    security(("token" = [])),
)]
async fn resumed(
    caller: Caller,
    At(of): At<OfProjection>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let site = caller.installation_to_change()?;
    let request = ReplayRequest {
        until: None,
        resumes: true,
        switches: true,
    };
    let projection = projection(&of.projection)?;
    let seen = caller.site.replays.begin(&site.host, projection, request)?;
    Ok(sse(stages(&seen)))
}

/// Pause a replay
///
/// It stops at its next checkpoint, in whichever process it is.
#[utoipa::path(
    post, path = "/replays/{projection}/pause",
    operation_id = "pauseReplay", tag = "installation",
    params(OfProjection),
    responses((status = 200, description = "All builds.", body = BuildList), Problems),
    security(("token" = [])),
)]
async fn paused(caller: Caller, At(of): At<OfProjection>) -> Result<Json<BuildList>, Problem> {
    let host = caller.installation_to_change()?.host;
    host.pause_replay(projection(&of.projection)?).await?;
    Ok(Json(builds(&host.node).await?))
}

/// The events of stages.
fn sse(
    stages: impl Stream<Item = Stage> + Send + 'static,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let events = stages.filter_map(async |stage| event_of(stage)).map(Ok);
    Sse::new(events).keep_alive(KeepAlive::default())
}

/// The event of a stage; none for the first one, and while builds are compared.
fn event_of(stage: Stage) -> Option<Event> {
    match stage {
        Stage::Waits | Stage::Compares => None,
        Stage::Folding(build, folded, of) => {
            let number = build.number;
            Some(event("folding", &ReplayProgress { number, folded, of }))
        }
        Stage::Ended(ReplayEnd::Compared {
            build,
            compared,
            is_live,
        }) => {
            let result = ReplayResult {
                number: build.number,
                live: is_live,
                compared: compared.into(),
            };
            Some(event("compared", &result))
        }
        Stage::Ended(ReplayEnd::Until(built)) => Some(event("built", &built)),
        Stage::Ended(ReplayEnd::Paused(build, _)) => {
            let number = build.number;
            Some(event("paused", &ReplayPause { number }))
        }
        Stage::NotDone(why) => Some(event("not-done", &ReplayRefusal { why })),
    }
}
