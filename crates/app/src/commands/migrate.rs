//! `threadlore migrate`: brings databases to this version, before its processes take over from those of
//! another one.

use serde::Serialize;
use threadlore_node::{Environment, Node};
use threadlore_settings::Settings;

use crate::output::Output;

/// A build of this version that went live.
#[derive(Debug, Serialize)]
struct Made {
    projection: &'static str,
    number: u32,
}

pub(super) async fn run(
    settings: Settings,
    environment: &Environment,
    json: bool,
) -> anyhow::Result<u8> {
    let out = &Output::Here;
    super::check_data_directory(&settings)?;
    let steps = out.steps("making tables", 0, false);
    let progress = |_, done, total| steps.at(done, total);
    let (_node, made) = Node::migrated(settings, environment, &progress).await?;
    if json {
        let made = made.iter().map(|build| Made {
            projection: build.projection.name(),
            number: build.number,
        });
        out.json(&serde_json::json!({ "live": made.collect::<Vec<_>>() }))?;
        return Ok(0);
    }
    for build in &made {
        out.say(format_args!(
            "{build} is live now, with the tables of this version"
        ));
    }
    if made.is_empty() {
        out.say("nothing to do: the live tables are those of this version");
    }
    Ok(0)
}
