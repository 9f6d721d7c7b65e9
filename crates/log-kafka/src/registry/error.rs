use std::error::Error;

use threadlore_ports::PortError;

pub(super) const DOING: &str = "asking the schema registry";

/// An error of the registry. It names the address, never credentials.
#[derive(Debug, thiserror::Error)]
#[error("{url}: {why}")]
pub struct RegistryError {
    url: String,
    why: String,
    #[source]
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl RegistryError {
    pub(super) fn new(url: &str, why: impl Into<String>) -> Self {
        let (url, why, source) = (url.to_owned(), why.into(), None);
        Self { url, why, source }
    }

    pub(super) fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}

pub(super) fn unavailable(what: &'static str, source: RegistryError) -> PortError {
    PortError::Unavailable {
        doing: DOING,
        what,
        source: Some(Box::new(source)),
    }
}

pub(super) fn broken(reason: impl Into<String>) -> PortError {
    PortError::broken(DOING, reason)
}
