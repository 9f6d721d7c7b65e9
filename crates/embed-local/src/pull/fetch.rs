//! A file from a server, over HTTP.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use reqwest::StatusCode;

use super::Progress;
use crate::Error;

/// Longest file that is taken, in bytes.
pub(super) const MOST: u64 = 8 << 30;
/// Longest time for a connection, and between two parts of an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Fetches `url` into `path`; no more than `most` bytes.
pub(super) async fn file(
    url: &str,
    path: &Path,
    most: u64,
    progress: &mut (dyn FnMut(Progress<'_>) + Send),
) -> Result<(), Error> {
    let failed = |error: reqwest::Error| Error::Fetch {
        url: url.to_owned(),
        what: "the connection failed, or broke off: try again".to_owned(),
        source: Some(error.without_url()),
    };
    let client = reqwest::Client::builder()
        .connect_timeout(PATIENCE)
        .read_timeout(PATIENCE)
        .build()
        .map_err(failed)?;
    let mut answer = client.get(url).send().await.map_err(failed)?;
    match answer.status() {
        StatusCode::OK => {}
        StatusCode::NOT_FOUND => return Err(Error::NotThere(url.to_owned())),
        status => return Err(refused(url, format!("the server answered {status}"))),
    }
    let of = answer.content_length();
    let too_long = || refused(url, format!("it is longer than {most} bytes"));
    if of.is_some_and(|of| of > most) {
        return Err(too_long());
    }
    let written = |source| Error::write(path, source);
    let mut out = File::create(path).map_err(written)?;
    let name = url.rsplit('/').next().unwrap_or(url);
    let mut bytes = 0;
    while let Some(part) = answer.chunk().await.map_err(failed)? {
        bytes += part.len() as u64;
        if bytes > most {
            return Err(too_long());
        }
        out.write_all(&part).map_err(written)?;
        progress(Progress {
            file: name,
            bytes,
            of,
        });
    }
    Ok(())
}

fn refused(url: &str, what: String) -> Error {
    Error::Fetch {
        url: url.to_owned(),
        what,
        source: None,
    }
}
