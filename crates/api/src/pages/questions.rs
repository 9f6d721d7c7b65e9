//! What people asked: a list, one with why it was answered so, and the answer that somebody teaches.

use axum::Extension;
use axum::Router;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Form, Path, Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;
use threadlore_model::{ChannelId, SpaceId, TurnOutcome};
use threadlore_ports::Right;
use threadlore_store_postgres::TurnFilter;

use super::frame::{Place, line, more, page, when, words};
use crate::access::Visitor;
use crate::questions::{
    Answer, Line, Question, SETS, Why, candidates, case_of, list, outcomes, why,
};
use crate::refused::{Refused, no_page};
use crate::site::{Site, Visit};
use crate::words::{LONGEST, SHOWN};

/// Candidates of a search that are shown.
const CANDIDATES: usize = 8;

pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/s/{space}/questions", get(show_list))
        .route("/s/{space}/questions/{turn}", get(show_one))
        .route("/s/{space}/questions/{turn}/answer", post(teach))
}

/// Which questions are listed.
#[derive(Debug, Deserialize)]
struct Which {
    /// `asked`, `unanswered`, `answered`, or the name of an outcome.
    #[serde(default)]
    only: String,
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
    let only = match which.only.as_str() {
        "" => "asked",
        only => only,
    };
    let is_set = SETS.iter().any(|(name, ..)| *name == only);
    let Some(outcomes) = outcomes(only) else {
        return Err(Refused::NotThere(format!(
            "There is no outcome “{only}”: docs/outcomes.md has them all."
        )));
    };
    let channel = Visit::named_channel(&which.channel)?;
    let after = match &which.after {
        Some(after) => Some(visit.turn(after).await.map_err(no_page)?.turn),
        None => None,
    };
    let filter = TurnFilter {
        channel: channel.as_ref(),
        outcomes: &outcomes,
        after,
        named: None,
        limit: SHOWN,
    };
    let listed = list(node, scope, filter).await?;
    let channels = node.store.channels(scope, None).await?;
    let to = format!(
        "/s/{space}/questions?only={only}&channel={}&",
        encoded(&which.channel)
    );
    let body = html! {
        h1 { "Questions" }
        form class="filter" method="get" {
            label { "Which " select name="only" {
                @for (name, shown, _) in SETS {
                    option value=(name) selected[name == only] { (shown) }
                }
                @for outcome in TurnOutcome::ALL {
                    option value=(outcome.name()) selected[!is_set && outcome.name() == only] {
                        (outcome.name().replace('_', " "))
                    }
                }
            } }
            (select_channel(channels.iter().map(|one| &one.channel), channel.as_ref(), true))
            button { "Show" }
        }
        @if listed.questions.is_empty() { p { "There are no such questions." } }
        (rows(&listed.questions, space))
        (more((listed.questions.len(), listed.fitting), (which.after.as_deref(), listed.next.as_deref()), &to))
    };
    Ok(page(&visit, Place::Questions, "Questions", &body))
}

/// The field for a channel.
pub(super) fn select_channel<'a>(
    channels: impl Iterator<Item = &'a ChannelId>,
    chosen: Option<&ChannelId>,
    or_all: bool,
) -> Markup {
    html! {
        label { "Channel " select name="channel" {
            @if or_all { option value="" { "all" } }
            @for channel in channels {
                option value=(channel) selected[Some(channel) == chosen] { (channel) }
            }
        } }
    }
}

/// A text as a value in an address.
pub(super) fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// Questions as lines, each a link.
pub(super) fn rows(questions: &[Question], space: &SpaceId) -> Markup {
    html! {
        ul class="rows" { @for one in questions {
            li {
                a href=(format!("/s/{space}/questions/{}", one.turn)) { (line(one.question.as_deref())) }
                div class="about" {
                    span class=(format!("mark {}", one.outcome)) { (one.outcome.replace('_', " ")) }
                    @if let Some(name) = &one.name { bdi { (name) } }
                    span { (one.channel) }
                    (when(&one.at))
                    @if one.helped + one.failed > 0 {
                        span { (one.helped) " helped, " (one.failed) " failed" }
                    }
                }
            }
        } }
    }
}

async fn show_one(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path((space, turn)): Path<(String, String)>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Read).await?;
    let turn = visit.turn(&turn).await?;
    let why = why(visit.node(), &visit.scope, &turn).await?;
    let space = visit.space();
    let now = visit.node().clock.now().as_millis();
    let is_unanswered = TurnOutcome::UNANSWERED.contains(&turn.outcome);
    let body = html! {
        h1 { "A question" }
        div class="about" {
            span class=(format!("mark {}", why.outcome)) { (why.outcome.replace('_', " ")) }
            span { (why.channel) }
            (when(&why.at))
        }
        @for context in &why.context { (said(&context.line, Some(&context.reason))) }
        @for line in &why.lines { (said(line, None)) }
        p { "It was " b { (why.outcome.replace('_', " ")) } ": " (why.because) "." }
        @if let Some(answer) = &why.answer { (answered(answer, space)) }
        @if visit.may(Right::Admin) && why.lines.iter().any(|line| line.text.is_some()) {
            section aria-labelledby="teach" {
                h2 id="teach" { @if is_unanswered { "Answer it" } @else { "Answer it better" } }
                form method="post" action=(format!("/s/{space}/questions/{}/answer", why.turn)) {
                    input type="hidden" name="form" value=(now);
                    label for="solution" {
                        "Whoever asks like that is told this, with your word as an admin's:"
                    }
                    textarea id="solution" name="solution" rows="5" required maxlength=(LONGEST)
                        dir="auto" {}
                    button { "Remember this answer" }
                }
            }
        }
        (record(&why, space))
    };
    Ok(page(&visit, Place::Questions, "A question", &body))
}

