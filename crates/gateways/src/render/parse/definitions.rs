//! Link definitions that are none: `[12:03]: hello` is what somebody said, and Markdown would
//! hide it.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::render::address;

/// The Markdown with each line escaped that looks like the definition of a link, but leads to no
/// web or mail address.
pub(super) fn without_false_ones(markdown: Cow<'_, str>, options: Options) -> Cow<'_, str> {
    if !markdown.contains("]:") {
        return markdown;
    }
    let mut code = code(&markdown, options).into_iter().peekable();
    let mut out = String::with_capacity(markdown.len() + 16);
    let mut start = 0;
    for line in markdown.split_inclusive('\n') {
        let content =
            line.trim_start_matches(|c: char| " \t>-+*.)".contains(c) || c.is_ascii_digit());
        let at = start + line.len() - content.len();
        while code.next_if(|range| range.end <= at).is_some() {}
        let in_code = code.peek().is_some_and(|range| range.contains(&at));
        out.push_str(&line[..line.len() - content.len()]);
        if !in_code && is_false(content) {
            out.push('\\');
        }
        out.push_str(content);
        start += line.len();
    }
    Cow::Owned(out)
}

fn is_false(line: &str) -> bool {
    let definition = line
        .strip_prefix('[')
        .and_then(|line| line.split_once("]:"));
    definition.is_some_and(|(label, target)| {
        let target = target.trim_start().trim_start_matches('<');
        let label = label.replace("\\[", "").replace("\\]", "");
        !label.contains(['[', ']']) && !address::is_link(target, true)
    })
}

/// Where code is, in order.
fn code(markdown: &str, options: Options) -> Vec<Range<usize>> {
    Parser::new_ext(markdown, options)
        .into_offset_iter()
        .filter(|(event, _)| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))))
        .map(|(_, range)| range)
        .collect()
}
