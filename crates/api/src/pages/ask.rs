//! A question, what memory says to it, and from where.

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;
use threadlore_model::SpaceId;
use threadlore_ports::Right;

use super::frame::{Place, line, name, page, when, words};
use crate::access::Visitor;
use crate::asking::{Reply, ask, check};
use crate::refused::Refused;
use crate::site::Site;
use crate::wording::{called, say, translated};

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
        h1 { (say!("place-ask")) }
        p { (say!("ask-about")) }
        form class="ask" method="get" role="search" {
            label for="q" { (say!("question")) }
            textarea id="q" name="q" rows="2" required maxlength="2000" dir="auto" { (q) }
            button { (say!("ask-it")) }
        }
        @if let Some(told) = &told { (answer(told, space)) }
    };
    Ok(page(&visit, Place::Ask, say!("place-ask"), &body))
}

fn answer(told: &Reply, space: &SpaceId) -> Markup {
    let is_silent = told.outcome == "silent";
    let to = |case: &str| format!("/s/{space}/cases/{case}");
    html! {
        section aria-labelledby="answer" {
            h2 id="answer" { (called("outcome", told.outcome)) }
            @if is_silent {
                p { (say!("ask-silent", why = translated(&told.answer))) }
            } @else {
                article class="said bot" { (words(Some(&told.answer))) }
            }
            @if told.memory.is_some() {
                p { a href=(format!("/s/{space}/memories")) { (say!("told-this")) } }
            }
            @if let Some(tool) = &told.tool { p { (say!("ask-looked-up", tool = tool.as_str())) } }
            @for degraded in &told.retrieval.degraded { p { (translated(degraded.sentence())) "." } }
            @for cited in &told.citations {
                h3 { (say!("ask-from", case = html! {
                    a href=(to(&cited.case)) { (line(Some(&cited.title))) }
                })) }
                @for said in &cited.evidence {
                    article class="said" {
                        div class="about" {
                            b { (name(said.name.as_deref())) }
                            (when(&said.at))
                        }
                        (words(said.text.as_deref()))
                    }
                }
            }
            @if !told.nearest.is_empty() {
                h3 { (say!("ask-nearest")) }
                ul class="rows" { @for near in &told.nearest {
                    li {
                        a href=(to(&near.case)) { (line(Some(&near.title))) }
                        div class="about" { span { (say!("closeness-of", close = near.close)) } }
                    }
                } }
            }
            details {
                summary { (say!("ask-how")) }
                p {
                    (say!(
                        "ask-chances",
                        model = html! { code { (told.retrieval.closeness) } },
                        wrong = told.retrieval.wrong_at_most,
                        cases = told.retrieval.found.len(),
                    ))
                }
                ul { @for found in &told.retrieval.found {
                    li {
                        a href=(to(&found.case.to_string())) { code { (found.case) } }
                        ": " (say!("ask-found", close = found.close, chance = found.chance)) " "
                        @for (leg, share) in &found.legs { code { (leg) } " " (share) " " }
                    }
                } }
            }
        }
    }
}
