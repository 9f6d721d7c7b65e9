//! What is searched for, and where.

use threadlore_model::CaseId;
use threadlore_ports::{Readable, Scope};

/// A question, and the place where it is asked.
#[derive(Debug, Clone, Copy)]
pub struct Inquiry<'a> {
    /// The space whose cases may be read.
    pub scope: &'a Scope,
    /// The channels whose cases may be shown where it is asked.
    pub readable: &'a Readable,
    /// The question.
    pub text: &'a str,
    /// The case whose answer who asks had to the same question a short time before: it is no answer now,
    /// however close it is.
    pub had: Option<CaseId>,
}

impl<'a> Inquiry<'a> {
    /// A question that is asked for the first time.
    #[must_use]
    pub const fn new(scope: &'a Scope, readable: &'a Readable, text: &'a str) -> Self {
        Self {
            scope,
            readable,
            text,
            had: None,
        }
    }
}
