//! Texts of the embedder, whose vectors a model computes.

use std::sync::Arc;

use async_trait::async_trait;
use threadlore_model::Key;
use threadlore_ports::{EmbedEngine, EmbedFor, PortError};
use threadlore_roles::{EmbedAnswer, EmbedCall, Embedder};
use threadlore_runtime::{Caller, Patience};

/// Has a model compute vectors. Nothing would ask for a vector again, so a model that is away is
/// waited for.
pub struct EmbedCaller(pub Arc<dyn EmbedEngine>);

#[async_trait]
impl Caller<Embedder> for EmbedCaller {
    fn step(&self) -> &'static str {
        "embed"
    }

    fn patience(&self, _call: &EmbedCall) -> Patience {
        Patience::Endless
    }

    async fn answer(&self, _key: &Key, call: &EmbedCall) -> Result<EmbedAnswer, PortError> {
        let texts: Vec<String> = call.texts.iter().map(|text| text.text.clone()).collect();
        let vectors = self.0.embed(&texts, EmbedFor::Passage).await?;
        if vectors.len() != texts.len() {
            return Err(PortError::Refused {
                doing: "computing vectors",
                reason: format!("{} vectors came for {} texts", vectors.len(), texts.len()),
            });
        }
        Ok(EmbedAnswer {
            model: self.0.model().to_owned(),
            vectors,
        })
    }

    fn reason(&self, call: &EmbedCall, error: &PortError) -> String {
        let cases: Vec<String> = call
            .texts
            .iter()
            .map(|text| text.case.to_string())
            .collect();
        format!("{error}; without a vector are cases {}", cases.join(", "))
    }
}
