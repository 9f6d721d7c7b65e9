//! The question box of the pages for everybody. What their readers ask is said in a published channel of the platform
//! `site`; a space without one has no box.

use axum::Router;
use axum::extract::rejection::FormRejection;
use axum::extract::{Form, Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use maud::{Markup, Render, html};
use serde::Deserialize;
use threadlore_model::{Actor, ChannelId, SpaceId, TurnOutcome};
use threadlore_ports::Right;

use super::frame::{public, words};
use super::guard::{reader, reader_cookie};
use super::published::{not_there, rows};
use super::questions::{RatingForm, encoded, rating};
use crate::access::{Visitor, random};
use crate::published::published_of;
use crate::questions::{ChannelQuestion, OwnQuestion};
use crate::readers::unnamed;
use crate::refused::Refused;
use crate::site::{Site, Visit};
use crate::wording::{say, text, translated};

pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/knowledge/{space}/ask", get(show_form).post(ask))
        .route("/knowledge/{space}/asked/{question}", get(show_answer))
        .route("/knowledge/{space}/asked/{question}/rating", post(rate))
}

/// A space that takes questions of its readers, and the channel that they are asked in.
async fn enter(site: &Site, space: &str) -> Result<(Visit, ChannelId), Refused> {
    SpaceId::parse(space).map_err(|_| not_there())?;
    let visit = site.begun(&Visitor::operator(), space, Right::Ask)?;
    let channel = visit.readers_channel().await?.ok_or_else(not_there)?;
    Ok((visit, channel))
}

/// A page that search engines do not show.
fn page(space: &SpaceId, title: &impl Render, body: &Markup) -> Html<Markup> {
    let head = html! {
        meta name="robots" content="noindex";
        title { (title) " – " (space) }
    };
    Html(public(&head, space, true, body))
}

async fn show_form(
    State(site): State<Site>,
    Path(space): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let (visit, _) = enter(&site, &space).await?;
    let access = site.open()?.access;
    let now = visit.node().clock.now();
    let page = form(visit.space())?;
    if reader(&access, &headers, now).is_some() {
        return Ok(page.into_response());
    }
    let cookie = reader_cookie(&site, &access, now)?;
    Ok(([(header::SET_COOKIE, cookie)], page).into_response())
}

fn form(space: &SpaceId) -> Result<Html<Markup>, Refused> {
    // The same form, sent twice, is one question.
    let id = URL_SAFE_NO_PAD.encode(random()?);
    let body = html! {
        h1 { (say!("readers-ask")) }
        p { (say!("readers-about")) }
        form class="ask" method="post" action=(format!("/knowledge/{space}/ask")) {
            input type="hidden" name="id" value=(id);
            label for="question" { (say!("question")) }
            textarea id="question" name="question" rows="3" required maxlength="2000" dir="auto" {}
            button { (say!("ask-it")) }
        }
        p class="more" { (say!("readers-kept")) }
    };
    Ok(page(space, &say!("readers-ask"), &body))
}

#[derive(Deserialize)]
struct QuestionForm {
    id: String,
    question: String,
}

async fn ask(
    State(site): State<Site>,
    Path(space): Path<String>,
    headers: HeaderMap,
    sent: Result<Form<QuestionForm>, FormRejection>,
) -> Result<Response, Refused> {
    let (visit, channel) = enter(&site, &space).await?;
    let Form(QuestionForm { id, question }) = sent?;
    let access = site.open()?.access;
    let Some(author) = reader(&access, &headers, visit.node().clock.now()) else {
        return Err(Refused::Bad(text!("refused-cookies")));
    };
    if !access.count_question(author) {
        return Err(Refused::TooManyQuestions);
    }
    let question = ChannelQuestion {
        channel,
        author,
        name: None,
        id: &id,
        text: &question,
    };
    let turn = visit.ask_for(&question).await?;
    if turn.is_some_and(|turn| turn.outcome == TurnOutcome::Withdrawn) {
        return Err(Refused::Bad(text!("refused-forgotten")));
    }
    Ok(Redirect::to(&address(visit.space(), &id)).into_response())
}

/// Where a question is shown to who asked it.
fn address(space: &SpaceId, id: &str) -> String {
    format!("/knowledge/{space}/asked/{}", encoded(id))
}

async fn show_answer(
    State(site): State<Site>,
    Path((space, id)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let (visit, channel) = enter(&site, &space).await?;
    let asked = own(&site, &visit, (&channel, &id), &headers).await?;
    let space = visit.space();
    let reply = visit.reply_to(&asked.turn).await?;
    let (node, scope) = (visit.node(), &visit.scope);
    let cases = reply.cases();
    let published = published_of(node, scope, &cases);
    let answer = unnamed(node, scope, &reply);
    let store = &node.store;
    let own = async { Ok(store.rating(scope, asked.turn.turn, asked.person).await?) };
    let (published, answer, own) = tokio::try_join!(published, answer, own)?;
    let is_unanswered = TurnOutcome::UNANSWERED.contains(&asked.turn.outcome);
    let body = html! {
        h1 { (say!("question-one")) }
        article class="said" { (words(asked.text.as_deref())) }
        section aria-labelledby="answer" {
            h2 id="answer" { (say!("what-the-bot-said")) }
            @match &answer {
                Some(answer) => article class="said bot" { (words(Some(answer))) },
                None => p { (translated(reply.because)) "." },
            }
            @if !published.is_empty() { (rows(&published)) }
            @if is_unanswered { p { (say!("readers-wait")) } }
            @if answer.is_some() && !cases.is_empty() {
                (rating(own, &format!("{}/rating", address(space, &id))))
            }
        }
        p class="more" { a href=(format!("/knowledge/{space}/ask")) { (say!("readers-more")) } }
    };
    Ok(page(space, &say!("question-one"), &body).into_response())
}

async fn rate(
    State(site): State<Site>,
    Path((space, id)): Path<(String, String)>,
    headers: HeaderMap,
    sent: Result<Form<RatingForm>, FormRejection>,
) -> Result<Response, Refused> {
    let (mut visit, channel) = enter(&site, &space).await?;
    let rating = sent?.0.rating()?;
    let asked = own(&site, &visit, (&channel, &id), &headers).await?;
    visit.by = Actor::Person(asked.person);
    let rated = visit.rate(&asked.turn, asked.person, rating).await?;
    rated.ok_or(Refused::Waits)?;
    let to = address(visit.space(), &id);
    Ok(Redirect::to(&format!("{to}#answer")).into_response())
}

/// A question of the browser that sends this. Another one is answered as if there were none.
async fn own(
    site: &Site,
    visit: &Visit,
    (channel, id): (&ChannelId, &str),
    headers: &HeaderMap,
) -> Result<OwnQuestion, Refused> {
    let access = site.open()?.access;
    let author = reader(&access, headers, visit.node().clock.now());
    let not_yet = || Refused::NotThere(text!("refused-no-answer-yet"));
    let author = author.ok_or_else(not_yet)?;
    let asked = visit.asked_by(channel, author, id).await?;
    asked.ok_or_else(not_yet)
}
