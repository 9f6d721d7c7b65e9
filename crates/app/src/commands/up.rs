//! `threadlore up`: every role in one process, with pages, and `sign-in`: a link to them.

use std::net::SocketAddr;

use threadlore_api::sign_in_link;
use threadlore_node::{Environment, Node};
use threadlore_settings::Settings;

use super::{Call, standalone};
use crate::cli::Up;
use crate::exit::BadInput;

/// Where pages are served, unless the settings or an option say otherwise.
const ADDRESS: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8600);

pub(super) async fn run(
    options: Up,
    mut settings: Settings,
    environment: &Environment,
    json: bool,
) -> anyhow::Result<u8> {
    let listen = options.listen.or(settings.api.listen);
    settings.api.listen = Some(listen.unwrap_or(ADDRESS));
    let work = standalone::run(options.work, true, settings, environment, json);
    Box::pin(work).await
}

pub(super) fn sign_in(call: &Call<'_>) -> anyhow::Result<u8> {
    if !call.host.works() {
        return Err(BadInput(format!(
            "no process serves pages on the data directory {}: start `threadlore up`, which prints a link",
            call.host.node.settings.data_dir.display()
        ))
        .into());
    }
    let link = sign_in_here(&call.host.node)?;
    match call.json {
        true => call.out.json(&serde_json::json!({ "sign_in": link }))?,
        false => call.out.print(&link),
    }
    Ok(0)
}

/// A link for one sign-in to the pages that the settings name.
pub(super) fn sign_in_here(node: &Node) -> anyhow::Result<String> {
    let Some(address) = node.settings.api.listen else {
        return Err(BadInput(
            "this process serves no pages: start `threadlore up`, or set `api.listen`".to_owned(),
        )
        .into());
    };
    sign_in_link(node, address)
}
