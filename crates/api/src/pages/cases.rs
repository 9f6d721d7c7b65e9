//! Cases: browsed, searched, and one with its conversation and history, to correct or erase.

use std::collections::BTreeMap;

use axum::Extension;
use axum::Router;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Form, Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;
use threadlore_model::{Case, CaseId, SpaceId, Status};
use threadlore_ports::{Readable, Right};
use threadlore_store_postgres::CaseFilter;

use super::frame::{LATER, Place, inside, line, more, name, page, when, with_later, words};
use super::messages::around;
use super::questions::{encoded, select_channel, still_waiting};
use crate::access::Visitor;
use crate::asking;
use crate::cases::{CaseDetail, Item, Line, Why, list, near, search, show, why};
use crate::refused::{Refused, no_page};
use crate::site::{Site, Visit};
use crate::wording::{called, say, text, translated};
use crate::words::{LONGEST, SHOWN};

pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/s/{space}/cases", get(show_list))
        .route("/s/{space}/cases/{case}", get(show_one))
        .route("/s/{space}/cases/{case}/correct", post(correct))
        .route("/s/{space}/cases/{case}/archive", post(archive))
        .route("/s/{space}/cases/{case}/merge", post(merge))
        .route("/s/{space}/cases/{case}/split", post(split))
        .route("/s/{space}/cases/{case}/erase", post(erase))
}

/// Which cases are listed.
#[derive(Debug, Deserialize)]
struct Which {
    /// Words to search.
    #[serde(default)]
    q: String,
    #[serde(default)]
    state: String,
    #[serde(default)]
    channel: String,
    /// Those behind this one.
    after: Option<String>,
}

async fn show_list(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(space): Path<String>,
    which: Result<Query<Which>, QueryRejection>,
) -> Result<Response, Refused> {
    let Query(which) = which?;
    let visit = site.enter(&visitor, &space, Right::Read).await?;
    let (node, scope, space) = (visit.node(), &visit.scope, visit.space());
    let state = match which.state.as_str() {
        "" => None,
        name => {
            let known = Status::ALL.into_iter().find(|status| status.name() == name);
            let unknown = || Refused::NotThere(text!("refused-no-state", name = name));
            Some(known.ok_or_else(unknown)?)
        }
    };
    let channel = Visit::named_channel(&which.channel)?;
    let after = match &which.after {
        Some(after) => Some(visit.case(after).await.map_err(no_page)?.case),
        None => None,
    };
    let q = which.q.trim();
    let (items, fitting, next) = if q.is_empty() {
        let filter = CaseFilter {
            status: state,
            channel: channel.as_ref(),
            oldest: false,
            after,
            limit: SHOWN,
        };
        let listed = list(node, scope, filter).await?;
        (listed.cases, listed.fitting, listed.next)
    } else {
        asking::check(q)?;
        let found = search(node, scope, q).await;
        let fitting = found.len() as u64;
        (found, fitting, None)
    };
    let channels = node.store.channel_names(scope).await?;
    let to = format!(
        "/s/{space}/cases?state={}&channel={}&",
        which.state,
        encoded(&which.channel)
    );
    let body = html! {
        h1 { (say!("place-cases")) }
        form class="filter" method="get" role="search" {
            label { (say!("words")) " " input type="search" name="q" value=(q) maxlength="2000" dir="auto"; }
            button { (say!("search")) }
        }
        @if q.is_empty() {
            form class="filter" method="get" {
                label { (say!("state")) " " select name="state" {
                    option value="" { (say!("all")) }
                    @for status in Status::ALL {
                        option value=(status.name()) selected[Some(status) == state] {
                            (called("status", status.name()))
                        }
                    }
                } }
                (select_channel(channels.iter(), channel.as_ref(), true))
                button { (say!("show")) }
            }
        } @else {
            p { (say!("cases-nearest")) " " a href=(format!("/s/{space}/cases")) { (say!("cases-all")) } }
        }
        @if items.is_empty() { p { (say!("no-such-cases")) } }
        (rows(&items, space))
        (more((items.len(), fitting), (which.after.as_deref(), next.as_deref()), &to))
    };
    Ok(page(&visit, Place::Cases, say!("place-cases"), &body))
}

