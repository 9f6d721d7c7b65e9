//! What the responder asks of memory.

use std::sync::Arc;

use async_trait::async_trait;
use threadlore_model::{Key, Recalled};
use threadlore_ports::{Authority, PortError, Right};
use threadlore_retrieval::{AskedIn, Memory};
use threadlore_roles::{RecallCall, Responder};
use threadlore_runtime::Caller;
use threadlore_telemetry::{Metrics, catalogue::STEP};

/// Answers from what everybody may see in the channel where it is asked.
pub(crate) struct Recall {
    pub(crate) memory: Arc<Memory>,
    pub(crate) authority: Authority,
    pub(crate) metrics: Metrics,
}

#[async_trait]
impl Caller<Responder> for Recall {
    fn step(&self) -> &'static str {
        "recall"
    }

    async fn answer(&self, key: &Key, call: &RecallCall) -> Result<Recalled, PortError> {
        let refused = |reason: String| PortError::Refused {
            doing: "searching memory",
            reason,
        };
        let space = key.space().map_err(|error| refused(error.to_string()))?;
        let scope = self.authority.authorise(&space, Right::Ask);
        let scope = scope.map_err(|denied| refused(denied.to_string()))?;
        let asked_in = AskedIn {
            channel: &call.channel,
            is_named: call.is_named,
        };
        let memory = &self.memory;
        let said = memory
            .answer(&scope, &call.question, Some(asked_in))
            .await?;
        self.metrics
            .record(&STEP, &["search", said.result()], said.seconds);
        let record = serde_json::to_string(&said.record);
        let record = record.map_err(|error| refused(error.to_string()))?;
        Ok(said.recalled(record, |case| self.memory.link(case)))
    }
}
