//! The fold of decision runs, from `settings`: which are kept, and which one readers see.

use std::collections::BTreeMap;

use threadlore_model::{Body, Event, Run, RunChange, Timestamp};

/// The decision runs of an installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runs {
    /// Those that decide, with when they were begun; the live one is among them.
    pub kept: BTreeMap<Run, Timestamp>,
    /// The one that readers see.
    pub live: Run,
    /// The one that they saw before, to go back to, while it is kept.
    pub before: Option<Run>,
    /// The last number given out, so that none is given twice.
    pub last: Run,
}

impl Default for Runs {
    fn default() -> Self {
        Self {
            kept: BTreeMap::from([(Run::FIRST, Timestamp::EARLIEST)]),
            live: Run::FIRST,
            before: None,
            last: Run::FIRST,
        }
    }
}

/// Folds an event into the runs; others, and what does not fit, change nothing.
pub fn fold_runs(runs: &mut Runs, event: &Event) {
    let Body::DecisionRunChanged(changed) = &event.body else {
        return;
    };
    let run = changed.run;
    match changed.change {
        RunChange::Begun if run > runs.last => {
            runs.kept.insert(run, changed.now);
            runs.last = run;
        }
        RunChange::MadeLive if run != runs.live && runs.kept.contains_key(&run) => {
            runs.before = Some(runs.live);
            runs.live = run;
        }
        RunChange::Dropped if run != runs.live => {
            runs.kept.remove(&run);
            runs.before = runs.before.filter(|before| *before != run);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use threadlore_model::{DecisionRunChanged, Envelope, EventId, Key, SpaceId};

    use super::*;

    fn changed(run: u32, change: RunChange) -> Event {
        let space = SpaceId::system();
        let now = Timestamp::from_millis(1);
        Event {
            envelope: Envelope {
                id: EventId::of_content("run", &[]),
                key: Key::of_space(&space),
                space,
                time: now,
                producer: None,
                cause: None,
                actor: None,
                traceparent: None,
            },
            body: DecisionRunChanged {
                run: Run::new(run),
                change,
                engine: "builtin/1".to_owned(),
                now,
            }
            .into(),
        }
    }

    fn folded(changes: &[(u32, RunChange)]) -> Runs {
        let mut runs = Runs::default();
        for (run, change) in changes {
            fold_runs(&mut runs, &changed(*run, *change));
        }
        runs
    }

    #[test]
    fn a_run_is_begun_made_live_and_left_again() {
        use RunChange::{Begun, Dropped, MadeLive};
        let runs = folded(&[(2, Begun), (2, MadeLive)]);
        assert_eq!((runs.live, runs.before), (Run::new(2), Some(Run::FIRST)));
        let back = folded(&[(2, Begun), (2, MadeLive), (1, MadeLive)]);
        assert_eq!((back.live, back.before), (Run::FIRST, Some(Run::new(2))));
        let gone = folded(&[(2, Begun), (2, MadeLive), (1, MadeLive), (2, Dropped)]);
        assert_eq!(
            gone.kept,
            BTreeMap::from([(Run::FIRST, Timestamp::EARLIEST)])
        );
        assert_eq!((gone.before, gone.last), (None, Run::new(2)));
        assert_eq!(
            folded(&[(2, Begun), (2, Dropped), (2, Begun)]).kept.len(),
            1
        );
    }

    proptest! {
        #[test]
        fn the_live_run_is_kept_whatever_is_asked(
            steps in proptest::collection::vec((1_u32..5, 0_usize..3), 0..30),
        ) {
            let all = [RunChange::Begun, RunChange::MadeLive, RunChange::Dropped];
            let steps: Vec<_> = steps.iter().map(|(run, change)| (*run, all[*change])).collect();
            let runs = folded(&steps);
            prop_assert!(runs.kept.contains_key(&runs.live));
            prop_assert!(runs.before.is_none_or(|before| runs.kept.contains_key(&before)));
            prop_assert!(runs.kept.keys().all(|run| *run <= runs.last));
            let repeated: Vec<_> = steps.iter().flat_map(|step| [*step, *step]).collect();
            prop_assert_eq!(folded(&repeated), runs);
        }
    }
}
