//! Settings of `intake`.

use threadlore_model::PersonHasher;

/// Settings of `intake`.
#[derive(Debug, Clone)]
pub struct IntakeParams {
    /// Makes person ids.
    pub hasher: PersonHasher,
    /// Texts are cut above this many bytes. Default 65,536.
    pub max_text_bytes: usize,
    /// A text that has this is the bot's own.
    pub case_link_base: String,
}
