//! What work cost beside time: processor time, WAL and disk.

use std::fs;
use std::path::Path;

use anyhow::Context;
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;

/// Ticks a second in `/proc`, fixed on Linux.
const TICKS: f64 = 100.0;

/// Counters of this process and of its database, which only grow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spent {
    /// Processor seconds of this process.
    pub(crate) cpu: f64,
    /// Processor seconds of the PostgreSQL server.
    pub(crate) database_cpu: f64,
    /// Bytes of WAL.
    pub(crate) wal: f64,
}

impl Spent {
    /// The counters now.
    pub(crate) async fn now(url: &str) -> anyhow::Result<Self> {
        let mut connection = PgConnection::connect(url).await?;
        let (wal, data): (f64, String) = sqlx::query_as(
            "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8, \
             current_setting('data_directory')",
        )
        .fetch_one(&mut connection)
        .await?;
        connection.close().await?;
        let pid = fs::read_to_string(Path::new(&data).join("postmaster.pid"))?;
        let pid = pid.lines().next().unwrap_or_default().trim().to_owned();
        Ok(Self {
            cpu: Process::of("self")?.own,
            database_cpu: with_children(&pid)?,
            wal,
        })
    }

    /// What was spent since.
    pub(crate) fn since(self, before: Self) -> Self {
        Self {
            cpu: self.cpu - before.cpu,
            database_cpu: self.database_cpu - before.database_cpu,
            wal: self.wal - before.wal,
        }
    }
}

/// Seconds of a process and of all its children, those that ended included.
fn with_children(pid: &str) -> anyhow::Result<f64> {
    let parent = Process::of(pid)?;
    let mut seconds = parent.own + parent.ended_children;
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(name) = name.to_str().filter(|name| name.parse::<u32>().is_ok()) else {
            continue;
        };
        // One that ended meanwhile is counted by its parent, next time.
        if let Ok(child) = Process::of(name)
            && child.parent == pid
        {
            seconds += child.own;
        }
    }
    Ok(seconds)
}

struct Process {
    parent: String,
    own: f64,
    ended_children: f64,
}

impl Process {
    fn of(pid: &str) -> anyhow::Result<Self> {
        let path = format!("/proc/{pid}/stat");
        let text = fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
        // The name, in brackets, may hold anything.
        let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest);
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let ticks = |at: usize| -> f64 {
            let field = fields.get(at).and_then(|field| field.parse().ok());
            field.unwrap_or(0.0) / TICKS
        };
        Ok(Self {
            parent: fields.get(1).copied().unwrap_or_default().to_owned(),
            own: ticks(11) + ticks(12),
            ended_children: ticks(13) + ticks(14),
        })
    }
}

/// Bytes of all files under a directory, as they are on the disk, WAL apart.
pub(super) fn on_disk(dir: &Path) -> anyhow::Result<u64> {
    use std::os::unix::fs::MetadataExt as _;
    let mut bytes = 0;
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        // A database removes files while it works.
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        if metadata.is_dir() {
            if entry.file_name() != "pg_wal" {
                bytes += on_disk(&entry.path())?;
            }
        } else {
            bytes += metadata.blocks() * 512;
        }
    }
    Ok(bytes)
}
