//! What was asked this week and what became of it, and the questions that nobody could answer.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::{Redirect, Response};
use maud::html;
use threadlore_model::{SpaceId, TurnOutcome};
use threadlore_ports::Right;
use threadlore_store_postgres::TurnFilter;

use super::frame::{Place, counted, page};
use super::refused::Refused;
use super::{Site, questions};
use crate::questions::list;

/// The space of a new installation.
pub(super) const DEFAULT: &str = "default";
/// What is compared with the same time before it.
const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);
/// Questions on this page.
const WAITING: u32 = 10;

/// The only space, or the one that is named `default`; else the list of them.
pub(super) async fn entrance(State(site): State<Site>) -> Result<Response, Refused> {
    use axum::response::IntoResponse;
    let host = site.open()?.host;
    let spaces = host.node.store.spaces().await?;
    let name = match spaces.as_slice() {
        [] => DEFAULT,
        [only] => only.as_str(),
        several => {
            let body = html! {
                h1 { "Spaces" }
                ul { @for space in several { li { a href=(address(space)) { (space) } } } }
            };
            return Ok(super::frame::bare("Spaces", &body).into_response());
        }
    };
    Ok(Redirect::to(&format!("/s/{name}")).into_response())
}

fn address(space: &SpaceId) -> String {
    format!("/s/{space}")
}

pub(super) async fn show(
    State(site): State<Site>,
    Path(space): Path<String>,
) -> Result<Response, Refused> {
    let visit = site.space(&space, Right::Read).await?;
    let (node, scope, space) = (visit.node(), &visit.scope, visit.space());
    let now = node.clock.now();
    let counts = async |during| {
        let counts = node.store.turn_counts(scope, during).await?;
        Ok::<_, Refused>(BTreeMap::from_iter(counts))
    };
    let week = counts(now.minus(WEEK)..now).await?;
    let before = counts(now.minus(WEEK * 2)..now.minus(WEEK)).await?;
    let filter = TurnFilter {
        channel: None,
        outcomes: &TurnOutcome::UNANSWERED,
        named: None,
        limit: WAITING,
    };
    let waiting = list(node, scope, filter).await?;
    let counted_cases = node.reader().counts(scope).await?;
    let of = |counts: &BTreeMap<TurnOutcome, u64>, outcomes: &[TurnOutcome]| -> u64 {
        outcomes.iter().filter_map(|one| counts.get(one)).sum()
    };
    let groups = [
        ("Asked", TurnOutcome::ASKED.as_slice(), "asked"),
        (
            "Answered",
            &[TurnOutcome::Answered, TurnOutcome::Suggested],
            "answered",
        ),
        (
            "A person was quicker",
            &[TurnOutcome::AnsweredByPerson],
            "answered_by_person",
        ),
        (
            "Nothing was known",
            TurnOutcome::UNANSWERED.as_slice(),
            "unanswered",
        ),
    ];
    let reasons = TurnOutcome::ALL.into_iter();
    let reasons = reasons.filter(|one| week.contains_key(one) || before.contains_key(one));
    let base = address(space);
    let body = html! {
        h1 { "What is asked in " (space) }
        div class="tiles" {
            @for (name, outcomes, only) in groups {
                a class="tile" href=(format!("{base}/questions?only={only}")) {
                    b { (of(&week, outcomes)) }
                    span { (name) }
                    small { (of(&before, outcomes)) " the week before" }
                }
            }
        }
        section aria-labelledby="unanswered" {
            h2 id="unanswered" { "What nobody could answer" }
            @if waiting.questions.is_empty() {
                p { "Nothing waits. Whatever people ask from now on and get no answer to is listed here." }
            } @else {
                p { "Open one and write its answer: whoever asks like that is told it from then on." }
                (questions::rows(&waiting.questions, space))
                @if waiting.fitting > waiting.questions.len() as u64 {
                    p class="more" {
                        a href=(format!("{base}/questions?only=unanswered")) {
                            "All " (waiting.fitting)
                        }
                    }
                }
            }
        }
        section aria-labelledby="why" {
            h2 id="why" { "What became of what was said, in the last seven days" }
            @if week.is_empty() && before.is_empty() {
                p { "Nothing was said live in these two weeks. Imported history is not answered." }
            } @else {
                div class="wide" { table {
                    thead { tr {
                        th scope="col" { "Outcome" }
                        th scope="col" class="number" { "This week" }
                        th scope="col" class="number" { "Before" }
                        th scope="col" { "Because" }
                    } }
                    tbody { @for outcome in reasons {
                        tr {
                            th scope="row" {
                                a href=(format!("{base}/questions?only={}", outcome.name())) {
                                    (outcome.name().replace('_', " "))
                                }
                            }
                            td class="number" { (of(&week, &[outcome])) }
                            td class="number" { (of(&before, &[outcome])) }
                            td { (outcome.sentence()) }
                        }
                    } }
                } }
            }
        }
        p class="more" {
            (counted(counted_cases.messages, "message")) ", "
            a href=(format!("{base}/cases")) { (counted(counted_cases.cases, "case")) }
            ": " (counted_cases.solved) " solved, " (counted_cases.open) " open."
        }
    };
    Ok(page(space, Place::Home, "Home", &body))
}
