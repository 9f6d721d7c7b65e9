//! What the responder asks of memory.

use std::sync::Arc;

use async_trait::async_trait;
use threadlore_model::{ChannelId, Recalled, SpaceId};
use threadlore_ports::{Authority, PortError, RecallEngine, Right};
use threadlore_retrieval::{Asked, Memory};
use threadlore_telemetry::Metrics;

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
impl RecallEngine for Recall {
    async fn recall(
        &self,
        space: &SpaceId,
        channel: &ChannelId,
        question: &str,
    ) -> Result<Recalled, PortError> {
        let refused = |reason: String| PortError::Refused {
            doing: "searching memory",
            reason,
        };
        let scope = self.authority.authorise(space, Right::Ask);
        let scope = scope.map_err(|denied| refused(denied.to_string()))?;
        let asked = Asked {
            scope: &scope,
            channel: (channel.platform() != CONSOLE).then_some(channel),
            text: question,
        };
        let said = self.memory.answer(asked, Some(channel)).await?;
        self.metrics
            .step_ended("search", said.result(), said.seconds);
        let record = serde_json::to_string(&said.record);
        let record = record.map_err(|error| refused(error.to_string()))?;
        Ok(said.recalled(record))
    }
}
