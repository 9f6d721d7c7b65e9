//! Calls of the engine. A panic becomes an error, and calls run on a thread for blocking work.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use qdrant_edge::OperationResult;
use threadlore_ports::PortError;

use crate::error::unavailable;

/// Runs calls of the engine. A panic in it becomes an error like any other.
pub(crate) fn attempt<T>(
    doing: &'static str,
    work: impl FnOnce() -> OperationResult<T>,
) -> Result<T, PortError> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|e| unavailable(doing, e)),
        Err(panic) => Err(unavailable(doing, said(panic.as_ref()))),
    }
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    // The first line says what the engine was doing; the rest is a backtrace.
    let text = text.unwrap_or_default();
    let text = text.split(", backtrace:").next().unwrap_or_default();
    format!("the engine gave up: {text}")
}

/// Runs blocking work on a thread for such work.
pub(crate) async fn blocking<T: Send + 'static>(
    doing: &'static str,
    work: impl FnOnce() -> Result<T, PortError> + Send + 'static,
) -> Result<T, PortError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(e) => Err(unavailable(doing, e)),
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        let error = attempt::<()>("testing", || panic!("number {}", 7)).expect_err("it panics");
        let source = error.source().expect("has a cause").to_string();
        assert_eq!(source, "the engine gave up: number 7");
    }
}
