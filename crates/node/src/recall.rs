//! What the responder asks of memory.

use std::sync::Arc;

use async_trait::async_trait;
use threadlore_model::{Key, Recalled};
use threadlore_ports::{Authority, PortError, Right};
use threadlore_retrieval::{Asked, Memory};
use threadlore_roles::{RecallCall, Responder};
use threadlore_runtime::Caller;
use threadlore_telemetry::{Metrics, catalogue::STEP};

/// The platform of channels on the operator's own terminal.
pub const CONSOLE: &str = "console";

/// Answers from the cases of the channel in which it is asked: everybody there may see them. On the
/// operator's own terminal, from all cases of the space.
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
        let channel = &call.channel;
        let scope = self.authority.authorise(&space, Right::Ask);
        let scope = scope.map_err(|denied| refused(denied.to_string()))?;
        let asked = Asked {
            scope: &scope,
            channel: (channel.platform() != CONSOLE).then_some(channel),
            text: &call.question,
        };
        let said = self.memory.answer(asked, Some(channel)).await?;
        self.metrics
            .record(&STEP, &["search", said.result()], said.seconds);
        let record = serde_json::to_string(&said.record);
        let record = record.map_err(|error| refused(error.to_string()))?;
        Ok(said.recalled(record, |case| self.memory.link(case)))
    }
}
