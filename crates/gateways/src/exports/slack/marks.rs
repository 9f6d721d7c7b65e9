//! A text of Slack as people see it.

use std::collections::BTreeMap;

use super::User;

/// A text as people see it: `<@U17>` is a person, `<#C1|general>` a channel, `<https://x|label>` a link.
pub(super) fn unfolded(
    text: &str,
    people: &BTreeMap<String, User>,
    mentions: &mut Vec<String>,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let Some((mark, behind)) = after.split_once('>') else {
            out.push('<');
            rest = after;
            continue;
        };
        rest = behind;
        let (what, label) = match mark.split_once('|') {
            Some((what, label)) => (what, Some(label).filter(|label| !label.is_empty())),
            None => (mark, None),
        };
        match what.chars().next() {
            Some('@') => {
                let id = &what[1..];
                let known = people.get(id).and_then(User::shown).or(label).unwrap_or(id);
                out.push('@');
                out.push_str(known);
                mentions.push(id.to_owned());
            }
            Some('#') => {
                out.push('#');
                out.push_str(label.unwrap_or(&what[1..]));
            }
            Some('!') => {
                let name = what[1..].split('^').next().unwrap_or_default();
                let shown = label
                    .map(str::to_owned)
                    .unwrap_or_else(|| format!("@{name}"));
                out.push_str(&shown);
            }
            _ => {
                let address = what.strip_prefix("mailto:").unwrap_or(what);
                match label.filter(|label| *label != address && !address.ends_with(label)) {
                    Some(label) => out.push_str(&format!("{label} ({address})")),
                    None => out.push_str(address),
                }
            }
        }
    }
    out.push_str(rest);
    out.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_what_people_see() {
        let bob = User {
            id: Some("U1".to_owned()),
            name: Some("bob".to_owned()),
            is_bot: false,
            profile: None,
        };
        let people = BTreeMap::from([("U1".to_owned(), bob)]);
        let mut mentions = Vec::new();
        for (text, expect) in [
            ("<@U1> and <@U2|eve> and <@U3>", "@bob and @eve and @U3"),
            ("in <#C1|general> and <#C2>", "in #general and #C2"),
            (
                "<!here> <!subteam^S1|@ops> <!channel>",
                "@here @ops @channel",
            ),
            (
                "<https://x.org/a|the page> <https://x.org> <http://x.org|x.org>",
                "the page (https://x.org/a) https://x.org http://x.org",
            ),
            ("<mailto:a@x.org|a@x.org>", "a@x.org"),
            ("1 &lt; 2 &amp;&amp; a &gt; b", "1 < 2 && a > b"),
            ("&amp;lt;", "&lt;"),
            ("a < b", "a < b"),
            ("<>", ""),
            ("<@>", "@"),
        ] {
            assert_eq!(unfolded(text, &people, &mut mentions), expect, "{text}");
        }
        assert_eq!(mentions[..3], ["U1", "U2", "U3"]);
    }
}
