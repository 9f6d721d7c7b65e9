//! `threadlore dlq`: lists, shows and redrives dead letters.
//!
//! | file | holds |
//! |---|---|
//! | `letter` | dead letters in the log, and their addresses |
//! | `list`, `show` | the list; all about one dead letter |
//! | `redrive` | another try, where that is possible |

mod letter;
mod list;
mod redrive;
mod show;

pub(super) use letter::{Letter, page};
pub(crate) use letter::{Place, letters};

use super::Call;
use crate::cli::Dlq;

pub(super) async fn run(command: &Dlq, call: &Call<'_>) -> anyhow::Result<u8> {
    // A dead letter may name a record of the inbox, which must not be truncated while it is read.
    let _inbox = call.host.node.store.hold_inbox().await?;
    match command {
        Dlq::List(options) => list::run(options, call).await,
        Dlq::Show { letter, value } => show::run(*letter, *value, call).await,
        Dlq::Redrive(options) => redrive::run(options, call).await,
    }
}
