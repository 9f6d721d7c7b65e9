//! A private PostgreSQL, started from installed binaries and ended with us.
//!
//! Users of one machine need not set up a database: [`Binaries::find`] searches for `initdb` and
//! `postgres`, [`Server::start`] creates a data directory with them on the first run and starts the
//! server on a unix socket. Nothing listens on the network. The socket is in a directory that only
//! its owner may enter, so connections need no password.
//!
//! Guarantees:
//!
//! - **One owner.** `<dir>/postgres.lock` is held while the server lives; a
//!   second start is refused with the owner's process id.
//! - **One that ends is started again.** A server that is killed, as when memory runs out, is started
//!   again with growing pauses, for as long as its handle lives.
//! - **No orphans.** The kernel kills the server when our process ends, for whatever reason. A start
//!   waits for processes that are still stopping after an earlier crash.
//! - **Nothing half-made.** `initdb` works in a directory that gets its name
//!   only when it is whole.
//! - **Ready means ready.** A start returns when the server says that it
//!   accepts connections, or with the last lines of its log.
//!
//! The caller's directory has `pg<major>/` with `data/`, `sock/` and `postgres.log`. The only role
//! is a superuser, to which row-level security does not apply: create another role for queries that
//! must be restricted.
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
