//! What a process says about itself: log lines and metrics.
//!
//! [`init`] sends tracing output to standard error, so that standard output
//! stays for results. [`Metrics`] holds every counter, gauge and histogram, with
//! names, units and descriptions in one table (`catalogue.rs`) from which the
//! reference page is generated too.
//!
//! Labels are bounded: a label value is a `&'static str`, a word that stands in
//! the program, a partition number, or the name of a consumer group. A person, a channel, a text or an error
//! message cannot become a label. Every record that is dropped is counted with
//! its reason.
//!
//! This crate serves nothing: the binary does, from [`Metrics::render`].

mod catalogue;
mod clients;
mod error;
mod log;
mod metrics;

pub use catalogue::reference;
pub use error::Error;
pub use log::init;
pub use metrics::{Metrics, Standing};
