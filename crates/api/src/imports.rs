//! Chats that people upload in the browser, and how far the import of each is.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tempfile::TempDir;
use threadlore_model::{ChannelId, SpaceId, Timestamp};
use threadlore_node::{Host, ImportPlan, ImportRequest};
use tokio::task::JoinSet;

use crate::wording::{self, text};

/// The latest of a process that are listed.
const KEPT: usize = 50;

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
    stage: Mutex<Stage>,
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
#[derive(Debug, Clone)]
pub(crate) struct ImportResult {
    /// Where it went.
    pub(crate) channels: Vec<ChannelId>,
    /// How many messages.
    pub(crate) messages: u64,
    /// Lines that could not be used.
    pub(crate) skipped: u64,
}

impl Upload {
    pub(crate) fn stage(&self) -> Stage {
        self.lock().clone()
    }

    /// Whether it goes on.
    pub(crate) fn goes_on(&self) -> bool {
        matches!(*self.lock(), Stage::Reading | Stage::Taking(..))
    }

    fn lock(&self) -> MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The imports of a process, which run one at a time. [`Uploads::end`] ends them, so that none holds on to the host of a
/// process that stops.
#[derive(Default)]
pub(crate) struct Uploads {
    all: Mutex<VecDeque<Arc<Upload>>>,
    turn: tokio::sync::Mutex<()>,
    tasks: Mutex<JoinSet<()>>,
}

impl Uploads {
    /// Those into a space, the latest first.
    pub(crate) fn of(&self, space: &SpaceId) -> Vec<Arc<Upload>> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let of_space = all.iter().filter(|one| one.space == *space);
        of_space.map(Arc::clone).collect()
    }

    /// Takes the file that a directory holds, from now on and beside everything else.
    pub(crate) fn begin(
        self: &Arc<Self>,
        host: &Arc<Host>,
        (dir, name): (TempDir, String),
        request: ImportRequest,
        by: String,
    ) {
        let upload = Arc::new(Upload {
            space: request.space.clone(),
            name,
            by,
            at: host.node.clock.now(),
            stage: Mutex::new(Stage::Reading),
        });
        {
            let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
            all.push_front(Arc::clone(&upload));
            all.truncate(KEPT);
        }
        let (uploads, host) = (Arc::clone(self), Arc::clone(host));
        let work = async move {
            let _turn = uploads.turn.lock().await;
            let file = dir.path().join(&upload.name);
            let ended = match take(&host, &upload, request, &file).await {
                Ok(taken) => Stage::Done(taken),
                Err(error) => {
                    // The temporary directory means nothing to who reads this.
                    let kept = format!("{}/", dir.path().display());
                    let why = error.to_string().replace(&kept, "");
                    tracing::warn!(why, "an uploaded chat was not imported");
                    Stage::Refused(why)
                }
            };
            *upload.lock() = ended;
        };
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(wording::within(wording::language(), work));
    }

    /// Ends those that go on, because the process stops. What they took stays.
    pub(crate) fn end(&self) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.abort_all();
    }
}

async fn take(
    host: &Host,
    upload: &Upload,
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
    let at = |done, total| *upload.lock() = Stage::Taking(done, total);
    let summary = plan.take(&host.node, at).await?;
    if summary.took_nothing() {
        let why = summary.passed_over.first().map(|one| one.why.clone());
        anyhow::bail!(why.unwrap_or_else(|| text!("import-nothing")));
    }
    Ok(ImportResult {
        channels: plan.channels(),
        messages: summary.messages,
        skipped: summary.skipped_lines(),
    })
}
