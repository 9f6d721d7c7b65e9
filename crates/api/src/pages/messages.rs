//! What was said in a channel: its conversations as lines beside the messages, and the cases that came of them.

use std::collections::{BTreeMap, HashMap};

use axum::Extension;
use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;
use threadlore_model::{CaseId, ChannelId, MessageId, Part, SpaceId};
use threadlore_ports::Right;
use threadlore_store_postgres::MessagesEnd;

use super::frame::{Place, line, name, page, when, words};
use super::questions::encoded;
use crate::access::Visitor;
use crate::cases::part_shown;
use crate::messages::{Message, list};
use crate::refused::{Refused, no_page};
use crate::site::Site;
use crate::wording::{called, say};
use crate::words::SHOWN;

/// Conversations that go on at once and have a line of their own; a further one has none. As many as there are colours in
/// the style.
const LANES: usize = 6;

pub(super) fn routes() -> Router<Site> {
    Router::new().route("/s/{space}/messages", get(show))
}

pub(super) fn address(space: &SpaceId, channel: &ChannelId) -> String {
    format!("/s/{space}/messages?channel={}", encoded(channel.as_str()))
}

/// Which messages.
#[derive(Debug, Deserialize)]
struct Which {
    #[serde(default)]
    channel: String,
    /// Those before this one.
    after: Option<String>,
    /// Those around this one.
    at: Option<String>,
}

/// The way to a message among those around it.
pub(super) fn around(space: &SpaceId, channel: &str, message: MessageId) -> Markup {
    let at = anchor(message);
    let to = format!(
        "/s/{space}/messages?channel={}&at={message}#{at}",
        encoded(channel)
    );
    html! { p class="more" { a href=(to) { (say!("in-its-channel")) } } }
}

async fn show(
    State(site): State<Site>,
    Extension(visitor): Extension<Visitor>,
    Path(space): Path<String>,
    which: Result<Query<Which>, QueryRejection>,
) -> Result<Response, Refused> {
    let Query(which) = which?;
    let visit = site.enter(&visitor, &space, Right::Read).await?;
    let channel = visit.channel(&which.channel).await?.channel;
    let (node, scope, space) = (visit.node(), &visit.scope, visit.space());
    let end = match (&which.after, &which.at) {
        (Some(after), _) => MessagesEnd::Before(visit.message(after).await.map_err(no_page)?),
        (None, Some(at)) => {
            let at = visit.message(at).await?;
            let last = node.store.later(scope, (&channel, at), SHOWN / 2);
            MessagesEnd::With(last.await?)
        }
        (None, None) => MessagesEnd::Latest,
    };
    let mut listed = list(node, scope, &channel, (end, SHOWN)).await?;
    listed.messages.reverse();
    let said = &listed.messages;
    let cases = said.iter().flat_map(|one| &one.cases);
    let cases: Vec<CaseId> = cases.map(|one| one.case).collect();
    let cases = node.store.cases_of(scope, &cases).await?;
    let titles = cases.into_iter().map(|case| (case.case, case.title));
    let titles: HashMap<CaseId, Option<String>> = titles.collect();
    let conversations: Vec<MessageId> = said.iter().map(|one| one.conversation).collect();
    let beside = lanes(&conversations);
    let wide = beside.iter().flatten().flatten();
    let wide = wide.map(|lane| lane.lane + 1).max().unwrap_or_default();
    let to = address(space, &channel);
    let may_change = visit.may(Right::Admin);
    let body = html! {
        h1 { bdi { (channel) } }
        p { (say!("messages-about")) }
        @if said.is_empty() { p { (say!("messages-none")) } }
        @if let Some(next) = &listed.next {
            p class="more" { a rel="next" href=(format!("{to}&after={next}")) { (say!("earlier-ones")) } }
        }
        ol class="rows talk" {
            @for (at, (one, lanes)) in said.iter().zip(beside).enumerate() {
                li id=(anchor(one.message)) {
                    div class="lanes" aria-hidden="true" { @for lane in lanes.into_iter().take(wide) { (drawn(lane)) } }
                    div {
                        div class="about" {
                            b { @match may_change {
                                true => a href=(super::people::address(space, &one.person)) { (name(one.name.as_deref())) },
                                false => (name(one.name.as_deref())),
                            } }
                            (when(&one.at))
                            @if one.bot { span { (say!("messages-bot")) } }
                        }
                        (answered(one, said, at))
                        (words(one.text.as_deref()))
                        @for of in one.cases.iter().filter(|of| of.part != Part::Context) {
                            div class="about" {
                                span { (called("part", part_shown(of.part))) ":" }
                                a href=(format!("/s/{space}/cases/{}", of.case)) {
                                    (line(titles.get(&of.case).and_then(Option::as_deref)))
                                }
                            }
                        }
                    }
                }
            }
        }
        @if end != MessagesEnd::Latest {
            p class="more" { a href=(to) { (say!("latest-ones")) } }
        }
    };
    Ok(page(&visit, Place::Channels, channel.as_str(), &body))
}

