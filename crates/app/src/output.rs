//! The output of commands: results to standard output, all else to standard error; or to the client
//! of the admin socket, which prints it in the same way.

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::sync::{Mutex, OnceLock};

use serde::Serialize;
use tokio::sync::mpsc::UnboundedSender;

pub(crate) use threadlore_api::words::cut;

use crate::admin::wire::{Said, Step};
use crate::printable::{escaped, printable};
use crate::steps::Bar;

/// The destination of a command's output.
#[derive(Debug, Clone)]
pub(crate) enum Output {
    /// This process's standard output and standard error.
    Here,
    /// A client. Commands print little, so the queue is not bounded.
    Guest(UnboundedSender<Said>),
}

/// Why standard output took no more.
static REFUSED: OnceLock<std::io::Error> = OnceLock::new();

impl Output {
    /// A result for machines: one JSON object in one line.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub(crate) fn json(&self, value: &impl Serialize) -> serde_json::Result<()> {
        self.print(escaped(&serde_json::to_string(value)?));
        Ok(())
    }

    /// A result, without characters that steer a terminal.
    pub(crate) fn print(&self, text: impl Display) {
        match self {
            Self::Here => {
                let text = text.to_string();
                let text = printable(&text);
                let mut to = std::io::stdout().lock();
                if let Err(error) = writeln!(to, "{text}").and_then(|()| to.flush()) {
                    REFUSED.get_or_init(|| error);
                }
            }
            Self::Guest(to) => send(to, Said::Out(text.to_string())),
        }
    }

    /// A message, without characters that steer a terminal.
    pub(crate) fn say(&self, text: impl Display) {
        match self {
            // If standard error is closed, there is nowhere to report it.
            Self::Here => {
                let text = text.to_string();
                writeln!(std::io::stderr(), "{}", printable(&text)).unwrap_or_default();
            }
            Self::Guest(to) => send(to, Said::Err(text.to_string())),
        }
    }

    /// The last word to a client; a process of its own has an exit code.
    pub(crate) fn exit(&self, code: u8) {
        if let Self::Guest(to) = self {
            send(to, Said::Exit(code));
        }
    }

    /// Shows progress of `what` towards `total`.
    pub(crate) fn steps(&self, what: &str, total: u64, bytes: bool) -> Steps {
        match self {
            Self::Here => Steps::Here(Bar::start(what, total, bytes)),
            Self::Guest(to) => Steps::Guest {
                to: to.clone(),
                last: Mutex::new(Step {
                    what: what.to_owned(),
                    bytes,
                    done: 0,
                    total,
                    closing: None,
                }),
            },
        }
    }

    /// Why results could not be written; a closed pipe is no error.
    pub(crate) fn refused() -> Option<&'static std::io::Error> {
        REFUSED
            .get()
            .filter(|error| error.kind() != ErrorKind::BrokenPipe)
    }
}

/// Sends to a client. If it has disconnected, nothing happens; its command is stopped elsewhere.
fn send(to: &UnboundedSender<Said>, said: Said) {
    to.send(said).ok();
}

/// Progress of one long step.
pub(crate) enum Steps {
    Here(Bar),
    Guest {
        to: UnboundedSender<Said>,
        last: Mutex<Step>,
    },
}

impl Steps {
    /// Shows `done` of `total`.
    pub(crate) fn at(&self, done: u64, total: u64) {
        match self {
            Self::Here(bar) => bar.at(done, total),
            Self::Guest { to, last } => {
                let Ok(mut last) = last.lock() else { return };
                let share = |done: u64, total| done.saturating_mul(100).checked_div(total);
                if share(done, total) != share(last.done, last.total) {
                    (last.done, last.total) = (done, total);
                    send(to, Said::Step(last.clone()));
                }
            }
        }
    }

    /// Ends with a closing line.
    pub(crate) fn done(self, closing: &str) {
        match self {
            Self::Here(bar) => bar.done(closing),
            Self::Guest { to, last } => {
                let last = last
                    .into_inner()
                    .unwrap_or_else(std::sync::PoisonError::into_inner);
                let closing = Some(closing.to_owned());
                send(&to, Said::Step(Step { closing, ..last }));
            }
        }
    }
}
