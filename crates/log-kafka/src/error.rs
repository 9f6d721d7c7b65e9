//! Errors of the client library as those of the port.

use rdkafka::error::{KafkaError, RDKafkaErrorCode as Code};
use threadlore_ports::PortError;

/// What is said to be away.
const KAFKA: &str = "Kafka";

/// Classed by what can be done: most of what Kafka refuses passes by itself.
pub(crate) fn classed(doing: &'static str, what: &str, error: KafkaError) -> PortError {
    let reason = match error.rdkafka_error_code() {
        Some(
            Code::TopicAuthorizationFailed
            | Code::GroupAuthorizationFailed
            | Code::ClusterAuthorizationFailed,
        ) => format!(
            "Kafka does not allow {what}: give this user the ACLs that `threadlore topics render \
             acls` prints"
        ),
        Some(Code::SaslAuthenticationFailed | Code::Authentication) => {
            "Kafka refuses the user name or the password: look at the file that kafka.properties_file names"
                .to_owned()
        }
        Some(Code::FencedInstanceId | Code::UnreleasedInstanceId) => {
            "another process has the same kafka.instance_id: give every process its own".to_owned()
        }
        Some(Code::OffsetOutOfRange | Code::AutoOffsetReset) => format!(
            "Kafka was asked {what} and does not hold that any more: records were deleted, or the \
             topic was made anew; restore it"
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

/// No answer within the time that is waited.
pub(crate) fn silent(doing: &'static str) -> PortError {
    PortError::Unavailable {
        doing,
        what: KAFKA,
        source: None,
    }
}

/// Runs what blocks on a thread where that does no harm.
pub(crate) async fn blocking<T: Send + 'static>(
    doing: &'static str,
    work: impl FnOnce() -> Result<T, PortError> + Send + 'static,
) -> Result<T, PortError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(_) => Err(silent(doing)),
    }
}
