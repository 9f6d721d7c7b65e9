//! What all pages have, and how texts, moments and links are written.

use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};
use threadlore_model::SpaceId;
use threadlore_ports::Right;

use crate::site::Visit;
use crate::words::cut;

/// A page of a space.
pub(super) fn page(visit: &Visit, at: Place, title: &str, body: &Markup) -> Response {
    let space = visit.space();
    let base = format!("/s/{space}");
    let header = html! {
        nav aria-label="Pages" {
            ul {
                @for place in Place::ALL.into_iter().filter(|place| visit.may(place.right())) {
                    li {
                        a href=(format!("{base}{}", place.path()))
                            aria-current=[(place == at).then_some("page")] { (place.name()) }
                    }
                }
            }
        }
        form method="post" action="/sign-out" {
            @match visit.by.account() {
                Some(name) => a href="/account" { (name) },
                None => a href="/health" { "Health" },
            }
            span class="space" { "space " b { (space) } }
            button class="quiet" { "Sign out" }
        }
    };
    let title = format!("{title} – {space}");
    whole(&hidden(&title), &header, body).into_response()
}

/// A page for anybody. `head` says what it is to search engines and previews.
pub(super) fn public(head: &Markup, space: &SpaceId, body: &Markup) -> Markup {
    let header = html! {
        nav aria-label="Pages" { ul { li {
            a href=(format!("/knowledge/{space}")) { "Solved questions" }
        } } }
    };
    whole(head, &header, body)
}

/// The head of a page that no search engine is to show.
fn hidden(title: &str) -> Markup {
    html! {
        meta name="robots" content="noindex";
        title { (title) " – Threadlore" }
    }
}

/// A page outside of a space.
pub(super) fn bare(title: &str, body: &Markup) -> Markup {
    let header = html! { nav aria-label="Pages" { ul { li { a href="/" { "Threadlore" } } } } };
    whole(&hidden(title), &header, body)
}

fn whole(head: &Markup, header: &Markup, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                (head)
                link rel="stylesheet" href="/style.css";
            }
            body {
                a class="skip" href="#content" { "To the content" }
                header { (header) }
                main id="content" { (body) }
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
            Self::Home => "Home",
            Self::Questions => "Questions",
            Self::Cases => "Cases",
            Self::Graph => "Subjects",
            Self::Memory => "Memory",
            Self::Channels => "Channels",
            Self::Ask => "Ask",
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
            None => div class="words gone" { "(erased)" },
        }
    }
}

/// The same in one line, for lists.
pub(super) fn line(text: Option<&str>) -> Markup {
    html! {
        @match text {
            Some(text) => bdi class="line" { (cut(text, LINE)) },
            None => span class="gone" { "(erased)" },
        }
    }
}

/// The longest line of a list, in characters.
const LINE: usize = 140;

/// A moment, to the minute, in UTC.
pub(super) fn when(at: &str) -> Markup {
    let minute = at.get(..16).unwrap_or(at).replace('T', " ");
    html! { time datetime=(at) title=(format!("{minute} UTC")) { (minute) } }
}

/// A sentence of ours; what stands in backticks is code.
pub(super) fn with_code(sentence: &str) -> Markup {
    html! {
        @for (i, part) in sentence.split('`').enumerate() {
            @if i % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
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
                (shown) " of " (fitting) ". "
                @if after.is_some() { a href=(to.trim_end_matches(['&', '?'])) { "The first ones" } " " }
                @if let Some(next) = next { a rel="next" href=(format!("{to}after={next}")) { "The next ones" } }
            }
        }
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
