//! Channels: who their admins are, who can read them, when the bot speaks in them.

use std::collections::BTreeSet;

use axum::Extension;
use axum::Router;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Form, Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;
use threadlore_model::{Audience, ChannelId, ChannelSettings, Mode, PersonId, SpaceId};
use threadlore_ports::Right;
use threadlore_retrieval::day_of;
use threadlore_store_postgres::{COUNTED, ChannelSummary, Writer};

use super::frame::{Place, page};
use super::questions::{encoded, still_waiting};
use crate::access::Visitor;
use crate::cases::actor;
use crate::refused::Refused;
use crate::site::Site;
use crate::wording::{called, say, text};

/// People who wrote most, among whom admins are chosen.
const WRITERS: u32 = 30;
/// The latest messages, among which it is counted who wrote most.
const LATEST: u32 = 5_000;

pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/s/{space}/channels", get(show_list))
        .route("/s/{space}/channel", get(show_one).post(change))
        .route("/s/{space}/readers", post(open_question_box))
}

/// A name as an address has it: names of channels have signs that mean something in one.
#[derive(Debug, Deserialize)]
struct Which {
    #[serde(default)]
    name: String,
}

async fn show_list(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(space): Path<String>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Read).await?;
    let space = visit.space();
    let channels = visit.node().store.channels(&visit.scope, None).await?;
    let readers = visit.readers_channel().await?;
    let body = html! {
        h1 { (say!("place-channels")) }
        @if channels.is_empty() {
            p { (say!("channels-none")) }
        }
        ul class="rows" { @for one in &channels {
            li {
                a href=(address(space, &one.channel)) { bdi { (one.channel) } }
                div class="about" {
                    (state(one))
                    span { (messages(one)) }
                }
            }
        } }
        @if readers.is_some() {
            p { a href=(format!("/knowledge/{space}/ask")) { (say!("readers-box")) } }
        } @else if visit.may(Right::Admin) {
            form method="post" action=(format!("/s/{space}/readers")) {
                p { (say!("readers-let-about")) }
                button { (say!("readers-let")) }
            }
        }
        @if visit.may(Right::Admin) {
            p class="more" {
                a href=(format!("/s/{space}/imports")) { (say!("import-title")) } " · "
                a href=(super::tokens::address(space)) { (say!("tokens")) } " · "
                a href=(super::accounts::address(space)) { (say!("accounts")) }
            }
        }
    };
    Ok(page(&visit, Place::Channels, say!("place-channels"), &body))
}

pub(super) fn address(space: &SpaceId, channel: &ChannelId) -> String {
    format!("/s/{space}/channel?name={}", encoded(channel.as_str()))
}

async fn open_question_box(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(space): Path<String>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    match visit.open_question_box().await? {
        Some(channel) => Ok(Redirect::to(&address(visit.space(), &channel)).into_response()),
        None => Ok(still_waiting(&visit, Place::Channels)),
    }
}

/// How many messages it has.
fn messages(one: &ChannelSummary) -> Markup {
    match one.messages < COUNTED {
        true => say!("messages", count = one.messages),
        false => say!("messages-or-more", count = one.messages),
    }
}

/// Whether the bot answers there, and why not.
fn state(one: &ChannelSummary) -> Markup {
    let settings = one.settings.clone().unwrap_or_default();
    let (mark, says) = match (settings.admins.len(), settings.mode) {
        (0, _) => ("unknown", say!("channel-no-admin")),
        (_, Mode::Off) => ("off", say!("channel-off")),
        (_, Mode::Mentions) => ("answered", say!("mode-mentions")),
        (_, Mode::Questions) => ("answered", say!("channel-answers")),
    };
    html! {
        span class=(format!("mark {mark}")) { (says) }
        span { (say!("admins", count = settings.admins.len())) }
        span { (called("audience", settings.audience.name())) }
        @if settings.is_published() { span { (say!("published")) } }
        @if let Some((at, Some(by))) = &one.configured {
            span { (say!("channel-set", by = actor(by), day = html! { (day_of(*at)) })) }
        }
    }
}

