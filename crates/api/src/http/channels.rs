//! The channels of a space.

use axum::Json;
use serde::Serialize;
use threadlore_ports::Right;
use threadlore_store_postgres::ChannelSummary;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Problems};
use super::{At, Caller, InSpace};
use crate::site::Site;

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new().routes(routes!(listed))
}

/// A channel.
#[derive(Debug, Serialize, ToSchema)]
struct Channel {
    /// Its name, such as `irc:#help`.
    channel: String,
    /// How many messages of it are kept; 10,000 stands for that many or more.
    messages: u64,
    /// How many admins it has; without one the bot is silent.
    admins: usize,
    /// Who can read it: `public`, `space` or `members`.
    audience: &'static str,
    /// When the bot speaks in it: `questions`, `mentions` or `off`.
    mode: &'static str,
    /// Whether its solved cases have pages that anybody can read.
    published: bool,
    /// When that was said last; null where nobody said anything.
    configured_at: Option<String>,
    /// Who said so: `operator`, `account:NAME`, `token:NAME`, or `person:ID` in the room; null where the
    /// platform did.
    configured_by: Option<String>,
}

/// The channels of a space.
#[derive(Debug, Serialize, ToSchema)]
struct Channels {
    /// All of them.
    channels: Vec<Channel>,
}

/// List channels
#[utoipa::path(
    get, path = "/spaces/{space}/channels",
    operation_id = "listChannels", tag = "channels",
    params(InSpace),
    responses((status = 200, description = "What was asked for.", body = Channels), Problems),
    security(("token" = [])),
)]
async fn listed(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
) -> Result<Json<Channels>, Problem> {
    let visit = caller.space(&space, Right::Read).await?;
    let channels = visit.node().store.channels(&visit.scope, None).await?;
    let channel = |one: ChannelSummary| {
        let settings = one.settings.unwrap_or_default();
        Channel {
            channel: one.channel.to_string(),
            messages: one.messages,
            admins: settings.admins.len(),
            audience: settings.audience.name(),
            mode: settings.mode.name(),
            published: settings.is_published(),
            configured_at: one.configured.as_ref().map(|(at, _)| at.to_string()),
            configured_by: one.configured.and_then(|(_, by)| Some(by?.to_string())),
        }
    };
    let channels = channels.into_iter().map(channel).collect();
    Ok(Json(Channels { channels }))
}
