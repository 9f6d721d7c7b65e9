//! `threadlore run`: some roles in this process, next to other processes on the same log and
//! tables.

use threadlore_model::Role;
use threadlore_node::Environment;
use threadlore_settings::Settings;

use super::interrupted;
use super::standalone::{State, started};
use crate::cli::{Run, Work};
use crate::exit::BadInput;
use crate::output::Output;

pub(super) async fn run(
    options: Run,
    mut settings: Settings,
    environment: &Environment,
    json: bool,
) -> anyhow::Result<u8> {
    let own = settings.in_data_dir();
    if !own.is_empty() {
        return Err(BadInput(format!(
            "`run` is for several processes on one log and its tables, and these settings still \
             have some of it in the data directory, which one process owns: set {}, or use \
             `standalone` (see docs/kafka.md)",
            own.join(", ")
        ))
        .into());
    }
    let roles = roles(&options.roles, &mut settings)?;
    match (roles.contains(&Role::Api), settings.api.listen) {
        (true, None) => {
            return Err(BadInput(
                "the role api serves pages, and no setting says where: set `api.listen`, for example to \
                 127.0.0.1:8600"
                    .to_owned(),
            )
            .into());
        }
        (true, Some(_)) => {}
        // The settings are those of all processes, and one of them serves pages.
        (false, _) => settings.api.listen = None,
    }
    let out = &Output::Here;
    let interrupted = interrupted()?;
    let (host, servers) = started(settings, environment, &roles).await?;
    let mut state = State::of(&host, "running");
    out.say(format_args!("running {}", state.roles.join(", ")));
    if json {
        out.json(&state)?;
    }
    let ended = tokio::select! {
        () = interrupted => {
            out.say("stopping: finishing what is in hand");
            Ok(())
        }
        error = host.failed() => Err(error),
    };
    drop(servers);
    let stopped = host.stop().await;
    ended.and(stopped)?;
    out.say("stopped");
    if json {
        state.state = "stopped";
        out.json(&state)?;
    }
    Ok(0)
}

/// The roles that are named; gateways that are not named are left out of the settings.
fn roles(named: &[Work], settings: &mut Settings) -> anyhow::Result<Vec<Role>> {
    let gateways = named.iter().filter_map(|work| match work {
        Work::Gateway(gateway) => Some(*gateway),
        Work::Role(_) => None,
    });
    let gateways: Vec<&str> = gateways.collect();
    if !gateways.is_empty() && !named.contains(&Work::Role(Role::Gateway)) {
        settings.only_gateways(&gateways).map_err(BadInput)?;
    }
    let roles = named.iter().map(|work| match work {
        Work::Role(role) => *role,
        Work::Gateway(_) => Role::Gateway,
    });
    Ok(roles.collect())
}
