//! Who owns the data directory: this process, or one to which a command is handed.
//!
//! An owner that starts does not listen yet, and one that runs a short command never
//! does. Both are waited for: until the owner listens, or is gone.

use std::path::Path;
use std::time::Duration;

use threadlore_ports::Clock as _;
use threadlore_settings::Settings;

use crate::admin;
use crate::clock::SystemClock;
use crate::environment::Environment;
use crate::exit::InUse;
use crate::node::{Host, owner};
use crate::output::Output;

/// Time for an owner to listen, or to be gone.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);
/// Time between two tries.
const PAUSE: Duration = Duration::from_millis(100);

/// Where the tables are reached.
pub(super) enum Access {
    /// In this process, which owns the data directory now.
    Owner(Box<Host>),
    /// In another one, whose database takes connections.
    Database(String),
}

/// Opens the node of a command that may also run in another process.
pub(super) async fn own(
    settings: &Settings,
    environment: &Environment,
) -> anyhow::Result<Result<Host, InUse>> {
    match Host::open(settings.clone(), environment).await {
        Ok(host) => Ok(Ok(host)),
        Err(error) => error.downcast::<InUse>().map(Err),
    }
}

/// Hands what `reached` finds of another owner, or this process as the owner.
pub(super) async fn wait<T>(
    settings: &Settings,
    environment: &Environment,
    out: &Output,
    reached: impl AsyncFn(&Path) -> Option<T>,
) -> anyhow::Result<Result<Box<Host>, T>> {
    let dir = &settings.data_dir;
    let (clock, mut waited) = (SystemClock, Duration::ZERO);
    let mut in_use = match own(settings, environment).await? {
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
            in_use = match own(settings, environment).await? {
                Ok(host) => return Ok(Ok(Box::new(host))),
                Err(in_use) => in_use,
            };
        }
    }
}

/// Opens the tables, here or where they are.
pub(super) async fn open(
    settings: &Settings,
    environment: &Environment,
    out: &Output,
) -> anyhow::Result<Access> {
    let database = async |dir: &Path| threadlore_pg_local::running(&dir.join("postgres"));
    Ok(match wait(settings, environment, out, database).await? {
        Ok(host) => Access::Owner(host),
        Err(url) => Access::Database(url),
    })
}

/// Whether a process has ended. One that cannot be seen is tried, too.
fn is_gone(pid: u32) -> bool {
    !Path::new("/proc").join(pid.to_string()).exists()
}
