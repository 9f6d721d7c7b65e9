//! `threadlore channel`: who looks after a channel.

use threadlore_model::{
    ChannelConfigured, ChannelId, Envelope, Event, EventId, Key, SpaceId, Topic,
};
use threadlore_ports::{NewRecord, Right};

use super::Call;
use super::import::work;
use crate::cli::Channel;
use crate::node::Node;

pub(super) async fn run(options: &Channel, call: &Call<'_>) -> anyhow::Result<u8> {
    let Channel {
        space,
        channel,
        admin,
    } = options;
    configure(&call.host.node, space, channel, admin).await?;
    work(call).await?;
    match admin.len() {
        0 => call.out.say(format_args!(
            "nobody looks after {channel} now: the bot is silent there"
        )),
        1 => call.out.say(format_args!("{channel} has 1 admin now")),
        n => call.out.say(format_args!("{channel} has {n} admins now")),
    }
    Ok(0)
}

/// Publishes who looks after a channel.
pub(super) async fn configure(
    node: &Node,
    space: &SpaceId,
    channel: &ChannelId,
    admins: &[String],
) -> anyhow::Result<()> {
    let scope = node.scope(space, Right::Admin)?;
    node.check_not_restoring().await?;
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
