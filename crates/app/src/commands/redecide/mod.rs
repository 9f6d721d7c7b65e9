//! `threadlore redecide`: decides history anew, by the rules and the engine of today, beside what
//! was decided before; compares the two, and switches.
//!
//! | file | holds |
//! |---|---|
//! | `compare` | the cases of two runs side by side |
//! | `change` | what is done to a run: switch, roll back, drop |

mod change;
mod compare;

use std::time::Duration;

use threadlore_fold::Runs;
use threadlore_model::{Run, RunChange};
use threadlore_node::{Cost, Waiting};
use threadlore_ports::{Generation, Projection};

use super::Call;
use super::import::full;
use super::rebuild::settle;
use crate::cli::{Redecide, RedecideAction};
use crate::exit::BadInput;

/// Time between two looks at how far a run is.
const LOOK: Duration = Duration::from_millis(200);

pub(super) async fn run(options: &Redecide, call: &Call<'_>) -> anyhow::Result<u8> {
    call.host.node.take_up_runs().await?;
    match options.action {
        Some(RedecideAction::Compare { run, shown }) => {
            let runs = call.host.node.runs().await?;
            let run = chosen(&runs, run)?;
            check_through(call, &runs, run).await?;
            let compared = compare::of(call, run).await?;
            compared.tell(call, shown.samples).await?;
            Ok(0)
        }
        Some(RedecideAction::Switch { run, anyway }) => change::switch(call, run, anyway).await,
        Some(RedecideAction::Rollback) => change::rollback(call).await,
        Some(RedecideAction::Drop { run }) => change::drop_run(call, Run::new(run)).await,
        Some(RedecideAction::List) => change::list(call).await,
        None if options.dry_run => plan(call).await,
        None => decide(options, call).await,
    }
}

/// Says what a run would cost.
async fn plan(call: &Call<'_>) -> anyhow::Result<u8> {
    let cost = call.host.node.cost_of_run().await?;
    match call.json {
        true => call.out.json(&serde_json::json!({
            "engine": cost.engine,
            "asks_a_model": cost.asks_a_model,
            "messages": cost.messages,
            "calls": cost.calls,
            "tokens": cost.tokens,
            "minutes": cost.minutes,
        }))?,
        false => call.out.print(costs(&cost)),
    }
    Ok(0)
}

/// Begins a run, or goes on with one, and compares it with the live one when it is through.
async fn decide(options: &Redecide, call: &Call<'_>) -> anyhow::Result<u8> {
    let runs = call.host.node.runs().await?;
    let under_way = runs.kept.iter().next_back();
    let run = match under_way.filter(|(run, _)| **run > runs.live) {
        Some((run, begun)) => {
            call.out.say(format_args!(
                "going on with run {run}, which was begun at {begun}"
            ));
            *run
        }
        None => {
            check_free(&runs)?;
            let cost = call.host.node.cost_of_run().await?;
            call.out.say(costs(&cost));
            if cost.asks_a_model && !options.yes {
                let sentence = "a model would be asked, which may cost money: --yes begins";
                return Err(BadInput(sentence.to_owned()).into());
            }
            begin(call).await?
        }
    };
    call.host.start().await?;
    let build = through(call, run).await?;
    let compared = compare::of(call, run).await?;
    compared.tell(call, options.shown.samples).await?;
    call.out.say(format_args!(
        "run {run} is {build}, beside the live one; `threadlore redecide switch` makes it live, \
         `threadlore redecide drop {run}` gives it up"
    ));
    Ok(0)
}

/// A cost in a sentence.
fn costs(cost: &Cost) -> String {
    let Cost {
        engine,
        messages,
        calls,
        tokens,
        minutes,
        ..
    } = cost;
    let time = match minutes {
        minutes if *minutes < 1.0 => "less than a minute".to_owned(),
        minutes => format!("about {minutes:.0} minutes"),
    };
    match cost.asks_a_model {
        true => format!(
            "{engine} would examine {messages} messages in {calls} calls, and one more for each \
             conversation that it finds: about {tokens} tokens and {time}"
        ),
        false => format!(
            "{engine} would examine {messages} messages in {calls} windows, in {time}; it asks no \
             model"
        ),
    }
}

