//! A question, what memory says to it, and from where.

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;
use threadlore_model::SpaceId;
use threadlore_ports::Right;

use super::frame::{Place, line, page, when, with_code, words};
use crate::access::Visitor;
use crate::asking::{Reply, ask, check};
use crate::refused::Refused;
use crate::site::Site;

#[derive(Debug, Deserialize)]
pub(super) struct Which {
    #[serde(default)]
    q: String,
}

pub(super) async fn show(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(space): Path<String>,
    which: Result<Query<Which>, QueryRejection>,
) -> Result<Response, Refused> {
    let Query(which) = which?;
    let visit = site.enter(&visitor, &space, Right::Ask).await?;
    let space = visit.space();
    let q = which.q.trim();
    let told = match q {
        "" => None,
        q => {
            check(q)?;
            Some(ask(visit.node(), space, None, q).await?)
        }
    };
    let body = html! {
        h1 { "Ask" }
        p { "What the bot would know, from all channels of this space. Nobody in a chat sees it." }
        form class="ask" method="get" role="search" {
            label for="q" { "Question" }
            textarea id="q" name="q" rows="2" required maxlength="2000" dir="auto" { (q) }
            button { "Ask" }
        }
        @if let Some(told) = &told { (answer(told, space)) }
    };
    Ok(page(&visit, Place::Ask, "Ask", &body))
}

fn answer(told: &Reply, space: &SpaceId) -> Markup {
    let is_silent = told.outcome == "silent";
    let to = |case: &str| format!("/s/{space}/cases/{case}");
    html! {
        section aria-labelledby="answer" {
            h2 id="answer" { (told.outcome) }
            @if is_silent {
                p { "It would say nothing: " (told.answer) "." }
            } @else {
                article class="said bot" { (words(Some(&told.answer))) }
            }
            @if told.memory.is_some() {
                p { a href=(format!("/s/{space}/memories")) { "It was told this." } }
            }
            @if let Some(tool) = &told.tool { p { "Looked up just now: " (tool) } }
            @for degraded in &told.retrieval.degraded { p { (with_code(degraded.sentence())) "." } }
            @for cited in &told.citations {
                h3 { "From " a href=(to(&cited.case)) { (line(Some(&cited.title))) } }
                @for said in &cited.evidence {
                    article class="said" {
                        div class="about" {
                            b { bdi { (said.name.as_deref().unwrap_or("somebody")) } }
                            (when(&said.at))
                        }
                        (words(said.text.as_deref()))
                    }
                }
            }
            @if !told.nearest.is_empty() {
                h3 { "Nearest, and not an answer" }
                ul class="rows" { @for near in &told.nearest {
                    li {
                        a href=(to(&near.case)) { (line(Some(&near.title))) }
                        div class="about" { span { "closeness " (near.close) " of 1000" } }
                    }
                } }
            }
            details {
                summary { "How it was found" }
                p {
                    "Chances by " code { (told.retrieval.closeness) } ", at most "
                    (told.retrieval.wrong_at_most) " of 100 answers wrong, "
                    (told.retrieval.found.len()) " cases compared."
                }
                ul { @for found in &told.retrieval.found {
                    li {
                        a href=(to(&found.case.to_string())) { code { (found.case) } }
                        ": closeness " (found.close) ", chance " (found.chance) " of 1000, by "
                        @for (leg, share) in &found.legs { (leg) " " (share) " " }
                    }
                } }
            }
        }
    }
}
