//! Why there is no such page, or nothing was changed, as a page of its own.

use axum::extract::rejection::{FormRejection, QueryRejection};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::html;
use threadlore_node::BadInput;
use threadlore_ports::{Class, PortError};

use super::frame;

/// Why a request is not answered as it was meant.
#[derive(Debug)]
pub(super) enum Refused {
    /// There is nothing at this address.
    NotThere(String),
    /// What was sent cannot be used.
    Bad(String),
    /// More was sent than is read.
    TooLarge,
    /// It does not come from a page of ours, or from somebody who is signed in.
    Forbidden(&'static str),
    /// Nobody is signed in.
    SignIn,
    /// The process starts or stops.
    NotYet,
    /// A part that it needs does not answer now.
    Away(anyhow::Error),
    /// A fault.
    Failed(anyhow::Error),
}

impl From<anyhow::Error> for Refused {
    fn from(error: anyhow::Error) -> Self {
        if let Some(BadInput(sentence)) = error.downcast_ref() {
            return Self::Bad(sentence.clone());
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
            _ => Self::Bad(format!(
                "That is not the form of this page ({}): open the page again.",
                rejection.body_text()
            )),
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

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, title, sentence) = match &self {
            Self::NotThere(sentence) => (StatusCode::NOT_FOUND, "Not here", sentence.as_str()),
            Self::Bad(sentence) => (
                StatusCode::BAD_REQUEST,
                "That does not work",
                sentence.as_str(),
            ),
            Self::TooLarge => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "That is too much",
                "A form has a few thousand characters at most: shorten the text.",
            ),
            Self::Forbidden(sentence) => (StatusCode::FORBIDDEN, "Not allowed", *sentence),
            Self::SignIn => (
                StatusCode::UNAUTHORIZED,
                "Sign in",
                "These pages show what people wrote, so they are for who looks after this installation. \
                 Open the link that `threadlore up` printed at its start, or have a new one printed: \
                 `threadlore sign-in`.",
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
            Self::Failed(_) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "Something is broken",
                "This is a fault of threadlore, and its log on standard error says more.",
            ),
        };
        match &self {
            Self::Away(error) => {
                tracing::warn!(error = format!("{error:#}"), "a page was not shown")
            }
            Self::Failed(error) => {
                tracing::error!(error = format!("{error:#}"), "a page was not shown");
            }
            _ => {}
        }
        let body = html! {
            h1 { (title) }
            p { (frame::with_code(sentence)) }
        };
        (status, frame::bare(title, &body)).into_response()
    }
}
