//! Why there is no such page, or nothing was changed, as a page of its own.

use axum::response::{IntoResponse, Response};
use maud::html;

use super::frame;
use crate::refused::Refused;
use crate::wording::{say, translated};

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let (status, title, sentence) = self.said();
        self.log();
        let body = html! {
            h1 { (translated(title)) }
            p dir="auto" { (translated(sentence)) }
            @if matches!(self, Self::SignIn) {
                p { a href="/sign-in" { (say!("sign-in-with-name")) } }
            }
        };
        (status, frame::bare(&translated(title), &body)).into_response()
    }
}
