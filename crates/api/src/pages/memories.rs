//! What the bot was told to remember, and exchanges; somebody adds, and has it forget.

use axum::Extension;
use axum::Router;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Form, Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;
use threadlore_model::{MemoryTier, SpaceId};
use threadlore_node::MemoryChange;
use threadlore_ports::Right;
use threadlore_store_postgres::{ListedMemory, MemoryFilter};

use super::frame::{Place, line, more, page, when, words};
use super::questions::{select_channel, still_waiting};
use crate::access::Visitor;
use crate::memories::{Item, MemoryList, list};
use crate::refused::{Refused, no_page};
use crate::site::{Site, Visit};
use crate::wording::{called, say, text};
use crate::words::SHOWN;

pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/s/{space}/memories", get(show).post(add))
        .route("/s/{space}/memories/{memory}/forget", post(forget))
        .route("/s/{space}/memories/{memory}/words", post(change))
        .route("/s/{space}/memories/{memory}/restore", post(restore))
}

/// The tiers of exchanges.
const EXCHANGES: [MemoryTier; 3] = [
    MemoryTier::Patterns,
    MemoryTier::History,
    MemoryTier::Working,
];

#[derive(Debug, Deserialize)]
struct Which {
    /// One list alone.
    tier: Option<String>,
    /// Those of it behind this one.
    after: Option<String>,
}

async fn show(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(space): Path<String>,
    which: Result<Query<Which>, QueryRejection>,
) -> Result<Response, Refused> {
    let Query(which) = which?;
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let (node, space) = (visit.node(), visit.space());
    let only = match which.tier.as_deref() {
        None => None,
        Some(name) => {
            let known = MemoryTier::ALL.into_iter().find(|tier| tier.name() == name);
            let unknown = || Refused::NotThere(text!("refused-no-tier", name = name));
            Some(known.ok_or_else(unknown)?)
        }
    };
    let after = match which.after.as_deref().filter(|_| only.is_some()) {
        Some(after) => Some(visit.memory(after).await.map_err(no_page)?.memory),
        None => None,
    };
    let of = async |tier| {
        let filter = MemoryFilter {
            tier: Some(tier),
            after,
            limit: SHOWN,
            ..MemoryFilter::default()
        };
        list(node, space, filter).await
    };
    let is_shown = |tier| only.is_none_or(|only| only == tier);
    let (mut told, mut gone) = (None, Vec::new());
    if is_shown(MemoryTier::MemoryBank) {
        told = Some(of(MemoryTier::MemoryBank).await?);
        let filter = MemoryFilter {
            gone: true,
            limit: SHOWN,
            ..MemoryFilter::default()
        };
        gone = list(node, space, filter).await?.memories;
    }
    let mut exchanges = Vec::new();
    for tier in EXCHANGES {
        if is_shown(tier) {
            exchanges.push((tier, of(tier).await?));
        }
    }
    let channels = node.store.channel_names(&visit.scope).await?;
    let way_on = |listed: &MemoryList, tier: MemoryTier| {
        let to = format!("/s/{space}/memories?tier={}&", tier.name());
        let after = which.after.as_deref().filter(|_| after.is_some());
        more(
            (listed.memories.len(), listed.fitting),
            (after, listed.next.as_deref()),
            &to,
        )
    };
    let body = html! {
        h1 { (say!("place-memory")) }
        p { a href=(format!("/s/{space}/people")) { (say!("people-one")) } }
        @if only.is_some() { p { a href=(format!("/s/{space}/memories")) { (say!("memory-all")) } } }
        @if let Some(told) = &told { section aria-labelledby="told" {
            h2 id="told" { (say!("memory-told")) }
            @if told.memories.is_empty() {
                p { (say!("memory-nothing")) }
            }
            @for one in &told.memories { (fact(one, space)) }
            (way_on(told, MemoryTier::MemoryBank))
            @if !channels.is_empty() && visit.may(Right::Admin) {
                form method="post" {
                    label for="text" { (say!("memory-label")) }
                    textarea id="text" name="text" rows="2" required maxlength="500" dir="auto" {}
                    (select_channel(channels.iter(), None, false))
                    (always(false))
                    button { (say!("remember-it")) }
                }
            }
        } }
        @if !gone.is_empty() {
            details {
                summary { (say!("memory-gone")) }
                @for one in &gone { (earlier(one, space)) }
            }
        }
        @for (tier, listed) in &exchanges {
            @if !listed.memories.is_empty() {
                section {
                    h2 { (called("tier", tier.name())) }
                    ul class="rows" { @for one in &listed.memories { (exchange(one, space)) } }
                    (way_on(listed, *tier))
                }
            }
        }
    };
    Ok(page(&visit, Place::Memory, say!("place-memory"), &body))
}

