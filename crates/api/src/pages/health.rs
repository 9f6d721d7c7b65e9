//! What waits, and where: of every group the records that it has not taken, and what could not be taken.

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::HeaderValue;
use axum::response::{IntoResponse, Response};
use maud::html;
use serde::Deserialize;
use threadlore_model::SpaceId;

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
        p {
            a href="/replays" { (say!("replays-title")) } " · "
            a href="/settings" { (say!("settings")) } " · "
            a href=(super::accounts::address(&SpaceId::system())) { (say!("health-people")) }
        }
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
