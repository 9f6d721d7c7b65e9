//! Why a request is not answered as it was meant. Pages and the HTTP API each say it in their way.

use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::http::StatusCode;
use threadlore_node::{BadInput, Busy};
use threadlore_ports::{Class, PortError, Right};

use crate::wording::text;

/// Why a request is not answered as it was meant.
#[derive(Debug)]
pub(crate) enum Refused {
    /// There is nothing at this address.
    NotThere(String),
    /// What was sent cannot be used.
    Bad(String),
    /// More was sent than is read.
    TooLarge,
    /// The bearer of a token sent too many requests: how many seconds to wait.
    TooMany(u64),
    /// Those who read the published pages ask too much just now.
    TooManyQuestions,
    /// It does not come from a page of ours, or from somebody who is signed in.
    Forbidden(&'static str),
    /// Neither the token nor the account has this right in the space.
    Lacks(Right),
    /// There is no token, or none that counts.
    NoToken,
    /// There is something at this address, and it takes no such method.
    Method,
    /// Somebody else is at it now.
    Busy(String),
    /// What is to be changed is not what the sender has seen.
    Changed,
    /// What was asked is in the log, and did not happen within the time that is waited.
    Waits,
    /// Nobody is signed in.
    SignIn,
    /// The process starts or stops.
    NotYet,
    /// A part that it needs does not answer now.
    Away(anyhow::Error),
    /// The sign-in provider does not answer, or its answer cannot be trusted.
    Provider(anyhow::Error),
    /// A fault.
    Failed(anyhow::Error),
}

impl From<anyhow::Error> for Refused {
    fn from(error: anyhow::Error) -> Self {
        if let Some(BadInput(sentence)) = error.downcast_ref() {
            return Self::Bad(sentence.clone());
        }
        if let Some(busy) = error.downcast_ref::<Busy>() {
            return Self::Busy(format!("{busy}."));
        }
        let is_away = |cause: &(dyn std::error::Error + 'static)| {
            let port: Option<&PortError> = cause.downcast_ref();
            port.is_some_and(|port| port.class() == Class::Retry)
        };
        match error.chain().any(is_away) {
            true => Self::Away(error),
            false => Self::Failed(error),
        }
    }
}

impl From<BadInput> for Refused {
    fn from(BadInput(sentence): BadInput) -> Self {
        Self::Bad(sentence)
    }
}

impl From<FormRejection> for Refused {
    fn from(rejection: FormRejection) -> Self {
        match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Self::TooLarge,
            _ => Self::Bad(text!("refused-form", what = rejection.body_text())),
        }
    }
}

impl From<QueryRejection> for Refused {
    fn from(rejection: QueryRejection) -> Self {
        Self::Bad(format!(
            "What stands behind the question mark of this address cannot be used ({}).",
            rejection.body_text()
        ))
    }
}

impl From<PortError> for Refused {
    fn from(error: PortError) -> Self {
        anyhow::Error::new(error).into()
    }
}

/// Why there is no page of a list behind what `after` says.
pub(crate) fn no_page(refused: Refused) -> Refused {
    match refused {
        Refused::NotThere(_) => Refused::Bad(
            "`after` names nothing in this space: it has to be what a page has as `next`."
                .to_owned(),
        ),
        other => other,
    }
}

impl Refused {
    /// The status, what it is called, and one sentence with what to do.
    pub(crate) fn said(&self) -> (StatusCode, &'static str, &str) {
        match self {
            Self::NotThere(sentence) => (StatusCode::NOT_FOUND, "Not here", sentence.as_str()),
            Self::Bad(sentence) => (
                StatusCode::BAD_REQUEST,
                "That does not work",
                sentence.as_str(),
            ),
            Self::TooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "That is too much",
                "More was sent than is read here: shorten the text, or send less at once.",
            ),
            Self::TooMany(_) => (
                StatusCode::TOO_MANY_REQUESTS,
                "Too many requests",
                "This token makes more requests of a minute than `api.requests_per_minute` lets it: wait for \
                 the seconds that `Retry-After` says.",
            ),
            Self::TooManyQuestions => (
                StatusCode::TOO_MANY_REQUESTS,
                "Too many questions",
                "So many questions come just now that yours was not taken: send it again in a minute.",
            ),
            Self::Lacks(right) => (StatusCode::FORBIDDEN, "Not allowed", lacks(*right)),
            Self::NoToken => (
                StatusCode::UNAUTHORIZED,
                "No token",
                "This needs a token that counts, as `Authorization: Bearer TOKEN`: there was none, or it ran \
                 out, was revoked, or was cut short. `threadlore token create` makes one.",
            ),
            Self::Method => (
                StatusCode::METHOD_NOT_ALLOWED,
                "Not this method",
                "There is something at this address, and it takes no such method: the document says which.",
            ),
            Self::Busy(sentence) => (StatusCode::CONFLICT, "Not at once", sentence.as_str()),
            Self::Changed => (
                StatusCode::PRECONDITION_FAILED,
                "Changed since",
                "It has changed since you read it (`If-Match` names another version): read it again.",
            ),
            Self::Waits => (
                StatusCode::GATEWAY_TIMEOUT,
                "It is in the log",
                "What was asked is kept, and was not done within ten seconds. It is done as soon as the roles \
                 that do it run and have caught up: do not send it again.",
            ),
            Self::Forbidden(sentence) => (StatusCode::FORBIDDEN, "Not allowed", *sentence),
            Self::SignIn => (
                StatusCode::UNAUTHORIZED,
                "Sign in",
                "These pages show what people wrote, so they are for who looks after this installation, and for \
                 people with an account. Open the link that `threadlore up` printed at its start, or have a \
                 new one printed: `threadlore sign-in`.",
            ),
            Self::NotYet => (
                StatusCode::SERVICE_UNAVAILABLE,
                "Not yet",
                "The process starts or stops: try again in a moment.",
            ),
            Self::Away(_) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "Not now",
                "The database or the log does not answer now: try again in a moment. What was sent may \
                 have been taken; look before you send it again.",
            ),
            Self::Provider(_) => (
                StatusCode::BAD_GATEWAY,
                "Not signed in",
                "The sign-in provider did not answer, or its answer cannot be trusted: try again. The log of \
                 threadlore on standard error says more.",
            ),
            Self::Failed(_) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "Something is broken",
                "This is a fault of threadlore, and its log on standard error says more.",
            ),
        }
    }

    /// Tells the log of what is ours to mend.
    pub(crate) fn log(&self) {
        match self {
            Self::Provider(error) => {
                tracing::warn!(
                    error = format!("{error:#}"),
                    "the sign-in provider does not answer, or its answer cannot be trusted"
                );
            }
            Self::Away(error) => {
                tracing::warn!(error = format!("{error:#}"), "a request was not answered");
            }
            Self::Failed(error) => {
                tracing::error!(error = format!("{error:#}"), "a request was not answered");
            }
            _ => {}
        }
    }
}

fn lacks(right: Right) -> &'static str {
    match right {
        Right::Ingest => "You may not send messages here: it needs the right `ingest`.",
        Right::Ask => "You may not ask here: it needs the right `ask`.",
        Right::Read => "You may not read this: it needs the right `read`.",
        Right::Admin => "You may not change anything here: it needs the right `admin`.",
    }
}
