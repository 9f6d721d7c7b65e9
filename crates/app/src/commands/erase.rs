//! `threadlore erase`: forgets a person, or old messages.

use std::time::Duration;

use serde::Serialize;
use threadlore_model::{Actor, SpaceId};

use super::Call;
use super::import::work;
use crate::cli::{Erase, NativePerson};
use crate::exit::BadInput;
use crate::printable::counted;

/// Rounds after which something holds the erasure up.
const ROUNDS: usize = 20;

/// How much of a person there is.
#[derive(Debug, Serialize)]
struct Report {
    person: String,
    channels: Vec<Channel>,
    messages: u64,
    cases: usize,
    memories: usize,
    /// Messages of others that mention the person: they are theirs, and stay.
    mentioned_by_others: u64,
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct Channel {
    channel: String,
    messages: u64,
}

/// How many old messages there are.
#[derive(Debug, Serialize)]
struct OldReport {
    older_than_days: u32,
    /// Those that nothing rests on.
    messages: u64,
    channels: Vec<Channel>,
    /// Those that a case, a memory or an exchange rests on: they stay.
    kept: u64,
    dry_run: bool,
}

pub(super) async fn run(options: &Erase, call: &Call<'_>) -> anyhow::Result<u8> {
    let space = call.space(options.space.as_ref()).await?;
    if !options.dry_run {
        // What is on its way must be in the tables first.
        work(call).await?;
    }
    match (&options.what.person, options.what.older_than) {
        (Some(person), _) => forget(&space, person, options.dry_run, call).await,
        (None, days) => redact(&space, days.unwrap_or_default(), options.dry_run, call).await,
    }
}

/// Asks for something until nothing of it is left.
async fn until_done(
    ask: impl AsyncFn() -> anyhow::Result<u64>,
    call: &Call<'_>,
) -> anyhow::Result<()> {
    let mut rounds = 0;
    while ask().await? > 0 {
        rounds += 1;
        anyhow::ensure!(
            rounds <= ROUNDS,
            "the erasure is asked for and does not end: look at `threadlore dlq list`, and whether \
             all roles run; run it again then"
        );
        work(call).await?;
    }
    Ok(())
}

/// Redacts the messages that were sent so many days ago and that nothing rests on.
async fn redact(space: &SpaceId, days: u32, dry_run: bool, call: &Call<'_>) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let age = Duration::from_secs(u64::from(days) * 24 * 60 * 60);
    let before = node.clock.now().minus(age);
    let found = node.old_messages(space, before).await?;
    if !dry_run {
        until_done(|| node.redact_old(space, before), call).await?;
    }
    let channels = found.iter().filter(|old| old.unneeded > 0);
    let channels = channels.map(|old| Channel {
        channel: old.channel.to_string(),
        messages: old.unneeded,
    });
    let report = OldReport {
        older_than_days: days,
        messages: found.iter().map(|old| old.unneeded).sum(),
        channels: channels.collect(),
        kept: found.iter().map(|old| old.needed).sum(),
        dry_run,
    };
    if call.json {
        call.out.json(&report)?;
        return Ok(0);
    }
    call.out.print(format_args!(
        "{}: {} of more than {} ago",
        done(dry_run),
        counted(report.messages, "message"),
        counted(u64::from(days), "day"),
    ));
    print_channels(&report.channels, call);
    if report.kept > 0 {
        call.out.say(format_args!(
            "{} of that age stay, because a case, a memory or an exchange rests on them",
            counted(report.kept, "message")
        ));
    }
    Ok(0)
}

fn done(dry_run: bool) -> &'static str {
    match dry_run {
        true => "would be erased, for good",
        false => "erased, for good",
    }
}

fn print_channels(channels: &[Channel], call: &Call<'_>) {
    for one in channels {
        let messages = counted(one.messages, "message");
        call.out
            .print(format_args!("  {}  {messages}", one.channel));
    }
}

async fn forget(
    space: &SpaceId,
    NativePerson { platform, native }: &NativePerson,
    dry_run: bool,
    call: &Call<'_>,
) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let person = node.hasher.person(space, platform, native);
    let found = node.of_person(space, person).await?;
    if found.channels.is_empty() {
        return Err(BadInput(format!(
            "nobody named {native} on {platform} wrote anything in the space {space}: names are taken \
             as the platform writes them, and `threadlore channel show` lists its platforms"
        ))
        .into());
    }
    if !dry_run {
        until_done(|| node.forget(space, person, &Actor::Operator), call).await?;
    }
    let channels = found.channels.iter().map(|(channel, messages)| Channel {
        channel: channel.to_string(),
        messages: *messages,
    });
    let report = Report {
        person: person.to_string(),
        messages: found.channels.iter().map(|(_, messages)| messages).sum(),
        channels: channels.collect(),
        cases: found.cases.len(),
        memories: found.memories.len(),
        mentioned_by_others: found.mentioned,
        dry_run,
    };
    if call.json {
        call.out.json(&report)?;
        return Ok(0);
    }
    call.out.print(format_args!(
        "{}: {} in {}, and {} with words of theirs",
        done(dry_run),
        counted(report.messages, "message"),
        counted(report.channels.len() as u64, "channel"),
        counted(report.cases as u64, "case"),
    ));
    print_channels(&report.channels, call);
    if report.memories > 0 {
        let things = counted(report.memories as u64, "thing");
        call.out
            .print(format_args!("  {things} that they had the bot remember"));
    }
    if !dry_run {
        call.out
            .say("nothing that they write from now on is kept, and the bot does not answer them");
    }
    if report.mentioned_by_others > 0 {
        call.out.say(format_args!(
            "{} of others mention them, by the platform's marks, and stay",
            counted(report.mentioned_by_others, "message")
        ));
    }
    Ok(0)
}
