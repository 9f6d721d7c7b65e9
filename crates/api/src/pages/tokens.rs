//! Tokens of the programs of a space: which there are, another one, and revoking one.

use axum::Extension;
use axum::Router;
use axum::extract::rejection::FormRejection;
use axum::extract::{Form, Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;
use threadlore_model::SpaceId;
use threadlore_ports::Right;

use super::frame::{Place, page, when};
use crate::access::Visitor;
use crate::cases::actor;
use crate::refused::Refused;
use crate::site::{Site, Visit};
use crate::tokens::{DAYS, FreshToken, MOST_DAYS, NewToken, TokenLine, list};
use crate::wording::{called, say};

pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/s/{space}/tokens", get(show).post(make))
        .route("/s/{space}/tokens/{token}/revoke", post(revoke))
}

/// The page of the tokens of a space.
pub(super) fn address(space: &SpaceId) -> String {
    format!("/s/{space}/tokens")
}

async fn show(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(space): Path<String>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    with_list(&visit, None).await
}

/// The tokens, under one that was just made.
async fn with_list(visit: &Visit, made: Option<&FreshToken>) -> Result<Response, Refused> {
    let space = visit.space();
    let kept = list(visit.node(), space).await?.tokens;
    let body = html! {
        p { a href=(format!("/s/{space}/channels")) { (say!("place-channels")) } }
        h1 { (say!("tokens")) }
        p { (say!("tokens-what")) }
        @if let Some(made) = made {
            section role="status" aria-labelledby="made" {
                h2 id="made" { (say!("tokens-made", name = html! { bdi { (made.name) } })) }
                p { (say!("tokens-once")) }
                pre class="wide" tabindex="0" dir="ltr" { code { (made.token) } }
            }
        }
        @if kept.is_empty() { p { (say!("tokens-none")) } }
        ul class="rows" { @for one in &kept { (row(space, one)) } }
        h2 { (say!("tokens-new")) }
        form method="post" action=(address(space)) {
            p {
                label for="name" { (say!("tokens-name")) }
                input id="name" type="text" name="name" required maxlength="100" dir="auto" autocomplete="off";
            }
            fieldset {
                legend { (say!("tokens-may")) }
                @for right in Right::ALL.into_iter().filter(|right| visit.may(*right)) {
                    label class="check" {
                        input type="checkbox" name=(right.name()) value="yes";
                        " " (called("right", right.name()))
                    }
                }
            }
            p {
                label for="days" { (say!("tokens-days")) }
                input id="days" type="number" name="days" required min="1" max=(MOST_DAYS) value=(DAYS);
            }
            button { (say!("tokens-make")) }
        }
    };
    Ok(page(visit, Place::Channels, say!("tokens"), &body))
}

fn row(space: &SpaceId, one: &TokenLine) -> Markup {
    html! {
        li {
            b { bdi { (one.name) } } " " code { (one.id) }
            div class="about" {
                @match (&one.revoked_at, one.counts) {
                    (Some(at), _) => span class="mark off" { (say!("tokens-revoked", time = when(at))) },
                    (None, false) => span class="mark off" { (say!("tokens-ran-out")) },
                    (None, true) => span class="mark answered" { (say!("tokens-until", time = when(&one.until))) },
                }
                @for right in &one.may { span { (called("right", right)) } }
                span { @match &one.used_at {
                    Some(at) => (say!("tokens-used", time = when(at))),
                    None => (say!("tokens-not-used")),
                } }
                span { (say!("tokens-made-by", by = actor(&one.made_by), time = when(&one.made_at))) }
                @if one.counts {
                    form method="post" action=(format!("{}/{}/revoke", address(space), one.id)) {
                        button class="quiet" aria-label=(html! { (say!("tokens-revoke")) ": " (one.name) }) {
                            (say!("tokens-revoke"))
                        }
                    }
                }
            }
        }
    }
}

/// A field for each right, which is there where its box is checked.
#[derive(Debug, Deserialize)]
struct TokenForm {
    name: String,
    days: u32,
    ingest: Option<String>,
    ask: Option<String>,
    read: Option<String>,
    admin: Option<String>,
}

async fn make(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(space): Path<String>,
    sent: Result<Form<TokenForm>, FormRejection>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let Form(form) = sent?;
    let checked = [
        (Right::Ingest, form.ingest),
        (Right::Ask, form.ask),
        (Right::Read, form.read),
        (Right::Admin, form.admin),
    ];
    let checked = checked.into_iter().filter(|(_, value)| value.is_some());
    let wanted = NewToken {
        name: form.name,
        may: checked.map(|(right, _)| right).collect(),
        days: form.days,
    };
    let made = visit.make_token(&site.open()?.access, wanted, None).await?;
    with_list(&visit, Some(&made)).await
}

async fn revoke(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path((space, token)): Path<(String, String)>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    visit.revoke_token(&token).await?;
    Ok(Redirect::to(&address(visit.space())).into_response())
}
