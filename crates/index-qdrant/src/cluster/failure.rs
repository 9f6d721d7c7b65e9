//! Failures of a server, as errors of the port.

use std::fmt;
use std::time::Duration;

use qdrant_client::QdrantError;
use threadlore_ports::PortError;

use crate::error::unavailable;

/// Longer messages are cut, because a server may quote the request.
const LONGEST_MESSAGE: usize = 300;

/// The kind of a failure, by the code of gRPC and never by the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The server is away, late, busy or locked: trying again may help.
    Passing,
    /// There is no such collection.
    Missing,
    /// There is one already.
    Exists,
    /// The server refuses the request as it is.
    Invalid,
    /// The server does not know the key, or the key may not do this.
    Denied,
    /// The server has no such call.
    Unknown,
}

/// A request that failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    /// How long the server asked to be left alone.
    pub(crate) patience: Option<Duration>,
    /// The address, the code and the message.
    said: Said,
}

/// The server's answer, as the cause of an error.
#[derive(Debug)]
struct Said(String);

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Said {}

impl Failure {
    /// Of a request to the server at a URL.
    pub(crate) fn new(url: &str, error: &QdrantError) -> Self {
        let (status, patience) = match error {
            QdrantError::ResponseError { status } => (status, None),
            QdrantError::ResourceExhaustedError {
                status,
                retry_after_seconds,
            } => (status, Some(Duration::from_secs(*retry_after_seconds))),
            other => return Self::passing(url, &other.to_string()),
        };
        let code = status.code();
        let said = format!("{code:?}: {}", status.message());
        Self {
            kind: kind(code as i32),
            patience,
            ..Self::passing(url, &said)
        }
    }

    /// A failure that is in the answer itself, for example that the work is not done yet.
    pub(crate) fn passing(url: &str, said: &str) -> Self {
        let said: String = said.chars().take(LONGEST_MESSAGE).collect();
        Self {
            kind: Kind::Passing,
            patience: None,
            said: Said(format!("Qdrant at {url}: {said}")),
        }
    }

    /// The error of the port, unless the caller has a better one.
    pub(crate) fn error(self, doing: &'static str) -> PortError {
        let Said(said) = &self.said;
        match self.kind {
            Kind::Passing | Kind::Missing | Kind::Exists => unavailable(doing, self.said),
            Kind::Invalid => PortError::Refused {
                doing,
                reason: format!("the server does not take the request; {said}"),
            },
            Kind::Denied => PortError::broken(
                doing,
                format!(
                    "the server refuses the API key: use one that may make, change and drop \
                     collections; {said}"
                ),
            ),
            Kind::Unknown => PortError::broken(
                doing,
                format!("what answers there is no Qdrant server of 1.15 or newer; {said}"),
            ),
        }
    }
}

/// Numbers of gRPC's status codes. Those that are not here are passing: 1 cancelled,
/// which is also what the client calls its own time limit; 2 unknown, 13 internal,
/// which is also what it calls a connection that could not be made; 4 deadline
/// exceeded; 8 resource exhausted; 9 failed precondition, which is a lock that an
/// operator set; 10 aborted; 14 unavailable; 15 data loss.
const fn kind(code: i32) -> Kind {
    match code {
        3 | 11 => Kind::Invalid,
        5 => Kind::Missing,
        6 => Kind::Exists,
        7 | 16 => Kind::Denied,
        12 => Kind::Unknown,
        _ => Kind::Passing,
    }
}
