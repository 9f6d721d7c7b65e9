//! Progress on standard error: bars on a terminal, plain lines otherwise.

use std::io::IsTerminal;
use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressStyle};

use crate::output::Output;

/// Progress of one long step of this process.
pub(crate) struct Bar {
    bar: Option<ProgressBar>,
    what: String,
    said: Mutex<u64>,
}

impl Bar {
    /// Starts to show progress of `what` towards `total`.
    pub(crate) fn start(what: &str, total: u64, bytes: bool) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total);
            let numbers = if bytes {
                "{bytes}/{total_bytes}"
            } else {
                "{pos}/{len}"
            };
            let template = format!("{{msg:12}} {{bar:30}} {numbers} {{elapsed}}, {{eta}} left");
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style);
            }
            bar.set_message(what.to_owned());
            bar
        });
        Self {
            bar,
            what: what.to_owned(),
            said: Mutex::new(0),
        }
    }

    /// Shows `done` of `total`; plain lines come at every quarter.
    pub(crate) fn at(&self, done: u64, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
            return;
        }
        let quarter = done.saturating_mul(4).checked_div(total).unwrap_or(0);
        let mut said = self
            .said
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if quarter > *said {
            *said = quarter;
            Output::Here.say(format_args!("{}: {done} of {total}", self.what));
        }
    }

    /// Ends with a closing line.
    pub(crate) fn done(self, closing: &str) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
        Output::Here.say(format_args!("{}: {closing}", self.what));
    }
}
