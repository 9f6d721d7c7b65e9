//! How commands show a build that is made from the log again, and its comparison with the live one: what `replay`,
//! `verify` and `demo` have in common.

use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use threadlore_node::{BuildComparison, ReplayStage};
use threadlore_ports::{Generation, Projection};
use threadlore_replay::Filled;

use super::Call;
use super::import::work;
use crate::exit::DIFFERENT;
use crate::output::{Output, Steps};

/// Has what waits done first. Where other processes work, they go on meanwhile.
pub(super) async fn settle(call: &Call<'_>) -> anyhow::Result<()> {
    match call.host.node.is_shared() {
        true => Ok(()),
        false => work(call).await,
    }
}

/// The projections that were asked for.
pub(super) fn chosen(projection: Option<Projection>) -> Vec<Projection> {
    projection.map_or_else(|| Projection::ALL.to_vec(), |one| vec![one])
}

/// Shows how far a replay is.
pub(super) struct Progress<'a> {
    out: &'a Output,
    steps: Mutex<Option<Steps>>,
}

impl<'a> Progress<'a> {
    pub(super) fn on(out: &'a Output) -> Self {
        Self {
            out,
            steps: Mutex::default(),
        }
    }

    pub(super) fn at(&self, stage: ReplayStage) {
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        match stage {
            ReplayStage::BeginsAgain(build) => self.out.say(format_args!(
                "the tables of {build} are gone, which a replay was filling: it begins anew"
            )),
            ReplayStage::GoesOn(build, done, total) => self.out.say(format_args!(
                "going on with {build}: {done} of {total} events are folded"
            )),
            ReplayStage::Folding(_, done, total) => {
                let steps = steps.get_or_insert_with(|| self.out.steps("replaying", 0, false));
                steps.at(done, total);
            }
            ReplayStage::Folded(
                build,
                Filled {
                    events, seconds, ..
                },
            ) => {
                let rate = if seconds > 0.0 {
                    events as f64 / seconds
                } else {
                    0.0
                };
                let steps = steps.take();
                let steps = steps.unwrap_or_else(|| self.out.steps("replaying", 0, false));
                steps.done(&format!(
                    "{build}: {events} events in {seconds:.2} s, {rate:.0} a second"
                ));
            }
        }
    }
}

/// A build compared with the live one, for machines.
#[derive(Debug, Serialize)]
pub(super) struct Outcome {
    projection: &'static str,
    number: u32,
    #[serde(flatten)]
    pub(super) compared: BuildComparison,
}

impl Outcome {
    pub(super) fn of((build, compared): (Generation, BuildComparison)) -> Self {
        Self {
            projection: build.projection.name(),
            number: build.number,
            compared,
        }
    }

    /// For people.
    pub(super) fn print(&self, out: &Output) {
        let BuildComparison {
            equal,
            digests,
            different,
            ..
        } = &self.compared;
        let verdict = if *equal { "equal" } else { "DIFFERENT" };
        out.print(format_args!(
            "{} g{}: {verdict}",
            self.projection, self.number
        ));
        for table in digests {
            out.print(format_args!(
                "  {:20} {:>8} rows  live {}  rebuilt {}",
                table.table,
                table.rows,
                short(&table.live),
                short(&table.rebuilt)
            ));
        }
        for cell in different {
            out.print(format_args!("  differs: {cell}"));
        }
    }
}

/// The first digits of a digest.
pub(super) fn short(hex: &str) -> &str {
    hex.get(..16).unwrap_or(hex)
}

/// Prints outcomes; the exit code says whether all are equal.
pub(super) fn report(outcomes: &[Outcome], call: &Call<'_>) -> anyhow::Result<u8> {
    if call.json {
        call.out
            .json(&serde_json::json!({ "projections": outcomes }))?;
    } else {
        for outcome in outcomes {
            outcome.print(call.out);
        }
    }
    let equal = outcomes.iter().all(|outcome| outcome.compared.equal);
    Ok(if equal { 0 } else { DIFFERENT })
}
