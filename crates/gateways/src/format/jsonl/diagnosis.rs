//! Finds the field of a line that does not have the right form, and names it without its value.

use serde_json::{Map, Value};

use crate::parsed::{Skip, SkipReason};
use crate::text::{cut, without_controls};

/// The type of a field.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Moment,
    Truth,
    Whole,
    Texts,
    Files,
}

impl Kind {
    /// Null counts as an absent optional text.
    fn takes(self, value: &Value, needed: bool) -> bool {
        match self {
            Self::Text => value.is_string() || (!needed && value.is_null()),
            Self::Moment => value.is_string() || value.is_number(),
            Self::Truth => value.is_boolean(),
            Self::Whole => value.is_i64() || value.is_null(),
            Self::Texts => value
                .as_array()
                .is_some_and(|list| list.iter().all(Value::is_string)),
            Self::Files => value
                .as_array()
                .is_some_and(|list| list.iter().all(is_file)),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Moment => {
                "a time such as 2024-05-01T12:00:00Z, or a number of seconds or milliseconds"
            }
            Self::Truth => "true or false",
            Self::Whole => "a whole number",
            Self::Texts => "a list of texts",
            Self::Files => "a list of files, each with `name` and perhaps `type` and `bytes`",
        }
    }
}

fn is_file(value: &Value) -> bool {
    let Some(file) = value.as_object() else {
        return false;
    };
    file.contains_key("name")
        && file.iter().all(|(field, value)| match field.as_str() {
            "name" => value.is_string(),
            "type" => value.is_string() || value.is_null(),
            "bytes" => value.is_u64() || value.is_null(),
            _ => false,
        })
}

