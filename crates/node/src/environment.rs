//! The only place that reads the process environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use crate::error::BadInput;

/// The environment variables, read once at start.
#[derive(Debug, Clone)]
pub struct Environment {
    /// Every variable that is UTF-8.
    pub variables: BTreeMap<String, String>,
    /// The command line behind the program's name.
    arguments: Vec<OsString>,
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
        Self {
            variables,
            arguments: std::env::args_os().skip(1).collect(),
        }
    }

    /// The command line, for another process.
    ///
    /// # Errors
    /// [`BadInput`] where it is not UTF-8.
    pub fn arguments(&self) -> anyhow::Result<Vec<String>> {
        let texts = self.arguments.iter().map(|one| one.to_str());
        let texts = texts
            .map(|text| text.map(str::to_owned))
            .collect::<Option<_>>();
        Ok(texts.ok_or_else(|| {
            BadInput(
                "the command line is not UTF-8, so it cannot be handed to the process that owns \
                 the data directory: stop that one, or use another name"
                    .to_owned(),
            )
        })?)
    }

    /// Directories of `PATH`.
    #[must_use]
    pub fn path(&self) -> Vec<PathBuf> {
        let path = self
            .variables
            .get("PATH")
            .map(String::as_str)
            .unwrap_or_default();
        std::env::split_paths(path).collect()
    }
}
