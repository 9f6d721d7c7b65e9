//! Publishes what is committed: appends the outbox in order, beside everything else.

use std::sync::Arc;
use std::task::{Context, Poll};

use futures::future::BoxFuture;
use threadlore_model::{Group, Timestamp};
use threadlore_ports::{Clock, EventLog, Observer, OutboxRow, PortError};
use threadlore_stream::{FoldPorts, Vault};

/// Appends rows of the outbox in order, one call after another, and destroys the keys of
/// what they erase.
///
/// What is in the log leaves the outbox with the next commit. An owner that ends before
/// leaves all of it to the next one, which appends it again; readers drop the repeats.
pub(crate) struct Publisher {
    log: Arc<dyn EventLog>,
    vault: Vault,
    clock: Arc<dyn Clock>,
    observer: Arc<dyn Observer>,
    group: Group,
    /// Committed, and not in the log yet.
    waiting: Vec<OutboxRow>,
    appending: Option<Append>,
    appended: Option<Appended>,
}

struct Append {
    through: u64,
    count: usize,
    call: BoxFuture<'static, Result<(), PortError>>,
}

/// What is in the log and still in the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Appended {
    /// The last sequence.
    pub(crate) through: u64,
    /// Since when, at most.
    pub(crate) since: Timestamp,
}

impl Publisher {
    pub(crate) fn new(ports: &FoldPorts, group: Group) -> Self {
        Self {
            log: Arc::clone(&ports.log),
            vault: ports.vault.clone(),
            clock: Arc::clone(&ports.clock),
            observer: Arc::clone(&ports.observer),
            group,
            waiting: Vec::new(),
            appending: None,
            appended: None,
        }
    }

    /// Takes rows that are committed, ascending, after all that it was given before.
    pub(crate) fn push(&mut self, rows: Vec<OutboxRow>) {
        self.waiting.extend(rows);
    }

    /// Rows that are not known to be in the log.
    pub(crate) fn pending(&self) -> usize {
        let appending = self.appending.as_ref().map_or(0, |append| append.count);
        self.waiting.len() + appending
    }

    /// What can leave the outbox.
    pub(crate) fn appended(&self) -> Option<Appended> {
        self.appended
    }

    /// The same; the caller deletes it from the outbox.
    pub(crate) fn take_appended(&mut self) -> Option<Appended> {
        self.appended.take()
    }

    /// Goes on; whether something more is in the log.
    ///
    /// # Errors
    /// What log and keystore say; this is not to be used any more after one.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Result<bool, PortError> {
        let mut published = false;
        loop {
            if self.appending.is_none() && !self.waiting.is_empty() {
                self.appending = Some(self.append());
            }
            let Some(append) = &mut self.appending else {
                return Ok(published);
            };
            let Poll::Ready(done) = append.call.as_mut().poll(context) else {
                return Ok(published);
            };
            done?;
            let (through, count) = (append.through, append.count);
            self.appending = None;
            self.observer.published(&self.group, count);
            let since = self.appended.map(|appended| appended.since);
            let since = since.unwrap_or_else(|| self.clock.now());
            self.appended = Some(Appended { through, since });
            published = true;
        }
    }

    /// All that waits, in one call: it never splits a decision.
    fn append(&mut self) -> Append {
        let rows = std::mem::take(&mut self.waiting);
        let through = rows.last().map_or(0, |row| row.sequence);
        let (mut records, mut erased) = (Vec::with_capacity(rows.len()), Vec::new());
        for row in rows {
            records.push(Arc::unwrap_or_clone(row.record));
            erased.extend(row.erases);
        }
        let count = records.len();
        let (log, vault) = (Arc::clone(&self.log), self.vault.clone());
        let call = async move {
            log.append(records).await?;
            vault.destroy(&erased).await
        };
        Append {
            through,
            count,
            call: Box::pin(call),
        }
    }
}

#[cfg(test)]
mod tests;