/// Refuses a third run: each costs an engine's calls for every window.
fn check_free(runs: &Runs) -> anyhow::Result<()> {
    match runs.kept.keys().find(|run| **run != runs.live) {
        None => Ok(()),
        Some(kept) => Err(BadInput(format!(
            "there are two runs already, the live run {live} and run {kept}, which is kept to go \
             back to; both decide on every new message: `threadlore redecide drop {kept}` first",
            live = runs.live
        ))
        .into()),
    }
}

/// Begins a run.
async fn begin(call: &Call<'_>) -> anyhow::Result<Run> {
    settle(call).await?;
    let node = &call.host.node;
    let feeding = call.host.start().await?;
    let mut held = feeding.hold(node, Projection::Cases).await?;
    let runs = node.runs().await?;
    check_free(&runs)?;
    let run = runs.last.next();
    // First: a build whose run the log does not know would not come back with a lost database.
    node.note_run(run, RunChange::Begun).await?;
    node.store.create_of_run(run).await?;
    held.refresh().await?;
    Ok(run)
}

/// Returns when a run has decided everything that there is now; the build that shows it.
async fn through(call: &Call<'_>, run: Run) -> anyhow::Result<Generation> {
    let node = &call.host.node;
    let build = node.build_of(run).await?;
    let build = build.ok_or_else(|| no_such(run))?;
    let until = node.decided_until().await?;
    if node.left_of((run, build), &until).await? == Waiting::default() {
        return Ok(build);
    }
    if node.is_shared() {
        call.out.say(
            "waiting for the processes that run the roles (Ctrl-C ends the waiting and nothing else)",
        );
    }
    let total = until.records();
    let steps = call.out.steps(&format!("deciding run {run}"), total, false);
    let decided = async {
        loop {
            let left = node.left_of((run, build), &until).await?;
            steps.at(total.saturating_sub(left.records), total);
            if left == Waiting::default() {
                return anyhow::Ok(());
            }
            node.clock.sleep(LOOK).await;
        }
    };
    tokio::select! {
        decided = decided => decided?,
        full = full(node) => return Err(full.into()),
    }
    steps.done(&format!("{total} records are decided on"));
    Ok(build)
}

/// The run that was asked for, else the latest that is not live.
fn chosen(runs: &Runs, run: Option<u32>) -> anyhow::Result<Run> {
    match run.map(Run::new) {
        Some(run) if run == runs.live => Err(BadInput(format!("run {run} is live")).into()),
        Some(run) if !runs.kept.contains_key(&run) => Err(no_such(run)),
        Some(run) => Ok(run),
        None => {
            let others = runs.kept.keys().rev().find(|run| **run != runs.live);
            others.copied().ok_or_else(|| {
                let sentence = "there is no other run; `threadlore redecide` begins one";
                BadInput(sentence.to_owned()).into()
            })
        }
    }
}

/// Refuses a run that has not decided yet on what was there when it was begun.
async fn check_through(call: &Call<'_>, runs: &Runs, run: Run) -> anyhow::Result<()> {
    let begun = runs.kept.get(&run).ok_or_else(|| no_such(run))?;
    match call.host.node.history_left(run, *begun).await? {
        0 => Ok(()),
        left => Err(BadInput(format!(
            "run {run} is under way: {left} records of the history are left; `threadlore redecide` \
             goes on with it, and waits until it is through"
        ))
        .into()),
    }
}

fn no_such(run: Run) -> anyhow::Error {
    let sentence = format!("there is no run {run}; `threadlore redecide list` shows what there is");
    BadInput(sentence).into()
}