fn anchor(message: MessageId) -> String {
    format!("m-{message}")
}

/// What a message answers, unless it stands right before it.
fn answered(one: &Message, said: &[Message], at: usize) -> Markup {
    let answers = one.answers;
    let before = at.checked_sub(1).map(|before| said[before].message);
    let earlier = said[..at].iter().find(|it| Some(it.message) == answers);
    html! {
        @match (answers, earlier) {
            (None, _) => {}
            (Some(_), None) => div class="about" { "↑ " (say!("messages-answers-earlier")) },
            (Some(answers), Some(_)) if before == Some(answers) => {}
            (Some(answers), Some(earlier)) => div class="about" {
                a href=(format!("#{}", anchor(answers))) {
                    "↑ " (say!("messages-answers", name = name(earlier.name.as_deref()), text = line(earlier.text.as_deref())))
                }
            },
        }
    }
}

/// What is drawn beside a message, in the place of one conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lane {
    /// Which place, and so which colour.
    lane: usize,
    /// Whether the message is of that conversation.
    is_own: bool,
    /// Whether the conversation goes on above.
    above: bool,
    /// Whether the conversation goes on below.
    below: bool,
}

/// Beside each message the conversations that go on there, by what they are called. A conversation has the first place
/// that is free, from its first message on to its last one.
fn lanes(conversations: &[MessageId]) -> Vec<[Option<Lane>; LANES]> {
    let mut spans: BTreeMap<MessageId, (usize, usize)> = BTreeMap::new();
    for (at, one) in conversations.iter().enumerate() {
        spans.entry(*one).or_insert((at, at)).1 = at;
    }
    let mut taken: [Option<MessageId>; LANES] = [None; LANES];
    let beside = |(at, own): (usize, &MessageId)| {
        if spans[own].0 == at
            && let Some(free) = taken.iter_mut().find(|lane| lane.is_none())
        {
            *free = Some(*own);
        }
        let mut lanes = [None; LANES];
        for (lane, place) in taken.iter_mut().enumerate() {
            let Some(one) = *place else { continue };
            let (first, last) = spans[&one];
            lanes[lane] = Some(Lane {
                lane,
                is_own: one == *own,
                above: first < at,
                below: at < last,
            });
            if last == at {
                *place = None;
            }
        }
        lanes
    };
    conversations.iter().enumerate().map(beside).collect()
}

fn drawn(lane: Option<Lane>) -> Markup {
    let Some(lane) = lane else {
        return html! { i {} };
    };
    let Lane {
        lane,
        is_own,
        above,
        below,
    } = lane;
    let set = |is: bool, class: &'static str| if is { class } else { "" };
    let of = [
        set(above, " above"),
        set(below, " below"),
        set(is_own, " own"),
    ]
    .concat();
    html! { i class=(format!("lane{lane}{of}")) {} }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    /// Each line as a word: capitals for the conversation of the message, small letters for one that goes on.
    fn drawn_as(conversations: &str) -> Vec<String> {
        let of = |letter: char| MessageId::from_uuid(Uuid::from_u128(letter as u128));
        let ids: Vec<MessageId> = conversations.chars().map(of).collect();
        let letter = |lane: &Option<Lane>| match lane {
            None => '.',
            Some(Lane { is_own: true, .. }) => 'O',
            Some(Lane {
                above: true,
                below: true,
                ..
            }) => '|',
            Some(_) => '?',
        };
        let lines = lanes(&ids);
        let line = |lanes: &[Option<Lane>; LANES]| {
            let line: String = lanes.iter().map(letter).collect();
            line.trim_end_matches('.').to_owned()
        };
        lines.iter().map(line).collect()
    }

    #[test]
    fn conversations_that_run_through_each_other_have_a_line_each() {
        assert_eq!(drawn_as("aabab"), ["O", "O", "|O", "O|", ".O"]);
        // A place is free again where a conversation ended.
        assert_eq!(drawn_as("abacab"), ["O", "|O", "O|", "||O", "O|", ".O"]);
        assert_eq!(drawn_as("aba"), ["O", "|O", "O"]);
        assert!(lanes(&[]).is_empty());
    }

    #[test]
    fn a_conversation_too_many_has_no_line_and_hides_none() {
        let all = drawn_as("abcdefgabcdefg");
        assert_eq!(all[6], "||||||");
        assert_eq!(all[7], "O|||||");
        assert_eq!(all[13], "");
    }
}
