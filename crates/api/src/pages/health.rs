//! What waits, and where: of every group the records that it has not taken.

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use maud::html;

use super::frame::bare;
use crate::access::Visitor;
use crate::refused::Refused;
use crate::site::Site;
use crate::words::counted;

pub(super) async fn show(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Refused> {
    if visitor.by.account().is_some() {
        return Err(Refused::Forbidden(
            "This page is about the whole installation, so it is for its operator alone.",
        ));
    }
    let host = site.open()?.host;
    let lags = host.node.backlog().lags().await?;
    let most = lags.values().copied().max().unwrap_or_default().max(1);
    let waiting: u64 = lags.values().sum();
    let letters = host.node.dead_letters().await?;
    let bad: u64 = letters.values().sum();
    let body = html! {
        h1 { "Health" }
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
    Ok(bare("Health", &body).into_response())
}