fn rows(items: &[Item], space: &SpaceId) -> Markup {
    html! {
        ul class="rows" { @for one in items {
            li {
                a href=(format!("/s/{space}/cases/{}", one.case)) { (line(one.title.as_deref())) }
                div class="about" {
                    span class=(format!("mark {}", one.status)) { (called("status", one.status)) }
                    @if one.suggested { span { (say!("with-a-suggestion")) } }
                    @if one.confirmations > 0 {
                        span { (say!("confirmed-by", reactions = one.confirmations)) }
                    }
                    bdi { (one.channel) }
                    (when(&one.opened_at))
                }
            }
        } }
    }
}

async fn show_one(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path((space, case)): Path<(String, String)>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Read).await?;
    let case = visit.case(&case).await?;
    let space = visit.space();
    let is_erased = case.status() == Status::Erased;
    let may_change = !is_erased && visit.may(Right::Admin);
    let (node, scope) = (visit.node(), &visit.scope);
    let (shown, why) = tokio::try_join!(show(node, scope, &case), why(node, scope, &case))?;
    let title = shown.title.as_deref();
    let body = html! {
        h1 dir="auto" { (titled(title)) }
        div class="about" {
            span class=(format!("mark {}", shown.status)) { (called("status", shown.status)) }
            bdi { (shown.channel) }
            (when(&shown.opened_at))
            @if shown.worked + shown.failed > 0 {
                span { (say!("case-answers", worked = shown.worked, failed = shown.failed)) }
            }
            @if let Some(into) = case.merged_into {
                a href=(format!("/s/{space}/cases/{into}")) { (say!("case-merged-into")) }
            }
        }
        @for (name, text) in [
            (say!("problem"), &shown.problem),
            (say!("solution"), &shown.solution),
            (say!("suggestion-unconfirmed"), &shown.suggestion),
        ] {
            @if let Some(text) = text { h2 { (name) } (words(Some(text))) }
        }
        (reasons(&why))
        @if !shown.evidence.is_empty() {
            section aria-labelledby="from" {
                h2 id="from" { (say!("case-messages")) }
                @for line in &shown.evidence { (said(line)) }
                @if let Some(line) = shown.evidence.iter().find(|line| line.at.is_some()) {
                    (around(space, &shown.channel, line.message))
                }
            }
        }
        @if may_change { (forms(&shown, space)) }
        details {
            summary { (say!("case-happened")) }
            ol class="steps" { @for step in &shown.history {
                li {
                    (when(&step.at)) " " bdi { (step.what) }
                    @if let Some(why) = step.without_effect { " " (say!("case-without-effect", why = translated(why))) }
                    " " code { (step.record) }
                }
            } }
            p { (say!(
                "case-version",
                version = shown.version,
                engine = shown.engine.as_str(),
                link = html! { code { (shown.link) } },
            )) }
        }
    };
    let page = inside(&visit, Place::Cases, titled(title), &body);
    let near = async move {
        html! { @for (case, title) in alike(&visit, &case).await {
            option value=(case) { (line(Some(&title))) }
        } }
    };
    Ok(with_later(page, near))
}

/// The title of a case; one that is erased has none.
fn titled(title: Option<&str>) -> Markup {
    html! { @match title { Some(title) => (title), None => (say!("erased")) } }
}

fn reasons(why: &Why) -> Markup {
    html! {
        section aria-labelledby="why" {
            h2 id="why" { (say!("case-why", status = called("status", why.status))) }
            p { bdi { (why.because) } "." }
            @if !why.signals.is_empty() {
                ul { @for one in &why.signals {
                    li {
                        (when(&one.at)) " " bdi { (one.what) }
                        @if !one.counts { " (" (say!("counts-no-more")) ")" }
                        @if let Some(note) = one.note { " (" (translated(note)) ")" }
                    }
                } }
            }
        }
    }
}

fn said(said: &Line) -> Markup {
    html! {
        article class="said" {
            div class="about" {
                b { (name(said.name.as_deref())) }
                @if let Some(at) = &said.at { (when(at)) }
                span class="mark" { (called("part", said.part_shown())) }
                @if said.merged_from.is_some() { span { (say!("of-merged")) } }
                @for one in &said.reactions {
                    span { (one.emoji) " " (name(one.name.as_deref())) }
                }
            }
            (words(said.text.as_deref()))
        }
    }
}

