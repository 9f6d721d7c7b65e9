//! Errors of the index.

use std::error::Error;

use threadlore_ports::{Generation, PortError};

/// The index could not do it; trying again may help.
pub(crate) fn unavailable(
    doing: &'static str,
    source: impl Into<Box<dyn Error + Send + Sync>>,
) -> PortError {
    PortError::Unavailable {
        doing,
        what: "the index of cases",
        source: Some(source.into()),
    }
}

/// The collection of this build was never made, or it was dropped.
pub(crate) fn not_open(doing: &'static str, build: Generation) -> PortError {
    PortError::Refused {
        doing,
        reason: format!("the index of {build} is not open: open it first"),
    }
}
