//! Parses a model's answer as JSON, and describes why an answer cannot be used.

use serde::de::DeserializeOwned;
use serde_json::error::Category;
use threadlore_language::clean::clean;

/// Why an answer cannot be used.
#[derive(Debug)]
pub(crate) struct Unusable {
    /// For logs and dead letters: without any text of the answer.
    pub(crate) reason: String,
    /// For the model.
    pub(crate) told: String,
}

impl Unusable {
    /// Uses one reason for both; it must have no text of the answer.
    pub(crate) fn because(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        let told = reason.clone();
        Self { reason, told }
    }
}

/// Parses the answer as `T`. Additional fields are ignored, and so is what a model says around its
/// answer: reasoning, control tokens, a Markdown fence around the whole.
pub(crate) fn json<T: DeserializeOwned>(said: &str) -> Result<T, Unusable> {
    let cleaned = clean(said);
    let said = unfenced(cleaned.text.trim());
    if said.is_empty() {
        return Err(Unusable::because("it is empty"));
    }
    serde_json::from_str(said).map_err(|e| {
        let kind = match e.classify() {
            Category::Data => "it is JSON of another shape than asked for",
            _ => "it is no JSON",
        };
        Unusable {
            reason: format!("{kind} (line {}, column {})", e.line(), e.column()),
            told: format!("{kind}: {e}"),
        }
    })
}

fn unfenced(said: &str) -> &str {
    let inner = said.strip_prefix("```").and_then(|s| s.strip_suffix("```"));
    inner.map_or(said, |inner| {
        inner.strip_prefix("json").unwrap_or(inner).trim()
    })
}

/// At most so many characters.
pub(crate) fn cut(text: &str, most: usize) -> String {
    text.trim().chars().take(most).collect()
}
