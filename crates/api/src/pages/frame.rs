//! What all pages have, and how texts, moments and links are written.

use std::convert::Infallible;

use axum::body::Body;
use axum::response::{Html, IntoResponse, Response};
use futures::{StreamExt as _, stream};
use maud::{DOCTYPE, Markup, Render, html};
use threadlore_language::wording::Language;
use threadlore_model::SpaceId;
use threadlore_ports::Right;
use threadlore_store_postgres::COUNTED;

use crate::site::Visit;
use crate::wording::{self, called, language, say};
use crate::words::cut;

/// A page of a space.
pub(super) fn page(visit: &Visit, at: Place, title: impl Render, body: &Markup) -> Response {
    inside(visit, at, title, body).into_response()
}

/// The same, before it is sent.
pub(super) fn inside(visit: &Visit, at: Place, title: impl Render, body: &Markup) -> Markup {
    let space = visit.space();
    let base = format!("/s/{space}");
    let header = html! {
        nav aria-label=(say!("pages")) {
            ul {
                @for place in Place::ALL.into_iter().filter(|place| visit.may(place.right())) {
                    li {
                        a href=(format!("{base}{}", place.path()))
                            aria-current=[(place == at).then_some("page")] { (called("place", place.name())) }
                    }
                }
            }
        }
        form method="post" action="/sign-out" {
            @if let Some(name) = visit.by.account() { a href="/account" { (name) } }
            @if visit.runs_installation() { a href="/health" { (say!("health")) } }
            span class="space" { (say!("space", name = html! { b { (space) } })) }
            button class="quiet" { (say!("sign-out")) }
        }
    };
    let title = html! { (title) " – " (space) };
    whole(&hidden(&title), &header, body)
}

/// The place in a page of what takes longer to find. No text of a chat has it: `<` is escaped there.
pub(super) const LATER: &str = "<!--later-->";

/// A page whose text is sent at once, with the rest from [`LATER`] on as soon as what belongs there is found.
pub(super) fn with_later(
    page: Markup,
    later: impl Future<Output = Markup> + Send + 'static,
) -> Response {
    let page = page.into_string();
    let Some((before, behind)) = page.split_once(LATER) else {
        return Html(page).into_response();
    };
    let (before, behind) = (before.to_owned(), behind.to_owned());
    let rest = wording::within(
        language(),
        async move { later.await.into_string() + &behind },
    );
    let parts = stream::once(async { before }).chain(stream::once(rest));
    Html(Body::from_stream(parts.map(Ok::<_, Infallible>))).into_response()
}

/// A page for anybody. `head` says what it is to search engines and previews; `may_ask` says whether there is a question box.
pub(super) fn public(head: &Markup, space: &SpaceId, may_ask: bool, body: &Markup) -> Markup {
    let header = html! {
        nav aria-label=(say!("pages")) { ul {
            li { a href=(format!("/knowledge/{space}")) { (say!("solved-questions")) } }
            @if may_ask {
                li { a href=(format!("/knowledge/{space}/ask")) { (say!("readers-ask")) } }
            }
        } }
    };
    whole(head, &header, body)
}

/// The head of a page that no search engine is to show.
fn hidden(title: &impl Render) -> Markup {
    html! {
        meta name="robots" content="noindex";
        title { (title) " – Threadlore" }
    }
}

/// A page outside of a space.
pub(super) fn bare(title: &impl Render, body: &Markup) -> Markup {
    let header =
        html! { nav aria-label=(say!("pages")) { ul { li { a href="/" { "Threadlore" } } } } };
    whole(&hidden(title), &header, body)
}

fn whole(head: &Markup, header: &Markup, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(language().code()) dir=(wording::direction(language())) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                (head)
                link rel="stylesheet" href="/style.css";
            }
            body {
                a class="skip" href="#content" { (say!("skip")) }
                header { (header) }
                main id="content" { (body) }
                footer { (languages()) }
            }
        }
    }
}

