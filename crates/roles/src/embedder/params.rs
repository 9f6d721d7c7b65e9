//! Settings of `embedder`.

/// Settings of `embedder`.
#[derive(Debug, Clone)]
pub struct EmbedderParams {
    /// The model with its version, as the engine names it.
    pub model: String,
    /// Texts in one call. Default 32.
    pub batch: usize,
    /// Texts of one channel that may wait for their vectors before its shard stops
    /// reading. Default 10,000.
    pub backlog: usize,
}

impl EmbedderParams {
    /// The defaults, for a model.
    #[must_use]
    pub fn of_model(model: impl Into<String>) -> Self {
        Self {
            model: model.into(),
            batch: 32,
            backlog: 10_000,
        }
    }
}