/// The cases of the channel that are nearest to the title of one, with theirs: it may be one of them.
async fn alike(visit: &Visit, case: &Case) -> Vec<(CaseId, String)> {
    let words = case.title.as_deref().unwrap_or_default();
    let readable = Readable::in_channel(&case.channel, &BTreeMap::new());
    let mut near = near(visit.node(), (&visit.scope, &readable), words, NEAR).await;
    near.retain(|one| one.case.case != case.case && one.close > 0);
    let near = near.into_iter().take(NEAR);
    near.filter_map(|one| Some((one.case.case, one.case.title?)))
        .collect()
}

/// Cases that are offered for a merge.
const NEAR: usize = 5;

fn forms(shown: &CaseDetail, space: &SpaceId) -> Markup {
    let base = format!("/s/{space}/cases/{}", shown.case);
    let now = shown.solution.as_ref().or(shown.suggestion.as_ref());
    html! {
        section aria-labelledby="change" {
            h2 id="change" { (say!("change-title")) }
            form method="post" action=(format!("{base}/correct")) {
                label for="solution" {
                    (say!("correct-label"))
                }
                textarea id="solution" name="solution" rows="5" required maxlength=(LONGEST)
                    dir="auto" { (now.map_or("", String::as_str)) }
                button { (say!("correct-it")) }
            }
            @if shown.archived_at.is_none() {
                form method="post" action=(format!("{base}/archive")) {
                    p { (say!("archive-label")) }
                    button { (say!("archive-it")) }
                }
                form method="post" action=(format!("{base}/merge")) {
                    label for="into" {
                        (say!("merge-label"))
                    }
                    input id="into" name="into" list="near" required maxlength="300" autocomplete="off" dir="ltr";
                    datalist id="near" { (PreEscaped(LATER)) }
                    button { (say!("merge-it")) }
                }
            }
            @if shown.merged_into.is_some() {
                form method="post" action=(format!("{base}/split")) {
                    p { (say!("split-label")) }
                    button { (say!("split-it")) }
                }
            }
            form method="post" action=(format!("{base}/erase")) {
                label class="check" {
                    input type="checkbox" name="sure" value="yes" required;
                    " " (say!("erase-sure"))
                }
                button class="danger" { (say!("erase-it")) }
            }
        }
    }
}

#[derive(Deserialize)]
struct SolutionForm {
    solution: String,
}

async fn correct(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path((space, case)): Path<(String, String)>,
    sent: Result<Form<SolutionForm>, FormRejection>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let Form(SolutionForm { solution }) = sent?;
    let case = visit.case(&case).await?;
    let done = visit.correct(&case, &solution).await?;
    Ok(afterwards(&visit, done))
}

async fn archive(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path((space, case)): Path<(String, String)>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let case = visit.case(&case).await?;
    let done = visit.archive(&case).await?;
    Ok(afterwards(&visit, done))
}

#[derive(Deserialize)]
struct MergeForm {
    into: String,
}

async fn merge(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path((space, case)): Path<(String, String)>,
    sent: Result<Form<MergeForm>, FormRejection>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let Form(MergeForm { into }) = sent?;
    let case = visit.case(&case).await?;
    let into = visit.other_case(&into).await?;
    let done = visit.merge(&case, &into).await?;
    Ok(afterwards(&visit, done))
}

async fn split(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path((space, case)): Path<(String, String)>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let case = visit.case(&case).await?;
    let done = visit.split(&case).await?;
    Ok(afterwards(&visit, done))
}

#[derive(Deserialize)]
struct ErasureForm {
    #[serde(default)]
    sure: String,
}

async fn erase(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path((space, case)): Path<(String, String)>,
    sent: Result<Form<ErasureForm>, FormRejection>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let Form(ErasureForm { sure }) = sent?;
    if sure != "yes" {
        return Err(Refused::Bad(
            "Nothing was erased: tick that its texts are to be gone for good.".to_owned(),
        ));
    }
    let case = visit.case(&case).await?;
    let done = visit.erase(&case).await?;
    Ok(afterwards(&visit, done))
}

/// To the case as it is after a change.
fn afterwards(visit: &Visit, done: Option<Case>) -> Response {
    match done {
        Some(case) => {
            let to = format!("/s/{}/cases/{}", visit.space(), case.case);
            Redirect::to(&to).into_response()
        }
        None => still_waiting(visit, Place::Cases),
    }
}
