//! `threadlore memory list`.

use threadlore_api::memories;
use threadlore_model::MemoryTier;
use threadlore_ports::Right;
use threadlore_store_postgres::MemoryFilter;

use super::Call;
use crate::cli::MemoryList;
use crate::output::cut;

pub(super) async fn run(options: &MemoryList, call: &Call<'_>) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let space = call.space(options.space.as_ref()).await?;
    let filter = MemoryFilter {
        tier: options.tier,
        channel: options.channel.as_ref(),
        all: options.all,
        limit: options.limit.into(),
        ..MemoryFilter::default()
    };
    let listed = memories::list(node, &space, filter).await?;
    let memories = &listed.memories;
    if memories.is_empty() {
        let scope = node.scope(&space, Right::Read)?;
        call.check_there(&scope, options.channel.as_ref()).await?;
    }
    if call.json {
        call.out.json(&listed)?;
        return Ok(0);
    }
    if memories.is_empty() {
        call.out.say(match options.tier {
            Some(MemoryTier::Working | MemoryTier::History | MemoryTier::Patterns) => {
                "no such exchange: what people say of answers makes them (docs/outcomes.md)"
            }
            Some(MemoryTier::MemoryBank) | None => {
                "nothing is remembered: say \"remember that …\" to the bot, or `threadlore memory add`"
            }
        });
    }
    for one in memories {
        let day = one.said_at.get(..10).unwrap_or(&one.said_at);
        call.out.print(format_args!(
            "{day}  {:<8}  {}  {}",
            one.state(),
            one.memory,
            cut(one.text.as_deref().unwrap_or("(erased)"), 80)
        ));
        if let Some(exchange) = &one.exchange {
            let title = exchange.title.as_deref().unwrap_or("(erased)");
            let (tried, title) = (exchange.tried(), cut(title, 80));
            call.out.print(format_args!("{:<20}{tried}: {title}", ""));
        }
    }
    if listed.fitting > memories.len() as u64 {
        call.out.say(format_args!(
            "{} of {} memories; --limit shows more",
            memories.len(),
            listed.fitting
        ));
    }
    Ok(0)
}
