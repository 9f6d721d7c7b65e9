//! `threadlore analyst`: sign-ins to the database for analysts.

use serde::Serialize;
use threadlore_ports::Right;
use threadlore_store_postgres::AnalystChange;

use super::Call;
use crate::cli::{Analyst, AnalystCreate};
use crate::exit::BadInput;

/// Bytes of chance in a password.
const CHANCE: usize = 24;

/// A sign-in, for machines.
#[derive(Serialize)]
struct AnalystLine {
    name: String,
    space: String,
    /// Of one that was just made.
    #[serde(skip_serializing_if = "Option::is_none")]
    password: Option<String>,
}

pub(super) async fn run(command: &Analyst, call: &Call<'_>) -> anyhow::Result<u8> {
    match command {
        Analyst::Create(options) => create(options, call).await,
        Analyst::List => list(call).await,
        Analyst::Remove { name } => {
            let removed = call.host.node.store.remove_analyst(name).await?;
            refused(removed, name)?;
            match call.json {
                true => call.out.json(&serde_json::json!({"removed": name}))?,
                false => call.out.print(format_args!("{name} is gone")),
            }
            Ok(0)
        }
    }
}

async fn create(options: &AnalystCreate, call: &Call<'_>) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let (name, space) = (&options.name, &options.space);
    let scope = node.scope(space, Right::Read)?;
    if !node.store.has_space(&scope).await? {
        call.out.say(format_args!(
            "the space {space} has no message, case or channel yet, so there is nothing to read"
        ));
    }
    let mut chance = [0; CHANCE];
    getrandom::fill(&mut chance)?;
    let password: String = chance.iter().map(|byte| format!("{byte:02x}")).collect();
    let made = node.store.make_analyst(name, space, &password).await?;
    refused(made, name)?;
    if call.json {
        call.out.json(&AnalystLine {
            name: name.clone(),
            space: space.to_string(),
            password: Some(password),
        })?;
        return Ok(0);
    }
    call.out.say(format_args!(
        "{name} reads the views of schema lore in the space {space} and changes nothing; its password is kept \
         nowhere:"
    ));
    call.out.print(password);
    Ok(0)
}

async fn list(call: &Call<'_>) -> anyhow::Result<u8> {
    let analysts = call.host.node.store.analysts().await?;
    let shown = analysts.into_iter().map(|one| AnalystLine {
        name: one.name,
        space: one.space,
        password: None,
    });
    let shown: Vec<AnalystLine> = shown.collect();
    if call.json {
        call.out.json(&serde_json::json!({"analysts": shown}))?;
        return Ok(0);
    }
    for one in shown {
        call.out
            .print(format_args!("{:<30} {}", one.name, one.space));
    }
    Ok(0)
}

fn refused(done: AnalystChange, name: &str) -> anyhow::Result<()> {
    let why = match done {
        AnalystChange::Made | AnalystChange::Removed => return Ok(()),
        AnalystChange::Absent => {
            format!("there is no analyst {name}: `threadlore analyst list` has all")
        }
        AnalystChange::Foreign => format!(
            "the database has a role {name} that Threadlore did not make, and leaves alone: take another name"
        ),
        AnalystChange::BadName => format!(
            "{name} is no name for it: lower-case letters, digits and _, a letter first, 63 at most, and \
             neither pg_ nor lore_ at its beginning"
        ),
    };
    Err(BadInput(why).into())
}
