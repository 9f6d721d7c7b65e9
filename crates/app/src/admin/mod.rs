//! Commands that run in the process that owns the data directory.
//!
//! The owner listens on a unix socket in the directory ([`Admin`]). A command that finds the
//! directory owned sends its command line there ([`run`]). The owner runs the same functions on its
//! own node, and sends their output back. A client that disconnects stops its command, as Ctrl-C
//! would.
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
pub(crate) use server::{Admin, perform};

/// Longest path of a unix socket, in bytes.
const LONGEST_PATH: usize = 107;

/// The path of the socket of a data directory's owner.
fn socket(data_dir: &Path) -> PathBuf {
    data_dir.join("admin.sock")
}

/// Whether the owner of a data directory can listen at all.
pub(crate) fn may_listen(data_dir: &Path) -> bool {
    socket(data_dir).as_os_str().len() <= LONGEST_PATH
}
