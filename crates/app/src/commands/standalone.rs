//! `threadlore standalone`: every role in one process.

use std::path::Path;

use threadlore_settings::Settings;

use super::import::{check, drained, into, take};
use super::interrupted;
use crate::admin::Admin;
use crate::cli::Standalone;
use crate::environment::Environment;
use crate::http::Http;
use crate::node::Host;
use crate::output::Output;

pub(super) async fn run(
    options: Standalone,
    settings: Settings,
    environment: &Environment,
    json: bool,
) -> anyhow::Result<u8> {
    let out = &Output::Here;
    let import = match &options.import {
        Some(path) => {
            check(&options.target, path)?;
            Some((into(&options.target, false)?, path.clone()))
        }
        None => None,
    };
    let interrupted = interrupted()?;
    // First, so that it can be asked how far the start is.
    let http = match settings.telemetry.listen {
        Some(address) => Some(Http::listen(address).await?),
        None => None,
    };
    let host = Host::open(settings, environment).await?;
    host.start().await?;
    if let Some(http) = &http {
        http.ready(&host.node);
    }
    let data_dir = &host.node.settings.data_dir;
    let admin = admin(data_dir);
    out.say(format_args!("running every role on {}", data_dir.display()));
    let work = async {
        if let Some((into, path)) = &import {
            let summary = take(&host.node, out, into, path).await?;
            if json {
                out.print(serde_json::to_string(&summary)?);
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
    drop(http);
    drop(admin);
    let stopped = host.stop().await;
    // What ended the work says more than what it led to.
    ended.and(stopped)?;
    out.say("stopped");
    Ok(0)
}

/// Without the socket everything works but commands beside this process.
fn admin(data_dir: &Path) -> Option<Admin> {
    Admin::listen(data_dir)
        .inspect_err(|error| {
            Output::Here.say(format_args!(
                "commands on this data directory will be refused while this process runs: {error:#}"
            ));
        })
        .ok()
}
