//! Errors at the start.

/// Telemetry could not be set up. Fatal: it happens once, at start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The level is neither a level nor a filter.
    #[error(
        "the setting `telemetry.level` is {level:?}, but it must be error, warn, info, debug, trace \
         or a filter such as info,threadlore_runtime=debug"
    )]
    Level {
        /// The given value.
        level: String,
        /// The error of the filter's parser, if the parser was reached.
        source: Option<tracing_subscriber::filter::ParseError>,
    },
    /// Something else in this process already receives tracing output.
    #[error("logging is already set up in this process; call init once")]
    AlreadySet,
    /// Spans cannot be sent where the settings say.
    #[error(
        "the setting `telemetry.otlp_endpoint` is {endpoint:?}, but it must be the URL of a collector \
         that takes OTLP over gRPC, such as \"http://127.0.0.1:4317\": {reason}"
    )]
    Collector {
        /// The given value.
        endpoint: String,
        /// Why it cannot be used.
        reason: String,
    },
    /// A metric could not be registered or written: a defect in the catalogue.
    #[error("the metrics cannot be registered or rendered")]
    Metric(#[from] prometheus::Error),
}
