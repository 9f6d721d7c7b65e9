//! `threadlore dlq show`: all that is known about one dead letter.

use threadlore_api::dead_letters::details;
use threadlore_node::DeadLetterPlace;

use super::Call;

pub(super) async fn run(
    place: DeadLetterPlace,
    with_value: bool,
    call: &Call<'_>,
) -> anyhow::Result<u8> {
    let shown = details(&call.host.node, place, with_value).await?;
    if call.json {
        call.out.json(&shown)?;
        return Ok(0);
    }
    let line = shown.line;
    let lines = [
        ("letter", Some(line.letter)),
        ("id", Some(shown.id)),
        ("failed at", Some(format!("{} by {}", line.at, line.role))),
        ("reason", Some(line.reason)),
        ("space", Some(line.space)),
        ("key", Some(shown.key)),
        (
            "record",
            Some(format!("{}: {}", line.source, shown.source_is)),
        ),
        ("its event", shown.cause),
        (
            "value",
            Some(format!("{} bytes: {}", line.bytes, shown.value_is)),
        ),
        (
            "redriven",
            Some(line.redriven.unwrap_or_else(|| "no".to_owned())),
        ),
        ("text", shown.value),
    ];
    for (name, text) in lines {
        if let Some(text) = text {
            call.out.print(format_args!("{name:<10} {text}"));
        }
    }
    if !with_value && line.bytes > 0 {
        call.out
            .say("the value may hold text and names of people: --value prints it");
    }
    Ok(0)
}
