//! The command's side: sends the command line and prints the answer.

use std::path::Path;

use anyhow::Context;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

use super::wire::{LONGEST, Request, Said, VERSION, line};
use crate::exit::{BadInput, OwnerEnded};
use crate::output::{Output, Steps};

/// A connection to the process that owns a data directory, unless it does not listen.
pub(crate) async fn connect(data_dir: &Path) -> Option<UnixStream> {
    UnixStream::connect(super::socket(data_dir)).await.ok()
}

/// Runs a command in the process that owns the data directory; returns its exit
/// code.
pub(crate) async fn run(
    mut owner: UnixStream,
    args: Vec<String>,
    out: &Output,
) -> anyhow::Result<u8> {
    let request = line(&Request {
        version: VERSION.to_owned(),
        dir: std::env::current_dir().context("looking up the working directory")?,
        args,
    });
    let request = request.context("writing the command line as JSON")?;
    if request.len() > LONGEST {
        return Err(BadInput(format!(
            "the command line is too long for the process that owns the data directory: \
             {LONGEST} bytes are the most"
        ))
        .into());
    }
    // An owner that has its hands full answers before it reads.
    owner.write_all(request.as_bytes()).await.ok();
    let mut lines = BufReader::new(owner).lines();
    let mut steps: Option<(String, Steps)> = None;
    while let Ok(Some(line)) = lines.next_line().await {
        let said = serde_json::from_str(&line);
        match said.context("the owner of the data directory answers in another language")? {
            Said::Out(text) => out.print(text),
            Said::Err(text) => out.say(text),
            Said::Exit(code) => return Ok(code),
            Said::Step(step) => {
                let (_, shown) = match steps.take() {
                    Some(old) if old.0 == step.what => steps.insert(old),
                    _ => {
                        let new = out.steps(&step.what, step.total, step.bytes);
                        steps.insert((step.what, new))
                    }
                };
                shown.at(step.done, step.total);
                if let Some(closing) = step.closing
                    && let Some((_, shown)) = steps.take()
                {
                    shown.done(&closing);
                }
            }
        }
    }
    Err(OwnerEnded.into())
}
