//! `threadlore memory add`, `change`, `restore` and `forget`: requests to the owner of memories.

use threadlore_model::{Actor, MemoryId, SpaceId};
use threadlore_node::{NotChanged, NotRemembered};
use threadlore_ports::Right;
use threadlore_store_postgres::MemoryFilter;

use super::{Call, find, show};
use crate::cli::{MemoryAdd, MemoryChange, OneMemory};
use crate::commands::import::work;
use crate::exit::BadInput;

pub(super) async fn add(options: &MemoryAdd, call: &Call<'_>) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let text = options.text.trim();
    if text.is_empty() {
        let nothing = "there is nothing to remember: write what people are to be told, in quotes";
        return Err(BadInput(nothing.to_owned()).into());
    }
    let space = call.space(options.space.as_ref()).await?;
    let scope = node.scope(&space, Right::Read)?;
    call.check_there(&scope, Some(&options.channel)).await?;
    let of = (&space, &options.channel);
    let remembered = node
        .remember(of, (text, options.always), &Actor::Operator)
        .await;
    let memory = match remembered {
        Ok(memory) => memory,
        Err(error) => match error.downcast::<NotRemembered>() {
            Ok(reason) => return Err(BadInput(reason.to_string()).into()),
            Err(error) => return Err(error),
        },
    };
    work(call).await?;
    let filter = MemoryFilter {
        memory: Some(memory),
        limit: 1,
        ..MemoryFilter::default()
    };
    if node.memories(&space, filter).await?.0.is_empty() {
        // The owner takes the same words once.
        call.out
            .say("that is remembered already, or no promoter runs: `threadlore memory list`");
        return Ok(0);
    }
    let one = OneMemory {
        memory,
        space: Some(space),
    };
    show::run(&one, call).await
}

pub(super) async fn change(options: &MemoryChange, call: &Call<'_>) -> anyhow::Result<u8> {
    let (space, memory) = find(&options.one, call).await?;
    let wanted = threadlore_node::MemoryChange {
        text: options.text.clone(),
        always: options.always,
    };
    let node = &call.host.node;
    let asked = node
        .change_memory(&space, &memory, wanted, &Actor::Operator)
        .await;
    comes(asked, space, call).await
}

pub(super) async fn restore(options: &OneMemory, call: &Call<'_>) -> anyhow::Result<u8> {
    let (space, memory) = find(options, call).await?;
    let node = &call.host.node;
    let asked = node.restore_memory(&space, &memory, &Actor::Operator).await;
    comes(asked, space, call).await
}

/// Shows a memory that was asked for, once it is there.
async fn comes(
    asked: anyhow::Result<MemoryId>,
    space: SpaceId,
    call: &Call<'_>,
) -> anyhow::Result<u8> {
    let memory = asked.map_err(|error| match error.downcast_ref::<NotChanged>() {
        Some(reason) => BadInput(format!("nothing is changed: {reason}")).into(),
        None => error,
    })?;
    work(call).await?;
    let one = OneMemory {
        memory,
        space: Some(space),
    };
    show::run(&one, call).await
}

pub(super) async fn forget(options: &OneMemory, call: &Call<'_>) -> anyhow::Result<u8> {
    let (space, memory) = find(options, call).await?;
    if let Some(exchange) = &memory.exchange {
        return Err(BadInput(format!(
            "{} is an exchange: it has no words of its own, and says nothing more once its question is \
             deleted, or its case is (`threadlore cases erase {}`)",
            memory.memory, exchange.case
        ))
        .into());
    }
    let node = &call.host.node;
    node.forget_memory(&space, &memory, &Actor::Operator)
        .await?;
    work(call).await?;
    let (_, memory) = find(options, call).await?;
    anyhow::ensure!(
        memory.erased_at.is_some(),
        "the request is in the log, and the memory is as it was: look at `threadlore dlq list`, and \
         whether a promoter runs"
    );
    show::run(options, call).await
}
