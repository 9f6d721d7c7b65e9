//! The double of a Qdrant server as a process of its own (`tools/qdrant`, with Qdrant's engine behind
//! it).

use std::path::PathBuf;

use crate::beside::Beside;

/// A double on the loopback interface; it ends with this, and with this process.
pub struct Qdrant {
    url: String,
    process: Beside,
}

impl Qdrant {
    /// Starts an empty one.
    ///
    /// # Panics
    /// When it was not built, or does not start.
    #[must_use]
    pub fn start() -> Self {
        let (process, url) = Beside::start(&double(), &[], "`./dev test --all` builds it");
        Self { url, process }
    }

    /// Its process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Where it listens, with `http://`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

/// What `./dev test --all` built.
#[expect(clippy::disallowed_methods, reason = "as ./dev sets it")]
fn double() -> PathBuf {
    let built = std::env::var_os("THREADLORE_QDRANT_DOUBLE");
    built.map_or_else(|| PathBuf::from("qdrant-double"), PathBuf::from)
}
