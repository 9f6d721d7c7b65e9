//! Which requests are let in, and what every answer says to browsers.
//!
//! A page is shown to who has a session, which a link begins or a name with a password. A request has to name this machine as its host: a page of
//! somebody else, whose name was turned to this address, is refused. What changes something has to come
//! from a page of ours: browsers say so in `Origin`, and send the session with such requests alone
//! (`SameSite=Strict`).

use std::net::IpAddr;

use axum::extract::rejection::FormRejection;
use axum::extract::{Form, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use maud::Markup;
use serde::Deserialize;
use threadlore_language::wording::Language;
use threadlore_model::Timestamp;

use crate::access::{Access, READER_LASTS, Visitor};
use crate::provider;
use crate::refused::Refused;
use crate::site::{Open, Site};
use crate::wording::{self, text};

/// The cookie with the session.
const COOKIE: &str = "threadlore-session";
/// The cookie with the state of a sign-in at the provider.
const STATE: &str = "threadlore-sign-in";
/// The cookie with the number of who reads the pages for everybody and asks there.
const READER: &str = "threadlore-reader";
/// The cookie with the language of the pages.
const CHOSEN: &str = "threadlore-language";
/// How long that is kept, in seconds.
const YEAR: u32 = 365 * 24 * 3600;

/// What every answer says that does not say otherwise: nothing of others is loaded, nothing is run, nobody
/// frames it, and nobody keeps it. With `same-origin`, browsers still name our origin when a form is sent.
const SAID: [(HeaderName, &str); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; \
         frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
    (header::VARY, "accept-language, cookie"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
];

/// Every request: refuses those that are not for this machine, or not from a page of ours.
pub(super) async fn checked(State(site): State<Site>, request: Request, next: Next) -> Response {
    let public = site.public.as_deref();
    let language = spoken(request.headers());
    let mut response = wording::within(language, async {
        match check(public, request.method(), request.headers()) {
            Ok(()) => next.run(request).await,
            Err(sentence) => Refused::Forbidden(sentence).into_response(),
        }
    })
    .await;
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_LANGUAGE,
        HeaderValue::from_static(language.code()),
    );
    for (name, value) in SAID {
        let said = HeaderValue::from_static(value);
        headers.entry(name).or_insert(said);
    }
    response
}

fn check(public: Option<&str>, method: &Method, headers: &HeaderMap) -> Result<(), &'static str> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(header::HOST).unwrap_or_default();
    // A proxy speaks TLS with browsers; this machine's own browser comes without.
    if !is_at(public, host) && !is_this_machine(host) {
        return Err(
            "This is not the address of these pages: open them as localhost or 127.0.0.1, or at the \
             address that `api.public_url` says.",
        );
    }
    let changes = !matches!(*method, Method::GET | Method::HEAD);
    let scheme = scheme(public, host);
    let origin = text(header::ORIGIN).and_then(|origin| origin.strip_prefix(scheme));
    if changes && origin != Some(host) {
        return Err(
            "That was sent by a page of somebody else, so nothing was changed. Do it on these pages.",
        );
    }
    Ok(())
}

/// Whether a `Host` is that of a proxy with TLS.
fn is_at(public: Option<&str>, host: &str) -> bool {
    public.is_some_and(|public| public.eq_ignore_ascii_case(host))
}

fn scheme(public: Option<&str>, host: &str) -> &'static str {
    match is_at(public, host) {
        true => "https://",
        false => "http://",
    }
}

/// Where a browser sees these pages, as its request says, which was let in.
pub(super) fn origin(site: &Site, headers: &HeaderMap) -> String {
    let host = headers
        .get(header::HOST)
        .and_then(|host| host.to_str().ok());
    let host = host.unwrap_or_default();
    format!("{}{host}", scheme(site.public.as_deref(), host))
}

/// Where somebody else reaches these pages: at the proxy, where there is one, and else as this request does.
pub(crate) fn origin_for_others(site: &Site, headers: &HeaderMap) -> String {
    match &site.public {
        Some(public) => format!("https://{public}"),
        None => origin(site, headers),
    }
}

