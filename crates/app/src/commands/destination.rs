//! Where an export goes, or comes from: a directory, or objects, which are a directory on the way.

use std::path::{Path, PathBuf};

use tempfile::TempDir;
use threadlore_node::{Objects, is_objects};
use threadlore_settings::Settings;

use super::Call;
use super::archive::MANIFEST;
use crate::cli::Command;

/// The place that an export goes to.
pub(super) struct Destination {
    dir: PathBuf,
    objects: Option<(Objects, TempDir)>,
}

/// The address of objects that a path is, if it is one.
fn address(path: &Path) -> Option<&str> {
    path.to_str().filter(|path| is_objects(path))
}

/// Whether a path is a directory, and no address of objects.
pub(super) fn is_directory(path: &Path) -> bool {
    address(path).is_none()
}

impl Destination {
    /// What a command line names.
    ///
    /// # Errors
    /// `BadInput` where objects are there already, or the settings say nothing of their store.
    pub(super) async fn of(path: &Path, call: &Call<'_>) -> anyhow::Result<Self> {
        let Some(address) = address(path) else {
            return Ok(Self {
                dir: call.dir.join(path),
                objects: None,
            });
        };
        let node = &call.host.node;
        let objects = Objects::at(address, &node.settings.s3, node.clock.now())?;
        objects.check_free().await?;
        let on_the_way = tempfile::tempdir()?;
        Ok(Self {
            dir: on_the_way.path().join("export"),
            objects: Some((objects, on_the_way)),
        })
    }

    /// The directory in which files are to be written.
    pub(super) fn dir(&self) -> &Path {
        &self.dir
    }

    /// For people.
    pub(super) fn shown(&self) -> String {
        match &self.objects {
            Some((objects, _)) => objects.address().to_owned(),
            None => {
                let absolute = std::path::absolute(&self.dir);
                let shown = absolute.as_deref().unwrap_or(&self.dir).display();
                shown.to_string()
            }
        }
    }

    /// Sends what was written, one file as the last one.
    ///
    /// # Errors
    /// What the store of objects says.
    pub(super) async fn send(&self, last: Option<&str>) -> anyhow::Result<()> {
        match &self.objects {
            Some((objects, _)) => objects.put(&self.dir, last).await,
            None => Ok(()),
        }
    }
}

/// A command whose export is in a directory: of one among objects it is fetched, for as long as the directory is
/// held.
///
/// # Errors
/// `BadInput` where nothing is there, or the settings say nothing of their store; what that says.
pub(super) async fn fetched(
    command: Command,
    settings: &Settings,
) -> anyhow::Result<(Command, Option<TempDir>)> {
    let Command::Restore(mut options) = command else {
        return Ok((command, None));
    };
    let mut held = None;
    if let Some(address) = address(&options.from) {
        let objects = Objects::newest(address, &settings.s3, MANIFEST).await?;
        let here = tempfile::tempdir()?;
        objects.get(here.path()).await?;
        options.from = here.path().to_owned();
        held = Some(here);
    }
    Ok((Command::Restore(options), held))
}
