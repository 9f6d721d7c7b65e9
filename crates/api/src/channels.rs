//! How channels are set up.

use threadlore_model::{ChannelId, ChannelSettings};
use threadlore_node::is_address;

use crate::refused::Refused;
use crate::site::Visit;
use crate::wording::text;

/// The most addresses of documentation of a channel, and the most bytes of one.
const MOST_DOCS: (usize, usize) = (20, 2000);

impl Visit {
    /// Sets a channel up, and waits until it is so: `None` where that takes longer.
    pub(crate) async fn configure(
        &self,
        channel: &ChannelId,
        settings: ChannelSettings,
    ) -> Result<Option<ChannelSettings>, Refused> {
        let is_usable = |address: &str| is_address(address) && address.len() <= MOST_DOCS.1;
        if let Some(wrong) = settings.docs.iter().find(|address| !is_usable(address)) {
            let address = wrong.as_str();
            return Err(Refused::Bad(text!("refused-address", address = address)));
        }
        if settings.docs.len() > MOST_DOCS.0 {
            return Err(Refused::TooLarge);
        }
        if settings.published && !settings.is_published() {
            return Err(Refused::Bad(
                "It is not published, and nothing else was changed, because not everybody can read it: say \
                 that everybody can, or do not publish it."
                    .to_owned(),
            ));
        }
        let of = (self.space(), channel);
        self.node()
            .configure(of, settings.clone(), &self.by)
            .await?;
        let look = async || {
            let mut configured = self.node().reader().configured(&self.scope).await?;
            Ok(configured.remove(channel).filter(|now| *now == settings))
        };
        self.until(look).await
    }
}
