//! `threadlore token`: tokens for programs that use the HTTP API.

use std::time::Duration;

use serde::Serialize;
use threadlore_api::{Grant, token};

use super::Call;
use crate::cli::TokenCreate;

/// A token that was made.
#[derive(Serialize)]
struct Made {
    /// What it is revoked by.
    id: String,
    /// What it is called.
    name: String,
    /// The space that it is for.
    space: String,
    /// Its rights there.
    may: Vec<&'static str>,
    /// From this time on it counts no more.
    until: String,
    /// What the program sends.
    token: String,
}

pub(super) fn create(options: &TokenCreate, call: &Call<'_>) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let lasts = Duration::from_secs(u64::from(options.days) * 86_400);
    let grant = Grant {
        name: options.name.clone(),
        space: options.space.clone(),
        may: options.may.clone(),
        until: node.clock.now().plus(lasts),
    };
    let made = token(node, &grant)?;
    let made = Made {
        id: made.id,
        name: grant.name,
        space: grant.space.to_string(),
        may: grant.may.iter().map(|right| right.name()).collect(),
        until: grant.until.to_string(),
        token: made.token,
    };
    if call.json {
        call.out.json(&made)?;
        return Ok(0);
    }
    call.out.say(format_args!(
        "it may {} in the space {} until {}; to revoke it, put its id {} into `api.revoked_tokens` and start \
         again what serves the API",
        made.may.join(", "),
        made.space,
        made.until,
        made.id
    ));
    call.out.print(&made.token);
    Ok(0)
}
