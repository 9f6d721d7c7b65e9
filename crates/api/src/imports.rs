//! Chats that people and programs upload, and how far the import of each is.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use futures::stream::{Stream, StreamExt as _};
use serde::Serialize;
use tempfile::TempDir;
use threadlore_model::{ChannelId, SpaceId, Timestamp};
use threadlore_node::{Host, ImportPlan, ImportRequest};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::watch;

use crate::jobs::{self, Jobs, Stage as _};
use crate::refused::Refused;
use crate::wording::text;

/// The most bytes of a file. Chosen: as much again is needed while an export is read, and pods have a gibibyte for
/// such files.
pub(crate) const MOST: usize = 256 << 20;
/// The latest of a process that are listed.
const KEPT: usize = 50;
/// How an import ends that the end of its process cuts off.
const CUT_OFF: &str = "The process stops: send the file again, and only what is missing is taken.";

/// A chat that somebody uploaded.
pub(crate) struct Upload {
    /// Where it goes.
    pub(crate) space: SpaceId,
    /// What its file is called.
    pub(crate) name: String,
    /// Who uploaded it, in words.
    pub(crate) by: String,
    /// When.
    pub(crate) at: Timestamp,
    stage: watch::Receiver<Stage>,
}

/// How far an import is.
#[derive(Debug, Clone)]
pub(crate) enum Stage {
    /// Another one is taken first, or it is looked what there is.
    Reading,
    /// So many of so many bytes are taken.
    Taking(u64, u64),
    /// All of it is in the log.
    Done(ImportResult),
    /// Nothing, or not all of it, was taken; why.
    Refused(String),
}

/// What an import had.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ImportResult {
    /// Where it went.
    pub(crate) channels: Vec<ChannelId>,
    /// How many messages.
    pub(crate) messages: u64,
    /// Lines that could not be used.
    pub(crate) skipped_lines: u64,
}

impl jobs::Stage for Stage {
    fn goes_on(&self) -> bool {
        matches!(self, Self::Reading | Self::Taking(..))
    }

    fn percent(&self) -> Option<u64> {
        match self {
            Self::Taking(done, total) => Some(done * 100 / (*total).max(1)),
            _ => None,
        }
    }

    fn cut_off() -> Self {
        Self::Refused(CUT_OFF.to_owned())
    }
}

impl Upload {
    pub(crate) fn stage(&self) -> Stage {
        jobs::stage(&self.stage)
    }

    /// Whether it goes on.
    pub(crate) fn goes_on(&self) -> bool {
        self.stage().goes_on()
    }

    /// How far it is, from now until its end.
    pub(crate) fn stages(&self) -> impl Stream<Item = Stage> + Send + use<> {
        jobs::stages(&self.stage)
    }
}

/// A file that is kept until it is taken, in a directory of its own.
pub(crate) struct ReceivedFile {
    dir: TempDir,
    name: String,
}

impl ReceivedFile {
    /// Keeps what is received under the name that the sender says, as far as it can be one: it says something of what
    /// it is.
    pub(crate) async fn keep(
        said: &str,
        chunks: impl Stream<Item = Result<Bytes, Refused>>,
    ) -> Result<Self, Refused> {
        let failed = |error: io::Error| Refused::Failed(error.into());
        let file = Self {
            dir: tempfile::tempdir().map_err(failed)?,
            name: file_name(said),
        };
        let mut to = tokio::fs::File::create(file.path()).await.map_err(failed)?;
        let mut size = 0;
        let mut chunks = pin!(chunks);
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk?;
            size += chunk.len();
            if size > MOST {
                return Err(Refused::TooLarge);
            }
            to.write_all(&chunk).await.map_err(failed)?;
        }
        to.flush().await.map_err(failed)?;
        match size {
            0 => Err(Refused::Bad(text!("import-no-file"))),
            _ => Ok(file),
        }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join(&self.name)
    }
}

