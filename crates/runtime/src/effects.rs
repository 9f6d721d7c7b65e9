//! Slow calls beside the loop: bounded, in order per key, retried with back-off.
//! Quick ones are answered within the batch that asks for them.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use threadlore_model::{EffectOutcome, EffectRequest, Key};
use threadlore_ports::{Class, Clock, EffectRow, ExtractEngine};

/// An answered call.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) row: EffectRow,
    pub(crate) outcome: EffectOutcome,
    pub(crate) seconds: f64,
}

impl Answered {
    /// Whether some attempt succeeded.
    pub(crate) fn is_ok(&self) -> bool {
        !matches!(self.outcome, EffectOutcome::Failed { .. })
    }
}

/// The pool of one shard.
pub(crate) struct Pool {
    engine: Arc<dyn ExtractEngine>,
    clock: Arc<dyn Clock>,
    limit: usize,
    attempts: u32,
    waiting: VecDeque<EffectRow>,
    busy: HashSet<Key>,
    pending: HashMap<Key, usize>,
    running: FuturesUnordered<BoxFuture<'static, Answered>>,
}

impl Pool {
    pub(crate) fn new(
        engine: Arc<dyn ExtractEngine>,
        clock: Arc<dyn Clock>,
        limit: usize,
        attempts: u32,
    ) -> Self {
        Self {
            engine,
            clock,
            limit: limit.max(1),
            attempts: attempts.max(1),
            waiting: VecDeque::new(),
            busy: HashSet::new(),
            pending: HashMap::new(),
            running: FuturesUnordered::new(),
        }
    }

    /// Calls that are not answered yet, per key.
    pub(crate) fn pending(&self) -> &HashMap<Key, usize> {
        &self.pending
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.running.is_empty() && self.waiting.is_empty()
    }

    /// Whether calls are answered within the batch that asks for them.
    pub(crate) fn is_quick(&self) -> bool {
        self.engine.is_quick()
    }

    /// Answers a call at once, beside those that were committed.
    pub(crate) fn answer(&self, row: EffectRow) -> impl Future<Output = Answered> + use<> {
        let (engine, clock) = (Arc::clone(&self.engine), Arc::clone(&self.clock));
        call(engine, clock, row, self.attempts)
    }

    /// Takes a call that was committed.
    pub(crate) fn push(&mut self, row: EffectRow) {
        *self.pending.entry(row.key.clone()).or_default() += 1;
        self.waiting.push_back(row);
        self.start();
    }

    fn start(&mut self) {
        let mut i = 0;
        while self.running.len() < self.limit && i < self.waiting.len() {
            if self.busy.contains(&self.waiting[i].key) {
                i += 1;
                continue;
            }
            if let Some(row) = self.waiting.remove(i) {
                self.busy.insert(row.key.clone());
                let (engine, clock) = (Arc::clone(&self.engine), Arc::clone(&self.clock));
                self.running
                    .push(call(engine, clock, row, self.attempts).boxed());
            }
        }
    }

    /// An answer that is there already.
    pub(crate) fn try_next(&mut self) -> Option<Answered> {
        let answered = self.running.next().now_or_never().flatten()?;
        Some(self.finish(answered))
    }

    /// The next answer; never returns while nothing runs.
    pub(crate) async fn next(&mut self) -> Answered {
        match self.running.next().await {
            Some(answered) => self.finish(answered),
            None => futures::future::pending().await,
        }
    }

    fn finish(&mut self, answered: Answered) -> Answered {
        let key = &answered.row.key;
        self.busy.remove(key);
        if let Some(count) = self.pending.get_mut(key) {
            *count -= 1;
            if *count == 0 {
                self.pending.remove(key);
            }
        }
        self.start();
        answered
    }
}

async fn call(
    engine: Arc<dyn ExtractEngine>,
    clock: Arc<dyn Clock>,
    row: EffectRow,
    attempts: u32,
) -> Answered {
    let started = clock.now();
    let EffectRequest::Extract { window, .. } = &row.request;
    let mut attempt = 0;
    let outcome = loop {
        attempt += 1;
        match engine.extract(window).await {
            Ok(extraction) => {
                let engine = engine.version().to_owned();
                break EffectOutcome::Extracted { engine, extraction };
            }
            Err(error) if attempt < attempts && error.class() == Class::Retry => {
                tracing::warn!(key = %row.key, attempt, %error, "a call is tried again");
                clock
                    .sleep(Duration::from_millis(500 << attempt.min(6)))
                    .await;
            }
            Err(error) => {
                break EffectOutcome::Failed {
                    reason: error.to_string(),
                };
            }
        }
    };
    let seconds = clock.now().since(started).as_secs_f64();
    Answered {
        row,
        outcome,
        seconds,
    }
}
