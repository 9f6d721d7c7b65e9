//! `threadlore channel`: shows channels and configures them.

use std::collections::BTreeSet;

use serde::Serialize;
use threadlore_model::{Actor, ChannelId, ChannelSettings, Mode, PersonId, SpaceId};
use threadlore_ports::Right;
use threadlore_store_postgres::ChannelSummary;

use super::Call;
use super::import::work;
use super::rebuild::settle;
use crate::cli::{Channel, ChannelAction, ChannelSet};
use crate::exit::BadInput;
use crate::printable::counted;

pub(super) async fn run(options: &Channel, call: &Call<'_>) -> anyhow::Result<u8> {
    match &options.action {
        ChannelAction::Show { space, channel } => {
            let space = call.space(space.as_ref()).await?;
            show(&space, channel.as_ref(), call).await
        }
        ChannelAction::Set(options) => set(options, call).await,
    }
}

/// A channel in the output.
#[derive(Debug, Serialize)]
struct Row {
    space: String,
    channel: String,
    messages: u64,
    /// Keyed hashes of the admins; null if the channel was never configured.
    admins: Option<Vec<String>>,
    /// Who can read it.
    audience: &'static str,
    /// When the bot speaks in it.
    mode: &'static str,
    /// Addresses of documentation that are named where no answer is known.
    docs: Vec<String>,
    /// Whether its solved cases have pages that anybody can read.
    published: bool,
    /// Whether questions in the channel are answered.
    answers: bool,
    /// When that was said last; null if the channel was never configured.
    configured_at: Option<String>,
    /// Who said so; null where the platform did.
    configured_by: Option<Actor>,
}

impl Row {
    fn of(space: &SpaceId, summary: ChannelSummary) -> Self {
        let is_set_up = summary.settings.is_some();
        let (configured_at, configured_by) = summary.configured.unzip();
        let settings = summary.settings.unwrap_or_default();
        Self {
            configured_at: configured_at.map(|at| at.to_string()),
            configured_by: configured_by.flatten(),
            space: space.to_string(),
            channel: summary.channel.to_string(),
            messages: summary.messages,
            audience: settings.audience.name(),
            mode: settings.mode.name(),
            published: settings.is_published(),
            docs: settings.docs,
            answers: !settings.admins.is_empty() && settings.mode != Mode::Off,
            admins: is_set_up.then(|| settings.admins.iter().map(PersonId::to_string).collect()),
        }
    }

    /// For people.
    fn line(&self) -> String {
        let state = match self.admins.as_deref() {
            None => "not set up: the bot is silent there".to_owned(),
            Some([]) => "no admins: the bot is silent there".to_owned(),
            Some(admins) => counted(admins.len() as u64, "admin"),
        };
        let messages = counted(self.messages, "message");
        let Self { audience, mode, .. } = self;
        let docs = match self.docs.is_empty() {
            true => String::new(),
            false => format!(", documentation {}", self.docs.join(" ")),
        };
        let published = match self.published {
            true => ", published",
            false => "",
        };
        let by = self.configured_by.as_ref();
        let by = by.map(|by| format!(", set by {}", by.in_words()));
        let by = by.unwrap_or_default();
        format!(
            "{}  {messages}, {state}, audience {audience}, answers {mode}{published}{docs}{by}",
            self.channel
        )
    }
}

async fn show(space: &SpaceId, channel: Option<&ChannelId>, call: &Call<'_>) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let scope = node.scope(space, Right::Read)?;
    node.check_space(&scope).await?;
    let found = node.store.channels(&scope, channel).await?;
    if let (Some(channel), true) = (channel, found.is_empty()) {
        return Err(BadInput(format!(
            "there is no channel {channel} in the space {space}: `threadlore channel show --space \
             {space}` lists those that are"
        ))
        .into());
    }
    let rows: Vec<Row> = found.into_iter().map(|one| Row::of(space, one)).collect();
    if call.json {
        call.out.json(&serde_json::json!({ "channels": rows }))?;
    } else {
        rows.iter().for_each(|row| call.out.print(row.line()));
    }
    Ok(0)
}

async fn set(options: &ChannelSet, call: &Call<'_>) -> anyhow::Result<u8> {
    let ChannelSet { space, channel, .. } = options;
    let node = &call.host.node;
    let scope = node.scope(space, Right::Admin)?;
    // Changes of earlier commands must be in the tables first.
    settle(call).await?;
    let mut configured = node.reader().configured(&scope).await?;
    let before = configured.remove(channel).unwrap_or_default();
    let published = options.published.unwrap_or(before.is_published());
    let settings = ChannelSettings {
        admins: changed(options, before.admins, |native| {
            node.hasher.person(space, channel.platform(), native)
        }),
        audience: options.audience.unwrap_or(before.audience),
        mode: options.mode.unwrap_or(before.mode),
        docs: match (options.no_docs, options.docs.is_empty()) {
            (true, _) => Vec::new(),
            (false, true) => before.docs,
            (false, false) => options.docs.clone(),
        },
        published,
    };
    if options.published == Some(true) && !settings.is_published() {
        return Err(BadInput(format!(
            "{channel} is not published, because not everybody can read it: its audience is `{}`; if \
             everybody can, say so with `--audience public`",
            settings.audience.name()
        ))
        .into());
    }
    node.configure((space, channel), settings, &Actor::Operator)
        .await?;
    work(call).await?;
    let found = node.store.channels(&scope, Some(channel)).await?;
    let rows = found.into_iter().map(|one| Row::of(space, one));
    for row in rows {
        if call.json {
            call.out.json(&row)?;
        } else {
            call.out.print(row.line());
        }
    }
    Ok(0)
}

/// The admins of a channel after the options are applied.
fn changed(
    options: &ChannelSet,
    before: BTreeSet<PersonId>,
    person: impl Fn(&str) -> PersonId,
) -> BTreeSet<PersonId> {
    let people = |natives: &[String]| natives.iter().map(|native| person(native)).collect();
    if options.no_admins {
        return BTreeSet::new();
    }
    if !options.admin.is_empty() {
        return people(&options.admin);
    }
    let (added, removed): (BTreeSet<_>, BTreeSet<_>) =
        (people(&options.add_admin), people(&options.remove_admin));
    let kept = before.difference(&removed).copied();
    kept.chain(added).collect()
}
