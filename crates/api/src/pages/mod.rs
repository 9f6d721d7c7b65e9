//! Pages for people who look after a space, served at the address of the setting `api.listen`.
//!
//! | file | holds |
//! |---|---|
//! | `account` | signing in, choosing one's own password, signing out |
//! | `guard` | which requests are let in, and what every answer says to browsers |
//! | `frame` | what all pages have, and how texts, moments and links are written |
//! | `refused` | why there is no such page, as a page |
//! | `published` | pages for anybody: solved cases of published channels, and what search engines want to know |
//! | `readers` | the question box of the pages for everybody |
//! | `home`, `questions`, `cases`, `ask`, `graph`, `memories`, `people`, `channels`, `tokens`, `accounts`, `imports`, `health`, `settings`, `dead_letters`, `replays` | a subject each: its routes, and what they show |

mod account;
mod accounts;
mod ask;
mod cases;
mod channels;
mod dead_letters;
mod frame;
mod graph;
mod guard;
mod health;
mod home;
mod imports;
mod memories;
mod messages;
mod people;
mod published;
mod questions;
mod readers;
mod refused;
mod replays;
mod settings;
mod tokens;

pub(crate) use guard::origin_for_others;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::header;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::provider::CALLBACK;
use crate::refused::Refused;
use crate::site::Site;
use crate::words::BODY;

/// The pages, each let in by its guard.
pub(crate) fn routes(site: &Site) -> Router<Site> {
    let inside = Router::new()
        .route("/", get(home::entrance))
        .route("/s/{space}", get(home::show))
        .route("/s/{space}/report", get(home::show_report))
        .route("/s/{space}/graph", get(graph::show))
        .merge(questions::routes())
        .merge(cases::routes())
        .merge(memories::routes())
        .merge(channels::routes())
        .merge(messages::routes())
        .merge(people::routes())
        .merge(tokens::routes())
        .merge(accounts::routes())
        .merge(imports::routes())
        .merge(dead_letters::routes())
        .merge(replays::routes())
        .route("/health", get(health::show))
        .route("/settings", get(settings::show))
        .route("/account", get(account::show).post(account::change))
        .route("/s/{space}/ask", get(ask::show))
        .route_layer(from_fn_with_state(site.clone(), guard::signed_in));
    Router::new()
        .merge(inside)
        .merge(published::routes())
        .merge(readers::routes())
        .route("/sign-in", get(account::sign_in).post(account::enter))
        .route("/sign-in/provider", get(account::to_provider))
        .route(CALLBACK, get(account::callback))
        .route("/join", get(account::invited).post(account::join))
        .route("/sign-out", post(account::sign_out))
        .route("/language", post(guard::choose))
        .route("/style.css", get(style))
        .fallback(|| async { Refused::NotThere("There is no such page.".to_owned()) })
        .layer(DefaultBodyLimit::max(BODY))
        .layer(from_fn_with_state(site.clone(), guard::checked))
}

async fn style() -> ([(header::HeaderName, &'static str); 1], &'static str) {
    let kind = [(header::CONTENT_TYPE, "text/css; charset=utf-8")];
    (kind, include_str!("style.css"))
}
