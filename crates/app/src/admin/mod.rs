//! Commands beside a process that owns the data directory.
//!
//! The owner listens on a unix socket in the directory ([`Admin`]). A command
//! that finds the directory owned sends its command line there ([`run`]); the
//! owner runs the very functions that the command would have run, on its own
//! node, and sends back what they print. A client that goes away stops its
//! command, as Ctrl-C would.
//!
//! | module | holds |
//! |---|---|
//! | [`wire`] | the lines that go over the socket |
//! | [`server`](Admin) | the owner's side |
//! | [`client`](run) | the command's side |

mod client;
mod server;
pub(crate) mod wire;

use std::path::{Path, PathBuf};

pub(crate) use client::{connect, run};
pub(crate) use server::Admin;

/// Longest path of a unix socket, in bytes.
const LONGEST_PATH: usize = 107;

/// Where the owner of a data directory listens.
fn socket(data_dir: &Path) -> PathBuf {
    data_dir.join("admin.sock")
}

/// Whether the owner of a data directory can listen at all.
pub(crate) fn may_listen(data_dir: &Path) -> bool {
    socket(data_dir).as_os_str().len() <= LONGEST_PATH
}
