//! `threadlore verify`: rebuilds next to the live build, compares the two, names the differences,
//! and drops the new build.

use super::Call;
use super::rebuild::{Outcome, Progress, chosen, report, settle};
use crate::cli::Verify;

pub(super) async fn run(options: &Verify, call: &Call<'_>) -> anyhow::Result<u8> {
    call.host.start().await?;
    settle(call).await?;
    let mut outcomes = Vec::new();
    for projection in chosen(options.projection) {
        let progress = Progress::on(call.out);
        let watcher = |stage| progress.at(stage);
        let compared = call.host.verify(projection, &watcher).await?;
        outcomes.push(Outcome::of(compared));
    }
    report(&outcomes, call)
}