/// Whether a `Host` is a name or an address of this machine alone.
fn is_this_machine(host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else {
        return false;
    };
    if host.contains('@') {
        return false;
    }
    let name = authority.host();
    let address = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'))
        .unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || address
            .parse()
            .is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Requests for what is shown to nobody else.
pub(super) async fn signed_in(
    State(site): State<Site>,
    mut request: Request,
    next: Next,
) -> Result<Response, Refused> {
    let visitor = visitor(&site.open()?, request.headers()).await?;
    let visitor = visitor.ok_or(Refused::SignIn)?;
    let changes = (!request.method().is_safe())
        .then(|| (visitor.by.to_string(), request.uri().path().to_owned()));
    request.extensions_mut().insert(visitor);
    let response = next.run(request).await;
    if let Some((who, what)) = changes {
        let status = response.status().as_u16();
        tracing::info!(who, what, status, "somebody changed something on the pages");
    }
    Ok(response)
}

/// Whose session a request has, if one that counts.
pub(super) async fn visitor(
    Open { host, access, .. }: &Open,
    headers: &HeaderMap,
) -> Result<Option<Visitor>, Refused> {
    let Some(session) = session(headers) else {
        return Ok(None);
    };
    let node = &host.node;
    Ok(access
        .visitor(&node.store, session, node.clock.now())
        .await?)
}

fn session(headers: &HeaderMap) -> Option<&str> {
    cookie(headers, COOKIE)
}

fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let cookies = headers.get_all(header::COOKIE).into_iter();
    let cookies = cookies.filter_map(|cookies| cookies.to_str().ok());
    let mut cookies = cookies.flat_map(|cookies| cookies.split(';'));
    cookies.find_map(|cookie| cookie.trim().strip_prefix(name)?.strip_prefix('='))
}

/// The language that was chosen in this browser, else the one that its `Accept-Language` wants most.
fn spoken(headers: &HeaderMap) -> Language {
    let chosen = cookie(headers, CHOSEN).and_then(wording::of_code);
    let wanted = || headers.get(header::ACCEPT_LANGUAGE)?.to_str().ok();
    let chosen = chosen.or_else(|| wanted().and_then(wording::wanted));
    chosen.unwrap_or_default()
}

#[derive(Deserialize)]
pub(super) struct Choice {
    code: String,
}

/// Keeps a chosen language in a cookie, and leads back to the page on which it was chosen.
pub(super) async fn choose(
    State(site): State<Site>,
    headers: HeaderMap,
    sent: Result<Form<Choice>, FormRejection>,
) -> Result<Response, Refused> {
    let Form(Choice { code }) = sent?;
    let Some(language) = wording::of_code(&code) else {
        return Err(Refused::Bad(text!("refused-form", what = code)));
    };
    let from = headers
        .get(header::REFERER)
        .and_then(|from| from.to_str().ok());
    let from = from.and_then(|from| from.parse::<Uri>().ok());
    let from = from.as_ref().and_then(Uri::path_and_query);
    // A path with two slashes at its beginning names another machine.
    let to = from.map_or("/", |from| from.as_str());
    let to = format!("/{}", to.trim_start_matches('/'));
    let secure = secure(&site);
    let cookie = format!(
        "{CHOSEN}={}; Path=/; HttpOnly; SameSite=Lax; Max-Age={YEAR}{secure}",
        language.code()
    );
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to(&to)).into_response())
}

/// Who reads the pages for everybody, by a number.
pub(super) fn reader<'a>(
    access: &Access,
    headers: &'a HeaderMap,
    now: Timestamp,
) -> Option<&'a str> {
    access.reader_of(cookie(headers, READER)?, now)
}

/// A cookie that gives a browser such a number. It is sent also where a page of somebody else, such as a search engine,
/// leads here (`SameSite=Lax`).
pub(super) fn reader_cookie(
    site: &Site,
    access: &Access,
    now: Timestamp,
) -> anyhow::Result<String> {
    let (number, lasts, secure) = (access.reader(now)?, READER_LASTS.as_secs(), secure(site));
    Ok(format!(
        "{READER}={number}; Path=/knowledge; HttpOnly; SameSite=Lax; Max-Age={lasts}{secure}"
    ))
}

/// What a cookie says where browsers come by TLS.
fn secure(site: &Site) -> &'static str {
    match site.public {
        Some(_) => "; Secure",
        None => "",
    }
}

/// A session begins, in place of one that the browser may have; then the browser goes to `to`.
pub(super) fn begun(site: &Site, access: &Access, session: &str, to: &str) -> Response {
    let cookie = session_cookie(site, access, session);
    ([(header::SET_COOKIE, cookie)], Redirect::to(to)).into_response()
}

fn session_cookie(site: &Site, access: &Access, session: &str) -> String {
    let lasts = access.session_lasts().as_secs();
    let secure = secure(site);
    format!("{COOKIE}={session}; Path=/; HttpOnly; SameSite=Strict; Max-Age={lasts}{secure}")
}