fn always(is_so: bool) -> Markup {
    html! {
        label class="check" {
            input type="checkbox" name="always" value="yes" checked[is_so];
            " " (say!("memory-always"))
        }
    }
}

/// What is told no more, and can be brought back.
fn earlier(one: &Item, space: &SpaceId) -> Markup {
    html! {
        article class="said before" {
            (words(one.text.as_deref()))
            div class="about" {
                @if let Some(reason) = one.archive_reason { span { (called("archived", reason)) } }
                bdi { (one.channel) }
                @if let Some(at) = &one.archived_at { (when(at)) }
                form method="post" action=(format!("/s/{space}/memories/{}/restore", one.memory)) {
                    button class="quiet" aria-label=(say!("bring-back-this", text = said(one))) {
                        (say!("bring-it-back"))
                    }
                }
            }
        }
    }
}

/// The words of a memory where there can be no element.
fn said(one: &Item) -> Markup {
    html! { (one.text.as_deref().unwrap_or_default()) }
}

/// Something that the bot was told, with what can be done with it.
pub(super) fn fact(one: &Item, space: &SpaceId) -> Markup {
    html! {
        article class="said" {
            (words(one.text.as_deref()))
            div class="about" {
                span class="mark" {
                    @if one.home == Some("person") { (say!("told-to-one")) } @else { (say!("told-to-all")) }
                }
                @if let Some(name) = &one.name { bdi { (name) } }
                bdi { (one.channel) }
                (when(&one.said_at))
                @if one.always { span { (say!("memory-model-knows")) } }
                @if one.told > 0 { span { (say!("quoted-by", answers = one.told)) } }
                @if one.text.is_some() {
                    form method="post" action=(format!("/s/{space}/memories/{}/forget", one.memory)) {
                        button class="quiet" aria-label=(say!("forget-this", text = said(one))) {
                            (say!("forget-it"))
                        }
                    }
                }
            }
            @if let Some(text) = one.text.as_deref().filter(|_| one.home == Some("bank")) {
                details {
                    summary { (say!("say-it-otherwise")) }
                    form method="post" action=(format!("/s/{space}/memories/{}/words", one.memory)) {
                        textarea name="text" rows="2" required maxlength="500" dir="auto"
                            aria-label=(say!("other-words-of", text = said(one))) { (text) }
                        (always(one.always))
                        button { (say!("say-it-so")) }
                    }
                }
            }
        }
    }
}

fn exchange(one: &Item, space: &SpaceId) -> Markup {
    html! {
        li {
            (line(one.text.as_deref()))
            @if let Some(exchange) = &one.exchange {
                div class="about" {
                    a href=(format!("/s/{space}/cases/{}", exchange.case)) { (line(exchange.title.as_deref())) }
                    span { (say!(
                        "worked-of",
                        worked = exchange.worked,
                        uses = exchange.worked + exchange.failed + exchange.partial,
                    )) }
                    bdi { (one.channel) }
                    (when(&exchange.used_at))
                }
            }
        }
    }
}

#[derive(Deserialize)]
struct MemoryForm {
    text: String,
    channel: String,
    /// There where the box is checked.
    always: Option<String>,
}

#[derive(Debug, Deserialize)]
struct WordsForm {
    text: String,
    /// There where the box is checked.
    always: Option<String>,
}

async fn add(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(space): Path<String>,
    sent: Result<Form<MemoryForm>, FormRejection>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let Form(MemoryForm {
        text,
        channel,
        always,
    }) = sent?;
    let done = visit.remember((&text, always.is_some()), &channel).await?;
    Ok(back(&visit, done))
}

async fn change(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path((space, memory)): Path<(String, String)>,
    sent: Result<Form<WordsForm>, FormRejection>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let Form(WordsForm { text, always }) = sent?;
    let change = MemoryChange {
        text: Some(text),
        always: Some(always.is_some()),
    };
    let done = visit.change_memory(&memory, change).await?;
    Ok(back(&visit, done))
}

async fn restore(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path((space, memory)): Path<(String, String)>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let done = visit.restore_memory(&memory).await?;
    Ok(back(&visit, done))
}

async fn forget(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path((space, memory)): Path<(String, String)>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let done = visit.forget(&memory).await?;
    Ok(back(&visit, done))
}

/// To the list, once it is so.
fn back(visit: &Visit, done: Option<ListedMemory>) -> Response {
    match done {
        Some(_) => {
            let to = format!("/s/{}/memories", visit.space());
            Redirect::to(&to).into_response()
        }
        None => still_waiting(visit, Place::Memory),
    }
}
