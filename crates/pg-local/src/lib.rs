//! A private PostgreSQL, started from installed binaries and ended with us.
//!
//! One machine needs no database of its own making: [`Binaries::find`] looks
//! for `initdb` and `postgres`, [`Server::start`] makes a data directory with
//! them on the first run and starts the server on a unix socket. Nothing
//! listens on the network; the socket lies in a directory that only its owner
//! may enter, which is why connections need no password.
//!
//! What a caller may rely on:
//!
//! - **One owner.** `<dir>/postgres.lock` is held while the server lives; a
//!   second start is refused with the owner's process id.
//! - **No orphans.** The kernel kills the server when our process ends, however
//!   it ends; a start waits for what still stops from an earlier crash.
//! - **Nothing half-made.** `initdb` works in a directory that gets its name
//!   only when it is whole.
//! - **Ready means ready.** A start returns when the server says that it
//!   accepts connections, or with the last lines of its log.
//!
//! Below the caller's directory lies `pg<major>/` with `data/`, `sock/` and
//! `postgres.log`. The one role is a superuser, which row-level security does
//! not bind: create another role for what must be bound by it.
//!
//! Linux only: it uses `unshare`, `setpriv` (util-linux) and `/proc`.

mod binaries;
mod command;
mod error;
mod launch;
mod layout;
mod poll;
mod running;
mod server;

pub use binaries::{Binaries, Search};
pub use error::Error;
pub use running::running;
pub use server::{Mode, Server};
