//! `threadlore replay`: rebuilds projections from the log beside the live ones,
//! compares, and switches. One that was paused or cut off goes on from its last checkpoint.

use serde::Serialize;
use threadlore_api::replays::builds;
use threadlore_model::Run;
use threadlore_node::{BuildUntil, ReplayEnd, ReplayRequest, none_under_way};
use threadlore_ports::{Generation, Generations, Projection};
use threadlore_replay::ends;

use super::Call;
use super::rebuild::{Outcome, Progress, chosen, settle, short};
use crate::cli::{Replay, ReplayAction};
use crate::exit::DIFFERENT;
use crate::output::Output;
use crate::printable::counted;

pub(super) async fn run(options: &Replay, call: &Call<'_>) -> anyhow::Result<u8> {
    let host = call.host;
    match options.action {
        Some(ReplayAction::Rollback { projection }) => {
            let (live, kept) = host.roll_back(projection).await?;
            switched((live, kept), call)
        }
        Some(ReplayAction::Switch { projection, number }) => {
            let build = Generation { projection, number };
            let kept = host.make_live(build).await?;
            switched((build, kept), call)
        }
        Some(ReplayAction::List) => list(call).await,
        Some(ReplayAction::Pause { projection }) => pause(call, projection).await,
        Some(ReplayAction::Drop { projection, number }) => {
            let build = Generation { projection, number };
            host.drop_build(build).await?;
            match call.json {
                true => call.out.json(&serde_json::json!({
                    "projection": projection.name(),
                    "dropped": number,
                }))?,
                false => call.out.say(format_args!("{build} is dropped")),
            }
            Ok(0)
        }
        Some(ReplayAction::Resume { projection }) => {
            let mut under_way = Vec::new();
            for projection in chosen(projection) {
                if host.node.store.replay(projection).await?.is_some() {
                    under_way.push(projection);
                }
            }
            if under_way.is_empty() {
                return Err(none_under_way(projection).into());
            }
            replay_all(call, options, under_way).await
        }
        None if options.dry_run => plan(call, options).await,
        None => replay_all(call, options, chosen(options.projection)).await,
    }
}

/// Says which build is live now, and which was.
fn switched((live, kept): (Generation, Generation), call: &Call<'_>) -> anyhow::Result<u8> {
    match call.json {
        true => call.out.json(&serde_json::json!({
            "projection": live.projection.name(),
            "live": live.number,
            "kept": kept.number,
        }))?,
        false => call
            .out
            .say(format_args!("{live} is live now; {kept} is kept and fed")),
    }
    Ok(0)
}

/// What became of the replay of one projection, for machines.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum ReplayResult {
    Compared(Outcome),
    Until(BuildUntil),
    Paused(Pause),
}

/// A replay that was asked to pause.
#[derive(Debug, Serialize)]
struct Pause {
    projection: &'static str,
    number: u32,
    paused: bool,
    events: u64,
}

async fn replay_all(
    call: &Call<'_>,
    options: &Replay,
    projections: Vec<Projection>,
) -> anyhow::Result<u8> {
    call.host.start().await?;
    settle(call).await?;
    let request = ReplayRequest {
        until: options.until,
        resumes: matches!(options.action, Some(ReplayAction::Resume { .. })),
        switches: !options.no_switch,
    };
    let mut all = Vec::new();
    for projection in projections {
        let progress = Progress::on(call.out);
        let watcher = |stage| progress.at(stage);
        let ended = call.host.replay(projection, request, &watcher).await?;
        let name = projection.name();
        all.push(match ended {
            ReplayEnd::Compared {
                build,
                compared,
                is_live,
            } => {
                if is_live {
                    call.out.say(format_args!(
                        "{build} is live now; `threadlore replay rollback --projection {name}` goes back"
                    ));
                }
                ReplayResult::Compared(Outcome::of((build, compared)))
            }
            ReplayEnd::Until(until) => ReplayResult::Until(until),
            ReplayEnd::Paused(build, events) => {
                call.out.say(format_args!(
                    "{build} is paused; `threadlore replay resume --projection {name}` goes on"
                ));
                ReplayResult::Paused(Pause {
                    projection: name,
                    number: build.number,
                    paused: true,
                    events,
                })
            }
        });
    }
    report(&all, call)
}

