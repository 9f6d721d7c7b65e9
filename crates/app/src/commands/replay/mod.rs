//! `threadlore replay`: rebuilds projections from the log beside the live ones,
//! compares, and switches. One that was paused or cut off goes on from its last checkpoint.
//!
//! | file | holds |
//! |---|---|
//! | `builds` | what is done to builds that there are: drop, rollback, list |

mod builds;

use futures::FutureExt as _;
use serde::Serialize;
use threadlore_model::Timestamp;
use threadlore_node::Held;
use threadlore_ports::{Generation, Generations, Projection};
use threadlore_replay::{Ends, Filled, ends};
use threadlore_store_postgres::Replay as UnderWay;

use super::Call;
use super::rebuild::{Outcome, beside_live, chosen, fill_up, settle, short};
use crate::cli::{Replay, ReplayAction};
use crate::exit::{BadInput, DIFFERENT};

pub(super) async fn run(options: &Replay, call: &Call<'_>) -> anyhow::Result<u8> {
    match options.action {
        Some(ReplayAction::Rollback { projection }) => builds::rollback(call, projection).await,
        Some(ReplayAction::List) => builds::list(call).await,
        Some(ReplayAction::Pause { projection }) => pause(call, projection).await,
        Some(ReplayAction::Drop { projection, number }) => {
            builds::drop_build(call, Generation { projection, number }).await
        }
        Some(ReplayAction::Resume { projection }) => {
            let mut under_way = Vec::new();
            for projection in chosen(projection) {
                if call.host.node.store.replay(projection).await?.is_some() {
                    under_way.push(projection);
                }
            }
            if under_way.is_empty() {
                return Err(none_under_way(projection));
            }
            replay_all(call, options, under_way).await
        }
        None if options.dry_run => plan(call, options).await,
        None => replay_all(call, options, chosen(options.projection)).await,
    }
}

fn none_under_way(projection: Option<Projection>) -> anyhow::Error {
    let of = projection.map_or_else(String::new, |p| format!(" of {}", p.name()));
    let what = format!("no replay{of} is under way; `threadlore replay` begins one");
    BadInput(what).into()
}

/// What became of the replay of one projection.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Ended {
    Compared(Outcome),
    Until(Until),
    Paused(Paused),
}

/// A build up to a time.
#[derive(Debug, Serialize)]
struct Until {
    projection: &'static str,
    number: u32,
    /// Of its tables.
    schema: String,
    until: String,
    /// Offsets before which it ends, by partition.
    ends: Vec<i64>,
    events: u64,
    seconds: f64,
    digests: Vec<Table>,
}

#[derive(Debug, Serialize)]
struct Table {
    table: String,
    rows: u64,
    digest: String,
}

/// A replay that was asked to pause.
#[derive(Debug, Serialize)]
struct Paused {
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
    let feeding = call.host.start().await?;
    settle(call).await?;
    let mut all = Vec::new();
    for projection in projections {
        let mut held = feeding.hold(&call.host.node, projection).await?;
        let ended = replay(call, &mut held, projection, options).await?;
        // First, so that a roll-back is left whenever this is cut off.
        held.feed().await?;
        if let Ended::Compared(outcome) = &ended
            && outcome.equal
            && !options.no_switch
        {
            call.host.node.store.switch(outcome.generation).await?;
            call.out.say(format_args!(
                "{} is live now; `threadlore replay rollback --projection {}` goes back",
                outcome.generation,
                projection.name()
            ));
        }
        all.push(ended);
    }
    report(&all, call)
}

async fn replay(
    call: &Call<'_>,
    held: &mut Held<'_>,
    projection: Projection,
    options: &Replay,
) -> anyhow::Result<Ended> {
    let node = &call.host.node;
    let under_way = match node.store.replay(projection).await? {
        Some(under_way) if !node.store.has_tables(under_way.build).await? => {
            call.out.say(format_args!(
                "the tables of {} are gone, which a replay was filling: it begins anew",
                under_way.build
            ));
            node.store.end_replay(projection).await?;
            if node.store.generations().await?.contains(&under_way.build) {
                held.drop_build(under_way.build).await?;
            }
            None
        }
        under_way => under_way,
    };
    let (build, ends) = match under_way {
        Some(under_way) => go_on(call, under_way, options).await?,
        None => begin(call, projection, options).await?,
    };
    let filled = fill_or_pause(call, (build, &ends)).await?;
    if !filled.is_whole {
        call.out.say(format_args!(
            "{build} is paused; `threadlore replay resume --projection {}` goes on",
            projection.name()
        ));
        return Ok(Ended::Paused(Paused {
            projection: projection.name(),
            number: build.number,
            paused: true,
            events: filled.events,
        }));
    }
    let until = node.store.builds().await?.into_iter();
    let until = until.filter(|listed| listed.build == build);
    if let Some(until) = until.filter_map(|listed| listed.until).next() {
        let ended = built_until(call, (build, filled), (until, &ends)).await?;
        node.store.end_replay(projection).await?;
        return Ok(Ended::Until(ended));
    }
    let outcome = beside_live(call, held, (build, filled)).await?;
    // First, so that a build that is done is not taken for what was cut off.
    node.store.feed(build, true).await?;
    node.store.end_replay(projection).await?;
    Ok(Ended::Compared(outcome))
}

