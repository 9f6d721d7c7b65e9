//! Access to the data directory: this process becomes its owner, or sends the command to the owner.
//!
//! An owner that is starting does not listen yet, and one that runs a short command never does. The
//! command waits until the owner listens or has ended.

use std::path::Path;
use std::time::Duration;

use threadlore_node::{Environment, Host, SystemClock, owner};
use threadlore_ports::Clock as _;
use threadlore_settings::Settings;

use crate::admin;
use crate::exit::InUse;
use crate::output::Output;

/// How long to wait for an owner to listen or to end.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);
/// Time between two tries.
const PAUSE: Duration = Duration::from_millis(100);

/// How the tables can be reached.
pub(super) enum Access {
    /// In this process, which owns the data directory now.
    Owner(Box<Host>),
    /// In another process, whose database accepts connections.
    Database(String),
}

/// Opens the node of a command that may also run in another process. `people` as in
/// [`Host::open`].
pub(super) async fn own(
    (settings, people): (&Settings, Option<[u8; 32]>),
    environment: &Environment,
) -> anyhow::Result<Result<Host, InUse>> {
    match Host::open(settings.clone(), environment, people).await {
        Ok(host) => Ok(Ok(host)),
        Err(error) => error.downcast::<InUse>().map(Err),
    }
}

/// Waits until `reached` gives a result for another owner, or until this process is the owner.
pub(super) async fn wait<T>(
    (settings, people): (&Settings, Option<[u8; 32]>),
    environment: &Environment,
    out: &Output,
    reached: impl AsyncFn(&Path) -> Option<T>,
) -> anyhow::Result<Result<Box<Host>, T>> {
    let dir = &settings.data_dir;
    let (clock, mut waited) = (SystemClock, Duration::ZERO);
    let mut in_use = match own((settings, people), environment).await? {
        Ok(host) => return Ok(Ok(Box::new(host))),
        Err(in_use) => in_use,
    };
    loop {
        if let Some(reached) = reached(dir).await {
            return Ok(Err(reached));
        }
        if !admin::may_listen(dir) || waited >= PATIENCE {
            return Err(in_use.into());
        }
        if waited.is_zero() {
            out.say(format_args!(
                "the data directory {} is in use by process {}, which takes no commands yet: \
                 waiting for it ({} s at most)",
                dir.display(),
                owner(dir).map_or_else(|| "unknown".to_owned(), |pid| pid.to_string()),
                PATIENCE.as_secs()
            ));
        }
        clock.sleep(PAUSE).await;
        waited += PAUSE;
        if owner(dir).is_none_or(is_gone) {
            in_use = match own((settings, people), environment).await? {
                Ok(host) => return Ok(Ok(Box::new(host))),
                Err(in_use) => in_use,
            };
        }
    }
}

/// Opens the tables, in this process or in the owner's database.
pub(super) async fn open(
    settings: &Settings,
    environment: &Environment,
    out: &Output,
) -> anyhow::Result<Access> {
    let database = async |dir: &Path| threadlore_pg_local::running(&dir.join("postgres"));
    Ok(
        match wait((settings, None), environment, out, database).await? {
            Ok(host) => Access::Owner(host),
            Err(url) => Access::Database(url),
        },
    )
}

/// Whether a process has ended. If that cannot be checked, it counts as ended.
fn is_gone(pid: u32) -> bool {
    !Path::new("/proc").join(pid.to_string()).exists()
}
