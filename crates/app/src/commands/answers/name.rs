//! A question or an answer as people name it.

use std::str::FromStr;

use percent_encoding::percent_decode_str;
use threadlore_model::EventId;
use threadlore_store_postgres::TurnName;

/// A turn, named by an id of ours, by the platform's id of a message, or by a link that ends with
/// either, such as the permalink that a chat program copies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TurnLink(pub(crate) TurnName);

/// The most bytes of a name.
const LONGEST: usize = 2000;

impl FromStr for TurnLink {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() || text.len() > LONGEST {
            return Err(format!(
                "it has {} bytes, and 1 to {LONGEST} are allowed: take an id from `threadlore answers \
                 list`, or copy the link of the message in your chat program",
                text.len()
            ));
        }
        let last = match text.contains("://") {
            true => {
                // A permalink may say after a question mark by which servers the room is found.
                let link = text.split_once('?').map_or(text, |(link, _)| link);
                link.rsplit('/').next().unwrap_or(link)
            }
            false => text,
        };
        let last = percent_decode_str(last).decode_utf8_lossy();
        let id = last.rsplit(['/', ':', '=']).next().unwrap_or(&last);
        let name = match id.parse::<EventId>() {
            Ok(id) => TurnName::Id(id.as_uuid()),
            Err(_) => TurnName::Native(last.into_owned()),
        };
        Ok(Self(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> TurnName {
        text.parse::<TurnLink>().expect(text).0
    }

    #[test]
    fn ids_and_links_name_a_turn() {
        let id = EventId::of_content("test", &["turn"]);
        for text in [id.to_string(), format!("threadlore:answer/{id}")] {
            assert_eq!(named(&text), TurnName::Id(id.as_uuid()), "{text}");
        }
        let native = |id: &str| TurnName::Native(id.to_owned());
        assert_eq!(named(" $abc:example.org "), native("$abc:example.org"));
        for link in [
            "https://matrix.to/#/!room:example.org/$abc?via=example.org",
            "https://matrix.to/#/!room%3Aexample.org/%24abc?via=example.org&via=b.org",
        ] {
            assert_eq!(named(link), native("$abc"), "{link}");
        }
        assert_eq!(named("17"), native("17"));
    }

    #[test]
    fn what_names_nothing_is_refused() {
        for text in ["", "  ", &"a".repeat(2001)] {
            let refused = text.parse::<TurnLink>().expect_err("too short or long");
            assert!(refused.contains("threadlore answers list"), "{refused}");
        }
    }
}
