//! A model that reads a question together with each case that was found.

use std::sync::Arc;
use std::time::Duration;

use threadlore_model::{Case, text_of_case};
use threadlore_ports::RankEngine;

use crate::record::{Degraded, RetrievalRecord};
use crate::search::Retrieval;

/// A model that reads a question and a case together, and how long it may take.
#[derive(Clone)]
pub struct Reranker {
    /// The model.
    pub engine: Arc<dyn RankEngine>,
    /// The longest time for all candidates of a question.
    pub limit: Duration,
}

impl Retrieval {
    /// How well each of the cases answers, by a model that reads it with the question. None without such a
    /// model, or where it does not answer.
    pub(crate) async fn reranked(
        &self,
        question: &str,
        cases: &[&Case],
        record: &mut RetrievalRecord,
    ) -> Vec<f32> {
        let Some(reranker) = self.ports.reranker.as_ref().filter(|_| !cases.is_empty()) else {
            return Vec::new();
        };
        let texts = cases.iter().map(|case| text_of_case(case));
        let texts: Vec<String> = texts.map(Option::unwrap_or_default).collect();
        let rank = reranker.engine.rank(question, &texts);
        match self.stage(&self.reranker, reranker.limit, rank).await {
            Ok(chances) => {
                record.reranked_by = Some(reranker.engine.version().to_owned());
                chances
            }
            Err(()) => {
                record.degraded.push(Degraded::Reranker);
                Vec::new()
            }
        }
    }
}
