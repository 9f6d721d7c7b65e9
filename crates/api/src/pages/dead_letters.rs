//! Dead letters of the whole installation: a list, one with all that is known of it, and another try.

use axum::Extension;
use axum::Router;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Form, Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;
use threadlore_model::Topic;
use threadlore_node::{BadInput, DeadLetterFilter, Node, WhichDeadLetters, dead_letter_topic};

use super::frame::{bare, ways, when};
use super::questions::encoded;
use crate::access::Visitor;
use crate::dead_letters::{
    DeadLetterDetails, DeadLetterLine, LetterRefusal, RedriveResult, details, list, place,
    redrive_one, unknown,
};
use crate::refused::Refused;
use crate::site::Site;
use crate::wording::{say, text};
use crate::words::SHOWN;

pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/dead-letters", get(show_list))
        .route("/dead-letters/redrive", post(redrive_all))
        .route(
            "/dead-letters/{topic}/{partition}/{offset}",
            get(show_one).post(redrive),
        )
}

/// Which dead letters are listed.
#[derive(Debug, Deserialize)]
struct Which {
    /// Of this topic of theirs; of all where it is empty.
    #[serde(default)]
    topic: String,
    /// Those behind this one.
    after: Option<String>,
}

fn topic(name: &str) -> Result<Topic, Refused> {
    dead_letter_topic(name).map_err(|_| Refused::NotThere(text!("refused-no-topic", name = name)))
}

async fn show_list(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    which: Result<Query<Which>, QueryRejection>,
) -> Result<Response, Refused> {
    let Query(which) = which?;
    let host = site.installation(&visitor)?.host;
    let node = &host.node;
    let filter = DeadLetterFilter {
        topic: match which.topic.as_str() {
            "" => None,
            name => Some(topic(name)?),
        },
        after: which.after.as_deref().map(place).transpose()?,
        limit: SHOWN as usize,
        ..DeadLetterFilter::default()
    };
    let listed = list(node, &filter).await?;
    let topics = node.dead_letters().await?;
    let chosen = filter.topic.map(|topic| topic.name());
    let is_offered = |(topic, count): &(&&str, &u64)| **count > 0 || Some(**topic) == chosen;
    let to = match chosen {
        Some(topic) => format!("/dead-letters?topic={topic}&"),
        None => "/dead-letters?".to_owned(),
    };
    let next = listed.next.as_deref().map(encoded);
    let body = html! {
        p { a href="/health" { (say!("health")) } }
        h1 { (say!("letters")) }
        p { (say!("letters-what")) }
        form class="filter" {
            label { (say!("topic")) " " select name="topic" dir="ltr" {
                option value="" { (say!("all")) }
                @for (topic, count) in topics.iter().filter(is_offered) {
                    option value=(topic) selected[Some(*topic) == chosen] { (topic) " (" (count) ")" }
                }
            } }
            button { (say!("show")) }
        }
        @if listed.letters.is_empty() { p { (say!("letters-none")) } }
        ul class="rows" { @for one in &listed.letters { (row(one)) } }
        p class="more" { (ways(which.after.as_deref(), next.as_deref(), &to)) }
        @if let Some(topic) = chosen.filter(|_| !listed.letters.is_empty()) {
            h2 { (say!("letters-all")) }
            form method="post" action="/dead-letters/redrive" {
                input type="hidden" name="topic" value=(topic);
                p {
                    label for="reason" { (say!("letters-reason")) }
                    input id="reason" type="text" name="reason" maxlength="500" autocomplete="off" dir="auto";
                }
                button { (say!("letters-all-again")) }
            }
        }
    };
    Ok(bare(&say!("letters"), &body).into_response())
}

fn address(letter: &str) -> String {
    format!("/dead-letters/{letter}")
}

fn row(one: &DeadLetterLine) -> Markup {
    html! {
        li {
            a href=(address(&one.letter)) { code { (one.letter) } }
            div { bdi { (one.reason) } }
            div class="about" {
                (when(&one.at))
                span { (one.role) }
                span { (say!("space", name = html! { (one.space) })) }
                @if let Some(place) = &one.redriven { (redriven(place)) }
            }
        }
    }
}

fn redriven(place: &str) -> Markup {
    html! { span class="mark" { (say!("letters-redriven", place = html! { code { (place) } })) } }
}

