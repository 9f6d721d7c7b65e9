//! Key words of a case.

use std::collections::BTreeMap;

use super::lexicon::{COMMON, PLAIN, TECHNICAL};
use super::words::words;

/// Key words of one case, at most.
const MOST: usize = 6;
/// Commands whose next words name packages or commands.
const BEFORE_NAMES: &[&str] = &[
    "install",
    "remove",
    "purge",
    "sudo",
    "apt-get",
    "apt",
    "aptitude",
    "modprobe",
    "npm",
    "pip",
    "dpkg-reconfigure",
    "apt-cache",
];

/// The key words of a problem and its solution, most telling first.
pub(super) fn of(problem: &str, solution: &str) -> Vec<String> {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for (text, weight) in [(problem, 2), (solution, 1)] {
        let words: Vec<_> = words(text).collect();
        for (at, word) in words.iter().enumerate() {
            let named = at > 0 && BEFORE_NAMES.contains(&words[at - 1].as_ref());
            let Some(tag) = tag(word, named) else {
                continue;
            };
            if !found.contains_key(&tag) {
                order.push(tag.clone());
            }
            *found.entry(tag).or_default() += weight + usize::from(named);
        }
    }
    order.sort_by_key(|tag| std::cmp::Reverse(found[tag]));
    order.truncate(MOST);
    order
}

fn tag(word: &str, named: bool) -> Option<String> {
    let base = word.rsplit('/').find(|part| !part.is_empty())?;
    let base = base.trim_matches(|c: char| !c.is_alphanumeric());
    let length = base.chars().count();
    let fits = (2..=30).contains(&length) && base.chars().any(char::is_alphabetic);
    let address = word.contains("://") || word.starts_with("www.") || word.contains('@');
    if !fits || address || COMMON.has(base) || PLAIN.has(base) {
        return None;
    }
    let package = base.contains('-') && base.is_ascii() && base.chars().any(|c| c.is_ascii_digit());
    let file = base.rsplit_once('.').is_some_and(|(_, end)| {
        matches!(
            end,
            "conf"
                | "list"
                | "lst"
                | "deb"
                | "sh"
                | "py"
                | "js"
                | "json"
                | "yml"
                | "yaml"
                | "iso"
                | "ini"
                | "log"
        )
    });
    let plain_name = base
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '+' | '_'));
    let known = TECHNICAL.has(base);
    (known || package || file || named && plain_name && length >= 3).then(|| base.to_owned())
}
