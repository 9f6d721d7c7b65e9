//! Slow calls beside the loop: bounded, in order per key, retried with back-off.
//! Quick ones are answered within the batch that asks for them.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use async_trait::async_trait;
use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use threadlore_model::{Cause, Key, Timestamp};
use threadlore_ports::{Class, Clock, EffectRow, PortError};
use threadlore_roles::{NoCall, Processor};

use crate::key_entry::{cbor, read};

/// What answers the slow calls of one role. Everything outside that the role needs is behind it,
/// with its limits, its breaker and what may be tried again.
///
/// A call may be asked more than once: after a crash nobody knows whether it was answered.
#[async_trait]
pub trait Caller<P: Processor>: Send + Sync {
    /// The name of the step in metrics, such as `extract`.
    fn step(&self) -> &'static str;

    /// Whether a call takes less than a commit. Then it is answered within the batch that asks for it.
    fn is_quick(&self) -> bool {
        false
    }

    /// How long a call is tried again after passing faults.
    fn patience(&self, _call: &P::Call) -> Patience {
        Patience::Attempts
    }

    /// Answers a call. `key` is the one whose state asked for it.
    ///
    /// # Errors
    /// `Unavailable` to be tried again; any other class ends the call.
    async fn answer(&self, key: &Key, call: &P::Call) -> Result<P::Answer, PortError>;

    /// Why a call failed for good, with what that leaves undone. Without any text of the call.
    fn reason(&self, _call: &P::Call, error: &PortError) -> String {
        error.to_string()
    }
}

/// How long a call is tried again after passing faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// For ever.
    Endless,
    /// As often as [`Limits::attempts`](crate::Limits::attempts) says.
    Attempts,
    /// Until then, by the wall clock.
    Until(Timestamp),
}

/// For a role that asks for no slow call.
#[derive(Debug, Clone, Copy)]
pub struct NoCaller;

#[async_trait]
impl<P: Processor<Call = NoCall>> Caller<P> for NoCaller {
    fn step(&self) -> &'static str {
        "none"
    }
    async fn answer(&self, _key: &Key, call: &NoCall) -> Result<P::Answer, PortError> {
        match *call {}
    }
}

/// A call that was decided.
#[derive(Debug, Clone)]
pub(crate) struct PendingCall<C> {
    /// Grows with each call of the shard; the order within a key.
    pub(crate) id: u64,
    pub(crate) key: Key,
    /// What asked for it.
    pub(crate) cause: Cause,
    /// The trace context that what follows carries on.
    pub(crate) traceparent: Option<String>,
    pub(crate) call: C,
}

impl<C: serde::Serialize + serde::de::DeserializeOwned> PendingCall<C> {
    /// The row to store.
    pub(crate) fn row(&self) -> Result<EffectRow, PortError> {
        Ok(EffectRow {
            id: self.id,
            key: self.key.clone(),
            cause: self.cause.clone(),
            traceparent: self.traceparent.clone(),
            call: cbor(&self.call)?,
        })
    }

    pub(crate) fn of_row(row: EffectRow) -> Result<Self, PortError> {
        let call = read(&row.key, &row.call)?;
        Ok(Self {
            id: row.id,
            key: row.key,
            cause: row.cause,
            traceparent: row.traceparent,
            call,
        })
    }
}

/// A call that ended.
pub(crate) struct CallResult<P: Processor> {
    pub(crate) asked: PendingCall<P::Call>,
    /// The answer, or why the last attempt failed.
    pub(crate) answer: Result<P::Answer, String>,
    /// From when to when it was worked on.
    pub(crate) time: (Timestamp, Timestamp),
}

impl<P: Processor> CallResult<P> {
    pub(crate) fn seconds(&self) -> f64 {
        self.time.1.since(self.time.0).as_secs_f64()
    }
}

