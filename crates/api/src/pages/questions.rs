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
use threadlore_model::{ChannelId, Rating, SpaceId, TurnOutcome};
use threadlore_ports::Right;
use threadlore_store_postgres::TurnFilter;

use super::frame::{Place, line, more, name, page, when, words};
use super::messages::around;
use crate::access::Visitor;
use crate::questions::{
    Answer, Delivery, Line, Question, SETS, Why, candidates, case_of, list, outcomes, why,
};
use crate::refused::{Refused, no_page};
use crate::site::{Site, Visit};
use crate::wording::{called, say, text, translated};
use crate::words::{LONGEST, SHOWN};

/// Candidates of a search that are shown.
const CANDIDATES: usize = 8;

pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/s/{space}/questions", get(show_list))
        .route("/s/{space}/questions/{turn}", get(show_one))
        .route("/s/{space}/questions/{turn}/answer", post(teach))
        .route("/s/{space}/questions/{turn}/rating", post(rate))
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
        return Err(Refused::NotThere(text!("refused-no-outcome", name = only)));
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
    let channels = node.store.channel_names(scope).await?;
    let to = format!(
        "/s/{space}/questions?only={only}&channel={}&",
        encoded(&which.channel)
    );
    let body = html! {
        h1 { (say!("place-questions")) }
        form class="filter" method="get" {
            label { (say!("which")) " " select name="only" {
                @for (name, ..) in SETS {
                    option value=(name) selected[name == only] { (called("set", name)) }
                }
                @for outcome in TurnOutcome::ALL {
                    option value=(outcome.name()) selected[!is_set && outcome.name() == only] {
                        (called("outcome", outcome.name()))
                    }
                }
            } }
            (select_channel(channels.iter(), channel.as_ref(), true))
            button { (say!("show")) }
        }
        @if listed.questions.is_empty() { p { (say!("no-such-questions")) } }
        (rows(&listed.questions, space))
        (more((listed.questions.len(), listed.fitting), (which.after.as_deref(), listed.next.as_deref()), &to))
    };
    Ok(page(
        &visit,
        Place::Questions,
        say!("place-questions"),
        &body,
    ))
}

