//! The protocol of the admin socket: one JSON object per line. The client sends one [`Request`] and
//! keeps the connection open. The owner sends one [`Said`] after the other, the exit code last.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// The longest request, in bytes. Command lines are much shorter.
pub(crate) const LONGEST: usize = 64 * 1024;

/// The version of both sides, which must be equal, so that they parse a command line alike.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A command line, and the directory where it was typed.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Of the client.
    pub(crate) version: String,
    /// The client's working directory: relative paths start there.
    pub(crate) dir: PathBuf,
    /// Everything behind the program's name.
    pub(crate) args: Vec<String>,
}

/// One thing that a command says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Said {
    /// For standard output.
    Out(String),
    /// For standard error.
    Err(String),
    /// Progress; the client draws it, because it knows its terminal.
    Step(Step),
    /// The command is done.
    Exit(u8),
}

/// How far a long step is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Step {
    /// The work in progress.
    pub(crate) what: String,
    /// Whether bytes are counted.
    pub(crate) bytes: bool,
    pub(crate) done: u64,
    pub(crate) total: u64,
    /// The closing line, once the step is over.
    pub(crate) closing: Option<String>,
}

/// A value as a line of the protocol.
pub(crate) fn line<T: Serialize>(value: &T) -> serde_json::Result<String> {
    serde_json::to_string(value).map(|text| text + "\n")
}

/// Reads a request. The error is a sentence that says what is wrong with it. `None` when the client
/// disconnected before it had sent one.
pub(crate) async fn request(
    from: &mut (impl AsyncBufRead + Unpin),
) -> Result<Option<Request>, String> {
    let mut bytes = Vec::new();
    let mut limited = from.take(LONGEST as u64);
    let read = limited.read_until(b'\n', &mut bytes).await;
    read.map_err(|e| format!("the request cannot be read: {e}"))?;
    if bytes.len() == LONGEST && bytes.last() != Some(&b'\n') {
        return Err(format!("the request has more than {LONGEST} bytes"));
    }
    if bytes.is_empty() {
        return Ok(None);
    }
    let request: Request = serde_json::from_slice(&bytes).map_err(|e| {
        format!("not a request of threadlore ({e}): use the program, not the socket itself")
    })?;
    if request.version != VERSION {
        return Err(format!(
            "the process that owns the data directory is threadlore {VERSION}, and this is {}: \
             use the same version for both",
            request.version.chars().take(20).collect::<String>()
        ));
    }
    Ok(Some(request))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(bytes: &[u8]) -> Result<Option<Request>, String> {
        request(&mut tokio::io::BufReader::new(bytes)).await
    }

    #[tokio::test]
    async fn a_request_comes_back_as_it_was_sent() {
        let sent = Request {
            version: VERSION.to_owned(),
            dir: "/home/ann".into(),
            args: vec!["ask".to_owned(), "why\n\"so\"?".to_owned()],
        };
        let line = line(&sent).expect("written");
        assert_eq!(line.matches('\n').count(), 1, "{line}");
        assert_eq!(read(line.as_bytes()).await, Ok(Some(sent)));
    }

    #[tokio::test]
    async fn hostile_lines_are_refused_in_a_sentence() {
        let old = r#"{"version":"0.0.0","dir":"/","args":[]}"#;
        let more = r#"{"version":"0.1.0","dir":"/","args":[],"sudo":true}"#;
        let deep = "[".repeat(LONGEST - 1);
        let cases: [(&[u8], &str); 7] = [
            (b"GET / HTTP/1.1\r\n", "not a request"),
            (b"\0\xff\xfe\n", "not a request"),
            (b"{}\n", "not a request"),
            (more.as_bytes(), "not a request"),
            (deep.as_bytes(), "not a request"),
            (&[b'x'; LONGEST + 1], "more than"),
            (old.as_bytes(), "use the same version"),
        ];
        for (bytes, words) in cases {
            let refused = read(bytes).await.expect_err(words);
            assert!(refused.contains(words), "{refused}");
            assert!(refused.len() < 300, "{refused}");
        }
        assert_eq!(read(b"").await, Ok(None));
    }
}
