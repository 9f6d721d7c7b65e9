//! What was asked this week and what became of it, and the questions that nobody could answer.

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::{Redirect, Response};
use maud::html;
use serde::Deserialize;
use threadlore_model::SpaceId;
use threadlore_ports::{Authority, Right};

use super::frame::{Place, line, page};
use super::questions;
use crate::access::Visitor;
use crate::refused::Refused;
use crate::report::{DAYS, MOST_DAYS, part, report};
use crate::site::Site;
use crate::wording::{called, say, translated};
use crate::words::DEFAULT_SPACE;

/// The only space that somebody may read; else the list of them, or the first page that they may see.
pub(super) async fn entrance(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Refused> {
    use axum::response::IntoResponse;
    let host = site.open()?.host;
    let mut spaces = host.node.store.spaces().await?;
    spaces.retain(|space| visitor.may_read(space));
    let to = match spaces.as_slice() {
        [] => first_page(&visitor.authority),
        [only] => address(only),
        several => {
            let body = html! {
                h1 { (say!("spaces")) }
                ul { @for space in several { li { a href=(address(space)) { (space) } } } }
            };
            return Ok(super::frame::bare(&say!("spaces"), &body).into_response());
        }
    };
    Ok(Redirect::to(&to).into_response())
}

/// Where somebody begins where there is nothing yet that they may read.
fn first_page(authority: &Authority) -> String {
    let granted = |right| {
        let mut grants = authority.grants().iter();
        let found = grants.find(|(_, one)| *one == right);
        found.map(|(space, _)| space)
    };
    match (granted(Right::Read), granted(Right::Ask)) {
        (Some(space), _) => address(space),
        (None, Some(space)) => format!("{}/ask", address(space)),
        (None, None) => match granted(Right::Admin) {
            Some(space) if *space == SpaceId::system() => "/health".to_owned(),
            Some(space) => format!("{}/memories", address(space)),
            None => format!("/s/{DEFAULT_SPACE}"),
        },
    }
}

fn address(space: &SpaceId) -> String {
    format!("/s/{space}")
}

pub(super) async fn show(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(space): Path<String>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Read).await?;
    let (node, scope, space) = (visit.node(), &visit.scope, visit.space());
    let now = node.clock.now();
    let week = report(node, scope, now, DAYS).await?;
    let is_empty = node.store.channel_names(scope).await?.is_empty();
    let tiles = [
        (say!("home-asked"), week.asked, "asked"),
        (say!("home-answered"), week.answered, "answered"),
        (
            say!("home-person-quicker"),
            week.answered_by_person,
            "answered_by_person",
        ),
        (say!("home-nothing-known"), week.unanswered, "unanswered"),
    ];
    let base = address(space);
    let body = html! {
        h1 { (say!("home-title", space = space.as_str())) }
        div class="tiles" {
            @for (name, count, only) in tiles {
                a class="tile" href=(format!("{base}/questions?only={only}")) {
                    b { (count.now) }
                    span { (name) }
                    small { (say!("home-week-before", count = count.before)) }
                }
            }
        }
        @if is_empty && visit.may(Right::Admin) {
            p { a class="button" href=(format!("{base}/imports")) { (say!("import-title")) } }
        }
        section aria-labelledby="unanswered" {
            h2 id="unanswered" { (say!("unanswered-title")) }
            @if week.waiting.is_empty() {
                p { (say!("home-nothing-waits")) }
            } @else {
                p { (say!("home-waiting")) }
                (questions::rows(&week.waiting, space))
                @if week.waiting_in_all > week.waiting.len() as u64 {
                    p class="more" {
                        a href=(format!("{base}/questions?only=unanswered")) {
                            (say!("all-of-them", count = week.waiting_in_all))
                        }
                    }
                }
            }
        }
        section aria-labelledby="why" {
            h2 id="why" { (say!("home-became")) }
            @if week.outcomes.is_empty() {
                p { (say!("home-nothing-said")) }
            } @else {
                div class="wide" tabindex="0" { table {
                    thead { tr {
                        th scope="col" { (say!("outcome")) }
                        th scope="col" class="number" { (say!("home-this-week")) }
                        th scope="col" class="number" { (say!("home-before")) }
                        th scope="col" { (say!("because")) }
                    } }
                    tbody { @for one in &week.outcomes {
                        tr {
                            th scope="row" {
                                a href=(format!("{base}/questions?only={}", one.outcome)) {
                                    (called("outcome", one.outcome))
                                }
                            }
                            td class="number" { (one.count.now) }
                            td class="number" { (one.count.before) }
                            td { (translated(one.because)) }
                        }
                    } }
                } }
            }
        }
        @if !week.most_asked.is_empty() {
            section aria-labelledby="most" {
                h2 id="most" { (say!("home-most-asked")) }
                ul class="rows" { @for one in &week.most_asked {
                    li {
                        a href=(format!("{base}/cases/{}", one.case)) { (line(one.title.as_deref())) }
                        div class="about" { span { (say!("answers", count = one.answers)) } }
                    }
                } }
            }
        }
        p class="more" {
            (say!(
                "home-counts",
                messages = say!("messages", count = week.messages.now),
                cases = html! {
                    a href=(format!("{base}/cases")) { (say!("cases", count = week.cases_opened.now)) }
                },
                solved = week.cases_solved.now,
            )) " "
            a href=(format!("{base}/report")) { (say!("home-week")) }
        }
    };
    Ok(page(&visit, Place::Home, say!("place-home"), &body))
}

/// Which days a report is about.
#[derive(Deserialize)]
pub(super) struct Days {
    days: Option<u32>,
}

/// The week, or other days, in one page to print.
pub(super) async fn show_report(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(space): Path<String>,
    days: Result<Query<Days>, QueryRejection>,
) -> Result<Response, Refused> {
    let Query(Days { days }) = days?;
    let visit = site.enter(&visitor, &space, Right::Read).await?;
    let days = days.unwrap_or(DAYS).clamp(1, MOST_DAYS);
    let now = visit.node().clock.now();
    let found = report(visit.node(), &visit.scope, now, days).await?;
    let body = html! {
        h1 { (found.title()) }
        form class="filter" method="get" {
            label { (say!("report-days")) " " input type="number" name="days" min="1" max=(MOST_DAYS) value=(days); }
            button { (say!("show")) }
        }
        (part(&found))
    };
    Ok(page(&visit, Place::Home, say!("report"), &body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_begins_where_they_may_see_something() {
        for (grants, to) in [
            (&[("a", Right::Ask), ("b", Right::Read)][..], "/s/b"),
            (&[("a", Right::Ask)], "/s/a/ask"),
            (&[("a", Right::Admin)], "/s/a/memories"),
            (&[("system", Right::Admin)], "/health"),
        ] {
            let space = |name| SpaceId::parse(name).expect("a space");
            let grants = grants.iter().map(|(name, right)| (space(name), *right));
            let authority = Authority::of_grants(grants.collect());
            assert_eq!(first_page(&authority), to);
        }
        assert_eq!(first_page(&Authority::of_operator()), "/s/default");
    }
}
