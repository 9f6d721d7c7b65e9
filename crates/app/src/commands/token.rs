//! `threadlore token`: tokens for programs that use the HTTP API.

use std::time::Duration;

use threadlore_api::tokens::{self, TokenLine};
use threadlore_api::{Grant, token};
use threadlore_model::{Actor, SpaceId};

use super::Call;
use crate::cli::TokenCreate;
use crate::exit::BadInput;

pub(super) async fn create(options: &TokenCreate, call: &Call<'_>) -> anyhow::Result<u8> {
    if !tokens::is_name(&options.name) {
        let sentence = "a token has a name of 1 to 100 characters, without control characters";
        return Err(BadInput(sentence.to_owned()).into());
    }
    let node = &call.host.node;
    let lasts = Duration::from_secs(u64::from(options.days) * 86_400);
    let grant = Grant {
        name: options.name.clone(),
        space: options.space.clone(),
        may: options.may.clone(),
        until: node.clock.now().plus(lasts),
    };
    let made = token(node, grant, &Actor::Operator).await?;
    if call.json {
        call.out.json(&made)?;
        return Ok(0);
    }
    call.out.say(format_args!(
        "it may {} in the space {} until {}; `threadlore token revoke {} --space {}` revokes it",
        made.may.join(", "),
        made.space,
        made.until,
        made.id,
        made.space,
    ));
    call.out.print(&made.token);
    Ok(0)
}

pub(super) async fn list(space: &SpaceId, call: &Call<'_>) -> anyhow::Result<u8> {
    let kept = tokens::list(&call.host.node, space).await?;
    if call.json {
        call.out.json(&kept)?;
        return Ok(0);
    }
    if kept.tokens.is_empty() {
        call.out
            .say(format_args!("the space {space} has no tokens"));
    }
    for one in &kept.tokens {
        call.out.print(line(one));
    }
    Ok(0)
}

fn line(one: &TokenLine) -> String {
    let state = match (&one.revoked_at, one.counts) {
        (Some(at), _) => format!("revoked {at}"),
        (None, true) => format!("counts until {}", one.until),
        (None, false) => format!("ran out {}", one.until),
    };
    let used = match &one.used_at {
        Some(at) => format!("last used {at}"),
        None => "not used yet".to_owned(),
    };
    format!(
        "{}  {}  {}  {state}, {used}",
        one.id,
        one.may.join(","),
        one.name
    )
}

pub(super) async fn revoke(id: &str, space: &SpaceId, call: &Call<'_>) -> anyhow::Result<u8> {
    if !tokens::revoke(&call.host.node, space, id, &Actor::Operator).await? {
        return Err(BadInput(format!(
            "there is no token {id:?} in the space {space}: `threadlore token list --space {space}` has those that \
             there are"
        ))
        .into());
    }
    match call.json {
        true => call
            .out
            .json(&tokens::list(&call.host.node, space).await?)?,
        false => call
            .out
            .say("it counts no more, within five seconds in every process"),
    }
    Ok(0)
}
