//! `threadlore user`: people who sign in to the pages, and what they may.

use serde_json::json;
use threadlore_api::account_link;
use threadlore_api::accounts::{self, AccountLine, AccountLink};
use threadlore_model::Actor;

use super::Call;
use crate::cli::{User, UserAdd};
use crate::exit::BadInput;

pub(super) async fn run(command: &User, call: &Call<'_>) -> anyhow::Result<u8> {
    match command {
        User::Add(add) => self::add(add, call).await,
        User::List { space } => {
            let kept = accounts::list(&call.host.node, space.as_ref()).await?;
            if call.json {
                call.out.json(&kept)?;
                return Ok(0);
            }
            if kept.accounts.is_empty() {
                call.out
                    .say("there are no accounts yet: `threadlore user add NAME` makes one");
            }
            for one in &kept.accounts {
                call.out.print(line(one));
            }
            Ok(0)
        }
        User::Link { name } => {
            let node = &call.host.node;
            let address = node.settings.api.listen.ok_or_else(|| {
                BadInput(
                    "this process serves no pages, so there is nothing to lead to: start `threadlore up`, or set \
                     `api.listen`"
                        .to_owned(),
                )
            })?;
            let account = accounts::find(node, name).await?;
            let account = account.ok_or_else(|| unknown(name))?;
            let link = account_link(node, address, &account)?;
            match call.json {
                true => call.out.json(&link)?,
                false => shown(&link, call),
            }
            Ok(0)
        }
        User::Remove { name, space } => {
            let by = &Actor::Operator;
            if !accounts::take(&call.host.node, name, space.as_ref(), by).await? {
                return Err(unknown(name).into());
            }
            match call.json {
                true => call.out.json(&json!({ "removed": name }))?,
                false => call.out.say(format_args!(
                    "{name} is out, within five seconds in every process"
                )),
            }
            Ok(0)
        }
    }
}

fn unknown(name: &str) -> BadInput {
    BadInput(format!(
        "there is no account {name:?} with rights there: `threadlore user list` shows all accounts"
    ))
}

async fn add(add: &UserAdd, call: &Call<'_>) -> anyhow::Result<u8> {
    let (node, name) = (&call.host.node, &add.name);
    let given = (add.space.as_slice(), add.may.as_slice());
    let account = accounts::give(node, name, given, &Actor::Operator).await?;
    // Where no pages are served, there is nothing to lead to.
    let link = match (&account.password, node.settings.api.listen) {
        (None, Some(address)) => Some(account_link(node, address, &account)?),
        _ => None,
    };
    if call.json {
        call.out.json(&json!({ "name": name, "link": link }))?;
        return Ok(0);
    }
    let may: Vec<&str> = add.may.iter().map(|right| right.name()).collect();
    let spaces: Vec<&str> = add.space.iter().map(|space| space.as_str()).collect();
    let password = match account.password {
        Some(_) => {
            "the password stays that they have; see `threadlore user list` for who let them in"
        }
        None => "they have no password yet",
    };
    call.out.say(format_args!(
        "{name} may {} in {}; {password}",
        may.join(", "),
        spaces.join(", "),
    ));
    if let Some(link) = &link {
        shown(link, call);
    }
    Ok(0)
}

/// A link on standard output, and on standard error what it is for.
fn shown(link: &AccountLink, call: &Call<'_>) {
    call.out.say(format_args!(
        "whoever has this link chooses the password of {} with it, once, until {}:",
        link.name, link.until
    ));
    call.out.print(&link.link);
}

fn line(one: &AccountLine) -> String {
    let state = match (&one.signed_in_at, one.has_password) {
        (Some(at), _) => format!("signed in last {at}"),
        (None, true) => "not signed in yet".to_owned(),
        (None, false) => "no password yet".to_owned(),
    };
    format!(
        "{}  {}  {}  {state}, given by {} {}",
        one.name,
        one.space,
        one.may.join(","),
        one.given_by,
        one.given_at
    )
}
