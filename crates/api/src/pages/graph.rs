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
use crate::wording::{called, say};

#[derive(Debug, Deserialize)]
pub(super) struct GraphForm {
    days: Option<u32>,
    #[serde(default)]
    about: String,
}

/// Stretches of time that are offered.
const OFFERED: [(u32, &str); 4] = [(1, "day"), (7, "week"), (DAYS, "month"), (MOST_DAYS, "all")];

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
            Some(subject) => (say!("graph-about", subject = subject.about.as_str())),
            None => (say!("graph-title")),
        } }
        form class="filter" method="get" {
            label for="about" { (say!("graph-subject")) }
            input id="about" type="search" name="about" value=(about) dir="auto" maxlength="500";
            label for="days" { (say!("graph-in")) }
            select id="days" name="days" {
                @for (offered, name) in OFFERED {
                    option value=(offered) selected[offered == days] { (called("last", name)) }
                }
            }
            button { (say!("show")) }
        }
        @if let Some(subject) = &found.subject { (known(subject, space)) }
        (words(&found, &to))
        @if !found.acts.is_empty() { (acts(&found.acts)) }
        @if found.asked > found.read {
            p class="more" { (say!("graph-counted", read = found.read, questions = found.asked)) }
        }
    };
    Ok(page(&visit, Place::Graph, say!("graph-title"), &body))
}

fn known(subject: &Subject, space: &SpaceId) -> Markup {
    html! {
        p {
            (say!("questions", count = subject.tally.asked))
            @if subject.tally.asked > 0 { ": " (subject.tally.in_words()) }
            "."
            @if let Some(last) = &subject.last {
                " " (say!("graph-last", day = html! { (last.get(..10).unwrap_or(last)) }))
            }
        }
        @if !subject.waiting.is_empty() {
            section aria-labelledby="waiting" {
                h2 id="waiting" { (say!("graph-nobody")) }
                ul class="rows" { @for one in &subject.waiting { li {
                    a href=(format!("/s/{space}/questions/{}", one.turn)) { (line(Some(&one.question))) }
                    div class="about" { span { (one.at.get(..10).unwrap_or(&one.at)) } }
                } } }
            }
        }
        @if !subject.answered_by.is_empty() {
            section aria-labelledby="cases" {
                h2 id="cases" { (say!("graph-cases")) }
                ul class="rows" { @for one in &subject.answered_by { li {
                    a href=(format!("/s/{space}/cases/{}", one.case)) { (line(one.title.as_deref())) }
                    div class="about" {
                        span { (say!("answers", count = one.answers)) }
                        @if one.worked + one.failed > 0 {
                            span { (say!("worked-failed", worked = one.worked, failed = one.failed)) }
                        }
                    }
                } } }
            }
        }
    }
}

fn words(found: &Graph, to: &impl Fn(&str) -> String) -> Markup {
    let title = match &found.subject {
        Some(_) => say!("graph-words-beside"),
        None => say!("graph-words-most"),
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
                p { (say!("graph-none")) }
            } @else {
                div class="wide" tabindex="0" { table {
                    thead { tr {
                        th scope="col" { (say!("graph-word")) }
                        th scope="col" class="number" { (say!("place-questions")) }
                        th scope="col" class="number" { (say!("home-answered")) }
                        th scope="col" class="number" { (say!("graph-by-people")) }
                        th scope="col" class="number" { (say!("graph-by-nobody")) }
                        th scope="col" class="number" { (say!("worked")) }
                        th scope="col" class="number" { (say!("failed")) }
                    } }
                    tbody { @for word in &found.words { (row(word)) } }
                } }
            }
        }
    }
}

fn acts(acts: &[Act]) -> Markup {
    let how = |tag: Option<&'static str>| match tag {
        Some("mention") => say!("asked-bot"),
        Some("new_question") => say!("asked-everybody"),
        Some("ongoing_discussion") => say!("asked-once-more"),
        _ => say!("asked-unseen"),
    };
    html! {
        section aria-labelledby="acts" {
            h2 id="acts" { (say!("graph-acts")) }
            div class="wide" tabindex="0" { table {
                thead { tr {
                    th scope="col" { (say!("graph-who")) }
                    th scope="col" { (say!("graph-did")) }
                    th scope="col" class="number" { (say!("graph-times")) }
                    th scope="col" class="number" { (say!("worked")) }
                    th scope="col" class="number" { (say!("failed")) }
                } }
                tbody { @for act in acts { tr {
                    td { (how(act.tag)) }
                    th scope="row" { (called("outcome", act.outcome)) }
                    td class="number" { (act.times) }
                    td class="number" { (act.worked) }
                    td class="number" { (act.failed) }
                } } }
            } }
        }
    }
}
