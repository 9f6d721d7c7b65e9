use super::*;

/// What the serialised default says: (`section.key`, default as written in the file).
fn serialised() -> Vec<(String, String)> {
    let value = serde_json::to_value(Settings::default()).expect("settings serialise");
    let mut found = Vec::new();
    for (name, value) in value.as_object().expect("an object") {
        match value.as_object() {
            Some(section) => {
                found.extend(
                    section
                        .iter()
                        .map(|(key, value)| (format!("{name}.{key}"), shown(value))),
                );
            }
            None => found.push((name.clone(), shown(value))),
        }
    }
    found.sort();
    found
}

fn shown(value: &serde_json::Value) -> String {
    if value.is_null() {
        String::new()
    } else {
        value.to_string()
    }
}

#[test]
fn every_setting_is_described() {
    let mut described: Vec<_> = describe()
        .into_iter()
        .flat_map(|section| section.keys)
        .map(|key| (key.path(), key.default))
        .collect();
    described.sort();
    assert_eq!(described, serialised());
}

#[test]
fn every_number_has_a_range_that_holds_its_default() {
    for key in describe().into_iter().flat_map(|section| section.keys) {
        if key.kind == Kind::Number {
            let range = key.range.clone().expect("a range");
            // What is not set by default has none to hold.
            if !key.default.is_empty() {
                let default: u64 = key.default.parse().expect("a number");
                assert!(range.contains(&default), "{}", key.path());
            }
        }
    }
}
