//! Signing in, by a link, by a name and a password or at a provider; choosing one's own password; signing out.

use axum::Extension;
use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::extract::{Form, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;

use super::frame::bare;
use super::guard::{self, begun, ended, origin, sign_in_state, visitor};
use crate::access::{NotLetIn, Visitor};
use crate::accounts::{LONGEST_NAME, SHORTEST, find};
use crate::refused::Refused;
use crate::site::{Open, Site};
use crate::wording::{say, text};

#[derive(Deserialize)]
pub(super) struct Link {
    #[serde(default)]
    link: String,
}

/// Follows a link to a session; without one, the page on which people say their name and password.
pub(super) async fn sign_in(
    State(site): State<Site>,
    link: Result<Query<Link>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let Query(Link { link }) = link?;
    let open = site.open()?;
    // A session that the browser has, which somebody else may have planted there, is replaced.
    if let Some(session) = open.access.follow(&link, open.host.node.clock.now())? {
        tracing::info!(who = "the operator", "somebody signed in to the pages");
        return Ok(begun(&site, &open.access, &session, "/"));
    }
    if visitor(&open, &headers).await?.is_some() {
        // The same link, opened again.
        return Ok(Redirect::to("/").into_response());
    }
    if link.is_empty() {
        return Ok(entrance(&open, None).await?.into_response());
    }
    Err(Refused::Bad(
        "This link was followed before, is older than ten minutes, or was cut short when it was \
         copied. `threadlore sign-in` prints a new one."
            .to_owned(),
    ))
}

/// Where people with an account say their name and password.
async fn entrance(
    Open { host, provider, .. }: &Open,
    wrong: Option<&Markup>,
) -> Result<Markup, Refused> {
    let has_passwords = host.node.store.has_passwords().await?;
    let body = html! {
        h1 { (say!("sign-in")) }
        @if let Some(wrong) = wrong { p role="alert" { (wrong) } }
        @if let Some(provider) = provider {
            p { a class="button" href="/sign-in/provider" {
                (say!("sign-in-at", provider = provider.name.as_str()))
            } }
        }
        @if has_passwords {
            form method="post" action="/sign-in" {
                p {
                    label for="name" { (say!("name")) }
                    input id="name" type="text" name="name" required maxlength=(LONGEST_NAME) autocomplete="username"
                        autocapitalize="none" spellcheck="false";
                }
                p {
                    label for="password" { (say!("password")) }
                    input id="password" type="password" name="password" required maxlength="1000"
                        autocomplete="current-password";
                }
                p { button { (say!("sign-in")) } }
            }
            p { (say!("sign-in-forgot")) }
            p { (say!("sign-in-by-link")) }
        } @else if provider.is_none() {
            p { (say!("sign-in-no-accounts")) }
        }
    };
    Ok(bare(&say!("sign-in"), &body))
}

/// Why somebody is not let in, in words.
fn not_let_in(why: NotLetIn) -> Markup {
    match why {
        NotLetIn::Wrong => {
            // What was typed may be a password: it is not told.
            tracing::warn!("somebody was not let in to the pages: no such name and password");
            say!("sign-in-wrong")
        }
        NotLetIn::TooOften(seconds) => say!("sign-in-too-often", seconds = seconds),
    }
}

/// The page on which somebody tried it who is not let in.
fn refused(why: NotLetIn, page: Markup) -> Response {
    match why {
        NotLetIn::Wrong => (StatusCode::UNAUTHORIZED, page).into_response(),
        NotLetIn::TooOften(seconds) => {
            let wait = [(header::RETRY_AFTER, seconds.to_string())];
            (StatusCode::TOO_MANY_REQUESTS, wait, page).into_response()
        }
    }
}

#[derive(Deserialize)]
pub(super) struct Entry {
    name: String,
    password: String,
}

/// Lets in who has the name and the password of an account.
pub(super) async fn enter(
    State(site): State<Site>,
    sent: Result<Form<Entry>, FormRejection>,
) -> Result<Response, Refused> {
    let Form(Entry { name, password }) = sent?;
    let open = site.open()?;
    let Open { host, access, .. } = &open;
    let store = &host.node.store;
    match access.with_password(store, &name, password).await? {
        Ok(account) => {
            let session = access
                .let_in(store, &account, host.node.clock.now())
                .await?;
            tracing::info!(who = account.name, "somebody signed in to the pages");
            Ok(begun(&site, access, &session, "/"))
        }
        Err(why) => Ok(refused(why, entrance(&open, Some(&not_let_in(why))).await?)),
    }
}

/// Sends a browser to the provider.
pub(super) async fn to_provider(
    State(site): State<Site>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let open = site.open()?;
    let provider = open.provider.as_ref().ok_or_else(no_provider)?;
    if let Err(why) = open.access.one_more_try() {
        return Ok(refused(why, entrance(&open, Some(&not_let_in(why))).await?));
    }
    let now = open.host.node.clock.now();
    let sent = provider.authorize(&origin(&site, &headers), now).await;
    let (to, state) = sent.map_err(Refused::Provider)?;
    Ok(guard::to_provider(
        &site,
        &open.access.signed_state(&state)?,
        &to,
    ))
}

fn no_provider() -> Refused {
    Refused::NotThere(text!("refused-no-page"))
}

/// The parameters of the redirect from the provider.
#[derive(Deserialize)]
pub(super) struct Callback {
    #[serde(default)]
    state: String,
    code: Option<String>,
}

/// Signs in who comes from the provider.
pub(super) async fn callback(
    State(site): State<Site>,
    headers: HeaderMap,
    sent: Result<Query<Callback>, QueryRejection>,
) -> Result<Response, Refused> {
    let Query(Callback {
        state: sent_back,
        code,
    }) = sent?;
    let open = site.open()?;
    let provider = open.provider.as_ref().ok_or_else(no_provider)?;
    let wrong = async |status: StatusCode, wrong: Markup| {
        let page = entrance(&open, Some(&wrong)).await?;
        Ok((status, page).into_response())
    };
    let node = &open.host.node;
    let now = node.clock.now();
    let kept = sign_in_state(&headers);
    let kept = kept.and_then(|kept| open.access.sign_in_state(kept, now));
    let Some(state) = kept.filter(|kept| kept.state == sent_back) else {
        return wrong(StatusCode::BAD_REQUEST, say!("sign-in-astray")).await;
    };
    // Its reason is for programs.
    let Some(code) = code else {
        let said = say!("sign-in-refused", provider = provider.name.as_str());
        return wrong(StatusCode::FORBIDDEN, said).await;
    };
    let exchanged = provider
        .exchange(&origin(&site, &headers), state, code)
        .await;
    let Some(name) = exchanged.map_err(Refused::Provider)? else {
        let said = say!("sign-in-nameless", provider = provider.name.as_str());
        return wrong(StatusCode::FORBIDDEN, said).await;
    };
    let Some(account) = find(node, &name).await? else {
        tracing::warn!(
            "somebody was not let in to the pages: the provider knows them, and no account has their name"
        );
        let said = say!("sign-in-no-account", name = name);
        return wrong(StatusCode::FORBIDDEN, said).await;
    };
    let session = open.access.let_in(&node.store, &account, now).await?;
    tracing::info!(
        who = name,
        "somebody signed in to the pages at the provider"
    );
    let body = html! { p { a href="/" { (say!("sign-in-go-on")) } } };
    let page = bare(&say!("sign-in"), &body);
    Ok(guard::from_provider(&site, &open.access, &session, page))
}

/// One's own account.
pub(super) async fn show(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
) -> Result<Response, Refused> {
    let name = of_account(&visitor)?;
    let open = site.open()?;
    let account = find(&open.host.node, name).await?;
    let has_password = account.is_some_and(|account| account.password.is_some());
    if let (Some(provider), false) = (&open.provider, has_password) {
        let body = html! {
            h1 { (say!("account")) }
            p { (say!("account-signed-in", name = html! { b { bdi { (name) } } })) }
            p { (say!("account-at", provider = provider.name.as_str())) }
        };
        return Ok(bare(&say!("account"), &body).into_response());
    }
    Ok(own(name, None).into_response())
}

fn of_account(visitor: &Visitor) -> Result<&str, Refused> {
    let operator = Refused::Forbidden(
        "Who signed in by a link has no password: this page is for people with an account.",
    );
    visitor.by.account().ok_or(operator)
}

fn own(name: &str, said: Option<&Markup>) -> Markup {
    let body = html! {
        h1 { (say!("account")) }
        p { (say!("account-signed-in", name = html! { b { bdi { (name) } } })) }
        @if let Some(said) = said { p role="alert" { (said) } }
        form method="post" action="/account" {
            // For who keeps passwords.
            input type="hidden" name="username" value=(name) autocomplete="username";
            p {
                label for="current" { (say!("account-old-password")) }
                input id="current" type="password" name="current" required maxlength="1000"
                    autocomplete="current-password";
            }
            (new_password())
            p { button { (say!("change-it")) } }
        }
        p { (say!("account-elsewhere")) }
    };
    bare(&say!("account"), &body)
}

fn new_password() -> Markup {
    html! {
        p {
            label for="password" { (say!("account-new-password", least = SHORTEST)) }
            input id="password" type="password" name="password" required minlength=(SHORTEST)
                maxlength="1000" autocomplete="new-password";
        }
    }
}

#[derive(Deserialize)]
pub(super) struct Change {
    current: String,
    password: String,
}

/// Gives somebody another password who knows the old one, and a session with it.
pub(super) async fn change(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    sent: Result<Form<Change>, FormRejection>,
) -> Result<Response, Refused> {
    let name = of_account(&visitor)?;
    let Form(Change { current, password }) = sent?;
    let Open { host, access, .. } = site.open()?;
    let store = &host.node.store;
    let account = match access.with_password(store, name, current).await? {
        Ok(account) => account,
        Err(why) => return Ok(refused(why, own(name, Some(&not_let_in(why))))),
    };
    let now = host.node.clock.now();
    match access
        .choose_password(store, account, password, now)
        .await?
    {
        Some(session) => Ok(begun(&site, &access, &session, "/account")),
        None => Err(Refused::Busy(text!("refused-password-changed"))),
    }
}

/// Where somebody chooses the password of an account by a link.
pub(super) async fn invited(
    State(site): State<Site>,
    link: Result<Query<Link>, QueryRejection>,
) -> Result<Markup, Refused> {
    let Query(Link { link }) = link?;
    let Open { host, access, .. } = site.open()?;
    let node = &host.node;
    let account = access.invited(&node.store, &link, node.clock.now()).await?;
    let account = account.ok_or_else(no_invitation)?;
    let body = html! {
        h1 { (say!("join")) }
        p { (say!("join-what", name = html! { b { bdi { (account.name) } } })) }
        form method="post" action="/join" {
            input type="hidden" name="link" value=(link);
            input type="hidden" name="username" value=(account.name) autocomplete="username";
            (new_password())
            p { button { (say!("join-do")) } }
        }
    };
    Ok(bare(&say!("join"), &body))
}

fn no_invitation() -> Refused {
    Refused::Bad(text!("refused-invitation"))
}

#[derive(Deserialize)]
pub(super) struct Joining {
    link: String,
    password: String,
}

/// Gives an account the password that its person chose, and a session with it.
pub(super) async fn join(
    State(site): State<Site>,
    sent: Result<Form<Joining>, FormRejection>,
) -> Result<Response, Refused> {
    let Form(Joining { link, password }) = sent?;
    let Open { host, access, .. } = site.open()?;
    let (store, now) = (&host.node.store, host.node.clock.now());
    let account = access.invited(store, &link, now).await?;
    let account = account.ok_or_else(no_invitation)?;
    let name = account.name.clone();
    let session = access
        .choose_password(store, account, password, now)
        .await?;
    let session = session.ok_or_else(no_invitation)?;
    tracing::info!(
        who = name,
        "somebody chose a password and signed in to the pages"
    );
    Ok(begun(&site, &access, &session, "/"))
}

/// Ends the session of a browser.
pub(super) async fn sign_out() -> Response {
    ended()
}
