//! `threadlore verify`: rebuilds aside, compares with what is live, names what
//! differs, and drops the aside build.

use std::process::ExitCode;

use threadlore_ports::Generations;
use threadlore_settings::Settings;

use super::import::work;
use super::replay::{chosen, replay, report};
use crate::cli::Verify;
use crate::environment::Environment;
use crate::node::{Node, Roles};

pub(super) async fn run(
    options: Verify,
    settings: Settings,
    environment: &Environment,
    json: bool,
) -> anyhow::Result<ExitCode> {
    let node = Node::open(settings, environment).await?;
    let mut roles = Roles::start(&node).await?;
    work(&node, &mut roles).await?;
    roles.stop().await?;
    let mut told = Vec::new();
    for projection in chosen(options.projection) {
        let outcome = replay(&node, projection).await?;
        node.store.drop_generation(outcome.generation).await?;
        told.push(outcome);
    }
    report(&told, json)
}
