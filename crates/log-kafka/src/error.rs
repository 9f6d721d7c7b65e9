//! Errors of the client library as those of the port.

use rdkafka::error::{KafkaError, RDKafkaErrorCode as Code};
use threadlore_ports::PortError;

use crate::access::{Right, User};

/// The name of this dependency in errors.
pub(crate) const KAFKA: &str = "Kafka";

/// A request to the cluster, for the error that it may fail with.
pub(crate) struct Attempt<'a> {
    pub(crate) doing: &'static str,
    /// The right that the call needs on a cluster with access rules.
    pub(crate) right: Right,
    pub(crate) user: &'a User,
}

impl Attempt<'_> {
    /// The error with its class: most errors of Kafka pass by themselves and are worth a retry.
    pub(crate) fn failed(&self, error: KafkaError) -> PortError {
        let Self { doing, right, user } = self;
        let reason = match error.rdkafka_error_code() {
            Some(code) if is_denied(code) => user.lacks(right),
            Some(code @ (Code::SaslAuthenticationFailed | Code::Authentication)) => {
                refused_login(code, user).unwrap_or_default()
            }
            Some(Code::FencedInstanceId | Code::UnreleasedInstanceId) => {
                "another process has the same kafka.instance_id: give every process its own"
                    .to_owned()
            }
            Some(Code::OffsetOutOfRange | Code::AutoOffsetReset) => format!(
                "Kafka does not hold an offset of {} any more: records were deleted, or the topic \
                 was made anew; restore it",
                right.resource()
            ),
            Some(Code::UnsupportedVersion | Code::UnsupportedFeature) => {
                format!("the broker is too old, or does not know how: {error}")
            }
            _ => {
                return PortError::Unavailable {
                    doing,
                    what: KAFKA,
                    source: Some(Box::new(error)),
                };
            }
        };
        PortError::Broken {
            doing,
            reason,
            source: Some(Box::new(error)),
        }
    }
}

/// Whether the cluster refuses for want of a right.
pub(crate) const fn is_denied(code: Code) -> bool {
    matches!(
        code,
        Code::TopicAuthorizationFailed
            | Code::GroupAuthorizationFailed
            | Code::ClusterAuthorizationFailed
    )
}

/// The sentence for a login that the cluster refuses; `None` for any other error.
pub(crate) fn refused_login(code: Code, user: &User) -> Option<String> {
    let refused = matches!(code, Code::SaslAuthenticationFailed | Code::Authentication);
    let name = user.name.as_deref().unwrap_or("of this process");
    refused.then(|| {
        format!(
            "Kafka refuses the login of user {name}: look at sasl.username, sasl.password and \
             sasl.mechanism in the file that kafka.properties_file names, and whether the cluster \
             has this user"
        )
    })
}

/// No answer within the time that is waited.
pub(crate) fn silent(doing: &'static str) -> PortError {
    PortError::Unavailable {
        doing,
        what: KAFKA,
        source: None,
    }
}

/// Runs blocking work on a thread for such work.
pub(crate) async fn blocking<T: Send + 'static>(
    doing: &'static str,
    work: impl FnOnce() -> Result<T, PortError> + Send + 'static,
) -> Result<T, PortError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(_) => Err(silent(doing)),
    }
}
