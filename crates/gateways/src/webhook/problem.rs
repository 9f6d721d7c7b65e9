//! Errors as problem details (RFC 9457).

use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// When a caller should try again.
const PAUSE: Duration = Duration::from_secs(5);

/// Why a call is not taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    /// What is wrong, where, and what to do.
    detail: String,
    /// The number of the line that is wrong, from 1.
    line: Option<u64>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            status,
            detail: detail.into(),
            line: None,
        }
    }

    pub(super) fn at(self, line: Option<u64>) -> Self {
        Self { line, ..self }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Self {
            status,
            detail,
            line,
        } = self;
        let mut body = json!({
            "type": "about:blank",
            "title": status.canonical_reason().unwrap_or_default(),
            "status": status.as_u16(),
            "detail": detail,
        });
        if let Some(line) = line {
            body["line"] = line.into();
        }
        let mut response = (status, body.to_string()).into_response();
        let headers = response.headers_mut();
        let problem = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, problem);
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, PAUSE.as_secs().into());
        }
        if status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Webhook-Signature");
            headers.insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}