/// Sends a browser to the provider with the state of the sign-in in a cookie. The cookie is sent although another site
/// leads back here (`SameSite=Lax`).
pub(super) fn to_provider(site: &Site, state: &str, to: &str) -> Response {
    let (lasts, secure) = (provider::LASTS.as_secs(), secure(site));
    let cookie =
        format!("{STATE}={state}; Path=/sign-in; HttpOnly; SameSite=Lax; Max-Age={lasts}{secure}");
    ([(header::SET_COOKIE, cookie)], Redirect::to(to)).into_response()
}

/// The state of a sign-in at the provider, as the cookie has it.
pub(super) fn sign_in_state(headers: &HeaderMap) -> Option<&str> {
    cookie(headers, STATE)
}

/// Begins the session of somebody who comes from the provider. A browser would not send the new cookie with a redirect
/// that another site began (`SameSite=Strict`), so it is sent to a page of ours that leads on.
pub(super) fn from_provider(site: &Site, access: &Access, session: &str, page: Markup) -> Response {
    let secure = secure(site);
    let over = format!("{STATE}=; Path=/sign-in; HttpOnly; SameSite=Lax; Max-Age=0{secure}");
    let mut response = ([(header::SET_COOKIE, over)], page).into_response();
    let headers = response.headers_mut();
    // Base64 and digits are always a value of a header.
    if let Ok(cookie) = session_cookie(site, access, session).parse() {
        headers.append(header::SET_COOKIE, cookie);
    }
    headers.insert(header::REFRESH, HeaderValue::from_static("0; url=/"));
    response
}

/// The session of a browser ends.
pub(super) fn ended() -> Response {
    let cookie = format!("{COOKIE}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0");
    ([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(of: &[(HeaderName, &'static str)]) -> HeaderMap {
        let pairs = of.iter().cloned();
        pairs
            .map(|(name, value)| (name, HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn names_of_this_machine_alone_are_let_in() {
        for host in [
            "localhost",
            "LocalHost:8600",
            "127.0.0.1:8600",
            "127.8.0.1",
            "[::1]:8600",
            "[::1]",
        ] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:8600",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "user@localhost",
            "localhost:80@evil.example",
            "192.168.1.2",
            "0.0.0.0",
            "[::2]",
            "local host",
            "/localhost",
        ] {
            assert!(!is_this_machine(host), "{host}");
        }
    }

    #[test]
    fn what_changes_something_comes_from_a_page_of_ours() {
        let host = (header::HOST, "localhost:8600");
        let from = |origin| headers(&[host.clone(), (header::ORIGIN, origin)]);
        assert_eq!(
            check(None, &Method::POST, &from("http://localhost:8600")),
            Ok(())
        );
        for origin in [
            "http://evil.example",
            "https://localhost:8600",
            "http://localhost",
            "http://localhost:8600.evil.example",
            "http://127.0.0.1:8600",
            "null",
            "",
        ] {
            for method in [Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS] {
                assert!(check(None, &method, &from(origin)).is_err(), "{origin}");
            }
            assert_eq!(check(None, &Method::GET, &from(origin)), Ok(()), "{origin}");
        }
        let none = headers(&[host]);
        // Behind a proxy, its name counts too, and from it the scheme that it speaks.
        let public = Some("lore.example.org");
        let from =
            |origin| headers(&[(header::HOST, "lore.example.org"), (header::ORIGIN, origin)]);
        let post = |origin| check(public, &Method::POST, &from(origin));
        assert_eq!(post("https://lore.example.org"), Ok(()));
        for origin in ["http://lore.example.org", "https://evil.example", "null"] {
            assert!(post(origin).is_err(), "{origin}");
        }
        assert!(
            check(None, &Method::GET, &from("")).is_err(),
            "no proxy is named"
        );
        assert!(check(None, &Method::POST, &none).is_err());
        assert_eq!(check(None, &Method::GET, &none), Ok(()));
        assert!(check(None, &Method::GET, &HeaderMap::new()).is_err());
    }

    #[test]
    fn the_session_is_found_among_other_cookies() {
        let of = |cookies| headers(&[(header::COOKIE, cookies)]);
        let found = of("a=b; threadlore-session=1.2.3; c=d");
        assert_eq!(session(&found), Some("1.2.3"));
        for none in ["", "a=b", "threadlore-session", "xthreadlore-session=1"] {
            assert_eq!(session(&of(none)), None, "{none}");
        }
    }
}