/// The calls of one shard.
pub(crate) struct Pool<P: Processor> {
    caller: Arc<dyn Caller<P>>,
    clock: Arc<dyn Clock>,
    limit: usize,
    attempts: u32,
    waiting: VecDeque<PendingCall<P::Call>>,
    busy: HashSet<Key>,
    pending: HashMap<Key, usize>,
    running: FuturesUnordered<BoxFuture<'static, CallResult<P>>>,
}

impl<P: Processor> Pool<P> {
    pub(crate) fn new(
        caller: Arc<dyn Caller<P>>,
        clock: Arc<dyn Clock>,
        limit: usize,
        attempts: u32,
    ) -> Self {
        Self {
            caller,
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

    /// Whether calls are answered within the batch that asks for them.
    pub(crate) fn is_quick(&self) -> bool {
        self.caller.is_quick()
    }

    /// The name of the step in metrics.
    pub(crate) fn step(&self) -> &'static str {
        self.caller.step()
    }

    /// Answers a call at once, beside those that were committed.
    pub(crate) fn answer(
        &self,
        asked: PendingCall<P::Call>,
    ) -> impl Future<Output = CallResult<P>> + use<P> {
        let (caller, clock) = (Arc::clone(&self.caller), Arc::clone(&self.clock));
        call(caller, clock, asked, self.attempts)
    }

    /// Counts a call that was decided. It begins once it is committed.
    pub(crate) fn announce(&mut self, key: &Key) {
        *self.pending.entry(key.clone()).or_default() += 1;
    }

    /// Begins a call that was announced and is committed.
    pub(crate) fn begin(&mut self, asked: PendingCall<P::Call>) {
        self.waiting.push_back(asked);
        self.start();
    }

    fn start(&mut self) {
        let mut i = 0;
        while self.running.len() < self.limit && i < self.waiting.len() {
            if self.busy.contains(&self.waiting[i].key) {
                i += 1;
                continue;
            }
            if let Some(asked) = self.waiting.remove(i) {
                self.busy.insert(asked.key.clone());
                self.running.push(self.answer(asked).boxed());
            }
        }
    }

    /// A call that ended already.
    pub(crate) fn try_next(&mut self) -> Option<CallResult<P>> {
        let ended = self.running.next().now_or_never().flatten()?;
        Some(self.finish(ended))
    }

    /// The next call that ends; none while nothing runs.
    pub(crate) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<CallResult<P>> {
        match self.running.poll_next_unpin(context) {
            Poll::Ready(Some(ended)) => Poll::Ready(self.finish(ended)),
            _ => Poll::Pending,
        }
    }

    fn finish(&mut self, ended: CallResult<P>) -> CallResult<P> {
        let key = &ended.asked.key;
        self.busy.remove(key);
        if let Some(count) = self.pending.get_mut(key) {
            *count -= 1;
            if *count == 0 {
                self.pending.remove(key);
            }
        }
        self.start();
        ended
    }
}

async fn call<P: Processor>(
    caller: Arc<dyn Caller<P>>,
    clock: Arc<dyn Clock>,
    asked: PendingCall<P::Call>,
    attempts: u32,
) -> CallResult<P> {
    let started = clock.now();
    let patience = caller.patience(&asked.call);
    let mut attempt: u32 = 0;
    let answer = loop {
        attempt = attempt.saturating_add(1);
        let is_left = |now| match patience {
            Patience::Endless => true,
            Patience::Attempts => attempt < attempts,
            Patience::Until(until) => now < until,
        };
        match caller.answer(&asked.key, &asked.call).await {
            Ok(answer) => break Ok(answer),
            Err(error) if error.class() == Class::Retry && is_left(clock.now()) => {
                tracing::warn!(key = %asked.key, attempt, %error, "a call is tried again");
                clock
                    .sleep(Duration::from_millis(500 << attempt.min(6)))
                    .await;
            }
            Err(error) => break Err(caller.reason(&asked.call, &error)),
        }
    };
    let time = (started, clock.now());
    CallResult {
        asked,
        answer,
        time,
    }
}