/// A name that is one file of a directory, whatever a sender says.
fn file_name(said: &str) -> String {
    let last = said.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_plain = |c: &char| !c.is_control();
    // Twice as long would be too long for a file, each character as four bytes.
    let plain: String = last.chars().filter(is_plain).collect();
    let cut = plain.chars().count().saturating_sub(60);
    let plain: String = plain.chars().skip(cut).collect();
    match Path::new(&plain).file_name() {
        Some(name) if name == plain.as_str() => plain,
        _ => "chat".to_owned(),
    }
}

/// The imports of a process, which run one at a time.
#[derive(Default)]
pub(crate) struct Uploads {
    all: Mutex<VecDeque<Arc<Upload>>>,
    pub(crate) jobs: Jobs,
}

impl Uploads {
    /// Those into a space, the latest first.
    pub(crate) fn of(&self, space: &SpaceId) -> Vec<Arc<Upload>> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let of_space = all.iter().filter(|one| one.space == *space);
        of_space.map(Arc::clone).collect()
    }

    /// Takes a file from now on, beside everything else.
    pub(crate) fn begin(
        &self,
        host: &Arc<Host>,
        file: ReceivedFile,
        request: ImportRequest,
        by: String,
    ) -> Arc<Upload> {
        let (stage, seen) = watch::channel(Stage::Reading);
        let upload = Arc::new(Upload {
            space: request.space.clone(),
            name: file.name.clone(),
            by,
            at: host.node.clock.now(),
            stage: seen,
        });
        {
            let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
            all.push_front(Arc::clone(&upload));
            all.truncate(KEPT);
        }
        let host = Arc::clone(host);
        self.jobs.begin(async move {
            let ended = match take(&host, &stage, request, &file.path()).await {
                Ok(taken) => Stage::Done(taken),
                Err(error) => {
                    // The temporary directory means nothing to who reads this.
                    let kept = format!("{}/", file.dir.path().display());
                    let why = error.to_string().replace(&kept, "");
                    tracing::warn!(why, "an uploaded chat was not imported");
                    Stage::Refused(why)
                }
            };
            stage.send_replace(ended);
        });
        upload
    }
}

async fn take(
    host: &Host,
    stage: &watch::Sender<Stage>,
    request: ImportRequest,
    file: &Path,
) -> anyhow::Result<ImportResult> {
    let file = file.to_owned();
    let read = move || match request.wants_channel(&file)? {
        true => Ok(None),
        false => ImportPlan::read(&request, &file).map(Some),
    };
    let read: anyhow::Result<_> = tokio::task::spawn_blocking(read).await?;
    let Some(plan) = read? else {
        anyhow::bail!(text!("import-unknown"));
    };
    let at = |done, total| drop(stage.send_replace(Stage::Taking(done, total)));
    let summary = plan.take(&host.node, at).await?;
    if summary.took_nothing() {
        let why = summary.passed_over.first().map(|one| one.why.clone());
        anyhow::bail!(why.unwrap_or_else(|| text!("import-nothing")));
    }
    Ok(ImportResult {
        channels: plan.channels(),
        messages: summary.messages,
        skipped_lines: summary.skipped_lines(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_in_its_directory_whatever_it_is_called() {
        for (said, kept) in [
            ("result.json", "result.json"),
            ("WhatsApp Chat with Help.zip", "WhatsApp Chat with Help.zip"),
            ("../../etc/passwd", "passwd"),
            ("C:\\chats\\чат.json", "чат.json"),
            ("..", "chat"),
            (".", "chat"),
            ("", "chat"),
            ("/", "chat"),
            ("a\0b\n.txt", "ab.txt"),
        ] {
            assert_eq!(file_name(said), kept, "{said}");
        }
        let long = file_name(&format!("{}.mbox", "ж".repeat(500)));
        assert!(long.len() < 200 && long.ends_with(".mbox"), "{long}");
    }
}
