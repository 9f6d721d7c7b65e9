//! Pages for anybody: the solved cases of published channels, and what search engines want to know.
//!
//! What is not published is not there for who is not signed in, whether or not it exists.

use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;
use threadlore_model::{CaseId, Part, SpaceId};
use threadlore_ports::Right;
use threadlore_store_postgres::{PublishedCase, PublishedFilter};

use super::frame::{LATER, line, public, when, with_later, words};
use super::guard::visitor;
use crate::access::Visitor;
use crate::published::{PublicCase, PublicLine, for_search_engines, read, related, title};
use crate::refused::Refused;
use crate::site::{Open, Site};
use crate::wording::{called, say};
use crate::words::{MOST, SHOWN, cut};

/// Others may keep such a page for half a minute: an erased case is gone within a minute.
const KEPT: (header::HeaderName, &str) = (header::CACHE_CONTROL, "public, max-age=30");
/// The most addresses of a sitemap, by the protocol of sitemaps.
const SITEMAP: u32 = 50_000;
/// Characters of a description in a preview.
const PREVIEW: usize = 200;

pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/case/{case}", get(show_one))
        .route("/knowledge/{space}", get(show_list))
        .route("/sitemap.xml", get(sitemap))
        .route("/robots.txt", get(robots))
}

pub(super) fn not_there() -> Refused {
    Refused::NotThere(
        "There is no such page, or its channel is not published. Who looks after the space finds the case \
         after signing in."
            .to_owned(),
    )
}

async fn show_one(
    State(site): State<Site>,
    Path(case): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let id: CaseId = case.parse().map_err(|_| not_there())?;
    let open = site.open()?;
    let filter = PublishedFilter {
        cases: Some(&[id]),
        limit: 1,
        ..PublishedFilter::default()
    };
    let found = open.host.node.store.published_cases(filter).await?;
    let Some(found) = found.into_iter().next() else {
        return match visitor(&open, &headers).await? {
            Some(visitor) => inside(&site, &open, &visitor, id).await,
            None => Err(not_there()),
        };
    };
    if found.case != id {
        return Ok(Redirect::temporary(&format!("/case/{}", found.case)).into_response());
    }
    // It has this case, so it is there.
    let visit = site.begun(&Visitor::operator(), found.space.as_str(), Right::Read)?;
    let case = visit.case(&case).await?;
    let shown = async { Ok(read(visit.node(), &visit.scope, &case).await?) };
    let (shown, readers) = tokio::try_join!(shown, visit.readers_channel())?;
    let shown = shown.ok_or_else(not_there)?;
    let address = site.public.as_deref().map(|public| address(public, id));
    let page = public(
        &head(&shown, address.as_deref()),
        &found.space,
        readers.is_some(),
        &article(&shown),
    );
    let similar = async move {
        let found = related(visit.node(), &visit.scope, &case).await;
        found.map(|found| alike(&found)).unwrap_or_else(|error| {
            let error = format!("{error:#}");
            tracing::warn!(error, case = %case.case, "similar cases were not found");
            html! {}
        })
    };
    Ok(([KEPT], with_later(page, similar)).into_response())
}

/// The page of a case for who looks after its space.
async fn inside(
    site: &Site,
    open: &Open,
    visitor: &Visitor,
    id: CaseId,
) -> Result<Response, Refused> {
    let mut spaces = open.host.node.store.spaces().await?;
    spaces.retain(|space| visitor.may_read(space));
    for space in spaces {
        let visit = site.enter(visitor, space.as_str(), Right::Read).await?;
        let found = visit.node().store.case(&visit.scope, id).await?;
        if found.is_some() {
            return Ok(Redirect::to(&format!("/s/{space}/cases/{id}")).into_response());
        }
    }
    Err(not_there())
}

fn head(case: &PublicCase, address: Option<&str>) -> Markup {
    let solved = cut(&case.solution, PREVIEW);
    html! {
        title { (cut(&case.title, PREVIEW)) }
        meta name="description" content=(solved);
        meta property="og:type" content="article";
        meta property="og:title" content=(case.title);
        meta property="og:description" content=(solved);
        meta name="twitter:card" content="summary";
        @if let Some(address) = address {
            meta property="og:url" content=(address);
            link rel="canonical" href=(address);
        }
        // Data, which no browser runs.
        script type="application/ld+json" { (PreEscaped(for_search_engines(case, address))) }
    }
}