async fn show_one(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(space): Path<String>,
    which: Result<Query<Which>, QueryRejection>,
) -> Result<Response, Refused> {
    let Query(Which { name }) = which?;
    let visit = site.enter(&visitor, &space, Right::Read).await?;
    let summary = visit.channel(&name).await?;
    let space = visit.space();
    let settings = summary.settings.clone().unwrap_or_default();
    let store = &visit.node().store;
    let writers = store
        .writers(&visit.scope, &summary.channel, (LATEST, WRITERS))
        .await?;
    let known: BTreeSet<PersonId> = writers.iter().map(|one| one.person).collect();
    let others: Vec<&PersonId> = settings.admins.difference(&known).collect();
    let body = html! {
        h1 { bdi { (summary.channel) } }
        div class="about" { (state(&summary)) span { (messages(&summary)) } }
        form method="post" {
            input type="hidden" name="channel" value=(summary.channel);
            fieldset {
                legend { (say!("channel-bot")) }
                @for mode in Mode::ALL {
                    label class="check" {
                        input type="radio" name="mode" value=(mode.name()) checked[mode == settings.mode];
                        " " (called("mode", mode.name()))
                    }
                }
            }
            fieldset {
                legend { (say!("channel-readers")) }
                p { (say!("channel-readers-about")) }
                @for audience in Audience::ALL {
                    label class="check" {
                        input type="radio" name="audience" value=(audience.name())
                            checked[audience == settings.audience];
                        " " (called("audience", audience.name()))
                    }
                }
            }
            fieldset {
                legend { (say!("channel-pages")) }
                p { (say!("channel-pages-about")) }
                label class="check" {
                    input type="checkbox" name="published" value="yes" checked[settings.is_published()];
                    " " (say!("channel-publish"))
                }
            }
            fieldset {
                legend { (say!("channel-admins")) }
                p { (say!("channel-admins-about")) }
                @for person in others { (admin(person, None, true)) }
                @for one in &writers { (admin(&one.person, Some(one), settings.admins.contains(&one.person))) }
                label {
                    (say!("channel-other-admin")) " "
                    input type="text" name="native" maxlength="256" autocomplete="off";
                }
            }
            label for="docs" { (say!("channel-docs")) }
            textarea id="docs" name="docs" rows="2" maxlength="2000" { (settings.docs.join("\n")) }
            @if visit.may(Right::Admin) {
                button { (say!("save")) }
            } @else {
                p { (say!("channel-read-only")) }
            }
        }
        p class="more" {
            a href=(super::messages::address(space, &summary.channel)) { (say!("its-messages")) }
            " "
            a href=(format!("/s/{space}/questions?channel={}", encoded(summary.channel.as_str()))) { (say!("its-questions")) }
            " "
            a href=(format!("/s/{space}/cases?channel={}", encoded(summary.channel.as_str()))) { (say!("its-cases")) }
        }
    };
    Ok(page(
        &visit,
        Place::Channels,
        summary.channel.as_str(),
        &body,
    ))
}

fn admin(person: &PersonId, writer: Option<&Writer>, is: bool) -> Markup {
    let name = writer.and_then(|one| one.name.as_deref());
    html! {
        label class="check" {
            input type="checkbox" name="admin" value=(person) checked[is];
            " " bdi { @match name { Some(name) => (name), None => (say!("nameless")) } }
            @if let Some(one) = writer { " (" (say!("messages", count = one.messages)) ")" }
        }
    }
}

async fn change(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(space): Path<String>,
    sent: Result<Form<Vec<(String, String)>>, FormRejection>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let Form(fields) = sent?;
    let all = |wanted: &str| -> Vec<&str> {
        let fields = fields.iter().filter(|(name, _)| name == wanted);
        fields.map(|(_, value)| value.trim()).collect()
    };
    let one = |name: &str| all(name).first().copied().unwrap_or_default();
    let channel = visit.channel(one("channel")).await?.channel;
    let (node, space) = (visit.node(), visit.space());
    let bad = |what: &str| Refused::Bad(text!("refused-form", what = what));
    let mode = Mode::ALL
        .into_iter()
        .find(|mode| mode.name() == one("mode"));
    let audience = Audience::ALL
        .into_iter()
        .find(|audience| audience.name() == one("audience"));
    let mut admins = BTreeSet::new();
    for person in all("admin") {
        admins.insert(person.parse().map_err(|_| bad("admin"))?);
    }
    let native = one("native");
    if !native.is_empty() {
        admins.insert(node.hasher.person(space, channel.platform(), native));
    }
    let docs: Vec<String> = one("docs")
        .lines()
        .map(|line| line.trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect();
    let settings = ChannelSettings {
        admins,
        audience: audience.ok_or_else(|| bad("audience"))?,
        mode: mode.ok_or_else(|| bad("mode"))?,
        docs,
        published: one("published") == "yes",
    };
    match visit.configure(&channel, settings).await? {
        Some(_) => Ok(Redirect::to(&address(space, &channel)).into_response()),
        None => Ok(still_waiting(&visit, Place::Channels)),
    }
}
