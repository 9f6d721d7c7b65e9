//! Making the data directory, starting the server on it, waiting for it.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::process::Child;
use std::time::Duration;

use crate::command::bound_to_us;
use crate::error::{says_disk_full, tail};
use crate::layout::{Layout, PORT};
use crate::poll::poll;
use crate::{Binaries, Error, Mode};

/// The one role, a superuser.
pub(crate) const USER: &str = "threadlore";

/// Recovery after a crash reads at most a few checkpoints of log.
const READY_WITHIN: Duration = Duration::from_secs(120);

/// Makes the data directory under another name and renames it when whole.
pub(crate) fn init(binaries: &Binaries, layout: &Layout, mode: Mode) -> Result<(), Error> {
    let unfinished = layout.home.join("data.new");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished).map_err(|e| Error::io("remove", &unfinished, e))?;
    }
    let program = binaries.program("initdb");
    let mut command = bound_to_us(&program);
    command.args(["--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8"]);
    command.args(["--username", USER, "--no-instructions"]);
    if mode == Mode::Test {
        command.arg("--no-sync");
    }
    let output = command
        .arg("--pgdata")
        .arg(&unfinished)
        .current_dir(&layout.home)
        .output()
        .map_err(|e| Error::io("run", &program, e))?;
    if !output.status.success() {
        // initdb tidies up unless it was killed; the next start does it then.
        fs::remove_dir_all(&unfinished).ok();
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        return Err(if says_disk_full(&text) {
            Error::DiskFull {
                path: layout.home.clone(),
            }
        } else {
            Error::InitDb {
                dir: layout.home.clone(),
                output: tail(&text),
            }
        });
    }
    fs::rename(&unfinished, &layout.data)
        .and_then(|()| File::open(&layout.home)?.sync_all())
        .map_err(|e| Error::io("name", &layout.data, e))
}

pub(crate) fn spawn(binaries: &Binaries, layout: &Layout, mode: Mode) -> Result<Child, Error> {
    if layout.log.exists() {
        let previous = layout.log.with_extension("log.1");
        fs::rename(&layout.log, &previous).map_err(|e| Error::io("rename", &layout.log, e))?;
    }
    let mut options = OpenOptions::new();
    let log = options.write(true).create_new(true).mode(0o600);
    let log = log.open(&layout.log);
    let log = log.map_err(|e| Error::io("create", &layout.log, e))?;
    let errors = log
        .try_clone()
        .map_err(|e| Error::io("open", &layout.log, e))?;
    let program = binaries.program("postgres");
    let mut command = bound_to_us(&program);
    command.arg("-D").arg(&layout.data);
    for setting in settings(layout, mode) {
        command.arg("-c").arg(setting);
    }
    command
        .current_dir(&layout.home)
        .stdout(log)
        .stderr(errors)
        .spawn()
        .map_err(|e| Error::io("run", &program, e))
}

/// Settings for the command line, where no file in the data directory overrides them.
fn settings(layout: &Layout, mode: Mode) -> Vec<String> {
    let mut settings = vec![
        format!("unix_socket_directories=\"{}\"", layout.sockets),
        format!("port={PORT}"),
    ];
    let fixed = [
        "listen_addresses=",
        "unix_socket_permissions=0700",
        "shared_buffers=64MB",
        "max_connections=50",
        "recovery_init_sync_method=syncfs",
        "timezone=UTC",
        "log_timezone=UTC",
        // The log is about the server only. Errors of statements can quote texts of people, so they
        // go to the client alone.
        "logging_collector=off",
        "log_checkpoints=off",
        "log_min_messages=log",
        "log_min_error_statement=panic",
        "log_error_verbosity=terse",
    ];
    // Tests have dozens of processes on one server.
    let careless = ["fsync=off", "full_page_writes=off", "max_connections=200"];
    settings.extend(fixed.map(str::to_owned));
    if mode == Mode::Test {
        settings.extend(careless.map(str::to_owned));
    }
    settings
}

pub(crate) fn wait_ready(layout: &Layout, child: &mut Child) -> Result<(), Error> {
    let pid = child.id();
    let reason = poll(READY_WITHIN, || match child.try_wait() {
        Ok(Some(status)) => Some(Err(status.to_string())),
        Err(error) => Some(Err(error.to_string())),
        Ok(None) => layout.is_ready(pid).then_some(Ok(())),
    })
    .unwrap_or_else(|| Err(format!("waited {} s", READY_WITHIN.as_secs())));
    reason.map_err(|reason| {
        let text = fs::read(&layout.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        if says_disk_full(&text) {
            return Error::DiskFull {
                path: layout.home.clone(),
            };
        }
        Error::NotReady {
            reason,
            log: layout.log.clone(),
            lines: tail(&text),
        }
    })
}
