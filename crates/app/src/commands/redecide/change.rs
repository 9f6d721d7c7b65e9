//! What is done to a decision run: it is made live, left again, or dropped.

use serde::Serialize;
use threadlore_model::{Run, RunChange};
use threadlore_node::Held;
use threadlore_ports::{Generation, Generations, Projection};

use super::{Call, check_through, chosen, compare, no_such, through};
use crate::exit::BadInput;

/// Makes a run live.
pub(super) async fn switch(call: &Call<'_>, run: Option<u32>, anyway: bool) -> anyhow::Result<u8> {
    let runs = call.host.node.runs().await?;
    let run = chosen(&runs, run)?;
    check_through(call, &runs, run).await?;
    if !anyway {
        let lost = compare::of(call, run).await?.unconfirmed();
        if lost > 0 {
            return Err(BadInput(format!(
                "{lost} cases of the live run have a confirmation by a person that no case of run \
                 {run} has: `threadlore redecide compare` shows some; --anyway makes the run live \
                 nevertheless"
            ))
            .into());
        }
    }
    make_live(call, run).await
}

/// Goes back to the run before.
pub(super) async fn rollback(call: &Call<'_>) -> anyhow::Result<u8> {
    let before = call.host.node.runs().await?.before;
    let before = before.ok_or_else(|| {
        BadInput("there is no run to go back to: none was switched to, or it is dropped".to_owned())
    })?;
    make_live(call, before).await
}

/// Makes a run live, once it has decided everything that there is.
async fn make_live(call: &Call<'_>, run: Run) -> anyhow::Result<u8> {
    let node = &call.host.node;
    call.host.start().await?;
    through(call, run).await?;
    let _held = hold(call).await?;
    let was = node.runs().await?;
    if node.store.replay(Projection::Cases).await?.is_some() {
        return Err(BadInput(
            "a replay of cases is under way, into a build of the live run: `threadlore replay resume \
             --projection cases` goes on with it, `threadlore replay drop` gives it up"
                .to_owned(),
        )
        .into());
    }
    let build = node.build_of(run).await?;
    let build = build.filter(|_| was.kept.contains_key(&run) && was.live != run);
    let build =
        build.ok_or_else(|| BadInput(format!("run {run} was dropped or made live meanwhile")))?;
    // First, so that a switch that is cut off is done at the next start.
    node.note_run(run, RunChange::MadeLive).await?;
    node.store.switch(build).await?;
    let was = was.live;
    match call.json {
        true => call.out.json(&serde_json::json!({
            "live": run,
            "build": build.number,
            "kept": was,
        }))?,
        false => call.out.say(format_args!(
            "run {run} is live now, as {build}; `threadlore redecide rollback` goes back to run \
             {was}, which decides on what comes until `threadlore redecide drop {was}`"
        )),
    }
    Ok(0)
}

/// Drops a run that is not live.
pub(super) async fn drop_run(call: &Call<'_>, run: Run) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let mut held = hold(call).await?;
    let runs = node.runs().await?;
    if run == runs.live {
        return Err(BadInput(format!("run {run} is live; switch to another run first")).into());
    }
    if !runs.kept.contains_key(&run) {
        return Err(no_such(run));
    }
    // First, so that a drop that is cut off is ended at the next start.
    node.note_run(run, RunChange::Dropped).await?;
    let steps = call.out.steps("forgetting cases", 0, false);
    let progress = |done, total| steps.at(done, total);
    let cases = held.drop_run(run, &progress).await?;
    steps.done(&format!("the keys of {cases} cases are destroyed"));
    match call.json {
        true => call
            .out
            .json(&serde_json::json!({ "dropped": run, "cases": cases }))?,
        false => call.out.say(format_args!("run {run} is dropped")),
    }
    Ok(0)
}

async fn hold<'a>(call: &'a Call<'_>) -> anyhow::Result<Held<'a>> {
    let feeding = call.host.start().await?;
    feeding.hold(&call.host.node, Projection::Cases).await
}

/// The builds that show a run.
async fn builds(call: &Call<'_>, run: Run) -> anyhow::Result<Vec<Generation>> {
    let listed = call.host.node.store.builds().await?.into_iter();
    let of = listed.filter(|b| b.run == run && b.build.projection == Projection::Cases);
    Ok(of.map(|listed| listed.build).collect())
}

/// A run, for machines.
#[derive(Serialize)]
struct Listed {
    run: Run,
    live: bool,
    /// Whether it was live before, and is kept to go back to.
    before: bool,
    /// When it was begun; the first run has always been there.
    #[serde(skip_serializing_if = "Option::is_none")]
    begun: Option<String>,
    /// Builds of cases that show it.
    builds: Vec<u32>,
}

/// Lists the runs.
pub(super) async fn list(call: &Call<'_>) -> anyhow::Result<u8> {
    let runs = call.host.node.runs().await?;
    let mut all = Vec::new();
    for (&run, begun) in &runs.kept {
        let builds = builds(call, run).await?.into_iter();
        let listed = Listed {
            run,
            live: run == runs.live,
            before: runs.before == Some(run),
            begun: (run != Run::FIRST).then(|| begun.to_string()),
            builds: builds.map(|build| build.number).collect(),
        };
        if !call.json {
            let mark = match (listed.live, listed.before) {
                (true, _) => "  live",
                (_, true) => "  was live before",
                _ => "",
            };
            let builds = listed.builds.iter().map(|n| format!(" cases g{n}"));
            let builds: String = builds.collect();
            let begun = listed.begun.iter().map(|at| format!(", begun at {at}"));
            let begun: String = begun.collect();
            call.out
                .print(format_args!("run {run}:{builds}{begun}{mark}"));
        }
        all.push(listed);
    }
    if call.json {
        call.out.json(&serde_json::json!({ "runs": all }))?;
    }
    Ok(0)
}
