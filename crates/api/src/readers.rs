//! The question box of the published pages: the channel in which their readers ask, and what they are answered.

use std::collections::BTreeMap;

use threadlore_model::{Audience, ChannelId, ChannelSettings};
use threadlore_node::Node;
use threadlore_ports::{CaseReader as _, Scope};

use crate::pseudonyms::Pseudonyms;
use crate::published::names_around;
use crate::questions::ChannelReply;
use crate::refused::Refused;
use crate::site::Visit;

/// The platform of the channels in which readers of these pages ask. No gateway serves it, and no program writes there.
pub(crate) const READERS: &str = "site";

/// An answer without the names of those who wrote in the conversations that it is from, or around the first one.
pub(crate) async fn unnamed(
    node: &Node,
    scope: &Scope,
    reply: &ChannelReply,
) -> anyhow::Result<Option<String>> {
    let Some(answer) = &reply.answer else {
        return Ok(None);
    };
    let first = match reply.cases().first() {
        Some(first) => node.store.case(scope, *first).await?,
        None => None,
    };
    let others = match &first {
        Some(case) => names_around(node, scope, case).await?,
        None => Vec::new(),
    };
    let said = reply.citations.iter().flat_map(|cited| &cited.evidence);
    let names: Vec<String> = said.filter_map(|said| said.name.clone()).collect();
    let answer = Pseudonyms::of_nobody(&names).text(answer);
    Ok(Some(Pseudonyms::of(&[], others).text(&answer)))
}

/// The channel in which readers of the published pages ask, the first one of several: one of the platform `site` that is
/// published.
fn readers_channel(configured: &BTreeMap<ChannelId, ChannelSettings>) -> Option<&ChannelId> {
    let mut channels = configured.iter();
    let found = channels
        .find(|(channel, settings)| channel.platform() == READERS && settings.is_published());
    found.map(|(channel, _)| channel)
}

impl Visit {
    /// The channel in which readers of the published pages ask, where there is one.
    pub(crate) async fn readers_channel(&self) -> Result<Option<ChannelId>, Refused> {
        let configured = self.node().store.configured(&self.scope).await?;
        Ok(readers_channel(&configured).cloned())
    }

    /// Opens the question box of the published pages: their readers ask in a channel whose admin is the visitor. The
    /// channel, `None` where that takes longer.
    pub(crate) async fn open_question_box(&self) -> Result<Option<ChannelId>, Refused> {
        let mut configured = self.node().store.configured(&self.scope).await?;
        if let Some(channel) = readers_channel(&configured) {
            return Ok(Some(channel.clone()));
        }
        let channel = ChannelId::parse(&format!("{READERS}:help")).map_err(anyhow::Error::new)?;
        let before = configured.remove(&channel).unwrap_or_default();
        let mut settings = ChannelSettings {
            audience: Audience::Public,
            published: true,
            ..before
        };
        settings.admins.insert(self.own_person());
        let done = self.configure(&channel, settings).await?;
        Ok(done.map(|_| channel))
    }
}
