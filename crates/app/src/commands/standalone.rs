//! `threadlore standalone`: every role in one process.

use std::sync::Arc;

use serde::Serialize;
use threadlore_api::{LINK_LASTS, WebServer};
use threadlore_model::Role;
use threadlore_node::{Environment, Host, Http, Node, Roles, WORKERS};
use threadlore_settings::Settings;

use super::import::{check, drained, plan, refused, take};
use super::interrupted;
use super::up::sign_in_here;
use crate::admin::Admin;
use crate::cli::Standalone;
use crate::output::Output;

/// Its name in consumer groups, unless the settings say another.
const STANDALONE: &str = "standalone";

pub(super) async fn run(
    options: Standalone,
    sign_in: bool,
    settings: Settings,
    environment: &Environment,
    json: bool,
) -> anyhow::Result<u8> {
    let out = &Output::Here;
    let import = match &options.import {
        Some(path) => {
            check(&options.target, path)?;
            Some(path)
        }
        None => None,
    };
    let interrupted = interrupted()?;
    let (host, servers) = started(settings, environment, &[]).await?;
    let admin = admin(&host.node);
    let data_dir = host.node.settings.data_dir.display();
    out.say(format_args!("running every role on {data_dir}"));
    let sign_in = match sign_in {
        true => Some(sign_in_here(&host.node)?),
        false => None,
    };
    if let Some(link) = &sign_in {
        out.say(format_args!(
            "open this in a browser, once and within {} minutes; `threadlore sign-in` prints another:\n  {link}",
            LINK_LASTS.as_secs() / 60
        ));
    }
    if json {
        let state = State::of(&host, "running");
        out.json(&State { sign_in, ..state })?;
    }
    let work = async {
        if let Some(path) = import {
            let plan = plan(&options.target, false, path, out).await?;
            let summary = take(&host.node, out, &plan).await?;
            if json {
                out.json(&summary)?;
            }
            if summary.took_nothing() {
                return Err(refused(&summary));
            }
        }
        if options.until_drained {
            return drained(&host.node, out).await;
        }
        std::future::pending().await
    };
    let guests = async {
        if let Some(admin) = &admin {
            admin.serve(&host, std::future::pending()).await;
        }
        std::future::pending().await
    };
    let ended = tokio::select! {
        done = work => done,
        () = interrupted => {
            out.say("stopping: finishing what is in hand");
            Ok(())
        }
        error = host.failed() => Err(error),
        error = host.node.keep_retention() => Err(error),
        () = guests => Ok(()),
    };
    drop(servers);
    drop(admin);
    let ended_state = State::of(&host, "stopped");
    let stopped = host.stop().await;
    // The error that ended the work is more useful than those that followed.
    ended.and(stopped)?;
    out.say("stopped");
    if json {
        out.json(&ended_state)?;
    }
    Ok(0)
}

/// The JSON line of a process that runs roles, at its start and at its end.
#[derive(Serialize)]
pub(super) struct State {
    pub(super) state: &'static str,
    pub(super) roles: Vec<&'static str>,
    /// A link to sign in to the pages, where `up` serves them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sign_in: Option<String>,
}

impl State {
    pub(super) fn of(host: &Host, state: &'static str) -> Self {
        let roles = host.roles().iter().map(|role| role.name()).collect();
        Self {
            state,
            roles,
            sign_in: None,
        }
    }
}

/// What a process serves over HTTP, where the settings say so: metrics and health, and pages.
pub(super) type Servers = (Option<Http>, Option<WebServer>);

/// Starts a node with the named roles, or with every role, and what it serves.
pub(super) async fn started(
    mut settings: Settings,
    environment: &Environment,
    roles: &[Role],
) -> anyhow::Result<(Arc<Host>, Servers)> {
    let http = match settings.telemetry.listen {
        Some(address) => Some(Http::listen(address).await?),
        None => None,
    };
    let pages = match settings.api.listen {
        Some(address) => Some(WebServer::listen(address, settings.api.public_authority()).await?),
        None => None,
    };
    // Of port 0 the system chooses one.
    settings.api.listen = pages.as_ref().map(WebServer::address);
    if roles.is_empty() {
        let name = || STANDALONE.to_owned();
        settings.kafka.instance_id.get_or_insert_with(name);
    }
    let node = Node::open(settings, environment).await?;
    let which = match roles {
        [] => Roles::all(&node),
        some => WORKERS
            .into_iter()
            .chain([Role::Api])
            .filter(|role| some.contains(role))
            .collect(),
    };
    let host = Arc::new(Host::of(node, which));
    host.start().await?;
    if let Some(http) = &http {
        http.ready(&host.node);
    }
    if let Some(pages) = &pages {
        pages.open(&host)?;
        Output::Here.say(format_args!("pages are at http://{}", pages.address()));
    }
    Ok((host, (http, pages)))
}

/// Opens the admin socket. If that fails, everything works except commands that need this process.
/// Without a data directory there is no socket.
fn admin(node: &Node) -> Option<Admin> {
    if node.is_shared() {
        return None;
    }
    Admin::listen(&node.settings.data_dir)
        .inspect_err(|error| {
            Output::Here.say(format_args!(
                "commands on this data directory will be refused while this process runs: {error:#}"
            ));
        })
        .ok()
}
