//! What waits, and where: of every group the records that it has not taken, of every build how far it is, and
//! what could not be taken.

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::HeaderValue;
use axum::response::{IntoResponse, Response};
use maud::html;
use serde::Deserialize;
use threadlore_node::Build;

use super::frame::bare;
use crate::access::Visitor;
use crate::refused::Refused;
use crate::site::Site;
use crate::words::counted;

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
    if visitor.by.account().is_some() {
        return Err(Refused::Forbidden(
            "This page is about the whole installation, so it is for its operator alone.",
        ));
    }
    let host = site.open()?.host;
    let lags = host.node.backlog().lags().await?;
    let builds = host.node.builds().await?;
    let most = lags.values().copied().max().unwrap_or_default().max(1);
    let waiting: u64 = lags.values().sum();
    let letters = host.node.dead_letters().await?;
    let bad: u64 = letters.values().sum();
    let body = html! {
        h1 { "Health" }
        p { @match again {
            true => a href="/health" { "Do not look again by itself" },
            false => a href="/health?again=true" { "Look again every five seconds" },
        } }
        p {
            @match waiting {
                0 => "Nothing waits: every group has taken all records.",
                _ => { (counted(waiting, "record")) " wait to be taken." }
            }
        }
        div class="wide" { table {
            thead { tr {
                th scope="col" { "Group" }
                th scope="col" class="number" { "Records that wait" }
                th scope="col" { span class="unseen" { "The same, drawn" } }
            } }
            tbody { @for (group, lag) in &lags {
                tr {
                    th scope="row" { (group) }
                    td class="number" { (lag) }
                    td { @if *lag > 0 { meter min="0" max=(most) value=(lag) { (lag) } } }
                }
            } }
        } }
        h2 { "Tables" }
        div class="wide" { table {
            thead { tr {
                th scope="col" { "Build" }
                th scope="col" { "What it is" }
                th scope="col" class="number" { "Records folded" }
                th scope="col" { span class="unseen" { "The same, drawn" } }
            } }
            tbody { @for build in &builds {
                tr {
                    th scope="row" { (build.listed.build) }
                    td { (what(build)) }
                    td class="number" { (build.folded) " of " (build.records) }
                    td { @if build.folded < build.records {
                        progress max=(build.records) value=(build.folded)
                            aria-label={ (build.listed.build) ", folded" } {}
                    } }
                }
            } }
        } }
        h2 { "Dead letters" }
        @if bad == 0 {
            p { "There are none." }
        } @else {
            ul { @for (topic, count) in letters.iter().filter(|(_, count)| **count > 0) {
                li { code { (topic) } ": " (count) }
            } }
            p { "Their reasons: " code { "threadlore dlq list" } "." }
        }
    };
    let mut shown = bare("Health", &body).into_response();
    if again {
        shown.headers_mut().insert("refresh", AGAIN);
    }
    Ok(shown)
}

fn what(build: &Build) -> String {
    let mut what = Vec::new();
    if build.is_live {
        what.push("live".to_owned());
    }
    what.extend(
        build
            .replay
            .map(|replay| format!("a replay fills it: {replay}")),
    );
    let until = build.listed.until;
    what.extend(until.map(|until| format!("as of {until}")));
    if !build.listed.is_own {
        what.push("of another version".to_owned());
    }
    if what.is_empty() {
        what.push("kept to go back to".to_owned());
    }
    what.join(", ")
}
