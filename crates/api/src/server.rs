//! The server of pages and of the HTTP API, at the address of the setting `api.listen`.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use futures::{StreamExt as _, stream};
use threadlore_model::Actor;
use threadlore_node::{BadInput, Host, Node};
use threadlore_store_postgres::AccountRecord;
use threadlore_telemetry::catalogue::PAGES;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

use crate::access::{Access, Grant, Terms};
use crate::accounts::AccountLink;
use crate::provider::Provider;
use crate::refused::Refused;
use crate::site::{Open, Site};
use crate::tokens::{FreshToken, make};
use crate::{http, pages};

/// What answers to programs are about, as a label.
const API: &str = "api";
/// An answer that is not there after this time is not waited for.
const LONGEST: Duration = Duration::from_secs(60);
/// The same of a chat that is uploaded, by a line that may be slow.
const LONGEST_IMPORT: Duration = Duration::from_secs(1800);

/// A server; it ends when this is dropped.
pub struct WebServer {
    site: Site,
    address: SocketAddr,
    task: AbortHandle,
}

impl WebServer {
    /// Listens from now on, behind a proxy with TLS that is known as `public`, if there is one. Until [`WebServer::open`] every answer is that the process starts.
    ///
    /// # Errors
    /// The address is not one of this machine alone, and no proxy stands before it, or it cannot be had.
    pub async fn listen(address: SocketAddr, public: Option<&str>) -> anyhow::Result<Self> {
        if !address.ip().is_loopback() && public.is_none() {
            return Err(BadInput(format!(
                "nothing is served on {address}, because others could read along: choose an address \
                 of this machine alone, such as 127.0.0.1:{}, and reach it from elsewhere with `ssh -L \
                 {}:127.0.0.1:{} HOST` (setting `api.listen`); or have a proxy with TLS serve it, and name \
                 its address in `api.public_url`",
                address.port(),
                address.port(),
                address.port()
            ))
            .into());
        }
        let listener = TcpListener::bind(address).await.map_err(|e| {
            BadInput(format!(
                "pages cannot be served on {address}, as the setting `api.listen` says: {e}; choose \
                 another address, or stop what uses it"
            ))
        })?;
        let address = listener
            .local_addr()
            .context("looking up the address of the pages")?;
        let site = Site::behind(public);
        let router = Router::new()
            .merge(pages::routes(&site))
            .nest("/api/v1", http::routes(&site))
            .merge(http::assistants(&site))
            .layer(from_fn_with_state(site.clone(), measured))
            .layer(from_fn(closed_unless_read))
            .with_state(site.clone());
        let task = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "pages are not served any more");
            }
        });
        Ok(Self {
            site,
            address,
            task: task.abort_handle(),
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The roles of a host run: its spaces are shown to who may see them.
    ///
    /// # Errors
    /// The key that signs sessions, or the secret of the provider where people sign in, cannot be had.
    pub fn open(&self, host: &Arc<Host>) -> anyhow::Result<()> {
        let access = Arc::new(access(&host.node)?);
        let provider = Provider::of(&host.node)?.map(Arc::new);
        let host = Arc::clone(host);
        self.site.set(Some(Open {
            host,
            access,
            provider,
        }));
        Ok(())
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        // Connections that are still open keep nothing of the host alive.
        self.site.set(None);
        self.site.uploads.jobs.end();
        self.site.replays.jobs.end();
        self.task.abort();
    }
}

/// A link for one sign-in to the pages of an installation.
///
/// # Errors
/// The key that signs it cannot be had.
pub fn sign_in_link(node: &Node, address: SocketAddr) -> anyhow::Result<String> {
    let link = access(node)?.link(node.clock.now())?;
    Ok(format!("{}/sign-in?link={link}", reached(node, address)))
}

/// Where browsers reach the pages of an installation.
fn reached(node: &Node, address: SocketAddr) -> String {
    match node.settings.api.public_authority() {
        Some(public) => format!("https://{public}"),
        None => format!("http://{address}"),
    }
}

/// A link with which somebody chooses the password of an account.
///
/// # Errors
/// The key that signs it cannot be had.
pub fn account_link(
    node: &Node,
    address: SocketAddr,
    account: &AccountRecord,
) -> anyhow::Result<AccountLink> {
    access(node)?.link_of(account, &reached(node, address), node.clock.now())
}

/// Every request: how long it took, and not longer than it may.
async fn measured(State(site): State<Site>, request: Request, next: Next) -> Response {
    let Some(Open { host, .. }) = site.known() else {
        return next.run(request).await;
    };
    let node = &host.node;
    let started = node.clock.now();
    let page = subject(request.uri().path());
    let longest = match request.uri().path().ends_with("/imports") {
        true => LONGEST_IMPORT,
        false => LONGEST,
    };
    let response = tokio::select! {
        response = next.run(request) => response,
        () = node.clock.sleep(longest) => {
            let late = Refused::Away(anyhow::anyhow!("it took longer than {} s", longest.as_secs()));
            match page {
                API => http::problem(late),
                _ => late.into_response(),
            }
        }
    };
    let result = match response.status().as_u16() {
        ..400 => "ok",
        400..500 => "refused",
        _ => "failed",
    };
    let seconds = node.clock.now().since(started).as_secs_f64();
    node.metrics.record(&PAGES, &[page, result], seconds);
    response
}

/// Every request: where not all of its body was read, nothing can follow it on its connection, and the answer says so.
/// Who sent too much would else send the next request into a connection that is closed.
async fn closed_unless_read(request: Request, next: Next) -> Response {
    let is_read = Arc::new(AtomicBool::new(request.body().is_end_stream()));
    let at_end = Arc::clone(&is_read);
    let request = request.map(|body| {
        let end = stream::poll_fn(move |_| {
            at_end.store(true, Ordering::Relaxed);
            Poll::Ready(None)
        });
        Body::from_stream(body.into_data_stream().chain(end))
    });
    let mut response = next.run(request).await;
    if !is_read.load(Ordering::Relaxed) {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    response
}

/// What the page, or the answer, at a path is about, as a label.
fn subject(path: &str) -> &'static str {
    let mut parts = path.split('/').skip(1);
    if path.starts_with("/api/") || path == "/mcp" {
        return API;
    }
    match (parts.next(), parts.nth(1)) {
        (Some("s"), None | Some("report")) => "home",
        (Some("s"), Some("questions")) => "questions",
        (Some("s"), Some("cases")) => "cases",
        (Some("s"), Some("memories" | "people")) => "memories",
        (Some("s"), Some("channels" | "channel" | "messages" | "tokens" | "accounts")) => {
            "channels"
        }
        (Some("s"), Some("imports")) => "imports",
        (Some("s"), Some("ask")) => "ask",
        (Some("health" | "dead-letters" | "replays" | "settings"), _) => "health",
        (Some("case" | "knowledge" | "sitemap.xml" | "robots.txt"), _) => "published",
        _ => "other",
    }
}

fn access(node: &Node) -> anyhow::Result<Access> {
    let api = &node.settings.api;
    let terms = Terms {
        session_lasts: Duration::from_secs(u64::from(api.session_hours) * 3600),
        requests_per_minute: api.requests_per_minute,
    };
    Ok(Access::new(node.session_key()?, terms))
}

/// A token for a program, of an installation, which is kept with who made it.
///
/// # Errors
/// The key that signs it cannot be had, or what the database says.
pub async fn token(node: &Node, grant: Grant, by: &Actor) -> anyhow::Result<FreshToken> {
    make(node, &access(node)?, grant, by).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_a_label_and_an_address_is_none() {
        for (path, label) in [
            ("/s/default", "home"),
            ("/s/default/questions/1/answer", "questions"),
            ("/s/default/cases", "cases"),
            ("/s/default/memories", "memories"),
            ("/s/default/people/1", "memories"),
            ("/s/default/ask", "ask"),
            ("/s/default/channel", "channels"),
            ("/s/default/messages", "channels"),
            ("/s/default/tokens", "channels"),
            ("/s/default/accounts", "channels"),
            ("/s/default/imports", "imports"),
            ("/health", "health"),
            ("/dead-letters/chat.turns.dlq/0/1", "health"),
            ("/replays", "health"),
            ("/settings", "health"),
            ("/case/1", "published"),
            ("/knowledge/default", "published"),
            ("/api/v1/spaces/default/cases", "api"),
            ("/mcp", "api"),
            ("/", "other"),
            ("/s/x/../../etc/passwd", "other"),
            ("", "other"),
        ] {
            assert_eq!(subject(path), label, "{path}");
        }
    }
}
