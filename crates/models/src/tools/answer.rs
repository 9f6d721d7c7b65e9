//! What a tool answered, as lines that can be quoted.

use serde_json::Value;

/// The most lines, and the most characters of one.
const LINES: usize = 40;
const LINE: usize = 300;

/// The lines of a body, never none, or why there are none. Of JSON each value is one, with its path, such as
/// `services[0].status: up`; fields are in the order of their names.
pub(super) fn lines(kind: &str, body: &[u8]) -> Result<Vec<String>, String> {
    let kind = kind.split(';').next().unwrap_or_default().trim();
    let kind = kind.to_ascii_lowercase();
    let mut lines = Vec::new();
    if kind == "application/json" || kind.ends_with("+json") {
        let value: Value = serde_json::from_slice(body).map_err(|e| {
            format!(
                "its answer is no JSON (line {}, column {})",
                e.line(),
                e.column()
            )
        })?;
        values("", &value, &mut lines);
    } else if kind == "text/plain" {
        let text = str::from_utf8(body).map_err(|_| "its answer is no UTF-8".to_owned())?;
        let text = text.lines().map(bare).filter(|line| !line.is_empty());
        lines.extend(text.take(LINES));
    } else {
        return Err("its answer is neither JSON nor plain text".to_owned());
    }
    match lines.is_empty() {
        true => Err("its answer is empty".to_owned()),
        false => Ok(lines),
    }
}

fn values(path: &str, value: &Value, lines: &mut Vec<String>) {
    let text = match value {
        _ if lines.len() == LINES => return,
        Value::Object(fields) => {
            for (name, value) in fields {
                let dot = if path.is_empty() { "" } else { "." };
                values(&format!("{path}{dot}{name}"), value, lines);
            }
            return;
        }
        Value::Array(all) => {
            for (at, value) in all.iter().enumerate() {
                values(&format!("{path}[{at}]"), value, lines);
            }
            return;
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    lines.push(match path {
        "" => bare(&text),
        path => bare(&format!("{path}: {text}")),
    });
}

/// One line: without control characters, and cut.
fn bare(text: &str) -> String {
    let text = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    text.collect::<String>().trim().chars().take(LINE).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_of_json_is_a_line() {
        let body =
            br#"{"services": [{"name": "web", "up": true}], "note": "all\nfine", "since": null}"#;
        assert_eq!(
            lines("application/problem+json; charset=utf-8", body).expect("lines"),
            [
                "note: all fine",
                "services[0].name: web",
                "services[0].up: true",
                "since: null"
            ]
        );
        assert_eq!(lines("APPLICATION/JSON", b"7").expect("lines"), ["7"]);
        let many = format!("[{}1]", "1,".repeat(1000));
        assert_eq!(
            lines("application/json", many.as_bytes())
                .expect("lines")
                .len(),
            LINES
        );
    }

    #[test]
    fn text_is_taken_and_anything_else_refused() {
        let text = lines("text/plain", b"web: up\r\n\n mail: down \x1b[2J").expect("lines");
        assert_eq!(text, ["web: up", "mail: down  [2J"]);
        let long = lines("text/plain", &[b'x'; 10_000]).expect("lines");
        assert_eq!(long[0].len(), LINE);
        for (kind, body, words) in [
            (
                "text/html",
                b"<p>up</p>".as_slice(),
                "neither JSON nor plain text",
            ),
            ("", b"up", "neither"),
            ("application/json", b"{\"a\":", "no JSON (line 1"),
            ("application/json", b"{}", "empty"),
            ("text/plain", b" \n ", "empty"),
            ("text/plain", b"\xff", "no UTF-8"),
        ] {
            let told = lines(kind, body).expect_err(kind);
            assert!(told.contains(words), "{kind}: {told}");
        }
        let deep = "[".repeat(100_000);
        assert!(lines("application/json", deep.as_bytes()).is_err());
    }
}
