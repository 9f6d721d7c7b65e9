//! Progress on standard error: bars on a terminal, plain lines otherwise.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

/// Progress of one long step.
pub(crate) struct Steps {
    bar: Option<ProgressBar>,
    what: &'static str,
    said: Mutex<u64>,
    last: AtomicU64,
}

impl Steps {
    /// Starts to show progress of `what` towards `total`.
    pub(crate) fn start(what: &'static str, total: u64, bytes: bool) -> Self {
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
            bar.set_message(what);
            bar
        });
        Self {
            bar,
            what,
            said: Mutex::new(0),
            last: AtomicU64::new(0),
        }
    }

    /// Shows `done` of `total`; plain lines come at every quarter.
    pub(crate) fn at(&self, done: u64, total: u64) {
        self.last.store(done, Ordering::Relaxed);
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
            eprintln!("{}: {done} of {total}", self.what);
        }
    }

    /// Ends with a closing line.
    pub(crate) fn done(self, closing: &str) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
        eprintln!("{}: {closing}", self.what);
    }
}

/// Shortens to `width` characters, with an ellipsis.
pub(crate) fn cut(text: &str, width: usize) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= width {
        return text;
    }
    let short: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", short.trim_end())
}
