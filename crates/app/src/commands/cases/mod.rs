//! `threadlore cases`: lists cases, shows one, and says what made it solved.
//!
//! | file | holds |
//! |---|---|
//! | `name` | a case as people name it: by its link or its id |
//! | `list`, `search`, `show`, `why` | a command each |
//! | `change` | `correct` and `erase` |

mod change;
mod list;
mod name;
mod search;
mod show;
mod why;

use threadlore_model::{Case, SpaceId};
use threadlore_ports::{Right, Scope};

pub(crate) use name::CaseName;
pub(super) use show::run as show;

use super::Call;
use crate::cli::{Cases, OneCase};
use crate::exit::BadInput;

pub(super) async fn run(command: &Cases, call: &Call<'_>) -> anyhow::Result<u8> {
    match command {
        Cases::List(options) => list::run(options, call).await,
        Cases::Show(options) => show::run(options, call).await,
        Cases::Search(options) => search::run(options, call).await,
        Cases::Why(options) => why::run(options, call).await,
        Cases::Correct(options) => change::correct(options, call).await,
        Cases::Archive(options) => change::archive(options, call).await,
        Cases::Merge(options) => change::merge(options, call).await,
        Cases::Split(options) => change::split(options, call).await,
        Cases::Erase(options) => change::erase(options, call).await,
    }
}

/// The case that is named.
///
/// # Errors
/// `BadInput` when the space has none of that id.
async fn find(options: &OneCase, call: &Call<'_>) -> anyhow::Result<(Scope, Case)> {
    let node = &call.host.node;
    let space = call.space(options.space.as_ref()).await?;
    let scope = node.scope(&space, Right::Read)?;
    let case = node.store.case(&scope, options.case.0).await?;
    let Some(case) = case else {
        node.check_space(&scope).await?;
        return Err(unknown(options.case, &space));
    };
    Ok((scope, case))
}

/// The error for a case that a space has not.
pub(super) fn unknown(case: CaseName, space: &SpaceId) -> anyhow::Error {
    BadInput(format!(
        "there is no case {} in the space {space}: `threadlore cases list --space {space}` lists \
         those that are",
        case.0
    ))
    .into()
}

/// The title of a case, or what stands for it.
fn title(case: &Case) -> &str {
    case.title.as_deref().unwrap_or("(erased)")
}
