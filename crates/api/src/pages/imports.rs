//! Importing a chat: a file that a browser sends, and how far it is taken.

use axum::extract::multipart::{Field, Multipart, MultipartError, MultipartRejection};
use axum::extract::{DefaultBodyLimit, Path as In, State};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Extension, Router};
use futures::TryStreamExt as _;
use maud::{Markup, html};
use threadlore_model::SpaceId;
use threadlore_node::ImportRequest;
use threadlore_ports::Right;

use super::frame::{Place, page, when};
use crate::access::Visitor;
use crate::cases::actor;
use crate::imports::{ImportResult, MOST, ReceivedFile, Stage, Upload};
use crate::refused::Refused;
use crate::site::{Site, Visit};
use crate::wording::{say, text};

/// The most bytes of the form around a file.
const FORM: usize = 64 << 10;
/// The longest text of another field.
const LONGEST: usize = 300;
/// The header by which a browser looks again while something is taken, in seconds.
const AGAIN: HeaderValue = HeaderValue::from_static("2");

pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/s/{space}/imports", get(show).post(upload))
        .layer(DefaultBodyLimit::max(MOST + FORM))
}

async fn show(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    In(space): In<String>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let space = visit.space();
    let uploads = visit.uploads.of(space);
    let body = html! {
        h1 { (say!("import-title")) }
        p { (say!("import-about")) }
        form method="post" enctype="multipart/form-data" {
            p {
                label for="file" { (say!("import-file", most = MOST >> 20)) }
                input id="file" type="file" name="file" required;
            }
            details {
                summary { (say!("import-more")) }
                p {
                    label for="channel" { (say!("import-channel")) }
                    input id="channel" type="text" name="channel" maxlength=(LONGEST) dir="ltr"
                        autocomplete="off" placeholder="irc:#help";
                }
                p {
                    label for="timezone" { (say!("import-timezone")) }
                    input id="timezone" type="text" name="timezone" maxlength=(LONGEST) dir="ltr"
                        autocomplete="off" placeholder="Europe/Berlin";
                }
            }
            button { (say!("import-it")) }
        }
        @if !uploads.is_empty() {
            h2 { (say!("import-before")) }
            ul class="rows" { @for one in &uploads { (row(one, space)) } }
        }
    };
    let mut shown = page(&visit, Place::Channels, say!("import-title"), &body);
    if uploads.iter().any(|one| one.goes_on()) {
        shown.headers_mut().insert("refresh", AGAIN);
    }
    Ok(shown)
}

fn row(one: &Upload, space: &SpaceId) -> Markup {
    let state = match one.stage() {
        Stage::Reading => html! { p { (say!("import-reading")) } },
        Stage::Taking(done, total) => html! {
            p { (say!("import-taking")) " "
                progress max=(total.max(1)) value=(done) aria-label=(say!("import-taking")) {} }
        },
        Stage::Done(ImportResult {
            channels,
            messages,
            skipped_lines,
        }) => html! {
            p {
                (say!("messages", count = messages)) ": "
                @for (at, channel) in channels.iter().enumerate() {
                    @if at > 0 { ", " }
                    a href=(super::channels::address(space, channel)) { bdi { (channel) } }
                }
            }
            @if skipped_lines > 0 { p { (say!("import-skipped", lines = skipped_lines)) } }
            p { a href=(format!("/s/{space}/cases")) { (say!("import-cases")) } }
        },
        Stage::Refused(why) => {
            html! { p role="alert" { (say!("import-refused")) " " bdi { (why) } } }
        }
    };
    html! {
        li {
            b { bdi { (one.name) } }
            div class="about" { (when(&one.at.to_string())) bdi { (one.by) } }
            (state)
        }
    }
}

/// What was sent is no form with a file, or too long.
fn refused(error: &MultipartError) -> Refused {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Refused::TooLarge,
        _ => Refused::Bad(text!("refused-form", what = error.body_text())),
    }
}

async fn upload(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    In(space): In<String>,
    sent: Result<Multipart, MultipartRejection>,
) -> Result<Response, Refused> {
    let visit = site.enter(&visitor, &space, Right::Admin).await?;
    let mut sent = sent.map_err(|e| Refused::Bad(text!("refused-form", what = e.body_text())))?;
    let (mut file, mut channel, mut timezone) = (None, String::new(), String::new());
    while let Some(mut field) = sent.next_field().await.map_err(|e| refused(&e))? {
        match field.name() {
            Some("file") if field.file_name().is_some() => {
                let name = field.file_name().unwrap_or_default().to_owned();
                let chunks = field.map_err(|error| refused(&error));
                file = Some(ReceivedFile::keep(&name, chunks).await?);
            }
            Some("channel") => channel = short(&mut field).await?,
            Some("timezone") => timezone = short(&mut field).await?,
            _ => {}
        }
    }
    let Some(file) = file else {
        return Err(Refused::Bad(text!("import-no-file")));
    };
    let request = ImportRequest {
        space: visit.space().clone(),
        channel: Visit::named_channel(channel.trim())?,
        bots: String::new(),
        date: None,
        timezone: Some(timezone.trim().to_owned()).filter(|zone| !zone.is_empty()),
        format: None,
        again: false,
    };
    let by = actor(&visit.by);
    visit.uploads.begin(visit.host(), file, request, by);
    let to = format!("/s/{}/imports", visit.space());
    Ok(Redirect::to(&to).into_response())
}

async fn short(field: &mut Field<'_>) -> Result<String, Refused> {
    let mut read = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(|e| refused(&e))? {
        read.extend_from_slice(&chunk);
        if read.len() > LONGEST * 4 {
            return Err(Refused::TooLarge);
        }
    }
    String::from_utf8(read).map_err(|_| Refused::Bad(text!("refused-form", what = "UTF-8")))
}
