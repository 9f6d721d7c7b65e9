//! A person: what there is of them in a space, and forgetting them.

use std::collections::BTreeSet;

use axum::Extension;
use axum::Router;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Form, Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;
use threadlore_model::{PersonId, SpaceId};
use threadlore_ports::Right;

use super::frame::{Place, line, name, page};
use super::memories::fact;
use super::questions::still_waiting;
use crate::access::Visitor;
use crate::refused::Refused;
use crate::site::Site;
use crate::wording::{say, text};
use crate::words::SHOWN;

pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/s/{space}/people", get(find))
        .route("/s/{space}/people/{person}", get(show))
        .route("/s/{space}/people/{person}/forget", post(forget))
}

/// The page of a person.
pub(super) fn address(space: &SpaceId, person: &PersonId) -> String {
    format!("/s/{space}/people/{person}")
}

/// Who it is on a platform.
#[derive(Debug, Deserialize)]
struct Who {
    #[serde(default)]
    platform: String,
    #[serde(default)]
    id: String,
}

async fn find(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(space): Path<String>,
    who: Result<Query<Who>, QueryRejection>,
) -> Result<Response, Refused> {
    let Query(Who { platform, id }) = who?;
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let id = id.trim();
    let mut is_unknown = false;
    if !id.is_empty() {
        let person = visit.person_of(&platform, id);
        match visit.person(&person.to_string()).await {
            Ok(found) => {
                let to = address(visit.space(), &found.person);
                return Ok(Redirect::to(&to).into_response());
            }
            Err(Refused::NotThere(_)) => is_unknown = true,
            Err(other) => return Err(other),
        }
    }
    let channels = visit.node().store.channel_names(&visit.scope).await?;
    let platforms: BTreeSet<&str> = channels.iter().map(|channel| channel.platform()).collect();
    let body = html! {
        h1 { (say!("people")) }
        p { (say!("people-what")) }
        @if is_unknown { p role="alert" { (say!("people-unknown", id = id)) } }
        form {
            p {
                label { (say!("people-platform")) " " select name="platform" dir="ltr" {
                    @for one in platforms { option value=(one) selected[one == platform] { (one) } }
                } }
            }
            p {
                label for="id" { (say!("people-id")) }
                input id="id" type="text" name="id" required maxlength="256" dir="auto" autocomplete="off" value=(id);
            }
            button { (say!("people-find")) }
        }
    };
    Ok(page(&visit, Place::Memory, say!("people"), &body))
}

async fn show(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path((space, person)): Path<(String, String)>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let found = visit.person(&person).await?;
    let space = visit.space();
    let shown = found.cases.len().min(SHOWN as usize);
    let cases = visit
        .node()
        .store
        .cases_of(&visit.scope, &found.cases[..shown]);
    let cases = cases.await?;
    let title: Markup = name(found.name.as_deref());
    let body = html! {
        p { a href=(format!("/s/{space}/people")) { (say!("people")) } }
        h1 { (title) }
        @if !found.is_there() { p { (say!("person-nothing")) } }
        h2 { (say!("person-wrote")) }
        ul { @for one in &found.channels {
            li {
                a href=(super::messages::address(space, &one.channel)) { bdi { (one.channel) } }
                ": " (say!("messages", count = one.messages))
            }
        } }
        @if found.mentioned_by_others > 0 {
            p { (say!("person-mentioned", count = found.mentioned_by_others)) }
        }
        @if !cases.is_empty() {
            h2 { (say!("person-cases")) }
            ul class="rows" { @for case in &cases {
                li { a href=(format!("/s/{space}/cases/{}", case.case)) { (line(case.title.as_deref())) } }
            } }
            @if shown < found.cases.len() {
                p class="more" { (say!("shown-of", shown = shown, fitting = found.cases.len())) }
            }
        }
        @if !found.memories.is_empty() {
            h2 { (say!("person-told")) }
            @for one in &found.memories { (fact(one, space)) }
        }
        h2 { (say!("person-forget")) }
        p { (say!("person-forget-what")) }
        form method="post" action=(format!("{}/forget", address(space, &found.person))) {
            label class="check" {
                input type="checkbox" name="sure" value="yes" required;
                " " (say!("person-sure"))
            }
            button class="danger" { (say!("person-forget-it")) }
        }
    };
    Ok(page(&visit, Place::Memory, say!("people"), &body))
}

#[derive(Debug, Deserialize)]
struct Sure {
    #[serde(default)]
    sure: String,
}

async fn forget(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path((space, person)): Path<(String, String)>,
    sent: Result<Form<Sure>, FormRejection>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let Form(Sure { sure }) = sent?;
    if sure != "yes" {
        return Err(Refused::Bad(text!("refused-form", what = "sure")));
    }
    Ok(match visit.forget_person(&person).await? {
        Some(left) => Redirect::to(&address(visit.space(), &left.person)).into_response(),
        None => still_waiting(&visit, Place::Memory),
    })
}
