//! Windows of the extractor, examined by an engine.

use std::sync::Arc;

use async_trait::async_trait;
use threadlore_model::Key;
use threadlore_ports::{ExtractEngine, PortError};
use threadlore_roles::{ExtractAnswer, ExtractCall, Extractor};
use threadlore_runtime::Caller;

/// Has an engine find cases. A window that failed is examined again with the next one, so a call is
/// given up after some attempts.
pub struct ExtractCaller(pub Arc<dyn ExtractEngine>);

#[async_trait]
impl Caller<Extractor> for ExtractCaller {
    fn step(&self) -> &'static str {
        "extract"
    }

    fn is_quick(&self) -> bool {
        self.0.is_quick()
    }

    async fn answer(&self, _key: &Key, call: &ExtractCall) -> Result<ExtractAnswer, PortError> {
        let extraction = self.0.extract(&call.window).await?;
        Ok(ExtractAnswer {
            engine: self.0.version().to_owned(),
            extraction,
        })
    }
}
