//! `threadlore channel`: who looks after a channel.

use std::process::ExitCode;

use threadlore_model::{
    ChannelConfigured, ChannelId, Envelope, Event, EventId, Key, SpaceId, Topic,
};
use threadlore_ports::{NewRecord, Right};
use threadlore_settings::Settings;

use super::import::work;
use crate::cli::Channel;
use crate::environment::Environment;
use crate::node::{Node, Roles};

pub(super) async fn run(
    options: Channel,
    settings: Settings,
    environment: &Environment,
) -> anyhow::Result<ExitCode> {
    let node = Node::open(settings, environment).await?;
    configure(&node, &options.space, &options.channel, &options.admin).await?;
    let mut roles = Roles::start(&node).await?;
    work(&node, &mut roles).await?;
    roles.stop().await?;
    match options.admin.len() {
        0 => eprintln!(
            "nobody looks after {} now: the bot is silent there",
            options.channel
        ),
        n => eprintln!("{} has {n} admins now", options.channel),
    }
    Ok(ExitCode::SUCCESS)
}

/// Publishes who looks after a channel.
pub(super) async fn configure(
    node: &Node,
    space: &SpaceId,
    channel: &ChannelId,
    admins: &[String],
) -> anyhow::Result<()> {
    let scope = node.scope(space, Right::Admin)?;
    let now = node.clock.now();
    let admins = admins.iter().map(|native| {
        node.hasher
            .person(scope.space(), channel.platform(), native)
    });
    let body = ChannelConfigured {
        channel: channel.clone(),
        admins: admins.collect(),
        now,
    };
    let time = now.as_millis().to_string();
    let envelope = Envelope {
        id: EventId::of_content("channel", &[space.as_str(), channel.as_str(), &time]),
        space: space.clone(),
        key: Key::of_space(space),
        time: now,
        producer: None,
        cause: None,
        traceparent: None,
    };
    let event = Event {
        envelope,
        body: body.into(),
    };
    node.log
        .append(vec![NewRecord {
            topic: Topic::Settings,
            event,
        }])
        .await?;
    Ok(())
}
