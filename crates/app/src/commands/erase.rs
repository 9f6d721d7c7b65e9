//! `threadlore erase`: forgets a person.

use serde::Serialize;
use threadlore_model::Actor;

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

pub(super) async fn run(options: &Erase, call: &Call<'_>) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let space = call.space(options.space.as_ref()).await?;
    let NativePerson { platform, native } = &options.person;
    let person = node.hasher.person(&space, platform, native);
    if !options.dry_run {
        // What is on its way must be in the tables first.
        work(call).await?;
    }
    let found = node.of_person(&space, person).await?;
    if found.channels.is_empty() {
        return Err(BadInput(format!(
            "nobody named {native} on {platform} wrote anything in the space {space}: names are taken \
             as the platform writes them, and `threadlore channel show` lists its platforms"
        ))
        .into());
    }
    if !options.dry_run {
        let mut rounds = 0;
        while node.forget(&space, person, &Actor::Operator).await? > 0 {
            rounds += 1;
            anyhow::ensure!(
                rounds <= ROUNDS,
                "the erasure is asked for and does not end: look at `threadlore dlq list`, and whether \
                 all roles run; run it again then"
            );
            work(call).await?;
        }
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
        dry_run: options.dry_run,
    };
    if call.json {
        call.out.json(&report)?;
        return Ok(0);
    }
    let done = match options.dry_run {
        true => "would be erased, for good",
        false => "erased, for good",
    };
    call.out.print(format_args!(
        "{done}: {} in {}, and {} with words of theirs",
        counted(report.messages, "message"),
        counted(report.channels.len() as u64, "channel"),
        counted(report.cases as u64, "case"),
    ));
    for one in &report.channels {
        call.out.print(format_args!(
            "  {}  {}",
            one.channel,
            counted(one.messages, "message")
        ));
    }
    if report.memories > 0 {
        let things = counted(report.memories as u64, "thing");
        call.out
            .print(format_args!("  {things} that they had the bot remember"));
    }
    if !options.dry_run {
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