/// The languages that these pages speak, each a button.
fn languages() -> Markup {
    html! {
        form method="post" action="/language" aria-label=(say!("language")) {
            @for one in Language::ALL {
                button class="quiet" name="code" value=(one.code()) lang=(one.code())
                    aria-current=[(one == language()).then_some("true")] { (wording::own_name(one)) }
            }
        }
    }
}

/// Where in a space somebody is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Home,
    Questions,
    Cases,
    Graph,
    Memory,
    Channels,
    Ask,
}

impl Place {
    const ALL: [Self; 7] = [
        Self::Home,
        Self::Questions,
        Self::Cases,
        Self::Graph,
        Self::Memory,
        Self::Channels,
        Self::Ask,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Home => "home",
            Self::Questions => "questions",
            Self::Cases => "cases",
            Self::Graph => "graph",
            Self::Memory => "memory",
            Self::Channels => "channels",
            Self::Ask => "ask",
        }
    }

    /// What is needed to see it.
    const fn right(self) -> Right {
        match self {
            Self::Memory => Right::Admin,
            Self::Ask => Right::Ask,
            Self::Home | Self::Questions | Self::Cases | Self::Graph | Self::Channels => {
                Right::Read
            }
        }
    }

    const fn path(self) -> &'static str {
        match self {
            Self::Home => "",
            Self::Questions => "/questions",
            Self::Cases => "/cases",
            Self::Graph => "/graph",
            Self::Memory => "/memories",
            Self::Channels => "/channels",
            Self::Ask => "/ask",
        }
    }
}

/// What somebody wrote, in its own direction.
pub(super) fn words(text: Option<&str>) -> Markup {
    html! {
        @match text {
            Some(text) => div class="words" dir="auto" { (text) },
            None => div class="words gone" { (say!("erased")) },
        }
    }
}

/// The same in one line, for lists.
pub(super) fn line(text: Option<&str>) -> Markup {
    html! {
        @match text {
            Some(text) => bdi class="line" { (cut(text, LINE)) },
            None => span class="gone" { (say!("erased")) },
        }
    }
}

/// The name of a writer, or a word in its place where it is erased.
pub(super) fn name(name: Option<&str>) -> Markup {
    html! { bdi { @match name { Some(name) => (name), None => (say!("somebody")) } } }
}

/// The longest line of a list, in characters.
const LINE: usize = 140;

/// A moment, to the minute, in UTC.
pub(super) fn when(at: &str) -> Markup {
    let minute = at.get(..16).unwrap_or(at).replace('T', " ");
    html! { time datetime=(at) title=(format!("{minute} UTC")) { (minute) } }
}

/// How many of all are shown, with the way on, and back to the first ones. `after` and `next` are as in a list of the
/// API; `to` is the address of the first page with what follows it.
pub(super) fn more(
    (shown, fitting): (usize, u64),
    (after, next): (Option<&str>, Option<&str>),
    to: &str,
) -> Markup {
    html! {
        @if after.is_some() || next.is_some() {
            p class="more" {
                // Some lists count no further, and others hardly ever end at this very number.
                @if fitting == COUNTED {
                    (say!("shown-of-more", shown = shown, fitting = fitting))
                } @else {
                    (say!("shown-of", shown = shown, fitting = fitting))
                }
                " "
                (ways(after, next, to))
            }
        }
    }
}

/// The way back to the first lines of a list, and on to the next ones, as [`more`] has them.
pub(super) fn ways(after: Option<&str>, next: Option<&str>, to: &str) -> Markup {
    html! {
        @if after.is_some() { a href=(to.trim_end_matches(['&', '?'])) { (say!("first-ones")) } " " }
        @if let Some(next) = next { a rel="next" href=(format!("{to}after={next}")) { (say!("next-ones")) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_wrote_is_text_and_nothing_else() {
        let hostile = "<script>alert(1)</script>\" onload='x' &amp;";
        for written in [words(Some(hostile)), line(Some(hostile)), when(hostile)] {
            let written = written.into_string();
            assert!(!written.contains("<script"), "{written}");
            assert!(!written.contains("\" onload"), "{written}");
        }
    }
}
