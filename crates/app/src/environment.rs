//! The only place that reads the process environment.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// What the environment says, read once at start.
#[derive(Debug, Clone)]
pub struct Environment {
    /// Every variable that is UTF-8.
    pub(crate) variables: BTreeMap<String, String>,
}

impl Environment {
    /// Reads it.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "the one home of environment access"
    )]
    pub fn read() -> Self {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Self { variables }
    }

    /// Directories of `PATH`.
    pub(crate) fn path(&self) -> Vec<PathBuf> {
        let path = self
            .variables
            .get("PATH")
            .map(String::as_str)
            .unwrap_or_default();
        std::env::split_paths(path).collect()
    }
}