/// Whether the record's value is shown.
#[derive(Debug, Deserialize)]
struct WithValue {
    #[serde(default)]
    value: bool,
}

type OfLetter = Path<(String, String, String)>;

/// What is known of the letter that an address names.
async fn named(
    node: &Node,
    Path((topic, partition, offset)): OfLetter,
    with_value: bool,
) -> Result<DeadLetterDetails, Refused> {
    let place = place(&format!("{topic}/{partition}/{offset}"))?;
    let found = details(node, place, with_value).await;
    found.map_err(|error| match error.is::<BadInput>() {
        true => unknown(),
        false => error.into(),
    })
}

async fn show_one(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    letter: OfLetter,
    which: Result<Query<WithValue>, QueryRejection>,
) -> Result<Response, Refused> {
    let Query(WithValue { value }) = which?;
    let host = site.installation(&visitor)?.host;
    let shown = named(&host.node, letter, value).await?;
    let line = &shown.line;
    let to = address(&line.letter);
    let body = html! {
        p { a href="/dead-letters" { (say!("letters")) } }
        h1 { code { (line.letter) } }
        p { bdi { (line.reason) } }
        div class="wide" tabindex="0" { table { tbody {
            tr { th scope="row" { (say!("letters-when")) } td { (when(&line.at)) } }
            tr { th scope="row" { (say!("letters-role")) } td { (line.role) } }
            tr { th scope="row" { (say!("letters-space")) } td { bdi { (line.space) } } }
            tr { th scope="row" { (say!("letters-key")) } td { bdi { (shown.key) } } }
            tr { th scope="row" { (say!("letters-source")) } td { code { (line.source) } ": " bdi { (shown.source_is) } } }
            tr { th scope="row" { (say!("letters-value")) } td {
                (say!("bytes", count = line.bytes)) ": " bdi { (shown.value_is) }
                @if line.bytes > 0 && shown.value.is_none() {
                    " " a href=(format!("{to}?value=true")) { (say!("letters-show-value")) }
                }
            } }
        } } }
        @if let Some(value) = &shown.value { div class="words" dir="auto" tabindex="0" { (value) } }
        @match &line.redriven {
            Some(place) => p { (redriven(place)) },
            None => form method="post" action=(to) { button { (say!("letters-again")) } },
        }
    };
    Ok(bare(&html! { (line.letter) }, &body).into_response())
}

async fn redrive(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    letter: OfLetter,
) -> Result<Response, Refused> {
    let host = site.installation(&visitor)?.host;
    let letter = named(&host.node, letter, false).await?.line.letter;
    redrive_one(&host.node, place(&letter)?).await?;
    tracing::info!(by = %visitor.by, letter, "a dead letter was redriven from its page");
    Ok(Redirect::to(&address(&letter)).into_response())
}

#[derive(Debug, Deserialize)]
struct RedriveForm {
    topic: String,
    #[serde(default)]
    reason: String,
}

async fn redrive_all(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    sent: Result<Form<RedriveForm>, FormRejection>,
) -> Result<Response, Refused> {
    let Form(RedriveForm {
        topic: name,
        reason,
    }) = sent?;
    let host = site.installation(&visitor)?.host;
    let topic = topic(&name)?;
    let which = WhichDeadLetters::Of {
        topic,
        space: None,
        reason: reason.trim().to_owned(),
    };
    let done = RedriveResult::of(host.node.redrive(&which, false).await?, false);
    tracing::info!(by = %visitor.by, %topic, redriven = done.redriven, "dead letters were redriven from their page");
    let rest = done.refused - done.first_refused.len() as u64;
    let body = html! {
        h1 { (say!("letters")) }
        p role="status" { (say!(
            "letters-done",
            redriven = done.redriven,
            already = done.already,
            refused = done.refused,
        )) }
        ul class="rows" { @for LetterRefusal { letter, reason } in &done.first_refused {
            li { a href=(address(letter)) { code { (letter) } } div { bdi { (reason) } } }
        } }
        @if rest > 0 { p { (say!("letters-more", count = rest)) } }
        p { a href=(format!("/dead-letters?topic={topic}")) { (say!("letters")) } }
    };
    Ok(bare(&say!("letters"), &body).into_response())
}
