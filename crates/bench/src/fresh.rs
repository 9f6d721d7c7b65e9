//! What a suite that runs the whole system begins with.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use threadlore_settings::Settings;
use tokio::runtime::{Builder, Runtime};

/// A runtime as the program has it.
pub(crate) fn runtime() -> anyhow::Result<Runtime> {
    let runtime = Builder::new_multi_thread().enable_all().build();
    runtime.context("starting the async runtime")
}

/// The default settings, with a data directory.
pub(crate) fn settings(dir: &Path) -> anyhow::Result<Settings> {
    let mut settings = Settings::load(None, &BTreeMap::new())?;
    settings.data_dir = dir.to_owned();
    Ok(settings)
}
