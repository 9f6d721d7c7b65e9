//! Settings of `gateway`.

use std::time::Duration;

use threadlore_model::ChannelId;

/// Settings of `gateway`.
#[derive(Debug, Clone)]
pub struct GatewayParams {
    /// The gateway's name, such as `matrix`: part of its group.
    pub name: String,
    /// The platforms whose channels it serves.
    pub platforms: Vec<String>,
    /// What could not be sent for so long is not sent any more. Default 15 minutes.
    pub deliver_within: Duration,
}

impl GatewayParams {
    /// The settings of a gateway, with their defaults.
    #[must_use]
    pub fn of(name: &str, platforms: &[String]) -> Self {
        Self {
            name: name.to_owned(),
            platforms: platforms.to_vec(),
            deliver_within: Duration::from_secs(15 * 60),
        }
    }

    /// Whether it serves a channel.
    pub(super) fn serves(&self, channel: &ChannelId) -> bool {
        self.platforms
            .iter()
            .any(|platform| platform == channel.platform())
    }
}
