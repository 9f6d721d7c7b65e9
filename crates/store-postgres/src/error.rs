//! What an error of the database means to the caller, by its code, never by its
//! words: a message may carry the text of a row.

use sqlx::Error;
use threadlore_ports::PortError;

/// Gives an error of the database its class.
pub(crate) fn failed(doing: &'static str) -> impl Fn(Error) -> PortError {
    move |error| classify(doing, error)
}

fn classify(doing: &'static str, error: Error) -> PortError {
    match &error {
        Error::Io(_) | Error::Tls(_) | Error::Protocol(_) => unavailable(doing, error),
        Error::PoolTimedOut | Error::PoolClosed | Error::WorkerCrashed => unavailable(doing, error),
        Error::Database(refusal) => match refusal.code().as_deref() {
            Some(code) if is_passing(code) => unavailable(doing, error),
            Some(code) if is_about_a_value(code) => PortError::Refused {
                doing,
                reason: format!("PostgreSQL cannot hold a value (code {code})"),
            },
            _ => broken(doing, "PostgreSQL refused a statement", error),
        },
        _ => broken(doing, "PostgreSQL answered with what cannot be read", error),
    }
}

/// Deadlock, serialization, lock time-outs (40, 55P03, 57014), lost connections
/// (08), shutdown and start-up (57P), full disk and memory (53), a standby (25006).
fn is_passing(code: &str) -> bool {
    ["08", "40", "53", "57P"]
        .iter()
        .any(|class| code.starts_with(class))
        || ["25006", "25P03", "55P03", "57014"].contains(&code)
}

/// A number, date, encoding or size out of range (22), or a limit of an index or
/// of a type (54).
fn is_about_a_value(code: &str) -> bool {
    code.starts_with("22") || code.starts_with("54")
}

fn unavailable(doing: &'static str, source: Error) -> PortError {
    PortError::Unavailable {
        doing,
        what: "PostgreSQL",
        source: Some(Box::new(source)),
    }
}

fn broken(doing: &'static str, reason: &str, source: Error) -> PortError {
    PortError::Broken {
        doing,
        reason: reason.to_owned(),
        source: Some(Box::new(source)),
    }
}

/// A number as a column holds it.
pub(crate) fn int(doing: &'static str, number: u64) -> Result<i64, PortError> {
    i64::try_from(number)
        .map_err(|_| PortError::broken(doing, format!("{number} is above the largest bigint")))
}

/// A number as the model holds it.
pub(crate) fn natural(doing: &'static str, number: i64) -> Result<u64, PortError> {
    u64::try_from(number)
        .map_err(|_| PortError::broken(doing, format!("{number} stands where none is below 0")))
}

/// Whether the schema or table of the statement does not exist.
pub(crate) fn is_missing(error: &Error) -> bool {
    let code = error.as_database_error().and_then(|e| e.code());
    matches!(code.as_deref(), Some("42P01" | "3F000"))
}
