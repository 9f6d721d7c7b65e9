//! The index of cases: made of rows, so whatever happens to its files, questions
//! are answered as before.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::support::{Place, demo};

const CHANNEL: &str = "irc:#ubuntu";

/// What was answered, without what says how it was found.
fn answered(place: &Place, question: &str) -> (Value, Value) {
    let told = place.json(&["ask", question]);
    assert_eq!(
        told["retrieval"]["degraded"],
        serde_json::json!([]),
        "{told}"
    );
    (told["outcome"].clone(), told["citations"].clone())
}

/// Every file below a directory holds something else now.
fn overwrite(dir: &Path) {
    for entry in fs::read_dir(dir).expect("lists") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            overwrite(&path);
        } else {
            fs::write(path, b"not what was written").expect("written");
        }
    }
}

#[test]
fn an_index_that_is_gone_or_damaged_is_made_again() {
    let place = Place::new();
    let log = demo().join("2008-03-01.txt");
    let log = log.to_str().expect("UTF-8");
    place.json(&["import", log, "--channel", CHANNEL]);
    let question = place.with_database(|sql| {
        sql(
            "SELECT regexp_replace(title, E'[\\n\\r]', ' ', 'g') FROM lore.cases \
             WHERE status = 'solved' AND length(title) > 30 ORDER BY case_id LIMIT 1",
        )
    });
    let question = question.trim();
    let before = answered(&place, question);
    assert_eq!(before.0, "answered", "its own title is close: {question}");
    let points = place.verified().table("points");
    assert!(points.0 > 0, "cases have points, and verify compares them");

    let index = place.data().join("index");
    fs::remove_dir_all(&index).expect("removed");
    assert_eq!(answered(&place, question), before, "gone");
    overwrite(&index);
    assert_eq!(answered(&place, question), before, "damaged");
    fs::remove_dir_all(&index).expect("removed");
    assert_eq!(place.verified().table("points"), points);

    fs::remove_dir_all(&index).expect("removed");
    fs::write(&index, "a file").expect("written");
    let ran = place.run(&["ask", question]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("cannot be used"), "{ran:?}");
    assert!(!ran.err.contains("panicked"), "{ran:?}");
}
