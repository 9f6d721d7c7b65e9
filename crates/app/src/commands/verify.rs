//! `threadlore verify`: rebuilds next to the live build, compares the two, names the differences,
//! and drops the new build.

use super::Call;
use super::rebuild::{chosen, rebuild, report, settle};
use crate::cli::Verify;

pub(super) async fn run(options: &Verify, call: &Call<'_>) -> anyhow::Result<u8> {
    let feeding = call.host.start().await?;
    settle(call).await?;
    let mut told = Vec::new();
    for projection in chosen(options.projection) {
        let mut held = feeding.hold(&call.host.node, projection).await?;
        let outcome = rebuild(call, &mut held, projection).await?;
        held.drop_build(outcome.generation).await?;
        held.feed().await?;
        told.push(outcome);
    }
    report(&told, call)
}
