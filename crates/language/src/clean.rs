//! Cleaning of a model's answer: what is no part of it is removed, and [`Anomaly`] says what was.
//!
//! 1. **Markup of models.** Reasoning (`<think>…</think>`), calls of tools, control tokens
//!    (`<|im_end|>`), and turns that the model wrote for somebody else. In code they are what the
//!    answer is about, and stay.
//! 2. **Names of roles** before the answer, such as `assistant:`.
//! 3. **Runaway JSON.** Three or more objects or arrays, in fences or on lines of their own, are no
//!    answer to anybody: the answer ends before the first of them.
//!
//! What is left may be empty. The functions are pure, and take time in proportion to the length.

mod json;
mod markup;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};

/// Something that a model's answer should not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Anomaly {
    /// It thought aloud.
    Reasoning,
    /// It wrote a call of a tool, or the result of one, as text.
    ToolCall,
    /// It wrote a control token of a chat template.
    Token,
    /// It went on with a turn of somebody else.
    OtherTurn,
    /// It began with the name of its role.
    RolePrefix,
    /// It wrote three or more blocks of JSON.
    RunawayJson,
}

impl Anomaly {
    /// Its name, as the label of a metric.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reasoning => "reasoning",
            Self::ToolCall => "tool_call",
            Self::Token => "token",
            Self::OtherTurn => "other_turn",
            Self::RolePrefix => "role_prefix",
            Self::RunawayJson => "runaway_json",
        }
    }
}

/// An answer without what does not belong to it.
#[derive(Clone, PartialEq, Eq)]
pub struct Cleaned<'a> {
    /// The answer; without white space around it if anything was removed.
    pub text: Cow<'a, str>,
    /// What was removed. Empty if the text is as the model gave it.
    pub anomalies: BTreeSet<Anomaly>,
}

/// Shows the length of the text in bytes, because an answer quotes what people wrote.
impl std::fmt::Debug for Cleaned<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cleaned")
            .field("text", &self.text.len())
            .field("anomalies", &self.anomalies)
            .finish()
    }
}

/// Rounds at most. What is removed in one may show what was hidden in code until then.
const ROUNDS: usize = 4;

/// Cleans the answer of a model, which is Markdown.
#[must_use]
pub fn clean(answer: &str) -> Cleaned<'_> {
    let mut text = Cow::Borrowed(answer);
    let mut anomalies = BTreeSet::new();
    for _ in 0..ROUNDS {
        let mut found = BTreeSet::new();
        let stripped = markup::stripped(&text, &mut found);
        let spoken = without_role(&stripped, &mut found);
        let end = json::end(spoken);
        if end < spoken.len() {
            found.insert(Anomaly::RunawayJson);
        }
        if found.is_empty() {
            break;
        }
        text = Cow::Owned(spoken[..end].trim().to_owned());
        anomalies.append(&mut found);
    }
    Cleaned { text, anomalies }
}

/// Names by which models call themselves.
const ROLES: &[&str] = &["assistant", "ai assistant", "ai", "chatbot"];

/// The text without names of the model's role before it: `assistant:`, `**Assistant:**`,
/// `### Assistant:`, or a line with nothing but `assistant`.
fn without_role<'t>(text: &'t str, found: &mut BTreeSet<Anomaly>) -> &'t str {
    let mut text = text;
    while let Some(rest) = after_role(text) {
        found.insert(Anomaly::RolePrefix);
        text = rest;
    }
    text
}

fn after_role(text: &str) -> Option<&str> {
    let decorated = |c: char| matches!(c, '#' | '*' | '_' | '[' | ']' | ' ' | '\t');
    let text = text.trim_start();
    let start = text.trim_start_matches(decorated);
    let word = start
        .find(|c: char| !c.is_ascii_alphabetic() && c != ' ')
        .unwrap_or(start.len());
    let (name, after) = start.split_at(word);
    let name = name.trim_end();
    if !ROLES.iter().any(|role| name.eq_ignore_ascii_case(role)) {
        return None;
    }
    if name == "assistant" && (after.is_empty() || after.starts_with('\n')) {
        return Some(after.trim_start());
    }
    let bold_ends_later = text.starts_with("**") && !after.starts_with("**");
    let after = after.trim_start_matches(decorated);
    let rest = after.strip_prefix(':').or(after.strip_prefix('：'))?;
    let bold = rest.strip_prefix("**").filter(|_| bold_ends_later);
    Some(bold.unwrap_or(rest).trim_start())
}

/// A piece of code in Markdown.
struct Code {
    range: Range<usize>,
    /// The first line of a fence.
    fence: Option<String>,
}

/// Where the code of a text is, in order.
fn code(text: &str) -> Vec<Code> {
    use pulldown_cmark::CodeBlockKind::{Fenced, Indented};
    let pieces = Parser::new(text).into_offset_iter();
    let code = pieces.filter_map(|(event, range)| {
        let fence = match event {
            Event::Start(Tag::CodeBlock(Fenced(info))) => Some(info.to_string()),
            Event::Start(Tag::CodeBlock(Indented)) | Event::Code(_) => None,
            _ => return None,
        };
        Some(Code { range, fence })
    });
    code.collect()
}

#[cfg(test)]
mod tests;
