//! What waits, and where: of every group the records that it has not taken, of every build how far it is, and
//! what could not be taken.

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::HeaderValue;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde::Deserialize;
use threadlore_node::Build;

use super::frame::bare;
use crate::access::Visitor;
use crate::refused::Refused;
use crate::site::Site;
use crate::wording::say;

/// The header by which a browser loads the page anew, in seconds; it needs no script.
const AGAIN: HeaderValue = HeaderValue::from_static("5");

#[derive(Debug, Deserialize)]
pub(super) struct Which {
    /// Whether the page is to be loaded anew by itself.
    #[serde(default)]
    again: bool,
}

pub(super) async fn show(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    which: Result<Query<Which>, QueryRejection>,
) -> Result<Response, Refused> {
    let Query(Which { again }) = which?;
    let host = site.installation(&visitor)?.host;
    let lags = host.node.backlog().lags().await?;
    let builds = host.node.builds().await?;
    let most = lags.values().copied().max().unwrap_or_default().max(1);
    let waiting: u64 = lags.values().sum();
    let letters = host.node.dead_letters().await?;
    let bad: u64 = letters.values().sum();
    let body = html! {
        h1 { (say!("health")) }
        p { @match again {
            true => a href="/health" { (say!("health-not-again")) },
            false => a href="/health?again=true" { (say!("health-again")) },
        } }
        p {
            @match waiting {
                0 => (say!("health-nothing-waits")),
                _ => (say!("health-waiting", records = waiting)),
            }
        }
        div class="wide" tabindex="0" { table {
            thead { tr {
                th scope="col" { (say!("health-group")) }
                th scope="col" class="number" { (say!("health-records")) }
                th scope="col" { span class="unseen" { (say!("health-drawn")) } }
            } }
            tbody { @for (group, lag) in &lags {
                tr {
                    th scope="row" { (group) }
                    td class="number" { (lag) }
                    td { @if *lag > 0 { meter min="0" max=(most) value=(lag) { (lag) } } }
                }
            } }
        } }
        h2 { (say!("health-tables")) }
        div class="wide" tabindex="0" { table {
            thead { tr {
                th scope="col" { (say!("health-build")) }
                th scope="col" { (say!("health-what")) }
                th scope="col" class="number" { (say!("health-folded")) }
                th scope="col" { span class="unseen" { (say!("health-drawn")) } }
            } }
            tbody { @for build in &builds {
                tr {
                    th scope="row" { (build.listed.build) }
                    td { (what(build)) }
                    td class="number" { (say!("of", part = build.folded, whole = build.records)) }
                    td { @if build.folded < build.records {
                        progress max=(build.records) value=(build.folded)
                            aria-label=(say!("health-folded-of", build = html! { (build.listed.build) })) {}
                    } }
                }
            } }
        } }
        h2 { (say!("health-letters")) }
        @if bad == 0 {
            p { (say!("health-no-letters")) }
        } @else {
            ul { @for (topic, count) in letters.iter().filter(|(_, count)| **count > 0) {
                li { a href=(format!("/dead-letters?topic={topic}")) { code { (topic) } } ": " (count) }
            } }
            p { a href="/dead-letters" { (say!("health-reasons")) } }
        }
    };
    let mut shown = bare(&say!("health"), &body).into_response();
    if again {
        shown.headers_mut().insert("refresh", AGAIN);
    }
    Ok(shown)
}

fn what(build: &Build) -> Markup {
    let mut what = Vec::new();
    if build.is_live {
        what.push(say!("build-live"));
    }
    if let Some(replay) = build.replay {
        what.push(say!("build-replay", state = html! { (replay) }));
    }
    if let Some(until) = build.listed.until {
        what.push(say!("build-as-of", time = html! { (until) }));
    }
    if !build.listed.is_own {
        what.push(say!("build-other-version"));
    }
    if what.is_empty() {
        what.push(say!("build-kept"));
    }
    html! { @for (at, part) in what.iter().enumerate() { @if at > 0 { ", " } (part) } }
}
