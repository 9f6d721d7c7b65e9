//! The models of a run: one that finds cases, one of vectors, and memory. All are late at random.

use async_trait::async_trait;
use threadlore_model::{
    Answer, CaseId, CitedCase, EventId, Extraction, Key, MemoryId, MessageId, Recalled,
    TurnOutcome, Window,
};
use threadlore_ports::{EmbedEngine, EmbedFor, ExtractEngine, PortError};
use threadlore_roles::{Responder, ResponderCall};
use threadlore_runtime::Caller;

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
            late(&self.0).await;
            let vectors = texts.iter().map(|text| vec![text.len() as f32, 0.5]);
            Ok(vectors.collect())
        };
        self.0.around(Boundary::Embed, call).await
    }
}

/// Memory that knows the matters that the workload writes about, each as one case that does not
/// exist; late at random.
pub(crate) struct SimRecall(pub(crate) Ctx);

#[async_trait]
impl Caller<Responder> for SimRecall {
    fn step(&self) -> &'static str {
        "recall"
    }

    async fn answer(&self, key: &Key, call: &ResponderCall) -> Result<Option<Recalled>, PortError> {
        let answered = async {
            late(&self.0).await;
            // Nobody tells this bot anything, and it answers in one channel.
            let ResponderCall::Recall(call) = call else {
                return Ok(None);
            };
            let matter = engine::matter(&call.question);
            let answer = matter.map(|matter| {
                let parts = [key.as_str(), matter];
                let case = CaseId::first_carried_by(EventId::of_content("recalled", &parts));
                Answer {
                    text: format!("about {matter}"),
                    cited: vec![CitedCase {
                        case,
                        close: 900,
                        version: 1,
                        evidence: vec![MessageId::from_uuid(case.as_uuid())],
                        authors: Vec::new(),
                    }],
                    memory: None,
                    // Who asks about the same asks the same.
                    precedent: Some(MemoryId::of_request(key, matter)),
                    composer: "simulated-1".to_owned(),
                }
            });
            Ok(Some(Recalled {
                outcome: match answer {
                    Some(_) => TurnOutcome::Answered,
                    None => TurnOutcome::NothingFound,
                },
                answer,
                nearest: Vec::new(),
                docs: Vec::new(),
                tag: None,
                rating: None,
                record: "{}".to_owned(),
                model_tokens: 0,
            }))
        };
        self.0.around(Boundary::Recall, answered).await
    }
}

/// Sleeps, in one call of three.
pub(crate) async fn late(ctx: &Ctx) {
    let ms = {
        let rng = &mut ctx.shared.lock().rng;
        match rng.chance(1, 3) {
            true => rng.between(1, 400),
            false => 0,
        }
    };
    if ms > 0 {
        ctx.shared.sleep(ms).await;
    }
}
