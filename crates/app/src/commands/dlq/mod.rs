//! `threadlore dlq`: lists, shows and redrives dead letters.

mod list;
mod redrive;
mod show;

use super::Call;
use crate::cli::Dlq;

pub(super) async fn run(command: &Dlq, call: &Call<'_>) -> anyhow::Result<u8> {
    match command {
        Dlq::List(options) => list::run(options, call).await,
        Dlq::Show { letter, value } => show::run(*letter, *value, call).await,
        Dlq::Redrive(options) => redrive::run(options, call).await,
    }
}
