//! Importing a chat: a file that a browser sends, and how far it is taken.

use std::path::Path;

use axum::extract::multipart::{Field, Multipart, MultipartError, MultipartRejection};
use axum::extract::{DefaultBodyLimit, Path as In, State};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use axum::{Extension, Router};
use maud::{Markup, html};
use tempfile::TempDir;
use threadlore_model::SpaceId;
use threadlore_node::ImportRequest;
use threadlore_ports::Right;
use tokio::io::AsyncWriteExt as _;

use super::frame::{Place, page, when};
use crate::access::Visitor;
use crate::cases::actor;
use crate::imports::{ImportResult, Stage, Upload};
use crate::refused::Refused;
use crate::site::{Site, Visit};
use crate::wording::{say, text};

/// The most bytes of a file, and a little for the form around it. Chosen: as much again is needed while an export is
/// read, and pods have a gibibyte for such files.
const MOST: usize = 256 << 20;
/// The longest text of another field.
const LONGEST: usize = 300;
/// The header by which a browser looks again while something is taken, in seconds.
const AGAIN: HeaderValue = HeaderValue::from_static("2");

pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/s/{space}/imports", get(show).post(upload))
        .layer(DefaultBodyLimit::max(MOST))
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
            skipped,
        }) => html! {
            p {
                (say!("messages", count = messages)) ": "
                @for (at, channel) in channels.iter().enumerate() {
                    @if at > 0 { ", " }
                    a href=(super::channels::address(space, channel)) { bdi { (channel) } }
                }
            }
            @if skipped > 0 { p { (say!("import-skipped", lines = skipped)) } }
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
    let failed = |error: std::io::Error| Refused::Failed(error.into());
    let dir = tempfile::tempdir().map_err(failed)?;
    let (mut file, mut channel, mut timezone) = (None, String::new(), String::new());
    while let Some(mut field) = sent.next_field().await.map_err(|e| refused(&e))? {
        match field.name() {
            Some("file") if field.file_name().is_some() => {
                file = Some(kept(&dir, &mut field).await?);
            }
            Some("channel") => channel = short(&mut field).await?,
            Some("timezone") => timezone = short(&mut field).await?,
            _ => {}
        }
    }
    let Some(name) = file else {
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
    visit.uploads.begin(visit.host(), (dir, name), request, by);
    let to = format!("/s/{}/imports", visit.space());
    Ok(Redirect::to(&to).into_response())
}

/// Keeps a file until it is taken: its name, which says something of what it is.
async fn kept(dir: &TempDir, field: &mut Field<'_>) -> Result<String, Refused> {
    let name = file_name(field.file_name().unwrap_or_default());
    let failed = |error: std::io::Error| Refused::Failed(error.into());
    let path = dir.path().join(&name);
    let mut to = tokio::fs::File::create(path).await.map_err(failed)?;
    let mut is_empty = true;
    while let Some(chunk) = field.chunk().await.map_err(|e| refused(&e))? {
        is_empty = is_empty && chunk.is_empty();
        to.write_all(&chunk).await.map_err(failed)?;
    }
    to.flush().await.map_err(failed)?;
    match is_empty {
        true => Err(Refused::Bad(text!("import-no-file"))),
        false => Ok(name),
    }
}

/// A name that is one file of a directory, whatever a browser says.
fn file_name(said: &str) -> String {
    let last = said.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_plain = |c: &char| !c.is_control();
    // Twice as long would be too long for a file, each character as four bytes.
    let plain: String = last.chars().filter(is_plain).collect();
    let cut = plain.chars().count().saturating_sub(60);
    let plain: String = plain.chars().skip(cut).collect();
    match Path::new(&plain).file_name() {
        Some(name) if name == plain.as_str() => plain,
        _ => "chat".to_owned(),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_in_its_directory_whatever_it_is_called() {
        for (said, kept) in [
            ("result.json", "result.json"),
            ("WhatsApp Chat with Help.zip", "WhatsApp Chat with Help.zip"),
            ("../../etc/passwd", "passwd"),
            ("C:\\chats\\чат.json", "чат.json"),
            ("..", "chat"),
            (".", "chat"),
            ("", "chat"),
            ("/", "chat"),
            ("a\0b\n.txt", "ab.txt"),
        ] {
            assert_eq!(file_name(said), kept, "{said}");
        }
        let long = file_name(&format!("{}.mbox", "ж".repeat(500)));
        assert!(long.len() < 200 && long.ends_with(".mbox"), "{long}");
    }
}
