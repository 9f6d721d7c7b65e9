//! Why there is no such page, or nothing was changed, as a page of its own.

use axum::response::{IntoResponse, Response};
use maud::html;

use super::frame;
use crate::refused::Refused;

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, title, sentence) = self.said();
        self.log();
        let body = html! {
            h1 { (title) }
            p { (frame::with_code(sentence)) }
            @if matches!(self, Self::SignIn) {
                p { a href="/sign-in" { "Sign in with a name and a password" } }
            }
        };
        (status, frame::bare(title, &body)).into_response()
    }
}
