//! What models write between turns: reasoning, calls of tools, tokens of chat templates.

use std::collections::BTreeSet;

use super::{Anomaly, code};

/// Elements that are removed with what they contain.
const ELEMENTS: &[(&str, Anomaly)] = &[
    ("think", Anomaly::Reasoning),
    ("thinking", Anomaly::Reasoning),
    ("thought", Anomaly::Reasoning),
    ("reasoning", Anomaly::Reasoning),
    ("reflection", Anomaly::Reasoning),
    ("scratchpad", Anomaly::Reasoning),
    ("tool_call", Anomaly::ToolCall),
    ("tool_calls", Anomaly::ToolCall),
    ("tool_response", Anomaly::ToolCall),
    ("function_call", Anomaly::ToolCall),
    ("function_calls", Anomaly::ToolCall),
];

/// Tokens that have no bars around their name.
const TOKENS: &[&str] = &[
    "<start_of_turn>",
    "<end_of_turn>",
    "<bos>",
    "<eos>",
    "<pad>",
    "<unk>",
    "<<sys>>",
    "<</sys>>",
    "[inst]",
    "[/inst]",
];

/// Bars of tokens, before and after the name; one model family has wide ones.
const BARS: &[(&str, &str)] = &[("<|", "|>"), ("<｜", "｜>")];
/// Longest name of a token, in bytes.
const NAME_MAX: usize = 48;

/// Tokens after which the name of a role is written.
const TURNS: &[&str] = &[
    "<|im_start|>",
    "<|start_header_id|>",
    "<|start|>",
    "<start_of_turn>",
];
/// Tokens that are the name of a role.
const OTHERS: &[&str] = &["<|user|>", "<|system|>", "<|tool|>"];
/// What a turn of the model is called.
const OWN: &[&str] = &["assistant", "model", "bot", ""];

/// What is removed.
struct Removal {
    anomaly: Anomaly,
    /// Where the text goes on.
    to: usize,
    /// Whether all that is before it goes, too.
    before: bool,
}

/// The text without such markup outside of code, and what was found.
pub(super) fn stripped(text: &str, found: &mut BTreeSet<Anomaly>) -> String {
    let text = without_last_tokens(text, found);
    // ASCII letters alone change, so places stay the same.
    let lower = text.to_ascii_lowercase();
    let reader = Reader::new(&lower);
    let mut code = code(text).into_iter().peekable();
    let mut out = String::with_capacity(text.len());
    let mut blank = true;
    let mut at = 0;
    while let Some(start) = lower[at..].find(['<', '[']).map(|offset| at + offset) {
        let mut end = start + 1;
        while code.next_if(|code| code.range.end <= start).is_some() {}
        let inside = code.peek().filter(|code| code.range.contains(&start));
        let before = &text[at..start];
        out.push_str(before);
        blank &= before.trim_start().is_empty();
        at = start;
        if let Some(code) = inside {
            end = code.range.end;
        } else if let Some(removal) = reader.removal(start, blank) {
            found.insert(removal.anomaly);
            if removal.before {
                out.clear();
                blank = true;
            }
            at = removal.to;
            // What was apart stays apart.
            if out.ends_with(|c: char| !c.is_whitespace())
                && text[at..].starts_with(|c: char| !c.is_whitespace())
            {
                out.push(' ');
            }
            continue;
        }
        out.push_str(&text[at..end]);
        blank = false;
        at = end;
    }
    out.push_str(&text[at..]);
    out
}

/// A model that stops in the middle of code ends with a token in it.
fn without_last_tokens<'t>(text: &'t str, found: &mut BTreeSet<Anomaly>) -> &'t str {
    let mut rest = text;
    loop {
        let trimmed = rest.trim_end();
        let ends = ["</s>", "<eos>", "<end_of_turn>"].into_iter();
        let fixed = ends.filter_map(|end| trimmed.strip_suffix(end)).next();
        let barred = || {
            let close = BARS.iter().find(|(_, close)| trimmed.ends_with(close))?;
            let from = trimmed.len().saturating_sub(NAME_MAX + 8);
            let from = trimmed.ceil_char_boundary(from);
            let start = from + trimmed[from..].rfind(close.0)?;
            let whole = token(&trimmed[start..])? == trimmed.len() - start;
            whole.then(|| &trimmed[..start])
        };
        match fixed.or_else(barred) {
            Some(before) => {
                found.insert(Anomaly::Token);
                rest = before;
            }
            None => return rest,
        }
    }
}

/// The length of the token with bars that a text starts with.
fn token(text: &str) -> Option<usize> {
    let (open, close) = BARS.iter().find(|(open, _)| text.starts_with(open))?;
    let rest = &text[open.len()..];
    let name = &rest[..rest.floor_char_boundary(NAME_MAX)];
    let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '▁');
    let length = name.find(|c| !named(c))?;
    (length > 0 && rest[length..].starts_with(close)).then(|| open.len() + length + close.len())
}

