//! Where the models of this process are.

use std::path::{Path, PathBuf};

use crate::owner_only;

/// The models of a data directory: a directory for each.
#[must_use]
pub fn models_dir(data_dir: &Path) -> PathBuf {
    data_dir.join("models")
}

/// The same for one who adds to them: the data directory is made if it is missing, and what this
/// process makes from now on is closed to other users, as all of it must be.
///
/// # Errors
/// When the data directory cannot be made, or is not this user's alone.
pub fn make_models_dir(data_dir: &Path) -> anyhow::Result<PathBuf> {
    owner_only::umask();
    owner_only::prepare(data_dir)?;
    Ok(models_dir(data_dir))
}
