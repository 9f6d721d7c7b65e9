//! Blocks of JSON in an answer.

use super::{Code, code};

/// So many blocks are no answer any more.
const RUNAWAY: usize = 3;

/// Where the answer ends: before its first block of JSON if it has too many, else with the text.
pub(super) fn end(text: &str) -> usize {
    if !text.contains(['{', '[']) {
        return text.len();
    }
    let mut fences = code(text)
        .into_iter()
        .filter(|code| code.fence.is_some())
        .peekable();
    let (mut count, mut first) = (0, text.len());
    let mut block = |start: usize| {
        first = first.min(start);
        count += 1;
    };
    let mut at = 0;
    while at < text.len() {
        while fences.next_if(|fence| fence.range.end <= at).is_some() {}
        let start = at + text[at..].len() - text[at..].trim_start().len();
        if let Some(fence) = fences.next_if(|fence| fence.range.start <= start) {
            if is_json(&fence, text) {
                block(fence.range.start);
            }
            at = fence.range.end;
        } else if begins(&text[start..]) {
            block(start);
            at = start + length(&text[start..]);
            // Another one may follow on the same line.
            let rest = text[at..].trim_start_matches([' ', '\t', ',']);
            at = text.len() - rest.len();
            if begins(rest) {
                continue;
            }
            at += rest.find('\n').map_or(rest.len(), |end| end + 1);
        } else {
            at = start
                + text[start..]
                    .find('\n')
                    .map_or(text.len() - start, |end| end + 1);
        }
    }
    if count < RUNAWAY { text.len() } else { first }
}

fn is_json(fence: &Code, text: &str) -> bool {
    let info = fence.fence.as_deref().unwrap_or_default();
    let language = info.split_whitespace().next().unwrap_or_default();
    let code = &text[fence.range.clone()];
    let inside = code.split_once('\n').map_or("", |(_, inside)| inside);
    language.to_ascii_lowercase().starts_with("json") || begins(inside.trim_start())
}

/// Whether a text begins with an object that has a key, or with an array of objects or strings.
fn begins(text: &str) -> bool {
    let text = match text.strip_prefix('[') {
        Some(array) => {
            let array = array.trim_start();
            if let Some(after) = after_string(array) {
                return after.starts_with([',', ']']);
            }
            array
        }
        None => text,
    };
    let object = text.strip_prefix('{').map(str::trim_start);
    object
        .and_then(after_string)
        .is_some_and(|after| after.starts_with(':'))
}

/// What follows a string and white space.
fn after_string(text: &str) -> Option<&str> {
    let mut escaped = false;
    let inside = text.strip_prefix('"')?;
    let end = inside.find(|c| {
        let ends = matches!(c, '"' | '\n') && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some(inside[end..].strip_prefix('"')?.trim_start())
}

/// The length of the object or array that a text begins with: to its end, to the end of the line
/// where a string has none, or to the end of the text.
fn length(text: &str) -> usize {
    let (mut depth, mut string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if string => escaped = true,
            b'\n' if string => return at,
            b'"' => string = !string,
            b'{' | b'[' if !string => depth += 1,
            b'}' | b']' if !string => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}
