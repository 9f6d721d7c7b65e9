//! Pages for people who look after a space, served at the address of the setting `api.listen`.
//!
//! | file | holds |
//! |---|---|
//! | `guard` | which requests are let in, and what every answer says to browsers |
//! | `frame` | what all pages have, and how texts, moments and links are written |
//! | `refused` | why there is no such page, as a page |
//! | `home`, `questions`, `cases`, `ask`, `memories`, `channels`, `health` | a subject each: its routes, and what they show |

mod ask;
mod cases;
mod channels;
mod frame;
mod guard;
mod health;
mod home;
mod memories;
mod questions;
mod refused;

use std::net::SocketAddr;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use anyhow::Context;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::header;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{get, post};
use threadlore_model::SpaceId;
use threadlore_node::{BadInput, Host, Node};
use threadlore_ports::{Right, Scope};
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

use crate::access::Access;
use crate::words::{DEFAULT_SPACE, LONGEST};
use refused::Refused;

/// The most bytes of a form: its longest text, each character as four bytes in percent encoding, and the
/// rest.
const FORM: usize = LONGEST * 12 + 32 * 1024;
/// Time between two looks for what was asked of the log.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// So long is waited for what was asked of the log.
const PATIENCE: Duration = Duration::from_secs(10);
/// Lines of a list, unless more are asked for.
const SHOWN: u32 = 50;
/// The most lines of a list.
const MOST: u32 = 1000;

/// A process as pages see it: nothing before it runs, and nothing once it stops.
#[derive(Clone, Default)]
struct Site(Arc<RwLock<Option<Open>>>);

/// What pages work with.
#[derive(Clone)]
struct Open {
    host: Arc<Host>,
    access: Arc<Access>,
}

/// A server of pages; it ends when this is dropped.
pub struct Pages {
    site: Site,
    address: SocketAddr,
    task: AbortHandle,
}

impl Pages {
    /// Listens from now on. Until [`Pages::open`] every page says that the process starts.
    ///
    /// # Errors
    /// The address is not one of this machine alone, or cannot be had.
    pub async fn listen(address: SocketAddr) -> anyhow::Result<Self> {
        if !address.ip().is_loopback() {
            return Err(BadInput(format!(
                "pages are not served on {address}, because others could read along: choose an address \
                 of this machine alone, such as 127.0.0.1:{}, and reach it from elsewhere with `ssh -L \
                 {}:127.0.0.1:{} HOST` (setting `api.listen`)",
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
        let site = Site::default();
        let router = router(site.clone());
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

    /// The roles of a host run: its pages are shown to who may see them.
    ///
    /// # Errors
    /// The key that signs sessions cannot be had.
    pub fn open(&self, host: &Arc<Host>) -> anyhow::Result<()> {
        let access = Arc::new(access(&host.node)?);
        let host = Arc::clone(host);
        self.site.set(Some(Open { host, access }));
        Ok(())
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // Connections that are still open keep nothing of the host alive.
        self.site.set(None);
        self.task.abort();
    }
}

/// A link for one sign-in to the pages of an installation.
///
/// # Errors
/// The key that signs it cannot be had.
pub fn sign_in_link(node: &Node, address: SocketAddr) -> anyhow::Result<String> {
    let link = access(node)?.link(node.clock.now())?;
    Ok(format!("http://{address}/sign-in?link={link}"))
}

fn access(node: &Node) -> anyhow::Result<Access> {
    let hours = u64::from(node.settings.api.session_hours);
    let lasts = Duration::from_secs(hours * 3600);
    Ok(Access::new(node.session_key()?, lasts))
}

fn router(site: Site) -> Router {
    let inside = Router::new()
        .route("/", get(home::entrance))
        .route("/s/{space}", get(home::show))
        .merge(questions::routes())
        .merge(cases::routes())
        .merge(memories::routes())
        .merge(channels::routes())
        .route("/health", get(health::show))
        .route("/s/{space}/ask", get(ask::show))
        .route_layer(from_fn_with_state(site.clone(), guard::signed_in));
    Router::new()
        .merge(inside)
        .route("/sign-in", get(guard::sign_in))
        .route("/sign-out", post(guard::sign_out))
        .route("/style.css", get(style))
        .fallback(|| async { Refused::NotThere("There is no such page.".to_owned()) })
        .layer(DefaultBodyLimit::max(FORM))
        .layer(from_fn_with_state(site.clone(), guard::measured))
        .layer(from_fn(guard::checked))
        .with_state(site)
}

async fn style() -> ([(header::HeaderName, &'static str); 1], &'static str) {
    let kind = [(header::CONTENT_TYPE, "text/css; charset=utf-8")];
    (kind, include_str!("style.css"))
}

impl Site {
    fn set(&self, to: Option<Open>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = to;
    }

    fn known(&self) -> Option<Open> {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The process, while it runs.
    fn open(&self) -> Result<Open, Refused> {
        self.known().ok_or(Refused::NotYet)
    }

    /// A space of it.
    async fn space(&self, name: &str, right: Right) -> Result<Visit, Refused> {
        let Open { host, .. } = self.open()?;
        let unknown = || Refused::NotThere(format!("There is no space “{name}” here."));
        let space = SpaceId::parse(name).map_err(|_| unknown())?;
        let scope = host.node.scope(&space, right)?;
        if !host.node.store.has_space(&scope).await? && space.as_str() != DEFAULT_SPACE {
            return Err(unknown());
        }
        Ok(Visit { host, scope })
    }
}

/// A look into a space.
struct Visit {
    host: Arc<Host>,
    scope: Scope,
}

impl Visit {
    fn node(&self) -> &Node {
        &self.host.node
    }

    fn space(&self) -> &SpaceId {
        self.scope.space()
    }

    /// Waits until what was asked of the log has happened: `None` where that takes longer.
    async fn until<T, F>(&self, look: impl Fn() -> F) -> Result<Option<T>, Refused>
    where
        F: Future<Output = Result<Option<T>, Refused>>,
    {
        let clock = &self.node().clock;
        let started = clock.now();
        loop {
            if let Some(found) = look().await? {
                return Ok(Some(found));
            }
            if clock.now().since(started) > PATIENCE {
                return Ok(None);
            }
            clock.sleep(LOOK_AGAIN).await;
        }
    }
}
