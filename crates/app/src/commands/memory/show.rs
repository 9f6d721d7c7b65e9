//! `threadlore memory show`.

use threadlore_api::memories::{Exchange, Item, list};
use threadlore_store_postgres::MemoryFilter;

use super::{Call, find};
use crate::cli::OneMemory;

/// Earlier words that are shown.
const EARLIER: u32 = 10;

pub(super) async fn run(options: &OneMemory, call: &Call<'_>) -> anyhow::Result<u8> {
    let (space, memory) = find(options, call).await?;
    let shown = Item::of(&memory);
    if call.json {
        call.out.json(&shown)?;
        return Ok(0);
    }
    call.out
        .print(shown.text.as_deref().unwrap_or("(erased, for good)"));
    if let Some(exchange) = &shown.exchange {
        show_exchange(&shown, exchange, call);
        return Ok(0);
    }
    let filter = MemoryFilter {
        replaced_by: Some(memory.memory),
        limit: EARLIER,
        ..MemoryFilter::default()
    };
    let earlier = list(&call.host.node, &space, filter).await?;
    let by = match (&shown.name, &shown.message) {
        (Some(name), _) => name.as_str(),
        (None, Some(_)) => "somebody whose name is not known",
        (None, None) => "an operator, not in a message",
    };
    call.out.print(format_args!(
        "  said by {by} in {} at {}",
        shown.channel, shown.said_at
    ));
    if let Some(message) = &shown.message {
        call.out.print(format_args!("  in the message {message}"));
    }
    let is_told = match (shown.home, &shown.erased_at, &shown.archived_at) {
        (_, Some(at), _) => format!("erased at {at}"),
        (_, None, Some(at)) => format!(
            "told no more since {at} ({}); {} came in its place",
            shown.archive_reason.unwrap_or_default(),
            shown.archived_by.as_deref().unwrap_or_default()
        ),
        (Some("person"), None, None) => "told to nobody but who said it".to_owned(),
        (_, None, None) => format!("told where everybody can read {}", shown.channel),
    };
    call.out.print(format_args!("  {is_told}"));
    if shown.always {
        call.out
            .print("  a chat model that reads knows it with every question");
    }
    for one in &earlier.memories {
        let at = one.archived_at.as_deref().unwrap_or_default();
        let text = one.text.as_deref().unwrap_or("(erased)");
        call.out
            .print(format_args!("  until {at} it was: {text}  {}", one.memory));
    }
    let times = match shown.told {
        0 => "no answer quotes it".to_owned(),
        1 => "1 answer quotes it".to_owned(),
        told => format!("{told} answers quote it"),
    };
    call.out.print(format_args!("  {times}"));
    Ok(0)
}

fn show_exchange(shown: &Item, exchange: &Exchange, call: &Call<'_>) {
    let title = exchange.title.as_deref().unwrap_or("(erased)");
    let tried = exchange.tried();
    let lines = [
        format!("asked in {}, last at {}", shown.channel, exchange.used_at),
        format!("answered with the case {}: {title}", exchange.case),
        format!(
            "{tried}; the chance that it works again is {} of 1000",
            exchange.score
        ),
        match (&shown.archived_at, &exchange.until) {
            (Some(at), _) => format!(
                "kept no more since {at} ({})",
                shown.archive_reason.unwrap_or_default()
            ),
            (None, Some(until)) => format!("kept in {} until {until}", shown.tier),
            (None, None) => format!("kept in {} for ever", shown.tier),
        },
    ];
    for line in lines {
        call.out.print(format_args!("  {line}"));
    }
}
