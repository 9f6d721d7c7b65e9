//! What people ask about: the words of their questions, and what is known of a subject.

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;
use threadlore_model::SpaceId;
use threadlore_ports::Right;

use super::frame::{Place, line, page};
use super::questions::encoded;
use crate::access::Visitor;
use crate::graph::{Act, DAYS, Graph, MOST_DAYS, Subject, Which, Word};
use crate::refused::Refused;
use crate::site::Site;
use crate::words::counted;

#[derive(Debug, Deserialize)]
pub(super) struct GraphForm {
    days: Option<u32>,
    #[serde(default)]
    about: String,
}

/// Stretches of time that are offered.
const OFFERED: [(u32, &str); 4] = [
    (1, "the last day"),
    (7, "the last week"),
    (DAYS, "the last month"),
    (MOST_DAYS, "all the time"),
];

pub(super) async fn show(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(space): Path<String>,
    asked: Result<Query<GraphForm>, QueryRejection>,
) -> Result<Response, Refused> {
    let Query(GraphForm { days, about }) = asked?;
    let visit = site.enter(&visitor, &space, Right::Read).await?;
    let days = days.unwrap_or(DAYS).clamp(1, MOST_DAYS);
    let about = about.trim();
    let which = Which {
        days,
        until: visit.node().clock.now(),
        about: (!about.is_empty()).then_some(about),
        to: None,
    };
    let found = visit.graph(which).await?;
    let space = visit.space();
    let to = |word: &str| format!("/s/{space}/graph?days={days}&about={}", encoded(word));
    let body = html! {
        h1 { @match &found.subject {
            Some(subject) => { "What people ask about “" bdi { (subject.about) } "”" }
            None => { "What people ask about" }
        } }
        form class="filter" method="get" {
            label for="about" { "A subject" }
            input id="about" type="search" name="about" value=(about) dir="auto" maxlength="500";
            label for="days" { "In" }
            select id="days" name="days" {
                @for (offered, name) in OFFERED {
                    option value=(offered) selected[offered == days] { (name) }
                }
            }
            button { "Show" }
        }
        @if let Some(subject) = &found.subject { (known(subject, space)) }
        (words(&found, &to))
        @if !found.acts.is_empty() { (acts(&found.acts)) }
        @if found.asked > found.read {
            p class="more" { "Counted are the latest " (found.read) " of " (counted(found.asked, "question")) "." }
        }
    };
    Ok(page(&visit, Place::Graph, "What people ask about", &body))
}

fn known(subject: &Subject, space: &SpaceId) -> Markup {
    html! {
        p {
            (counted(subject.tally.asked, "question"))
            @if subject.tally.asked > 0 { ": " (subject.tally.in_words()) }
            "."
            @if let Some(last) = &subject.last { " Asked last on " (last.get(..10).unwrap_or(last)) "." }
        }
        @if !subject.waiting.is_empty() {
            section aria-labelledby="waiting" {
                h2 id="waiting" { "What nobody could answer of it" }
                ul class="rows" { @for one in &subject.waiting { li {
                    a href=(format!("/s/{space}/questions/{}", one.turn)) { (line(Some(&one.question))) }
                    div class="about" { span { (one.at.get(..10).unwrap_or(&one.at)) } }
                } } }
            }
        }
        @if !subject.answered_by.is_empty() {
            section aria-labelledby="cases" {
                h2 id="cases" { "The cases that answered it" }
                ul class="rows" { @for one in &subject.answered_by { li {
                    a href=(format!("/s/{space}/cases/{}", one.case)) { (line(one.title.as_deref())) }
                    div class="about" {
                        span { (counted(one.answers, "answer")) }
                        @if one.worked + one.failed > 0 {
                            span { (one.worked) " worked, " (one.failed) " failed" }
                        }
                    }
                } } }
            }
        }
    }
}

fn words(found: &Graph, to: &impl Fn(&str) -> String) -> Markup {
    let title = match &found.subject {
        Some(_) => "Words beside it",
        None => "Words of most questions",
    };
    let row = |word: &Word| {
        let tally = &word.tally;
        html! { tr {
            th scope="row" { a href=(to(&word.word)) { bdi { (word.word) } } }
            td class="number" { (tally.asked) }
            td class="number" { (tally.cases + tally.memories + tally.tools) }
            td class="number" { (tally.people) }
            td class="number" { (tally.nobody) }
            td class="number" { (tally.worked) }
            td class="number" { (tally.failed) }
        } }
    };
    html! {
        section aria-labelledby="words" {
            h2 id="words" { (title) }
            @if found.words.is_empty() {
                p { "None. Questions that are asked live are counted here; imported history has none." }
            } @else {
                div class="wide" { table {
                    thead { tr {
                        th scope="col" { "Word" }
                        th scope="col" class="number" { "Questions" }
                        th scope="col" class="number" { "Answered" }
                        th scope="col" class="number" { "By people" }
                        th scope="col" class="number" { "By nobody" }
                        th scope="col" class="number" { "Worked" }
                        th scope="col" class="number" { "Failed" }
                    } }
                    tbody { @for word in &found.words { (row(word)) } }
                } }
            }
        }
    }
}

fn acts(acts: &[Act]) -> Markup {
    let how = |tag: Option<&'static str>| match tag {
        Some("mention") => "The bot, by name",
        Some("new_question") => "Everybody",
        Some("ongoing_discussion") => "Everybody, once more",
        _ => "Not looked at",
    };
    html! {
        section aria-labelledby="acts" {
            h2 id="acts" { "What the bot did, and how that went" }
            div class="wide" { table {
                thead { tr {
                    th scope="col" { "Who was asked" }
                    th scope="col" { "What it did" }
                    th scope="col" class="number" { "Times" }
                    th scope="col" class="number" { "Worked" }
                    th scope="col" class="number" { "Failed" }
                } }
                tbody { @for act in acts { tr {
                    td { (how(act.tag)) }
                    th scope="row" { (act.outcome.replace('_', " ")) }
                    td class="number" { (act.times) }
                    td class="number" { (act.worked) }
                    td class="number" { (act.failed) }
                } } }
            } }
        }
    }
}
