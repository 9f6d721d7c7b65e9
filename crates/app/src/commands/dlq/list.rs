//! `threadlore dlq list`: the newest dead letters.

use serde::Serialize;
use threadlore_model::{SpaceId, Topic};
use threadlore_ports::{Right, all_partitions};

use super::Call;
use super::letter::{Letter, last, redriven};
use crate::cli::DlqList;

/// Spaces that every installation has. Any other space without records counts as a mistyped name.
const MAY_BE_EMPTY: [&str; 2] = ["default", "system"];

/// One dead letter, as a line.
#[derive(Debug, Serialize)]
struct Row {
    letter: String,
    /// When the record was dead-lettered.
    at: String,
    space: String,
    role: String,
    /// The address of the source record.
    source: String,
    reason: String,
    /// How many bytes of the record's value the dead letter holds.
    bytes: usize,
    /// The address of the event that redrove it.
    redriven: Option<String>,
}

#[derive(Serialize)]
struct Listed {
    letters: Vec<Row>,
    /// Whether there are older ones.
    more: bool,
}

pub(super) async fn run(options: &DlqList, call: &Call<'_>) -> anyhow::Result<u8> {
    let log = call.host.node.log.as_ref();
    let topics = match options.topic {
        Some(topic) => vec![topic],
        None => Topic::ALL.iter().filter_map(|t| t.dead_letters()).collect(),
    };
    let keep = |letter: &Letter| {
        let space = options.space.as_ref();
        space.is_none_or(|space| letter.envelope.space == *space)
    };
    let limit = usize::from(options.limit);
    let mut found: Vec<Letter> = Vec::new();
    for at in topics
        .into_iter()
        .flat_map(|topic| all_partitions(log, topic))
    {
        // One more than is shown says that there are more.
        found.extend(last(log, at, limit + 1, keep).await?);
        found.sort_by_key(|letter| std::cmp::Reverse((letter.dead.now, letter.place)));
        found.truncate(limit + 1);
    }
    let more = found.len() > limit;
    found.truncate(limit);
    let redriven = redriven(log, &found).await?;
    let letters = found.into_iter().map(|letter| Row {
        letter: letter.place.to_string(),
        at: letter.dead.now.to_string(),
        space: letter.envelope.space.to_string(),
        source: letter.source().to_string(),
        redriven: redriven.get(&letter.envelope.id).map(ToString::to_string),
        bytes: letter.dead.value.len(),
        role: letter.dead.role,
        reason: letter.dead.reason,
    });
    let letters: Vec<Row> = letters.collect();
    let unused = |space: &&SpaceId| letters.is_empty() && !MAY_BE_EMPTY.contains(&space.as_str());
    if let Some(space) = options.space.as_ref().filter(unused) {
        let node = &call.host.node;
        node.check_space(&node.scope(space, Right::Read)?).await?;
    }
    if call.json {
        let listed = Listed { letters, more };
        call.out.json(&listed)?;
        return Ok(0);
    }
    if letters.is_empty() {
        call.out.say("there are no dead letters");
    }
    for row in letters {
        let again = row.redriven.map(|place| format!(" (redriven as {place})"));
        call.out.print(format_args!(
            "{}  {}  {} on {}{}: {}",
            row.letter,
            row.at,
            row.role,
            row.source,
            again.unwrap_or_default(),
            row.reason
        ));
    }
    if more {
        call.out.say(format_args!(
            "these are the newest {limit}; --limit shows more"
        ));
    }
    Ok(0)
}
