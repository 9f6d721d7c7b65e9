//! The builds of the tables of the whole installation, and replays that make others, with how far each is.

use axum::Extension;
use axum::Router;
use axum::extract::rejection::FormRejection;
use axum::extract::{Form, Path, State};
use axum::http::HeaderValue;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;
use threadlore_model::Timestamp;
use threadlore_node::{ReplayRequest, ReplayState};
use threadlore_ports::{Generation, Projection};

use super::frame::{bare, when};
use crate::access::Visitor;
use crate::jobs::Stage as _;
use crate::refused::Refused;
use crate::replays::{BuildLine, ComparisonResult, Stage, builds};
use crate::site::Site;
use crate::wording::{say, text};

/// The header by which a browser loads the page again, in seconds, while a replay goes on.
const AGAIN: HeaderValue = HeaderValue::from_static("2");
/// Digits of a digest that are shown.
const DIGITS: usize = 16;

pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/replays", get(show).post(begin))
        .route("/replays/{projection}/resume", post(resume))
        .route("/replays/{projection}/pause", post(pause))
        .route("/replays/{projection}/{number}/live", post(switch))
        .route("/replays/{projection}/{number}/drop", post(drop_build))
}

async fn show(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Refused> {
    let host = site.installation(&visitor)?.host;
    let listed = builds(&host.node).await?.builds;
    let is_under_way = |one: &BuildLine| one.replay == Some(ReplayState::UnderWay);
    let mut goes_on = listed.iter().any(is_under_way);
    let mut sections = Vec::new();
    for projection in Projection::ALL {
        let of = listed
            .iter()
            .filter(|one| one.projection == projection.name());
        let of: Vec<&BuildLine> = of.collect();
        let stage = site.replays.of(projection);
        goes_on |= stage.as_ref().is_some_and(Stage::goes_on);
        sections.push(section(projection, &of, stage.as_ref()));
    }
    let body = html! {
        p { a href="/health" { (say!("health")) } }
        h1 { (say!("replays-title")) }
        p { (say!("replays-what")) }
        form method="post" {
            p {
                label { (say!("replays-which")) " " select name="projection" dir="ltr" {
                    option value="" { (say!("all")) }
                    @for projection in Projection::ALL {
                        option value=(projection.name()) { (projection.name()) }
                    }
                } }
            }
            label class="check" {
                input type="checkbox" name="compare_only" value="yes";
                " " (say!("replays-compare-only"))
            }
            details {
                summary { (say!("replays-more")) }
                p {
                    label for="until" { (say!("replays-until")) }
                    input id="until" type="text" name="until" maxlength="40" dir="ltr" autocomplete="off"
                        placeholder="2026-11-23T08:00:00Z";
                }
            }
            button { (say!("replays-begin")) }
        }
        @for one in &sections { (one) }
    };
    let mut shown = bare(&say!("replays-title"), &body).into_response();
    if goes_on {
        shown.headers_mut().insert("refresh", AGAIN);
    }
    Ok(shown)
}

fn section(projection: Projection, builds: &[&BuildLine], stage: Option<&Stage>) -> Markup {
    let name = projection.name();
    html! {
        section aria-labelledby=(name) {
            h2 id=(name) { code { (name) } }
            @match stage {
                Some(Stage::Waits) => p { (say!("replays-waits")) },
                Some(Stage::Compares) => p { (say!("replays-compares")) },
                Some(Stage::NotDone(why)) => p role="alert" { (say!("replays-not-done")) " " bdi { (why) } },
                Some(Stage::Folding(..) | Stage::Ended(_)) | None => {}
            }
            ul class="rows" { @for build in builds { (row(build)) } }
        }
    }
}

fn row(build: &BuildLine) -> Markup {
    let name = format!("{} g{}", build.projection, build.number);
    let of_projection = format!("/replays/{}", build.projection);
    let of_build = format!("{of_projection}/{}", build.number);
    let act = |to: String, what: Markup| {
        html! {
            form method="post" action=(to) {
                button class="quiet" aria-label=(html! { (what) ": " (name) }) { (what) }
            }
        }
    };
    html! {
        li {
            b { (name) }
            @if build.folded < build.records {
                " " progress max=(build.records) value=(build.folded)
                    aria-label=(say!("folded-of", build = html! { (name) })) {}
            }
            div class="about" {
                span class={ "mark" @if build.live { " solved" } } { (what(build)) }
                span { (say!("folded", part = build.folded, whole = build.records)) }
                @match build.replay {
                    Some(ReplayState::UnderWay) => {
                        (act(format!("{of_projection}/pause"), say!("replays-pause")))
                    }
                    Some(ReplayState::Paused | ReplayState::CutOff) => {
                        (act(format!("{of_projection}/resume"), say!("replays-resume")))
                        (act(format!("{of_build}/drop"), say!("replays-give-up")))
                    }
                    None => {
                        @if build.is_kept { (act(format!("{of_build}/live"), say!("replays-switch"))) }
                        @if !build.live { (act(format!("{of_build}/drop"), say!("replays-drop"))) }
                    }
                }
            }
            @if let Some(compared) = &build.compared { (comparison(compared)) }
        }
    }
}

fn what(build: &BuildLine) -> Markup {
    match build {
        BuildLine { live: true, .. } => say!("build-live"),
        BuildLine {
            replay: Some(state),
            ..
        } => match state {
            ReplayState::UnderWay => say!("build-under-way"),
            ReplayState::Paused => say!("build-paused"),
            ReplayState::CutOff => say!("build-cut-off"),
        },
        BuildLine {
            until: Some(until), ..
        } => say!("build-as-of", time = html! { (until) }),
        BuildLine {
            other_version: true,
            ..
        } => say!("build-other-version"),
        _ => say!("build-kept"),
    }
}

/// What a replay saw when it compared: the digests of both builds.
fn comparison(compared: &ComparisonResult) -> Markup {
    let digest = |text: &str| text.get(..DIGITS).unwrap_or(text).to_owned();
    html! {
        details {
            summary {
                @match compared.equal {
                    true => (say!("compared-equal", number = compared.with)),
                    false => b { (say!("compared-different", number = compared.with)) },
                }
                " " (when(&compared.at))
            }
            p { (say!("compared-work", events = compared.events, seconds = html! { (format!("{:.1}", compared.seconds)) })) }
            div class="wide" tabindex="0" { table {
                thead { tr {
                    th scope="col" { (say!("compared-table")) }
                    th scope="col" class="number" { (say!("compared-rows")) }
                    th scope="col" { (say!("compared-live")) }
                    th scope="col" { (say!("compared-rebuilt")) }
                } }
                tbody { @for table in &compared.digests { tr {
                    th scope="row" { (table.table) }
                    td class="number" { (table.rows) }
                    td { code { (digest(&table.live)) } }
                    td { code { (digest(&table.rebuilt)) } }
                } } }
            } }
            @if !compared.different.is_empty() {
                ul { @for cell in &compared.different { li { bdi { (cell) } } } }
            }
        }
    }
}

#[derive(Debug, Deserialize)]
struct ReplayForm {
    /// Empty for all.
    #[serde(default)]
    projection: String,
    /// There where the box is checked.
    compare_only: Option<String>,
    #[serde(default)]
    until: String,
}

fn named(projection: &str) -> Result<Projection, Refused> {
    let unknown = |_| Refused::NotThere(text!("refused-no-projection", name = projection));
    projection.parse().map_err(unknown)
}

fn to_list() -> Response {
    Redirect::to("/replays").into_response()
}

async fn begin(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    sent: Result<Form<ReplayForm>, FormRejection>,
) -> Result<Response, Refused> {
    let Form(form) = sent?;
    let host = site.installation(&visitor)?.host;
    let until: Option<Timestamp> = match form.until.trim() {
        "" => None,
        text => Some(
            text.parse()
                .map_err(|_| Refused::Bad(text!("refused-time", time = text)))?,
        ),
    };
    let request = ReplayRequest {
        until,
        resumes: false,
        switches: form.compare_only.is_none(),
    };
    tracing::info!(by = %visitor.by, projection = form.projection, "a replay was asked for on its page");
    if !form.projection.is_empty() {
        let projection = named(&form.projection)?;
        site.replays.begin(&host, projection, request)?;
        return Ok(to_list());
    }
    for projection in Projection::ALL {
        match site.replays.begin(&host, projection, request) {
            // That one goes on as it is.
            Ok(_) | Err(Refused::Busy(_)) => {}
            Err(other) => return Err(other),
        }
    }
    Ok(to_list())
}

async fn resume(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(projection): Path<String>,
) -> Result<Response, Refused> {
    let host = site.installation(&visitor)?.host;
    let request = ReplayRequest {
        until: None,
        resumes: true,
        switches: true,
    };
    site.replays.begin(&host, named(&projection)?, request)?;
    Ok(to_list())
}

async fn pause(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(projection): Path<String>,
) -> Result<Response, Refused> {
    let host = site.installation(&visitor)?.host;
    host.pause_replay(named(&projection)?).await?;
    Ok(to_list())
}

/// The build that an address names.
fn build((projection, number): &(String, String)) -> Result<Generation, Refused> {
    let unknown = |_| Refused::NotThere("There is no build of this number.".to_owned());
    Ok(Generation {
        projection: named(projection)?,
        number: number.parse().map_err(unknown)?,
    })
}

async fn switch(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(named): Path<(String, String)>,
) -> Result<Response, Refused> {
    let host = site.installation(&visitor)?.host;
    let build = build(&named)?;
    host.make_live(build).await?;
    tracing::info!(by = %visitor.by, %build, "a build was made live on its page");
    Ok(to_list())
}

async fn drop_build(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(named): Path<(String, String)>,
) -> Result<Response, Refused> {
    let host = site.installation(&visitor)?.host;
    let build = build(&named)?;
    host.drop_build(build).await?;
    tracing::info!(by = %visitor.by, %build, "a build was dropped on its page");
    Ok(to_list())
}
