//! What is promoted, expires or is archived: the only place that says so. The role that
//! owns a row applies these rules to it, on its own channel time. So far: an open case
//! expires that nothing happened to for a week, unless somebody suggested something: that is
//! worth finding for as long as the chat is.

use std::time::Duration;

use threadlore_model::{Case, Status, Timestamp};

/// When a case expires; `None` where it does not. `age`: channel time without a change.
#[must_use]
pub(crate) fn expires_at(case: &Case, age: Duration) -> Option<Timestamp> {
    let waits = case.status() == Status::Open && case.suggestion.is_none();
    waits.then(|| case.changed_at.plus(age))
}
