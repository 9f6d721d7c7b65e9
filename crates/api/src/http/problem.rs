//! Errors as problems (RFC 9457): a type, a title, the status, and what was wrong in one sentence.

use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::{IntoResponses, ToSchema};

use crate::refused::Refused;

/// After so many seconds it is worth asking again what a process that starts could not answer.
const AGAIN: u64 = 2;

/// Why a request is not answered as it was meant.
#[derive(Debug)]
pub(super) struct Problem(pub(super) Refused);

/// A problem, as it is sent.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ProblemDetails {
    /// Which kind of problem it is.
    r#type: &'static str,
    /// The same in words.
    title: &'static str,
    /// The status of the answer.
    status: u16,
    /// What was wrong, and what to do.
    detail: String,
}

/// The problems of every route, as the document has them.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "it is read by the document alone")]
pub(super) enum Problems {
    /// What was sent cannot be used, is not there, or is not for the sender of this token.
    #[response(status = "4XX", content_type = "application/problem+json")]
    Theirs(ProblemDetails),
    /// It cannot be done now, or there is a fault.
    #[response(status = "5XX", content_type = "application/problem+json")]
    Ours(ProblemDetails),
}

impl<E: Into<Refused>> From<E> for Problem {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl From<JsonRejection> for Refused {
    fn from(rejection: JsonRejection) -> Self {
        match rejection.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Self::TooLarge,
            _ => Self::Bad(format!(
                "The body cannot be used: {}.",
                rejection.body_text()
            )),
        }
    }
}

impl From<PathRejection> for Refused {
    fn from(rejection: PathRejection) -> Self {
        Self::Bad(format!(
            "The path cannot be used: {}.",
            rejection.body_text()
        ))
    }
}

/// What stands in a query, refused as a problem.
pub(super) fn query<T>(
    sent: Result<axum::extract::Query<T>, QueryRejection>,
) -> Result<T, Problem> {
    let axum::extract::Query(query) = sent?;
    Ok(query)
}

impl Refused {
    /// Its type, for programs.
    fn kind(&self) -> &'static str {
        match self {
            Self::NotThere(_) => "urn:threadlore:problem:not-there",
            Self::Bad(_) | Self::Method => "urn:threadlore:problem:bad-request",
            Self::TooLarge => "urn:threadlore:problem:too-large",
            Self::TooMany(_) | Self::TooManyQuestions => "urn:threadlore:problem:too-many",
            Self::Forbidden(_) | Self::Lacks(_) => "urn:threadlore:problem:lacks-right",
            Self::SignIn | Self::NoToken => "urn:threadlore:problem:no-token",
            Self::Busy(_) => "urn:threadlore:problem:busy",
            Self::Changed => "urn:threadlore:problem:changed-since",
            Self::Waits => "urn:threadlore:problem:waits",
            Self::NotYet | Self::Away(_) | Self::Provider(_) => "urn:threadlore:problem:away",
            Self::Failed(_) => "urn:threadlore:problem:fault",
        }
    }
}

impl Problem {
    /// It, as it is sent.
    pub(super) fn details(&self) -> ProblemDetails {
        let Self(refused) = self;
        let (status, title, detail) = refused.said();
        ProblemDetails {
            r#type: refused.kind(),
            title,
            status: status.as_u16(),
            detail: detail.to_owned(),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = self.details();
        let Self(refused) = self;
        refused.log();
        let (status, ..) = refused.said();
        let wait = match refused {
            Refused::TooMany(seconds) => Some(seconds),
            _ if status == StatusCode::SERVICE_UNAVAILABLE => Some(AGAIN),
            _ => None,
        };
        let mut response = (status, axum::Json(body)).into_response();
        let headers = response.headers_mut();
        let mut say = |name, value| headers.insert(name, header::HeaderValue::from_static(value));
        say(header::CONTENT_TYPE, "application/problem+json");
        if status == StatusCode::UNAUTHORIZED {
            say(header::WWW_AUTHENTICATE, "Bearer");
        }
        if let Some(seconds) = wait {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}