fn article(case: &PublicCase) -> Markup {
    html! {
        article {
            h1 dir="auto" { (case.title) }
            div class="about" {
                span class="mark solved" { (called("status", "solved")) }
                @if case.confirmations > 0 {
                    span { (say!("confirmed-by", reactions = case.confirmations)) }
                }
                bdi { (case.channel) }
                (when(&case.opened_at))
                @for tag in &case.tags { span { bdi { (tag) } } }
            }
            h2 { (say!("problem")) }
            (words(Some(&case.problem)))
            h2 id="solution" { (say!("solution")) }
            (words(Some(&case.solution)))
            section aria-labelledby="said" {
                h2 id="said" { (say!("published-said")) }
                @for one in &case.said { (said(one)) }
            }
        }
        p class="more" {
            (say!("published-names"))
        }
        (PreEscaped(LATER))
    }
}

/// Cases that are alike, where there are some.
fn alike(cases: &[PublishedCase]) -> Markup {
    html! {
        @if !cases.is_empty() {
            section aria-labelledby="related" {
                h2 id="related" { (say!("published-alike")) }
                (rows(cases))
            }
        }
    }
}

fn said(said: &PublicLine) -> Markup {
    let part = match said.part {
        Part::Problem => Some(say!("part-problem")),
        Part::Solution => Some(say!("part-solution")),
        Part::Suggestion => Some(say!("part-suggestion")),
        Part::Context => None,
    };
    html! {
        section class="said" {
            div class="about" {
                b { (said.by) }
                @if let Some(at) = &said.at { (when(at)) }
                @if let Some(part) = part { span class="mark" { (part) } }
                @for (emoji, by) in &said.reactions { span { (emoji) " " (by) } }
            }
            (words(Some(&said.text)))
        }
    }
}

pub(super) fn rows(cases: &[PublishedCase]) -> Markup {
    html! {
        ul class="rows" { @for one in cases {
            li {
                a href=(format!("/case/{}", one.case)) { (line(Some(&title(one)))) }
                div class="about" { (when(&one.changed_at.to_string())) }
            }
        } }
    }
}

#[derive(Deserialize)]
struct Which {
    show: Option<u32>,
}

async fn show_list(
    State(site): State<Site>,
    Path(space): Path<String>,
    which: Result<Query<Which>, QueryRejection>,
) -> Result<Response, Refused> {
    let Query(Which { show }) = which?;
    let space = SpaceId::parse(&space).map_err(|_| not_there())?;
    let limit = show.unwrap_or(SHOWN).clamp(1, MOST);
    let filter = PublishedFilter {
        space: Some(&space),
        with_names: true,
        // One more than is shown tells whether there are more.
        limit: limit + 1,
        ..PublishedFilter::default()
    };
    let visit = site.begun(&Visitor::operator(), space.as_str(), Right::Read)?;
    let mut found = visit.node().store.published_cases(filter).await?;
    let may_ask = visit.readers_channel().await?.is_some();
    if found.is_empty() && !may_ask {
        return Err(not_there());
    }
    let has_more = found.len() > limit as usize && limit < MOST;
    found.truncate(limit as usize);
    let head = html! {
        title { (say!("published-of", space = html! { (space) })) }
        meta name="description" content=(say!("published-in", space = html! { (space) }));
    };
    let body = html! {
        h1 { (say!("solved-questions")) }
        @if found.is_empty() { p { (say!("readers-nothing")) } }
        (rows(&found))
        @if has_more {
            p class="more" {
                a href=(format!("/knowledge/{space}?show={}", (limit * 4).min(MOST))) { (say!("show-more")) }
            }
        }
    };
    Ok(([KEPT], public(&head, &space, may_ask, &body)).into_response())
}

async fn sitemap(State(site): State<Site>) -> Result<Response, Refused> {
    let Some(public) = site.public.as_deref() else {
        return Err(Refused::NotThere(
            "There is no sitemap, because the setting `api.public_url` does not say where these pages \
             are reached."
                .to_owned(),
        ));
    };
    let filter = PublishedFilter {
        limit: SITEMAP,
        ..PublishedFilter::default()
    };
    let found = site.open()?.host.node.store.published_cases(filter).await?;
    let mut listed = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
    );
    for one in &found {
        listed.push_str(&format!(
            "<url><loc>{}</loc><lastmod>{}</lastmod></url>\n",
            address(public, one.case),
            one.changed_at
        ));
    }
    listed.push_str("</urlset>\n");
    let kind = (header::CONTENT_TYPE, "application/xml; charset=utf-8");
    Ok(([kind, KEPT], listed).into_response())
}

async fn robots(State(site): State<Site>) -> Response {
    let map = site.public.as_deref();
    let map = map.map(|public| format!("\nSitemap: https://{public}/sitemap.xml\n"));
    let rules = format!(
        "User-agent: *\nAllow: /case/\nAllow: /knowledge/\nAllow: /style.css\nDisallow: /\n{}",
        map.unwrap_or_default()
    );
    ([KEPT], rules).into_response()
}

/// Where anybody reaches the page of a case, behind a proxy of this name.
fn address(public: &str, case: CaseId) -> String {
    format!("https://{public}/case/{case}")
}