/// The field for a channel.
pub(super) fn select_channel<'a>(
    channels: impl Iterator<Item = &'a ChannelId>,
    chosen: Option<&ChannelId>,
    or_all: bool,
) -> Markup {
    html! {
        label { (say!("channel")) " " select name="channel" {
            @if or_all { option value="" { (say!("all")) } }
            @for channel in channels {
                option value=(channel) selected[Some(channel) == chosen] dir="auto" { (channel) }
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
                    span class=(format!("mark {}", one.outcome)) { (called("outcome", one.outcome)) }
                    @if let Some(name) = &one.name { bdi { (name) } }
                    bdi { (one.channel) }
                    (when(&one.at))
                    @if one.helped + one.failed > 0 {
                        span { (say!("helped-failed", helped = one.helped, failed = one.failed)) }
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
    let rates = visit.may(Right::Admin) && turn.answer.is_some();
    let own = match rates {
        true => {
            let store = &visit.node().store;
            let own = store.rating(&visit.scope, turn.turn, visit.own_person());
            own.await?
        }
        false => None,
    };
    let is_unanswered = TurnOutcome::UNANSWERED.contains(&turn.outcome);
    let body = html! {
        h1 { (say!("question-one")) }
        div class="about" {
            span class=(format!("mark {}", why.outcome)) { (called("outcome", why.outcome)) }
            bdi { (why.channel) }
            (when(&why.at))
        }
        @for context in &why.context { (said(&context.line, Some(&context.reason))) }
        @for line in &why.lines { (said(line, None)) }
        @if let Some(message) = turn.messages.first() && why.lines.iter().any(|line| line.at.is_some()) {
            (around(space, &why.channel, *message))
        }
        p { (say!(
            "question-because",
            outcome = html! { b { (called("outcome", why.outcome)) } },
            because = translated(why.because),
        )) }
        @if let Some(answer) = &why.answer {
            (answered(answer, space))
            @if rates { (rating(own, &format!("/s/{space}/questions/{}/rating", why.turn))) }
        }
        @if visit.may(Right::Admin) && why.lines.iter().any(|line| line.text.is_some()) {
            section aria-labelledby="teach" {
                h2 id="teach" {
                    @if is_unanswered { (say!("answer-it")) } @else { (say!("answer-it-better")) }
                }
                form method="post" action=(format!("/s/{space}/questions/{}/answer", why.turn)) {
                    input type="hidden" name="form" value=(now);
                    label for="solution" {
                        (say!("teach-label"))
                    }
                    textarea id="solution" name="solution" rows="5" required maxlength=(LONGEST)
                        dir="auto" {}
                    button { (say!("teach-button")) }
                }
            }
        }
        (record(&why, space))
    };
    Ok(page(&visit, Place::Questions, say!("question-one"), &body))
}

/// A message.
fn said(said: &Line, because: Option<&str>) -> Markup {
    html! {
        article class=(if because.is_some() { "said before" } else { "said" }) {
            div class="about" {
                b { (name(said.name.as_deref())) }
                @if let Some(at) = &said.at { (when(at)) }
                @if let Some(because) = because { span { (say!("read-with-it", because = called("context", because))) } }
            }
            (words(said.text.as_deref()))
        }
    }
}

fn answered(answer: &Answer, space: &SpaceId) -> Markup {
    html! {
        section aria-labelledby="answer" {
            h2 id="answer" { (say!("what-the-bot-said")) }
            article class="said bot" { (words(answer.text.as_deref())) }
            div class="about" {
                @if let Some(case) = answer.case_id {
                    a href=(format!("/s/{space}/cases/{case}")) { (say!("case-it-is-from")) }
                }
                @if answer.memory.is_some() {
                    a href=(format!("/s/{space}/memories")) { (say!("told-this")) }
                }
                @for delivery in &answer.deliveries { span { (delivered(delivery)) } }
                @if let Some(reason) = answer.withdrawn { span { (say!("taken-back", why = translated(reason))) } }
                @if answer.helped + answer.failed > 0 {
                    span { (say!("say-helped-failed", helped = answer.helped, failed = answer.failed)) }
                }
                @if let Some((outcome, because)) = answer.outcome.zip(answer.because) {
                    span { (called("worth", outcome)) ": " (translated(because)) }
                }
            }
        }
    }
}

/// What the visitor says of an answer, with the buttons to say otherwise.
pub(super) fn rating(own: Option<Rating>, to: &str) -> Markup {
    html! {
        form class="filter" method="post" action=(to) {
            @match own {
                None => span { (say!("rate-it")) },
                Some(rating) => span { (called("rated", rating.name())) },
            }
            @for rating in Rating::ALL {
                @if own != Some(rating) {
                    button name="rating" value=(rating.name()) { (called("rate", rating.name())) }
                }
            }
            @if own.is_some() { button name="rating" value="" { (say!("rate-back")) } }
        }
    }
}

/// What a gateway did with an answer.
fn delivered(delivery: &Delivery) -> Markup {
    let is_back = delivery.action == "withdraw";
    let gateway = html! { bdi { (delivery.gateway) } };
    let at = html! { @if let Some(at) = &delivery.at { (when(at)) } };
    match (delivery.result.as_deref(), is_back) {
        (None, false) => say!("delivery-posting", gateway = gateway),
        (None, true) => say!("delivery-taking-back", gateway = gateway),
        (Some("delivered"), false) => say!("delivery-posted", gateway = gateway, at = at),
        (Some("delivered"), true) => say!("delivery-took-back", gateway = gateway, at = at),
        (Some(_), is_back) => {
            let reason = match &delivery.reason {
                Some(reason) => html! { bdi { (reason) } },
                None => say!("delivery-no-reason"),
            };
            match is_back {
                false => say!(
                    "delivery-not-posted",
                    gateway = gateway,
                    at = at,
                    reason = reason
                ),
                true => say!(
                    "delivery-not-taken-back",
                    gateway = gateway,
                    at = at,
                    reason = reason
                ),
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
                summary { (say!("compared-with")) }
                p { (say!("compared-scale")) }
                div class="wide" tabindex="0" { table {
                    thead { tr {
                        th scope="col" { (say!("case")) }
                        th scope="col" class="number" { (say!("closeness")) }
                        th scope="col" class="number" { (say!("chance")) }
                        th scope="col" class="number" { (say!("worked")) }
                        th scope="col" class="number" { (say!("failed")) }
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
            summary { (say!("what-the-log-says")) }
            ol class="steps" { @for one in &why.events {
                li { (when(&one.at)) " " (one.event) " " code { (one.record) } }
            } }
            p { (say!("question-turn", turn = html! { code { (why.turn) } })) }
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

#[derive(Deserialize)]
pub(super) struct RatingForm {
    /// Nothing to take it back.
    rating: String,
}

impl RatingForm {
    pub(super) fn rating(self) -> Result<Option<Rating>, Refused> {
        let known = Rating::ALL
            .into_iter()
            .find(|one| one.name() == self.rating);
        if known.is_none() && !self.rating.is_empty() {
            return Err(Refused::Bad(text!("refused-rating", rating = self.rating)));
        }
        Ok(known)
    }
}

async fn rate(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path((space, turn)): Path<(String, String)>,
    sent: Result<Form<RatingForm>, FormRejection>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let rating = sent?.0.rating()?;
    let turn = visit.turn(&turn).await?;
    match visit.rate(&turn, visit.own_person(), rating).await? {
        Some(_) => {
            let to = format!("/s/{}/questions/{}#answer", visit.space(), turn.turn);
            Ok(Redirect::to(&to).into_response())
        }
        None => Ok(still_waiting(&visit, Place::Questions)),
    }
}

/// What was asked is in the log, and did not happen yet.
pub(super) fn still_waiting(visit: &Visit, at: Place) -> Response {
    let body = html! {
        h1 { (say!("refused-waits")) }
        p {
            (say!("refused-waits.sentence"))
        }
    };
    page(visit, at, say!("refused-waits"), &body)
}