/// A field: its name, its kind, and whether it is needed.
type Field = (&'static str, Kind, bool);

/// Values of `type`.
const TYPES: &str = "message, edit, redaction, reaction_added, reaction_removed or admins";

const MESSAGE: &[Field] = &[
    ("id", Kind::Text, true),
    ("author", Kind::Text, true),
    ("name", Kind::Text, false),
    ("bot", Kind::Truth, false),
    ("text", Kind::Text, true),
    ("at", Kind::Moment, true),
    ("reply_to", Kind::Text, false),
    ("mentions", Kind::Texts, false),
    ("thread", Kind::Text, false),
    ("to_bot", Kind::Truth, false),
    ("files", Kind::Files, false),
];
const EDIT: &[Field] = &[
    ("id", Kind::Text, true),
    ("author", Kind::Text, true),
    ("revision", Kind::Whole, false),
    ("text", Kind::Text, true),
    ("at", Kind::Moment, true),
];
const REDACTION: &[Field] = &[("id", Kind::Text, true), ("at", Kind::Moment, true)];
const REACTION: &[Field] = &[
    ("id", Kind::Text, true),
    ("author", Kind::Text, true),
    ("emoji", Kind::Text, true),
    ("at", Kind::Moment, true),
    ("update", Kind::Text, false),
];
const ADMINS: &[Field] = &[("people", Kind::Texts, true)];

/// Why a line that is JSON, but not of the format, is skipped.
pub(super) fn of(line: &str) -> Skip {
    let object: Option<Map<String, Value>> = serde_json::from_str(line).ok();
    let problem = object.as_ref().map_or_else(
        || None,
        |object| problem(object).or_else(|| repeated(object, line)),
    );
    match problem {
        Some((field, problem)) => Skip::of_field(SkipReason::NotOfFormat, &field, &problem),
        None => SkipReason::NotOfFormat.into(),
    }
}

fn problem(object: &Map<String, Value>) -> Option<(String, String)> {
    let found = |field: &str, problem: String| Some((shown(field), problem));
    let fields = match object.get("type") {
        None => return found("type", format!("missing; it is one of {TYPES}")),
        Some(Value::String(kind)) => match kind.as_str() {
            "message" => MESSAGE,
            "edit" => EDIT,
            "redaction" => REDACTION,
            "reaction_added" | "reaction_removed" => REACTION,
            "admins" => ADMINS,
            _ => return found("type", format!("not one of {TYPES}")),
        },
        Some(other) => return found("type", wrong(other, Kind::Text)),
    };
    for name in object.keys().filter(|name| *name != "type") {
        if !fields.iter().any(|(known, ..)| known == name) {
            return found(name, "unknown".to_owned());
        }
    }
    for (name, kind, needed) in fields {
        match object.get(*name) {
            None if *needed => return found(name, "missing".to_owned()),
            Some(value) if !kind.takes(value, *needed) => return found(name, wrong(value, *kind)),
            _ => {}
        }
    }
    None
}

/// A field that is there twice, of which an object keeps one only.
fn repeated(object: &Map<String, Value>, line: &str) -> Option<(String, String)> {
    // What is left has names of the fields of files, too, and texts that quote a name.
    let once = Value::from(object.clone()).to_string();
    let name = object.keys().find(|name| {
        let quoted = Value::from(name.as_str()).to_string();
        line.matches(&quoted).count() > once.matches(&quoted).count()
    })?;
    Some((shown(name), "there more than once".to_owned()))
}

fn wrong(value: &Value, kind: Kind) -> String {
    let is = match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    match kind {
        Kind::Texts if value.is_array() => "a list of something else than texts".to_owned(),
        Kind::Whole if value.is_number() => "a number that is not whole or too large".to_owned(),
        kind => format!("{is} where {} is needed", kind.name()),
    }
}

/// A name of the file's own, in a length that can be shown.
fn shown(name: &str) -> String {
    cut(&without_controls(name), 40).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_is_named_and_its_value_is_not() {
        let message = |more: &str| {
            format!(
                r#"{{"type":"message","id":"1","author":"secret","text":"secret","at":"t"{more}}}"#
            )
        };
        for (line, expect) in [
            (
                message(r#","reply_to":5"#),
                r#"field "reply_to": a number where text is needed"#,
            ),
            (
                message(r#","mentions":["secret",1]"#),
                r#"field "mentions": a list of something else than texts"#,
            ),
            (
                message(r#","mentions":"secret""#),
                r#"field "mentions": text where a list of texts is needed"#,
            ),
            (
                message(r#","bot":null"#),
                r#"field "bot": null where true or false is needed"#,
            ),
            (
                message(r#","subject":"secret""#),
                r#"field "subject": unknown"#,
            ),
            (
                message(r#","files":[{"name":"a","type":"b"}],"name":"x","id":"2""#),
                r#"field "id": there more than once"#,
            ),
            (
                message(r#","id":"2""#),
                r#"field "id": there more than once"#,
            ),
            (
                r#"{"type":"redaction","at":"t"}"#.to_owned(),
                r#"field "id": missing"#,
            ),
            (
                r#"{"type":"edit","id":"1","author":"u","text":"","at":"t","revision":1.5}"#
                    .to_owned(),
                r#"field "revision": a number that is not whole or too large"#,
            ),
            (
                r#"{"type":7}"#.to_owned(),
                r#"field "type": a number where text is needed"#,
            ),
        ] {
            let skip = of(&line);
            assert_eq!(skip.reason, SkipReason::NotOfFormat);
            assert_eq!(skip.detail.as_deref(), Some(expect), "{line}");
        }
        for line in [r#"{"type":"secret"}"#, r#"{"user":"secret"}"#] {
            let detail = of(line).detail.expect("a field");
            assert!(detail.starts_with(r#"field "type": "#), "{detail}");
            assert!(!detail.contains("secret"), "{detail}");
        }
        let long = format!(
            r#"{{"type":"redaction","id":"1","at":"t","{}":1}}"#,
            "x".repeat(99_999)
        );
        assert!(of(&long).detail.expect("a field").len() < 80);
    }
}