struct Reader<'t> {
    /// In lower case.
    text: &'t str,
    /// Where the last end of each element is.
    ends: Vec<Option<usize>>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str) -> Self {
        let end = |(name, _): &(&str, Anomaly)| text.rfind(&format!("</{name}>"));
        Self {
            text,
            ends: ELEMENTS.iter().map(end).collect(),
        }
    }

    /// What is to be removed at `start`. `blank` if there is no text before it.
    fn removal(&self, start: usize, blank: bool) -> Option<Removal> {
        let rest = &self.text[start..];
        let fixed = TOKENS.iter().find(|token| rest.starts_with(**token));
        let length = fixed.map(|token| token.len()).or_else(|| token(rest));
        if let Some(length) = length {
            return Some(self.at_token(start, length, blank));
        }
        if blank && rest.starts_with("<s>") {
            return Some(Removal {
                anomaly: Anomaly::Token,
                to: start + "<s>".len(),
                before: false,
            });
        }
        self.element(start)
    }

    fn at_token(&self, start: usize, length: usize, blank: bool) -> Removal {
        let token = &self.text[start..start + length];
        let after = start + length;
        let word = &self.text[after..];
        let letters = word.find(|c: char| !c.is_ascii_lowercase());
        let (word, rest) = word.split_at(letters.unwrap_or(word.len()));
        let (anomaly, to) = if token == "<|channel|>" && word != "final" {
            // All but the final channel is the model's own.
            (
                Anomaly::Reasoning,
                self.next(after, |rest| {
                    rest.starts_with("<|") && !rest.starts_with("<|message|>")
                }),
            )
        } else if OTHERS.contains(&token) || TURNS.contains(&token) && !OWN.contains(&word) {
            let own = |rest: &str| starts_turn(rest) && !starts_other(rest);
            // After an answer, the next turns answer what nobody asked.
            let to = if blank {
                self.next(after, own)
            } else {
                self.text.len()
            };
            (Anomaly::OtherTurn, to)
        } else if TURNS.contains(&token) || token == "<|channel|>" {
            (Anomaly::Token, self.text.len() - rest.len())
        } else {
            (Anomaly::Token, after)
        };
        Removal {
            anomaly,
            to,
            before: false,
        }
    }

    /// The first place from `from` on where `is` holds for what follows, or the end.
    fn next(&self, from: usize, is: impl Fn(&str) -> bool) -> usize {
        let mut places = self.text[from..].match_indices('<');
        let place = places.find(|(at, _)| is(&self.text[from + at..]));
        place.map_or(self.text.len(), |(at, _)| from + at)
    }

    fn element(&self, start: usize) -> Option<Removal> {
        let rest = &self.text[start..];
        let line_start = self.text[..start].ends_with('\n') || start == 0;
        ELEMENTS
            .iter()
            .zip(&self.ends)
            .find_map(|((name, anomaly), last)| {
                let after = |tag: &str| {
                    let rest = rest.strip_prefix(tag)?.strip_prefix(*name)?;
                    Some(self.text.len() - rest.strip_prefix('>')?.len())
                };
                let removal = |to, before| Removal {
                    anomaly: *anomaly,
                    to,
                    before,
                };
                if let Some(open) = after("<") {
                    let end = format!("</{name}>");
                    let close = last.filter(|last| *last >= open);
                    let close = close.and_then(|_| self.text[open..].find(&end));
                    let to = match close {
                        Some(close) => open + close + end.len(),
                        // It never came to an end. In a sentence, it is only named.
                        None if line_start => self.text.len(),
                        None => open,
                    };
                    return Some(removal(to, false));
                }
                let close = after("</")?;
                // Templates may begin the reasoning, so that the model only ends it.
                let line_end = self.text[close..].starts_with('\n') || close == self.text.len();
                let before = *anomaly == Anomaly::Reasoning && line_start && line_end;
                Some(removal(close, before))
            })
    }
}

fn starts_turn(text: &str) -> bool {
    TURNS
        .iter()
        .chain(OTHERS)
        .chain(&["<|assistant|>"])
        .any(|turn| text.starts_with(turn))
}

fn starts_other(text: &str) -> bool {
    let turn = TURNS.iter().find_map(|turn| text.strip_prefix(turn));
    let role = turn.map(|rest| {
        let letters = rest.find(|c: char| !c.is_ascii_lowercase());
        &rest[..letters.unwrap_or(rest.len())]
    });
    role.is_some_and(|role| !OWN.contains(&role))
        || OTHERS.iter().any(|other| text.starts_with(other))
}
