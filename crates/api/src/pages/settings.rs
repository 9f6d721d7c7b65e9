//! What the process that serves the pages runs with.

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde::Deserialize;

use super::frame::bare;
use crate::access::Visitor;
use crate::refused::Refused;
use crate::settings::{Setting, SettingsSection, settings};
use crate::site::Site;
use crate::wording::{say, text};

/// The name of the table in an address that has no name in the file.
const TOP: &str = "-";

#[derive(Debug, Deserialize)]
pub(super) struct Which {
    /// The table that is shown whole; without it, what is set otherwise than by default.
    table: Option<String>,
}

pub(super) async fn show(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    which: Result<Query<Which>, QueryRejection>,
) -> Result<Response, Refused> {
    let Query(Which { table }) = which?;
    let of = settings(&site.installation(&visitor)?.host)?;
    let title = say!("settings");
    if let Some(wanted) = table {
        let mut sections = of.sections.iter();
        let section = sections.find(|section| key(section) == wanted);
        let section =
            section.ok_or_else(|| Refused::NotThere(text!("settings-no-table", name = wanted)))?;
        let body = html! {
            p { a href="/settings" { (title) } }
            h1 { (name(section)) }
            p { (english(&section.about)) }
            (rows(section.settings.iter().map(|setting| (section, setting))))
        };
        return Ok(bare(&title, &body).into_response());
    }
    let all = of.sections.iter();
    let all = all.flat_map(|section| section.settings.iter().map(move |one| (section, one)));
    let set: Vec<_> = all.filter(|(_, one)| !one.is_default).collect();
    let body = html! {
        p { a href="/health" { (say!("health")) } }
        h1 { (title) }
        p { (say!("settings-what")) }
        p {
            (say!("settings-version")) " " code { (of.version) } ". "
            (say!("settings-roles")) @for role in &of.roles { " " code { (role) } }
        }
        h2 { (say!("settings-set")) }
        @if set.is_empty() { p { (say!("settings-none-set")) } } @else { (rows(set.into_iter())) }
        h2 { (say!("settings-tables")) }
        ul class="rows" { @for section in &of.sections { li {
            a href=(address(section)) { (name(section)) }
            div class="about" { (english(&section.about)) }
        } } }
    };
    Ok(bare(&title, &body).into_response())
}

/// The name of a table in an address.
fn key(section: &SettingsSection) -> &'static str {
    match section.name {
        "" => TOP,
        name => name,
    }
}

fn address(section: &SettingsSection) -> String {
    format!("/settings?table={}", key(section))
}

fn name(section: &SettingsSection) -> Markup {
    match section.name {
        "" => say!("settings-top"),
        name => html! { code { "[" (name) "]" } },
    }
}

/// What the reference of the settings says, which is in English, without the marks of its code.
fn english(words: &str) -> Markup {
    html! { bdi lang="en" { (words.replace('`', "")) } }
}

fn rows<'a>(settings: impl Iterator<Item = (&'a SettingsSection, &'a Setting)>) -> Markup {
    let nothing = || say!("settings-nothing");
    let shown = |value: Option<&String>| match value {
        Some(value) => html! { code { (value) } },
        None => nothing(),
    };
    html! {
        ul class="rows" { @for (section, one) in settings { li {
            b { code {
                @if !section.name.is_empty() { (section.name) "." }
                (one.key)
            } }
            " = " (shown(one.value.as_ref()))
            div class="about" {
                @if !one.is_default { span { (say!("settings-default")) " " (shown(one.default.as_ref())) } }
                span { (english(&one.meaning)) }
            }
        } } }
    }
}