/// Makes a build and notes that it is being filled.
async fn begin(
    call: &Call<'_>,
    projection: Projection,
    options: &Replay,
) -> anyhow::Result<(Generation, Ends)> {
    let node = &call.host.node;
    let ends = ends(node.log.as_ref(), projection, options.until).await?;
    let build = node.store.create(projection).await?;
    let until = options.until.map(|until| (until, &ends));
    node.store.begin_replay(build, until).await?;
    Ok((build, ends))
}

/// Takes up a replay that was paused or cut off.
async fn go_on(
    call: &Call<'_>,
    under_way: UnderWay,
    options: &Replay,
) -> anyhow::Result<(Generation, Ends)> {
    let node = &call.host.node;
    let (build, projection) = (under_way.build, under_way.build.projection);
    let resumes = matches!(options.action, Some(ReplayAction::Resume { .. }));
    if options.until.is_some() || (under_way.ends.is_some() && !resumes) {
        return Err(BadInput(format!(
            "a replay of {name} is under way, into {build}: `threadlore replay resume --projection \
             {name}` goes on with it, `threadlore replay drop --projection {name} {}` gives it up",
            build.number,
            name = projection.name(),
        ))
        .into());
    }
    node.store.pause_replay(projection, false).await?;
    let now = ends(node.log.as_ref(), projection, None).await?;
    let ends = under_way.ends.unwrap_or(now);
    let partitions = node.log.partitions(projection.topic());
    let done = node.store.positions(build, partitions).await?;
    let done = done.iter().filter_map(|at| at.get(&projection.topic()));
    let (done, total): (i64, i64) = (
        done.map(|offset| offset.0).sum(),
        ends.values().map(|end| end.0).sum(),
    );
    call.out.say(format_args!(
        "going on with {build}: {done} of {total} events are folded"
    ));
    Ok((build, ends))
}

/// Fills a build until it is whole, or a pause is asked for.
async fn fill_or_pause(call: &Call<'_>, plan: (Generation, &Ends)) -> anyhow::Result<Filled> {
    let (store, projection) = (&call.host.node.store, plan.0.projection);
    let is_paused = || {
        let replay = store.replay(projection);
        let asked = async move { Ok(replay.await?.is_some_and(|replay| replay.is_paused)) };
        asked.boxed()
    };
    fill_up(call, plan, &is_paused).await
}

async fn built_until(
    call: &Call<'_>,
    (build, filled): (Generation, Filled),
    (until, ends): (Timestamp, &Ends),
) -> anyhow::Result<Until> {
    let digests = call.host.node.store.digest(build).await?;
    let tables = digests.into_iter().map(|(table, (rows, digest))| Table {
        table,
        rows,
        digest,
    });
    Ok(Until {
        projection: build.projection.name(),
        number: build.number,
        schema: build.schema(),
        until: until.to_string(),
        ends: ends.values().map(|end| end.0).collect(),
        events: filled.events,
        seconds: filled.seconds,
        digests: tables.collect(),
    })
}

/// Prints what became of replays; the exit code says whether all that were compared are equal.
fn report(all: &[Ended], call: &Call<'_>) -> anyhow::Result<u8> {
    if call.json {
        call.out.json(&serde_json::json!({ "projections": all }))?;
    } else {
        for ended in all {
            match ended {
                Ended::Compared(outcome) => outcome.print(call.out),
                Ended::Until(until) => until.print(call),
                // Said already.
                Ended::Paused(_) => {}
            }
        }
    }
    let differs = |ended: &Ended| matches!(ended, Ended::Compared(outcome) if !outcome.equal);
    Ok(if all.iter().any(differs) {
        DIFFERENT
    } else {
        0
    })
}

impl Until {
    fn print(&self, call: &Call<'_>) {
        let out = call.out;
        out.print(format_args!(
            "{} g{}: as of {}, in schema {}; it never goes live",
            self.projection, self.number, self.until, self.schema
        ));
        for (partition, end) in self.ends.iter().enumerate() {
            out.print(format_args!("  partition {partition}: before offset {end}"));
        }
        for table in &self.digests {
            out.print(format_args!(
                "  {:20} {:>8} rows  {}",
                table.table,
                table.rows,
                short(&table.digest)
            ));
        }
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
        return Err(none_under_way(projection));
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
