//! `threadlore dlq list`: the newest dead letters.

use threadlore_api::dead_letters::list;
use threadlore_api::words::DEFAULT_SPACE;
use threadlore_model::SpaceId;
use threadlore_node::DeadLetterFilter;
use threadlore_ports::Right;

use super::Call;
use crate::cli::DlqList;

pub(super) async fn run(options: &DlqList, call: &Call<'_>) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let filter = DeadLetterFilter {
        topic: options.topic,
        space: options.space.as_ref(),
        after: options.after,
        limit: usize::from(options.limit),
    };
    let listed = list(node, &filter).await?;
    // Every installation has these spaces; any other without records counts as a mistyped name.
    let may_be_empty =
        |space: &SpaceId| space.as_str() == DEFAULT_SPACE || *space == SpaceId::system();
    let unused = |space: &&SpaceId| listed.letters.is_empty() && !may_be_empty(space);
    if let Some(space) = options.space.as_ref().filter(unused) {
        node.check_space(&node.scope(space, Right::Read)?).await?;
    }
    if call.json {
        call.out.json(&listed)?;
        return Ok(0);
    }
    if listed.letters.is_empty() {
        call.out.say("there are no dead letters");
    }
    for line in listed.letters {
        let again = line.redriven.map(|place| format!(" (redriven as {place})"));
        call.out.print(format_args!(
            "{}  {}  {} on {}{}: {}",
            line.letter,
            line.at,
            line.role,
            line.source,
            again.unwrap_or_default(),
            line.reason
        ));
    }
    if let Some(next) = listed.next {
        call.out
            .say(format_args!("--after {next} lists older ones"));
    }
    Ok(0)
}
