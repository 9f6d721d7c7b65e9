//! The channels of a space: listed, and set up.

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::Query;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use serde::{Deserialize, Serialize};
use threadlore_model::{Audience, ChannelId, ChannelSettings, Mode, PersonId};
use threadlore_ports::Right;
use threadlore_store_postgres::ChannelSummary;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Problems, query};
use super::{At, Caller, InSpace};
use crate::refused::Refused;
use crate::site::{Site, Visit};

/// The most admins of a channel.
const MOST_ADMINS: usize = 100;
/// The longest id of a platform, in bytes.
const LONGEST_ID: usize = 256;

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new().routes(routes!(listed, changed))
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
    /// Addresses of documentation that are named to who asks by name and gets no answer.
    docs: Vec<String>,
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
    let channels = channels.into_iter().map(Channel::of).collect();
    Ok(Json(Channels { channels }))
}

impl Channel {
    fn of(one: ChannelSummary) -> Self {
        let settings = one.settings.unwrap_or_default();
        Self {
            channel: one.channel.to_string(),
            messages: one.messages,
            admins: settings.admins.len(),
            audience: settings.audience.name(),
            mode: settings.mode.name(),
            published: settings.is_published(),
            docs: settings.docs,
            configured_at: one.configured.as_ref().map(|(at, _)| at.to_string()),
            configured_by: one.configured.and_then(|(_, by)| Some(by?.to_string())),
        }
    }
}

/// Which channel.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Which {
    /// The channel, such as `forum:help`; nothing need have been said in it yet.
    channel: String,
}

/// How a channel is to be from now on; what is not said stays as it is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ChannelChange {
    /// Its admins, by the platform's ids: these alone. Without one the bot is silent.
    #[schema(max_items = 100)]
    admins: Option<Vec<String>>,
    /// Who can read it: `public`, `space` or `members`.
    #[schema(pattern = "^(public|space|members)$")]
    audience: Option<String>,
    /// When the bot speaks in it: `questions`, `mentions` or `off`.
    #[schema(pattern = "^(questions|mentions|off)$")]
    mode: Option<String>,
    /// Addresses of documentation that are named to who asks by name and gets no answer: these alone.
    #[schema(max_items = 20)]
    docs: Option<Vec<String>>,
    /// Whether its solved cases have pages that anybody can read; only where the audience is `public`.
    published: Option<bool>,
}

/// Set up a channel
///
/// The bot answers in a channel that has an admin, and uses there what everybody in it can read.
#[utoipa::path(
    patch, path = "/spaces/{space}/channels",
    operation_id = "configureChannel", tag = "channels",
    params(InSpace, Which),
    request_body = ChannelChange,
    responses((status = 200, description = "The channel as it is now.", body = Channel), Problems),
    security(("token" = [])),
)]
async fn changed(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
    which: Result<Query<Which>, QueryRejection>,
    sent: Result<Json<ChannelChange>, JsonRejection>,
) -> Result<Json<Channel>, Problem> {
    // A space may begin with how its first channel is set up.
    let visit = caller.begun(&space, Right::Admin)?;
    let name = query(which)?.channel;
    let bad = |why: String| Refused::Bad(why);
    let channel =
        ChannelId::parse(&name).map_err(|why| bad(format!("`channel` cannot be used: {why}.")))?;
    let Json(change) = sent?;
    let mut configured = visit.node().reader().configured(&visit.scope).await?;
    let before = configured.remove(&channel).unwrap_or_default();
    let audience = chosen("audience", change.audience, &Audience::ALL, Audience::name)?;
    let audience = audience.unwrap_or(before.audience);
    // Fewer people are not shown what was published, unless somebody asks for that: then it is refused.
    let published = before.is_published() && audience == Audience::Public;
    let settings = ChannelSettings {
        admins: match change.admins {
            Some(admins) => people(&visit, &channel, &admins)?,
            None => before.admins,
        },
        audience,
        mode: chosen("mode", change.mode, &Mode::ALL, Mode::name)?.unwrap_or(before.mode),
        docs: change.docs.unwrap_or(before.docs),
        published: change.published.unwrap_or(published),
    };
    visit
        .configure(&channel, settings)
        .await?
        .ok_or(Refused::Waits)?;
    Ok(Json(Channel::of(visit.channel(channel.as_str()).await?)))
}

/// The people behind a platform's ids.
fn people(
    visit: &Visit,
    channel: &ChannelId,
    natives: &[String],
) -> Result<BTreeSet<PersonId>, Refused> {
    if natives.len() > MOST_ADMINS
        || natives
            .iter()
            .any(|native| native.is_empty() || native.len() > LONGEST_ID)
    {
        return Err(Refused::Bad(format!(
            "`admins` has up to {MOST_ADMINS} of the platform's ids, each of 1 to {LONGEST_ID} bytes."
        )));
    }
    let person = |native: &String| {
        let hasher = &visit.node().hasher;
        hasher.person(visit.space(), channel.platform(), native)
    };
    Ok(natives.iter().map(person).collect())
}

/// One of several things, by its name.
fn chosen<T: Copy>(
    field: &str,
    said: Option<String>,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<Option<T>, Refused> {
    let Some(said) = said else { return Ok(None) };
    let found = all.iter().copied().find(|one| name(*one) == said);
    found.map(Some).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|one| name(*one)).collect();
        Refused::Bad(format!(
            "`{field}` is {said:?}, and can be {}.",
            names.join(", ")
        ))
    })
}
