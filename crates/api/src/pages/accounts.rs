//! Accounts of the people who may something in a space: which there are, another one, a link to choose a password, and
//! taking rights away.

use axum::Extension;
use axum::Router;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Form, Path, Query, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;
use threadlore_model::SpaceId;
use threadlore_ports::Right;

use super::frame::{Place, page, when};
use super::guard::origin_for_others;
use crate::access::Visitor;
use crate::accounts::{AccountLine, AccountLink, LONGEST_NAME, list};
use crate::cases::actor;
use crate::refused::Refused;
use crate::site::{Open, Site, Visit};
use crate::wording::{called, say};

/// What people may on pages: they send no messages.
const RIGHTS: [Right; 3] = [Right::Ask, Right::Read, Right::Admin];

pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/s/{space}/accounts", get(show).post(give))
        .route("/s/{space}/accounts/{account}/link", post(link))
        .route("/s/{space}/accounts/{account}/remove", post(remove))
}

/// The page of the accounts of a space.
pub(super) fn address(space: &SpaceId) -> String {
    format!("/s/{space}/accounts")
}

/// Whose rights are to be changed.
#[derive(Debug, Default, Deserialize)]
struct Chosen {
    #[serde(default)]
    name: String,
}

async fn show(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(space): Path<String>,
    chosen: Result<Query<Chosen>, QueryRejection>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let Query(Chosen { name }) = chosen?;
    with_list(&visit, &site.open()?, &name, None).await
}

/// The accounts, under a link that was just made, or with somebody's name and rights in the form.
async fn with_list(
    visit: &Visit,
    open: &Open,
    chosen: &str,
    made: Option<&AccountLink>,
) -> Result<Response, Refused> {
    let space = visit.space();
    let kept = list(visit.node(), Some(space)).await?.accounts;
    let chosen_one = kept.iter().find(|one| one.name == chosen);
    let has = |right: Right| chosen_one.is_some_and(|one| one.may.contains(&right.name()));
    let body = html! {
        p { a href=(format!("/s/{space}/channels")) { (say!("place-channels")) } }
        h1 { (say!("accounts")) }
        p { (say!("accounts-what")) }
        @if let Some(provider) = &open.provider {
            p { (say!("accounts-provider", provider = provider.name.as_str())) }
        }
        @if let Some(made) = made {
            section role="status" aria-labelledby="made" {
                h2 id="made" { (say!("accounts-link-of", name = html! { bdi { (made.name) } })) }
                p { (say!("accounts-link-what", time = when(&made.until))) }
                pre class="wide" tabindex="0" dir="ltr" { code { (made.link) } }
            }
        }
        @if kept.is_empty() { p { (say!("accounts-none")) } }
        ul class="rows" { @for one in &kept { (row(visit, one)) } }
        h2 id="form" { (say!("accounts-give")) }
        form method="post" action=(address(space)) {
            p {
                label for="name" { (say!("accounts-name")) }
                input id="name" type="text" name="name" required maxlength=(LONGEST_NAME) dir="ltr"
                    autocomplete="off" autocapitalize="none" spellcheck="false" value=(chosen)
                    aria-describedby="signs";
            }
            p id="signs" { (say!("accounts-signs")) }
            fieldset {
                legend { (say!("accounts-may")) }
                @for right in RIGHTS.into_iter().filter(|right| visit.may(*right)) {
                    label class="check" {
                        input type="checkbox" name=(right.name()) value="yes" checked[has(right)];
                        " " (called("right", right.name()))
                    }
                }
            }
            button { (say!("accounts-give")) }
        }
    };
    Ok(page(visit, Place::Channels, say!("accounts"), &body))
}

fn row(visit: &Visit, one: &AccountLine) -> Markup {
    let here = address(visit.space());
    let is_own = visit.by.account() == Some(one.name.as_str());
    let button = |what: &str, words: &Markup| {
        html! {
            form method="post" action=(format!("{here}/{}/{what}", one.name)) {
                button class="quiet" aria-label=(html! { (words) ": " (one.name) }) { (words) }
            }
        }
    };
    html! {
        li {
            b { bdi { (one.name) } }
            div class="about" {
                @for right in &one.may { span { (called("right", right)) } }
                @match (&one.signed_in_at, one.has_password) {
                    (Some(at), _) => span { (say!("accounts-signed-in", time = when(at))) },
                    (None, true) => span { (say!("accounts-not-yet")) },
                    (None, false) => span class="mark off" { (say!("accounts-no-password")) },
                }
                span { (say!("accounts-given-by", by = actor(&one.given_by), time = when(&one.given_at))) }
                // One's own password is changed, and one's own rights are kept, elsewhere.
                @if !is_own {
                    a href=(format!("{here}?name={}#form", one.name.replace('+', "%2B"))) { (say!("accounts-change")) }
                    (button("link", &say!("accounts-link")))
                    (button("remove", &say!("accounts-remove")))
                }
            }
        }
    }
}

/// A field for each right, which is there where its box is checked.
#[derive(Debug, Deserialize)]
struct RightsForm {
    name: String,
    ask: Option<String>,
    read: Option<String>,
    admin: Option<String>,
}

async fn give(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(space): Path<String>,
    headers: HeaderMap,
    sent: Result<Form<RightsForm>, FormRejection>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let Form(form) = sent?;
    let name = form.name.trim().to_lowercase();
    let checked = RIGHTS.into_iter().zip([form.ask, form.read, form.admin]);
    let checked = checked.filter(|(_, value)| value.is_some());
    let may: Vec<Right> = checked.map(|(right, _)| right).collect();
    let open = site.open()?;
    let given = visit.give_account(&open.access, &name, &may).await?;
    if given.password.is_some() {
        return Ok(Redirect::to(&address(visit.space())).into_response());
    }
    // Who has no password needs the link first of all; of an account that may more elsewhere there is none.
    let made = visit.may_replace_password(&given).then(|| {
        let origin = origin_for_others(&site, &headers);
        visit.account_link(&open.access, &given, &origin)
    });
    let made = made.transpose()?;
    with_list(&visit, &open, "", made.as_ref()).await
}

async fn link(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path((space, account)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let open = site.open()?;
    let origin = origin_for_others(&site, &headers);
    let account = visit.account(&account).await?;
    let made = visit.account_link(&open.access, &account, &origin)?;
    with_list(&visit, &open, "", Some(&made)).await
}

async fn remove(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path((space, account)): Path<(String, String)>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    visit.take_account(&site.open()?.access, &account).await?;
    Ok(Redirect::to(&address(visit.space())).into_response())
}
