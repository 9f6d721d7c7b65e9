//! `threadlore answers`: lists what people asked, and says why it was answered so.
//!
//! | file | holds |
//! |---|---|
//! | `name` | a question or an answer as people name it |
//! | `list`, `why` | a command each |

mod list;
mod name;
mod why;

pub(crate) use name::TurnNamed;

use super::Call;
use crate::cli::Answers;

pub(super) async fn run(command: &Answers, call: &Call<'_>) -> anyhow::Result<u8> {
    match command {
        Answers::List(options) => list::run(options, call).await,
        Answers::Why(options) => why::run(options, call).await,
    }
}
