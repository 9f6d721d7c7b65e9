//! Work that goes on behind an answer: an import, a replay. It runs one after the other, is seen while it does, and ends
//! with its process.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use futures::stream::{self, Stream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::wording;

/// How far something is.
pub(crate) trait Stage: Clone + Send + Sync + 'static {
    /// Whether another stage follows.
    fn goes_on(&self) -> bool;
    /// How much of it is done, in hundredths, while that is known.
    fn percent(&self) -> Option<u64>;
    /// How it ends where the end of its process cuts it off.
    fn cut_off() -> Self;
}

/// The stage that something is at now.
pub(crate) fn stage<S: Stage>(seen: &watch::Receiver<S>) -> S {
    // First, because the last stage is said before the end.
    let has_ended = seen.has_changed().is_err();
    let stage = seen.borrow().clone();
    match has_ended && stage.goes_on() {
        true => S::cut_off(),
        false => stage,
    }
}

/// The stages from now until the end: those without a number, and one for each hundredth that it is seen to be further.
/// The last says how it ended.
pub(crate) fn stages<S: Stage>(seen: &watch::Receiver<S>) -> impl Stream<Item = S> + Send + use<S> {
    let mut seen = seen.clone();
    seen.mark_changed();
    stream::unfold((seen, None), |(mut seen, last)| async move {
        let is_same = |last: &Option<S>, now: &S| {
            let percent = last.as_ref().and_then(S::percent);
            percent.is_some() && percent == now.percent()
        };
        let now = loop {
            if last.as_ref().is_some_and(|last: &S| !last.goes_on()) {
                return None;
            }
            if seen.changed().await.is_err() {
                break S::cut_off();
            }
            let now = seen.borrow_and_update().clone();
            if !is_same(&last, &now) {
                break now;
            }
        };
        Some((now.clone(), (seen, Some(now))))
    })
}

/// Work of one kind. [`Jobs::end`] ends it, so that none holds on to the host of a process that stops.
#[derive(Default)]
pub(crate) struct Jobs {
    turn: Arc<tokio::sync::Mutex<()>>,
    tasks: Mutex<JoinSet<()>>,
}

impl Jobs {
    /// Does something once it has its turn, in the language of who asked for it.
    pub(crate) fn begin(&self, work: impl Future<Output = ()> + Send + 'static) {
        let turn = Arc::clone(&self.turn);
        let in_turn = async move {
            let _turn = turn.lock().await;
            work.await;
        };
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(wording::within(wording::language(), in_turn));
    }

    /// Ends what goes on, because the process stops. What it did stays.
    pub(crate) fn end(&self) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.abort_all();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::StreamExt as _;

    use super::*;

    #[derive(Debug, Clone, PartialEq)]
    enum Way {
        Begun,
        At(u64),
        CutOff,
    }

    impl Stage for Way {
        fn goes_on(&self) -> bool {
            *self != Self::CutOff
        }

        fn percent(&self) -> Option<u64> {
            match self {
                Self::At(done) => Some(done / 10),
                _ => None,
            }
        }

        fn cut_off() -> Self {
            Self::CutOff
        }
    }

    #[tokio::test]
    async fn work_is_seen_at_each_hundredth_until_it_ends() {
        let (stage, seen) = watch::channel(Way::Begun);
        let mut stages = pin!(stages(&seen));
        assert_eq!(stages.next().await, Some(Way::Begun));
        for (done, is_seen) in [(0, true), (9, false), (10, true), (999, true)] {
            stage.send_replace(Way::At(done));
            let next = futures::FutureExt::now_or_never(stages.next());
            assert_eq!(next.is_some(), is_seen, "{done}");
        }
        assert_eq!(super::stage(&seen), Way::At(999));
        drop(stage);
        assert_eq!(super::stage(&seen), Way::CutOff);
        assert_eq!(stages.next().await, Some(Way::CutOff));
        assert!(stages.next().await.is_none());
    }
}
