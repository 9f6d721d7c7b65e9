//! `threadlore answers`: lists what people asked, and says why it was answered so.
//!
//! | file | holds |
//! |---|---|
//! | `name` | a question or an answer as people name it |
//! | `list`, `why`, `teach`, `rate` | a command each |

mod list;
mod name;
mod rate;
mod teach;
mod why;

pub(crate) use name::TurnLink;

use threadlore_api::questions;
use threadlore_ports::{Right, Scope};
use threadlore_store_postgres::ListedTurn;

use super::Call;
use crate::cli::{Answers, OneTurn};
use crate::exit::BadInput;

pub(super) async fn run(command: &Answers, call: &Call<'_>) -> anyhow::Result<u8> {
    match command {
        Answers::List(options) => list::run(options, call).await,
        Answers::Why(options) => why::run(options, call).await,
        Answers::Teach(options) => teach::run(options, call).await,
        Answers::Rate(options) => rate::run(options, call).await,
    }
}

/// The turn that is named.
///
/// # Errors
/// `BadInput` when the space has none of that name.
async fn find(options: &OneTurn, call: &Call<'_>) -> anyhow::Result<(Scope, ListedTurn)> {
    let node = &call.host.node;
    let space = call.space(options.space.as_ref()).await?;
    let scope = node.scope(&space, Right::Read)?;
    let found = questions::find(node, &scope, &options.turn.0).await?;
    let Some((turn, fitting)) = found else {
        node.check_space(&scope).await?;
        return Err(BadInput(format!(
            "no question or answer of the space {space} has that id: `threadlore answers list \
             --space {space}` lists those that are. What was said before the bot came was imported, \
             and nothing was decided about it"
        ))
        .into());
    };
    if fitting > 1 {
        let said = format_args!("{fitting} questions have that id, and this is the last one");
        call.out.say(said);
    }
    Ok((scope, turn))
}
