//! The settings as a JSON schema, for files of other tools that have them in it.

use serde_json::{Map, Value, json};

use crate::reference::text;
use crate::section::{Key, Kind};
use crate::sections::describe;

/// A JSON schema of an object with the tables of the settings file, but for those keys that
/// `is_left_out` names as `section.key`, and but for secrets, which do not belong into such files. A
/// table without any key is no part of it, and neither is what stands before the first table.
#[must_use]
pub fn json_schema(is_left_out: impl Fn(&str) -> bool) -> Value {
    let tables = describe().into_iter().filter_map(|section| {
        let shown = |key: &&Key| key.kind != Kind::Secret && !is_left_out(&key.path());
        let keys = section.keys.iter().filter(shown);
        let keys: Map<String, Value> = keys.map(|key| (key.name.to_owned(), of_key(key))).collect();
        let is_table = !section.name.is_empty() && !keys.is_empty();
        let table = json!({
            "description": text(section.about),
            "type": "object",
            "additionalProperties": false,
            "properties": keys,
        });
        is_table.then(|| (section.name.to_owned(), table))
    });
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": tables.collect::<Map<_, _>>(),
    })
}

fn of_key(key: &Key) -> Value {
    let mut schema = match (key.kind, &key.range) {
        (_, Some(range)) => {
            json!({ "type": "integer", "minimum": range.start(), "maximum": range.end() })
        }
        (Kind::Switch, None) => json!({ "type": "boolean" }),
        (Kind::Number, None) => json!({ "type": "integer", "minimum": 0 }),
        (Kind::Choice(words), None) => json!({ "enum": words }),
        (Kind::Text | Kind::Path | Kind::Address | Kind::Secret, None) => {
            json!({ "type": "string", "minLength": 1 })
        }
    };
    schema["description"] = text(key.about).into();
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_kind_and_secrets_have_no_place() {
        let schema = json_schema(|key| key == "log.fsync" || key.starts_with("keystore."));
        let tables = &schema["properties"];
        let keys = |table: &str| tables[table]["properties"].clone();
        assert_eq!(keys("buffer")["window_count"]["type"], "integer");
        assert_eq!(keys("buffer")["window_count"]["maximum"], 10_000);
        assert_eq!(keys("log")["engine"]["enum"], json!(["local", "kafka"]));
        assert_eq!(keys("telemetry")["json"]["type"], "boolean");
        assert!(keys("log").get("fsync").is_none(), "left out");
        assert!(tables.get("keystore").is_none(), "nothing is left of it");
        assert!(keys("openai").get("api_key").is_none(), "a secret");
        assert_eq!(keys("openai")["api_key_file"]["type"], "string");
        assert_eq!(tables["openai"]["additionalProperties"], false);
        assert!(!schema.to_string().contains("data_dir\":{"), "{schema}");
    }
}
