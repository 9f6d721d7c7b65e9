//! The models of a run: one that finds cases, and one of vectors. Both are late at random.

use async_trait::async_trait;
use threadlore_model::{Extraction, Window};
use threadlore_ports::{EmbedEngine, EmbedFor, ExtractEngine, PortError};

use crate::sim::engine;
use crate::sim::faults::Boundary;
use crate::sim::jobs::MODEL;
use crate::sim::sched::Ctx;

/// An engine whose answers differ from call to call, as a model's do.
pub(crate) struct SimEngine {
    pub(crate) ctx: Ctx,
    /// Whether the loop waits for its answers.
    pub(crate) quick: bool,
}

#[async_trait]
impl ExtractEngine for SimEngine {
    fn version(&self) -> &str {
        "simulated-1"
    }

    fn is_quick(&self) -> bool {
        self.quick
    }

    async fn extract(&self, window: &Window) -> Result<Extraction, PortError> {
        let call = async {
            let (blind, ms) = {
                let rng = &mut self.ctx.shared.lock().rng;
                (
                    rng.chance(1, 10),
                    if rng.chance(1, 3) {
                        rng.between(1, 400)
                    } else {
                        0
                    },
                )
            };
            if ms > 0 {
                self.ctx.shared.sleep(ms).await;
            }
            Ok(if blind {
                Extraction::default()
            } else {
                engine::extract(window)
            })
        };
        self.ctx.around(Boundary::Extract, call).await
    }
}

/// A model of vectors, late at random.
pub(crate) struct SimEmbedder(pub(crate) Ctx);

#[async_trait]
impl EmbedEngine for SimEmbedder {
    fn model(&self) -> &str {
        MODEL
    }

    fn dimensions(&self) -> u32 {
        2
    }

    async fn embed(
        &self,
        texts: &[String],
        _what_for: EmbedFor,
    ) -> Result<Vec<Vec<f32>>, PortError> {
        let call = async {
            let ms = {
                let rng = &mut self.0.shared.lock().rng;
                match rng.chance(1, 3) {
                    true => rng.between(1, 400),
                    false => 0,
                }
            };
            if ms > 0 {
                self.0.shared.sleep(ms).await;
            }
            let vectors = texts.iter().map(|text| vec![text.len() as f32, 0.5]);
            Ok(vectors.collect())
        };
        self.0.around(Boundary::Embed, call).await
    }
}
