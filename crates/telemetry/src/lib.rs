//! Telemetry of a process: log lines, metrics and spans.
//!
//! [`init`] sends tracing output to standard error, so that standard output
//! stays for results. [`Metrics`] holds every counter, gauge and histogram of one table
//! ([`catalogue`]), from which the reference page is generated too.
//!
//! Labels are bounded: a label value is a `&'static str`, a partition number, or the name of a
//! consumer group. A person, a channel, a text or an error message cannot become a label. Every
//! record that is dropped is counted with its reason.
//!
//! [`Traces`] sends spans to a collector. The ids of spans are made by the caller (`TraceContext`
//! in `threadlore-model`).
//!
//! This crate opens no port: the binary serves the text of [`Metrics::render`].

pub mod catalogue;
mod error;
mod log;
mod metrics;
mod traces;

pub use catalogue::{Metric, reference};
pub use error::Error;
pub use log::init;
pub use metrics::{Metrics, Standing};
pub use traces::{Done, Traces};
