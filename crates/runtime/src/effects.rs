//! Slow calls beside the loop: bounded, in order per key, retried with back-off.
//! Quick ones are answered within the batch that asks for them.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use threadlore_model::{EffectOutcome, EffectRequest, Key, SpaceId, Timestamp};
use threadlore_ports::{
    Class, Clock, EffectRow, EmbedEngine, EmbedFor, ExtractEngine, Gateway, PortError, RecallEngine,
};

/// An answered call.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) row: EffectRow,
    pub(crate) outcome: EffectOutcome,
    /// From when to when it was worked on.
    pub(crate) time: (Timestamp, Timestamp),
}

impl Answered {
    /// Whether some attempt succeeded.
    pub(crate) fn is_ok(&self) -> bool {
        !matches!(self.outcome, EffectOutcome::Failed { .. })
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.time.1.since(self.time.0).as_secs_f64()
    }
}

/// What answers calls.
#[derive(Clone)]
pub(crate) struct Engines {
    pub(crate) extract: Arc<dyn ExtractEngine>,
    pub(crate) embed: Option<Arc<dyn EmbedEngine>>,
    pub(crate) recall: Option<Arc<dyn RecallEngine>>,
    pub(crate) gateway: Option<Arc<dyn Gateway>>,
}

/// The pool of one shard.
pub(crate) struct Pool {
    engines: Engines,
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
        engines: Engines,
        clock: Arc<dyn Clock>,
        limit: usize,
        attempts: u32,
    ) -> Self {
        Self {
            engines,
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

    /// Whether a call about the key is not answered yet.
    pub(crate) fn has_calls(&self, key: &Key) -> bool {
        self.pending.contains_key(key)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Whether windows are examined within the batch that asks for it.
    pub(crate) fn is_quick(&self) -> bool {
        self.engines.extract.is_quick()
    }

    /// Answers a call at once, beside those that were committed.
    pub(crate) fn answer(&self, row: EffectRow) -> impl Future<Output = Answered> + use<> {
        let clock = Arc::clone(&self.clock);
        call(self.engines.clone(), clock, row, self.attempts)
    }

    /// Counts a call that was decided. It begins once it is committed.
    pub(crate) fn announce(&mut self, row: &EffectRow) {
        *self.pending.entry(row.key.clone()).or_default() += 1;
    }

    /// Begins a call that was announced and is committed.
    pub(crate) fn begin(&mut self, row: EffectRow) {
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
                let (engines, clock) = (self.engines.clone(), Arc::clone(&self.clock));
                self.running
                    .push(call(engines, clock, row, self.attempts).boxed());
            }
        }
    }

    /// An answer that is there already.
    pub(crate) fn try_next(&mut self) -> Option<Answered> {
        let answered = self.running.next().now_or_never().flatten()?;
        Some(self.finish(answered))
    }

    /// The next answer; none while nothing runs.
    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Answered> {
        match self.running.poll_next_unpin(context) {
            Poll::Ready(Some(answered)) => Poll::Ready(self.finish(answered)),
            _ => Poll::Pending,
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

/// How long a call is tried again.
enum Patience {
    /// For ever.
    Endless,
    /// So many times in all.
    Attempts(u32),
    /// Until then, by the wall clock.
    Until(Timestamp),
}

impl Patience {
    /// Whether it is tried once more after so many attempts.
    fn is_left(&self, attempt: u32, now: Timestamp) -> bool {
        match self {
            Self::Endless => true,
            Self::Attempts(attempts) => attempt < *attempts,
            Self::Until(until) => now < *until,
        }
    }
}

async fn call(engines: Engines, clock: Arc<dyn Clock>, row: EffectRow, attempts: u32) -> Answered {
    let started = clock.now();
    // A window that is not examined is examined again with the next one; nothing
    // would ask for a vector again. So an absent model is waited for.
    let patience = match &row.request {
        EffectRequest::Embed { .. } => Patience::Endless,
        EffectRequest::Deliver(delivery) => Patience::Until(delivery.until),
        _ => Patience::Attempts(attempts),
    };
    let mut attempt: u32 = 0;
    let outcome = loop {
        attempt = attempt.saturating_add(1);
        match answer(&engines, &row).await {
            Ok(outcome) => break outcome,
            Err(error)
                if error.class() == Class::Retry && patience.is_left(attempt, clock.now()) =>
            {
                tracing::warn!(key = %row.key, attempt, %error, "a call is tried again");
                clock
                    .sleep(Duration::from_millis(500 << attempt.min(6)))
                    .await;
            }
            Err(error) => break failed(&row.request, &error),
        }
    };
    let time = (started, clock.now());
    Answered { row, outcome, time }
}

async fn answer(engines: &Engines, row: &EffectRow) -> Result<EffectOutcome, PortError> {
    match &row.request {
        EffectRequest::Extract { window, .. } => {
            let extraction = engines.extract.extract(window).await?;
            let engine = engines.extract.version().to_owned();
            Ok(EffectOutcome::Extracted { engine, extraction })
        }
        EffectRequest::Embed { texts } => {
            const DOING: &str = "computing vectors";
            let embed = engines.embed.as_ref().ok_or_else(|| missing(DOING))?;
            let texts: Vec<String> = texts.iter().map(|wanted| wanted.text.clone()).collect();
            let vectors = embed.embed(&texts, EmbedFor::Passage).await?;
            if vectors.len() != texts.len() {
                let (got, asked) = (vectors.len(), texts.len());
                let reason = format!("{got} vectors came for {asked} texts");
                let doing = DOING;
                return Err(PortError::Refused { doing, reason });
            }
            let model = embed.model().to_owned();
            Ok(EffectOutcome::Embedded { model, vectors })
        }
        EffectRequest::Recall {
            channel, question, ..
        } => {
            const DOING: &str = "searching memory";
            let recall = engines.recall.as_ref().ok_or_else(|| missing(DOING))?;
            let found = recall
                .recall(&space_of(row, DOING)?, channel, question)
                .await?;
            Ok(EffectOutcome::Recalled(found))
        }
        EffectRequest::Deliver(delivery) => {
            const DOING: &str = "sending to a platform";
            let gateway = engines.gateway.as_ref().ok_or_else(|| missing(DOING))?;
            let sent = gateway.deliver(&space_of(row, DOING)?, delivery).await?;
            Ok(EffectOutcome::Delivered {
                native_ids: sent.into_iter().map(|sent| sent.native_id).collect(),
            })
        }
    }
}

fn space_of(row: &EffectRow, doing: &'static str) -> Result<SpaceId, PortError> {
    row.key.space().map_err(|error| PortError::Refused {
        doing,
        reason: error.to_string(),
    })
}

/// What the call came to in the end. A delivery that failed is an event of its own, so it is no
/// dead letter.
fn failed(request: &EffectRequest, error: &PortError) -> EffectOutcome {
    let reason = reason(request, error);
    match request {
        EffectRequest::Deliver(_) => EffectOutcome::Undelivered { reason },
        _ => EffectOutcome::Failed { reason },
    }
}

fn missing(doing: &'static str) -> PortError {
    PortError::Unavailable {
        doing,
        what: "an engine for it",
        source: None,
    }
}

/// Why a call failed for good, with what that leaves undone.
fn reason(request: &EffectRequest, error: &PortError) -> String {
    match request {
        EffectRequest::Extract { .. }
        | EffectRequest::Recall { .. }
        | EffectRequest::Deliver(_) => error.to_string(),
        EffectRequest::Embed { texts } => {
            let cases: Vec<String> = texts.iter().map(|text| text.case.to_string()).collect();
            format!("{error}; without a vector are cases {}", cases.join(", "))
        }
    }
}