/// Prints what became of replays; the exit code says whether all that were compared are equal.
fn report(all: &[ReplayResult], call: &Call<'_>) -> anyhow::Result<u8> {
    if call.json {
        call.out.json(&serde_json::json!({ "projections": all }))?;
    } else {
        for ended in all {
            match ended {
                ReplayResult::Compared(outcome) => outcome.print(call.out),
                ReplayResult::Until(until) => print(until, call.out),
                // Said already.
                ReplayResult::Paused(_) => {}
            }
        }
    }
    let differs =
        |ended: &ReplayResult| matches!(ended, ReplayResult::Compared(one) if !one.compared.equal);
    Ok(if all.iter().any(differs) {
        DIFFERENT
    } else {
        0
    })
}

fn print(until: &BuildUntil, out: &Output) {
    out.print(format_args!(
        "{} g{}: as of {}, in schema {}; it never goes live",
        until.projection, until.number, until.until, until.schema
    ));
    for (partition, end) in until.ends.iter().enumerate() {
        out.print(format_args!("  partition {partition}: before offset {end}"));
    }
    for table in &until.digests {
        out.print(format_args!(
            "  {:20} {:>8} rows  {}",
            table.table,
            table.rows,
            short(&table.digest)
        ));
    }
}

/// What a replay would do.
#[derive(Debug, Serialize)]
struct Plan {
    projection: &'static str,
    topic: String,
    /// Offsets before which it would end, by partition.
    ends: Vec<i64>,
    events: i64,
    /// Events that a replay under way has folded already.
    folded: Option<u64>,
    /// Bytes that the live build takes in the database; the new one takes about as much.
    live_bytes: u64,
}

/// Says what a replay would read and how much room it needs.
async fn plan(call: &Call<'_>, options: &Replay) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let builds = node.builds().await?;
    let mut plans = Vec::new();
    for projection in chosen(options.projection) {
        let ends = ends(node.log.as_ref(), projection, options.until).await?;
        let live = node.store.live(projection).await?;
        let mut of_one = builds
            .iter()
            .filter(|one| one.listed.build.projection == projection);
        let under_way = of_one.find(|one| one.replay.is_some());
        plans.push(Plan {
            projection: projection.name(),
            topic: projection.topic().to_string(),
            events: ends.values().map(|end| end.0).sum(),
            ends: ends.values().map(|end| end.0).collect(),
            folded: under_way.map(|one| one.folded),
            live_bytes: node.store.bytes(live).await?,
        });
    }
    if call.json {
        call.out
            .json(&serde_json::json!({ "projections": plans }))?;
        return Ok(0);
    }
    for plan in &plans {
        call.out.print(format_args!(
            "{}: {} events of {}; the live build takes {} kB",
            plan.projection,
            plan.events,
            plan.topic,
            plan.live_bytes / 1024
        ));
        for (partition, end) in plan.ends.iter().enumerate().filter(|(_, end)| **end > 0) {
            let out = call.out;
            out.print(format_args!("  partition {partition}: before offset {end}"));
        }
        if let Some(folded) = plan.folded {
            let out = call.out;
            out.print(format_args!("  a replay is under way: {folded} are folded"));
        }
    }
    Ok(0)
}

/// Asks replays that are under way to pause.
async fn pause(call: &Call<'_>, projection: Option<Projection>) -> anyhow::Result<u8> {
    let mut asked = Vec::new();
    for projection in chosen(projection) {
        if call.host.node.store.pause_replay(projection, true).await? {
            asked.push(projection.name());
        }
    }
    if asked.is_empty() {
        return Err(none_under_way(projection).into());
    }
    match call.json {
        true => call.out.json(&serde_json::json!({ "paused": asked }))?,
        false => call.out.say(format_args!(
            "{}: stops at its next checkpoint; `threadlore replay resume` goes on",
            asked.join(", ")
        )),
    }
    Ok(0)
}

/// Lists builds.
async fn list(call: &Call<'_>) -> anyhow::Result<u8> {
    let listed = builds(&call.host.node).await?;
    if call.json {
        call.out.json(&listed)?;
        return Ok(0);
    }
    for build in &listed.builds {
        let mark = match (build.live, &build.until, build.replay) {
            (true, ..) => "  live".to_owned(),
            (_, _, Some(replay)) => format!(
                "  replay {replay}, {} of {}",
                build.folded,
                counted(build.records, "record")
            ),
            (_, Some(until), _) => format!("  as of {until}"),
            _ => String::new(),
        };
        let run = build.run.filter(|run| *run != Run::FIRST);
        let run = run.map_or_else(String::new, |run| format!("  of run {run}"));
        let other = if build.other_version {
            "  of another version"
        } else {
            ""
        };
        call.out.print(format_args!(
            "{} g{}{run}{mark}{other}",
            build.projection, build.number
        ));
    }
    Ok(0)
}
