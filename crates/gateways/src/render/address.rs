//! Which addresses may be links, and how they are written.

use std::ops::Range;

use super::mentions;
use super::parse::Rules;

/// Longest address of a link, in bytes, each `&` counted as `&amp;`: one that leaves room for text
/// in a message of Discord.
const LONGEST: usize = 1_400;

/// The address as a link's target, with everything escaped that is not plain. `None` if it is no
/// web or mail address, if the platform has no links of its kind, or if it is too long.
pub(super) fn target(address: &str, rules: &Rules) -> Option<String> {
    let address = address.trim();
    if address.len() > LONGEST || !is_link(address, rules.mail) {
        return None;
    }
    let balanced = is_balanced(address);
    let mut out = String::with_capacity(address.len());
    for c in address.chars() {
        let plain = match c {
            '(' | ')' => balanced,
            _ => c.is_alphanumeric() || "-._~:/?#[]@!$&'*+,;=%".contains(c),
        };
        if plain {
            out.push(c);
        } else {
            for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                out.push_str(&format!("%{byte:02X}"));
            }
        }
    }
    let out = mentions::escaped(&out, rules.rooms);
    let length = out.len() + 4 * out.matches('&').count();
    (length <= LONGEST).then_some(out)
}

/// Whether it begins like a web address or, with `mail`, like a mail address.
pub(super) fn is_link(address: &str, mail: bool) -> bool {
    let after = |scheme: &str| {
        let head = address.get(..scheme.len())?;
        head.eq_ignore_ascii_case(scheme)
            .then(|| &address[scheme.len()..])
    };
    let host = after("https://").or_else(|| after("http://"));
    let first = host.and_then(|host| host.chars().next());
    first.is_some_and(|c| c.is_alphanumeric() || c == '[')
        || mail && after("mailto:").is_some_and(|name| name.contains('@'))
}

/// Whether every parenthesis has its other one.
fn is_balanced(address: &str) -> bool {
    let mut open = 0_usize;
    for c in address.chars() {
        match c {
            '(' => open += 1,
            ')' if open == 0 => return false,
            ')' => open -= 1,
            _ => {}
        }
    }
    open == 0
}

/// Whether a link's text would be taken for its address.
pub(super) fn poses_as_address(label: &str) -> bool {
    let label = label.trim_start();
    let www = label.get(..4);
    label.contains("://") || www.is_some_and(|www| www.eq_ignore_ascii_case("www."))
}

/// The first web address in a text.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    text.match_indices("://").find_map(|(at, _)| {
        let start = ["https", "http"].iter().find_map(|scheme| {
            let start = at.checked_sub(scheme.len())?;
            text.get(start..at)?
                .eq_ignore_ascii_case(scheme)
                .then_some(start)
        })?;
        let before = text[..start].chars().next_back();
        if before.is_some_and(char::is_alphanumeric) {
            return None;
        }
        let host = at + "://".len();
        let length = text[host..]
            .find(|c: char| c.is_whitespace() || c.is_control() || "<>\"`|\\^{}".contains(c))
            .unwrap_or(text.len() - host);
        let length = trimmed(&text[host..host + length]).len();
        (length > 0).then_some(start..host + length)
    })
}

/// Without the signs that end a sentence, and without closing brackets that were opened before.
fn trimmed(address: &str) -> &str {
    let count = |sign: char| address.matches(sign).count();
    let mut extra = [
        (')', count(')').saturating_sub(count('('))),
        (']', count(']').saturating_sub(count('['))),
    ];
    address.trim_end_matches(|c: char| {
        let bracket = extra.iter_mut().find(|(sign, _)| *sign == c);
        match bracket {
            Some((_, 0)) => false,
            Some((_, left)) => {
                *left -= 1;
                true
            }
            None => ".,;:!?'*_~".contains(c) || matches!(c, '”' | '’' | '»' | '…' | '。' | '，'),
        }
    })
}
