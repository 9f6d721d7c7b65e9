//! What is done to builds that there are: one is dropped, gone back to, or listed with the others.

use anyhow::Context;
use serde::Serialize;
use threadlore_model::Run;
use threadlore_ports::{Generation, Generations, Projection};
use threadlore_store_postgres::Listed;

use super::Call;
use crate::exit::{BadInput, Busy};
use crate::printable::counted;

/// Drops a build that is not live.
pub(super) async fn drop_build(call: &Call<'_>, build: Generation) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let feeding = call.host.start().await?;
    let mut held = feeding.hold(node, build.projection).await?;
    if node.store.live(build.projection).await? == build {
        return Err(BadInput(format!("{build} is live; switch to another build first")).into());
    }
    if !node.store.generations().await?.contains(&build) {
        return Err(BadInput(format!(
            "{build} does not exist; `threadlore replay list` shows what there is"
        ))
        .into());
    }
    if let Some(run) = alone_of_run(&node.store.builds().await?, build) {
        return Err(BadInput(format!(
            "{build} is the only build of decision run {run}: `threadlore redecide drop {run}` drops \
             the run"
        ))
        .into());
    }
    let under_way = node.store.replay(build.projection).await?;
    if under_way.is_some_and(|replay| replay.build == build) {
        node.store.end_replay(build.projection).await?;
    }
    held.drop_build(build).await?;
    held.feed().await?;
    match call.json {
        true => call.out.json(&serde_json::json!({
            "projection": build.projection.name(),
            "dropped": build.number,
        }))?,
        false => call.out.say(format_args!("{build} is dropped")),
    }
    Ok(0)
}

/// The decision run that no other build shows.
fn alone_of_run(builds: &[Listed], build: Generation) -> Option<Run> {
    let mut fed = builds
        .iter()
        .filter(|b| b.is_fed && b.build.projection == Projection::Cases);
    let run = fed.clone().find(|b| b.build == build)?.run;
    (!fed.any(|b| b.run == run && b.build != build)).then_some(run)
}

/// Goes back to the build before the live one.
pub(super) async fn rollback(call: &Call<'_>, projection: Projection) -> anyhow::Result<u8> {
    let store = &call.host.node.store;
    let _lock = store
        .lock_builds(projection)
        .await?
        .ok_or(Busy(projection))?;
    let live = store.live(projection).await?;
    let builds = store.builds().await?;
    let run = builds.iter().find(|listed| listed.build == live);
    let run = run.map(|listed| listed.run);
    // Those of another decision run are gone back to by `redecide rollback`.
    let of_run = builds
        .iter()
        .filter(|b| b.is_own && b.is_fed && Some(b.run) == run);
    let before = of_run
        .map(|listed| listed.build)
        .filter(|g| g.projection == projection && g.number < live.number)
        .max_by_key(|g| g.number);
    let others =
        |b: &Listed| b.is_own && b.is_fed && b.build.projection == projection && Some(b.run) != run;
    let before = before.with_context(|| {
        BadInput(match builds.iter().any(others) {
            true => format!(
                "{live} is the oldest build of its decision run: there is none to go back to; \
                 `threadlore redecide rollback` goes back to the run before"
            ),
            false => format!("{live} is the oldest build: there is none to go back to"),
        })
    })?;
    store.switch(before).await?;
    let text = format!("{before} is live again; {live} is kept and fed");
    match call.json {
        true => call.out.json(&serde_json::json!({
            "projection": projection.name(),
            "live": before.number,
            "kept": live.number,
        }))?,
        false => call.out.say(text),
    }
    Ok(0)
}

/// A build, for machines.
#[derive(Serialize)]
struct Build {
    projection: &'static str,
    number: u32,
    live: bool,
    /// The decision run that it shows, of a build of cases.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<Run>,
    /// Of one that was folded up to a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<String>,
    /// Whether a replay is filling it, or paused.
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<&'static str>,
    /// Records that are folded, of all that there are for it.
    folded: u64,
    records: u64,
    /// Of one that another version made, with other tables: it is not fed. It is there so that this version
    /// can be gone back from.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    other_version: bool,
}

/// Lists builds.
pub(super) async fn list(call: &Call<'_>) -> anyhow::Result<u8> {
    let mut builds = Vec::new();
    for build in call.host.node.builds().await? {
        let (listed, live, replay) = (build.listed, build.is_live, build.replay);
        let (folded, records) = (build.folded, build.records);
        let generation = listed.build;
        let until = listed.until.map(|until| until.to_string());
        let run = (generation.projection == Projection::Cases).then_some(listed.run);
        if !call.json {
            let mark = match (live, &until, replay) {
                (true, ..) => "  live".to_owned(),
                (_, _, Some(replay)) => {
                    format!(
                        "  replay {replay}, {folded} of {}",
                        counted(records, "record")
                    )
                }
                (_, Some(until), _) => format!("  as of {until}"),
                _ => String::new(),
            };
            let run = run.filter(|run| *run != Run::FIRST);
            let run = run.map_or_else(String::new, |run| format!("  of run {run}"));
            let other = if listed.is_own {
                ""
            } else {
                "  of another version"
            };
            call.out
                .print(format_args!("{generation}{run}{mark}{other}"));
        }
        builds.push(Build {
            projection: generation.projection.name(),
            number: generation.number,
            live,
            run,
            until,
            replay,
            folded,
            records,
            other_version: !listed.is_own,
        });
    }
    if call.json {
        call.out.json(&serde_json::json!({ "builds": builds }))?;
    }
    Ok(0)
}
