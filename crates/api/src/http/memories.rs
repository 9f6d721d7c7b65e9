//! What the bot remembers: listed, added, forgotten.

use axum::Json;
use axum::extract::Query;
use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::http::StatusCode;
use serde::Deserialize;
use threadlore_model::MemoryTier;
use threadlore_node::MemoryChange;
use threadlore_ports::Right;
use threadlore_store_postgres::MemoryFilter;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::problem::{Problem, Problems, query};
use super::{At, Caller, InSpace, limit};
use crate::memories::{Item, MemoryList, list};
use crate::refused::{Refused, no_page};
use crate::site::{Site, Visit};

pub(super) fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::new()
        .routes(routes!(listed, added))
        .routes(routes!(changed, forgotten))
        .routes(routes!(restored))
}

/// Which memories.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Which {
    /// `memory_bank` for what somebody said, or the tier of exchanges: `working`, `history` or `patterns`.
    #[param(pattern = "^(memory_bank|working|history|patterns)$")]
    tier: Option<String>,
    /// Those of this channel, such as `irc:#help`.
    channel: Option<String>,
    /// What is told no more, too.
    #[serde(default)]
    #[param(default = false)]
    all: bool,
    /// How many, 50 if it is not said.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u32>,
    /// Those behind this one: what the page before has as `next`.
    after: Option<String>,
}

/// List memories
///
/// It needs the right `admin`, because some are told to one person alone.
#[utoipa::path(
    get, path = "/spaces/{space}/memories",
    operation_id = "listMemories", tag = "memories",
    params(InSpace, Which),
    responses((status = 200, description = "What was asked for.", body = MemoryList), Problems),
    security(("token" = [])),
)]
async fn listed(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
    sent: Result<Query<Which>, QueryRejection>,
) -> Result<Json<MemoryList>, Problem> {
    let visit = caller.space(&space, Right::Admin).await?;
    let which = query(sent)?;
    let channel = Visit::named_channel(which.channel.as_deref().unwrap_or_default())?;
    let after = match &which.after {
        Some(after) => Some(visit.memory(after).await.map_err(no_page)?.memory),
        None => None,
    };
    let filter = MemoryFilter {
        after,
        tier: which.tier.as_deref().map(tier).transpose()?,
        channel: channel.as_ref(),
        all: which.all,
        limit: limit(which.limit)?,
        ..MemoryFilter::default()
    };
    Ok(Json(list(visit.node(), visit.space(), filter).await?))
}

fn tier(name: &str) -> Result<MemoryTier, Problem> {
    let known = MemoryTier::ALL.into_iter().find(|tier| tier.name() == name);
    known.ok_or_else(|| {
        let names = MemoryTier::ALL.map(MemoryTier::name).join(", ");
        Refused::Bad(format!("There is no tier `{name}`; there are: {names}.")).into()
    })
}

/// What is to be remembered.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewMemory {
    /// The words, of at most 500 characters.
    #[schema(min_length = 1, max_length = 500)]
    text: String,
    /// The channel, such as `irc:#help`: everybody is told who can read it.
    channel: String,
    /// Whether a model that reads is to know it with every question.
    #[serde(default)]
    always: bool,
}

/// What is to become of a memory; what is not said stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct MemoryWords {
    /// The words, of at most 500 characters.
    #[schema(min_length = 1, max_length = 500)]
    text: Option<String>,
    /// Whether a model that reads is to know it with every question.
    always: Option<bool>,
}

/// Have something remembered
///
/// The same words again are the same memory. What looks like a key, a token or a card number is refused.
#[utoipa::path(
    post, path = "/spaces/{space}/memories",
    operation_id = "remember", tag = "memories",
    params(InSpace),
    request_body = NewMemory,
    responses((status = 201, description = "What was asked for.", body = Item), Problems),
    security(("token" = [])),
)]
async fn added(
    caller: Caller,
    At(InSpace { space }): At<InSpace>,
    sent: Result<Json<NewMemory>, JsonRejection>,
) -> Result<(StatusCode, Json<Item>), Problem> {
    let visit = caller.space(&space, Right::Admin).await?;
    let Json(NewMemory {
        text,
        channel,
        always,
    }) = sent?;
    let done = visit
        .remember((&text, always), &channel)
        .await?
        .ok_or(Refused::Waits)?;
    Ok((StatusCode::CREATED, Json(Item::of(&done))))
}

/// A memory of a space.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct OfMemory {
    /// The space of the token.
    space: String,
    /// The id of the memory.
    memory: String,
}

/// Have it forget something
///
/// Its words and their key are gone for good, and the answers of the last day that quote it are taken back.
#[utoipa::path(
    delete, path = "/spaces/{space}/memories/{memory}",
    operation_id = "forget", tag = "memories",
    params(OfMemory),
    responses((status = 200, description = "What was asked for.", body = Item), Problems),
    security(("token" = [])),
)]
async fn forgotten(
    caller: Caller,
    At(OfMemory { space, memory }): At<OfMemory>,
) -> Result<Json<Item>, Problem> {
    let visit = caller.space(&space, Right::Admin).await?;
    let done = visit.forget(&memory).await?.ok_or(Refused::Waits)?;
    Ok(Json(Item::of(&done)))
}

/// Say something otherwise
///
/// Another memory comes in its place, in these words; the one before is told no more, and can be brought back.
/// What a person said of themselves only they change.
#[utoipa::path(
    put, path = "/spaces/{space}/memories/{memory}",
    operation_id = "changeMemory", tag = "memories",
    params(OfMemory),
    request_body = MemoryWords,
    responses((status = 200, description = "The memory that has it from now on.", body = Item), Problems),
    security(("token" = [])),
)]
async fn changed(
    caller: Caller,
    At(OfMemory { space, memory }): At<OfMemory>,
    sent: Result<Json<MemoryWords>, JsonRejection>,
) -> Result<Json<Item>, Problem> {
    let visit = caller.space(&space, Right::Admin).await?;
    let Json(MemoryWords { text, always }) = sent?;
    let change = MemoryChange { text, always };
    let done = visit.change_memory(&memory, change).await?;
    Ok(Json(Item::of(&done.ok_or(Refused::Waits)?)))
}

/// Bring something back
///
/// What is told no more is told again, in the place of what came in its own.
#[utoipa::path(
    post, path = "/spaces/{space}/memories/{memory}/restore",
    operation_id = "restoreMemory", tag = "memories",
    params(OfMemory),
    responses((status = 200, description = "The memory that has it from now on.", body = Item), Problems),
    security(("token" = [])),
)]
async fn restored(
    caller: Caller,
    At(OfMemory { space, memory }): At<OfMemory>,
) -> Result<Json<Item>, Problem> {
    let visit = caller.space(&space, Right::Admin).await?;
    let done = visit.restore_memory(&memory).await?;
    Ok(Json(Item::of(&done.ok_or(Refused::Waits)?)))
}