/// A message.
fn said(said: &Line, because: Option<&str>) -> Markup {
    html! {
        article class=(if because.is_some() { "said before" } else { "said" }) {
            div class="about" {
                b { bdi { (said.name.as_deref().unwrap_or("somebody")) } }
                @if let Some(at) = &said.at { (when(at)) }
                @if let Some(because) = because { span { "read with it (" (because) ")" } }
            }
            (words(said.text.as_deref()))
        }
    }
}

fn answered(answer: &Answer, space: &SpaceId) -> Markup {
    html! {
        section aria-labelledby="answer" {
            h2 id="answer" { "What the bot said" }
            article class="said bot" { (words(answer.text.as_deref())) }
            div class="about" {
                @if let Some(case) = answer.case_id {
                    a href=(format!("/s/{space}/cases/{case}")) { "the case that it is from" }
                }
                @if answer.memory.is_some() {
                    a href=(format!("/s/{space}/memories")) { "it was told this" }
                }
                @for delivery in &answer.deliveries { span { (delivery.shown()) } }
                @if let Some(reason) = answer.withdrawn { span { "taken back, because " (reason) } }
                @if answer.helped + answer.failed > 0 {
                    span { (answer.helped) " say that it helped, " (answer.failed) " that it failed" }
                }
                @if let Some((outcome, because)) = answer.outcome.zip(answer.because) {
                    span { (outcome) ": " (because) }
                }
            }
        }
    }
}

/// How the answer was found, for who wants to know.
fn record(why: &Why, space: &SpaceId) -> Markup {
    let search = why.search.as_ref();
    let mut found: Vec<&Value> = candidates(search).iter().collect();
    found.sort_by_key(|one| std::cmp::Reverse(one["close"].as_u64()));
    let number = |one: &Value, name: &str| one[name].as_u64().unwrap_or_default();
    html! {
        @if !found.is_empty() {
            details {
                summary { "The cases that it was compared with" }
                p { "Closeness and chance are of 1000; an answer needs a closeness of 450." }
                div class="wide" { table {
                    thead { tr {
                        th scope="col" { "Case" }
                        th scope="col" class="number" { "Closeness" }
                        th scope="col" class="number" { "Chance" }
                        th scope="col" class="number" { "Worked" }
                        th scope="col" class="number" { "Failed" }
                    } }
                    tbody { @for one in found.into_iter().take(CANDIDATES) {
                        @if let Some(case) = case_of(one) {
                            tr {
                                th scope="row" {
                                    a href=(format!("/s/{space}/cases/{case}")) {
                                        (line(why.titles.get(&case.to_string()).map(String::as_str)))
                                    }
                                }
                                @for name in ["close", "chance", "worked", "failed"] {
                                    td class="number" { (number(one, name)) }
                                }
                            }
                        }
                    } }
                } }
            }
        }
        details {
            summary { "What the log says" }
            ol class="steps" { @for one in &why.events {
                li { (when(&one.at)) " " (one.event) " " code { (one.record) } }
            } }
            p { "Turn " code { (why.turn) } ". `threadlore answers why` says more." }
        }
    }
}

#[derive(Deserialize)]
struct AnswerForm {
    solution: String,
    /// When the page was shown: the same form, sent twice, is one lesson.
    form: i64,
}

async fn teach(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path((space, turn)): Path<(String, String)>,
    sent: Result<Form<AnswerForm>, FormRejection>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let Form(AnswerForm { solution, form }) = sent?;
    let turn = visit.turn(&turn).await?;
    let because = format!("{} {form}", turn.turn);
    let (case, learned) = visit.teach(&turn, &solution, because).await?;
    match learned {
        Some(_) => {
            let to = format!("/s/{}/cases/{case}", visit.space());
            Ok(Redirect::to(&to).into_response())
        }
        None => Ok(still_waiting(&visit, Place::Questions)),
    }
}

/// What was asked is in the log, and did not happen yet.
pub(super) fn still_waiting(visit: &Visit, at: Place) -> Response {
    let body = html! {
        h1 { "It is in the log" }
        p {
            "What you asked for is kept, and was not done within ten seconds. It is done as soon as the \
             roles that do it run and have caught up: do not send it again."
        }
    };
    page(visit, at, "It is in the log", &body)
}
