//! Writes the client library's own messages to our log.

use rdkafka::config::RDKafkaLogLevel as Level;
use rdkafka::consumer::ConsumerContext;
use rdkafka::error::KafkaError;
use rdkafka::{ClientContext, Statistics};

use crate::stats::Place;

/// For clients that need nothing more.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Plain;

impl ClientContext for Plain {
    fn log(&self, level: Level, facility: &str, message: &str) {
        log(level, facility, message);
    }
    fn error(&self, error: KafkaError, reason: &str) {
        tell(&error, reason);
    }
}

impl ConsumerContext for Plain {}

/// For clients that also say how they are.
pub(crate) struct Watched(pub(crate) Place);

impl ClientContext for Watched {
    fn log(&self, level: Level, facility: &str, message: &str) {
        log(level, facility, message);
    }
    fn error(&self, error: KafkaError, reason: &str) {
        tell(&error, reason);
    }
    fn stats(&self, statistics: Statistics) {
        self.0.take(&statistics);
    }
}

impl ConsumerContext for Watched {}

pub(crate) fn log(level: Level, facility: &str, message: &str) {
    match level {
        Level::Emerg | Level::Alert | Level::Critical | Level::Error => {
            tracing::warn!(target: "kafka", facility, "{message}");
        }
        _ => tracing::debug!(target: "kafka", facility, "{message}"),
    }
}

/// Logs an error from which the library recovers by itself.
pub(crate) fn tell(error: &KafkaError, reason: &str) {
    tracing::debug!(target: "kafka", %error, "{reason}");
}
