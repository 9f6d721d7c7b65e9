//! The double of a Qdrant server as a process of its own (an example of `index-qdrant`, with
//! Qdrant's engine behind it).

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
        let built = "`cargo build --workspace --examples` builds it";
        let (process, url) = Beside::start("debug/examples/qdrant-double", &[], built);
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
