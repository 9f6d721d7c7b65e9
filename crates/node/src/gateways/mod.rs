//! The gateways that the settings choose.
//!
//! | module | holds |
//! |---|---|
//! | `hold` | one process at a time is connected, where the platform wants that |
//! | `inbox` | where they hand over what they receive |
//! | `own` | what they send becomes messages of the channel |
//! | `receive` | receiving, for as long as the process runs |

mod hold;
mod inbox;
mod own;
mod receive;

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::Context as _;
use threadlore_gateways::{
    IrcConfig, IrcGateway, IrcSettings, MatrixConfig, MatrixGateway, MatrixSettings, WebhookConfig,
    WebhookFormat, WebhookGateway,
};
use threadlore_ports::{Clock, Gateway};
use threadlore_settings::{Irc, Matrix, Settings, Webhook, listed};

use crate::engine::secret;
use crate::error::BadInput;
use crate::node::Node;
use inbox::NodeInbox;

pub(crate) use hold::Hold;
use own::Posting;
pub(crate) use receive::receive;

/// The gateways that the settings choose.
///
/// # Errors
/// What is wrong with their settings.
pub(crate) fn chosen(
    settings: &Settings,
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<Vec<Arc<dyn Gateway>>> {
    let mut all: Vec<Arc<dyn Gateway>> = Vec::new();
    if let Some(server) = &settings.irc.server {
        all.push(Arc::new(irc(&settings.irc, server, clock)?));
    }
    if let Some(homeserver) = &settings.matrix.homeserver {
        all.push(Arc::new(matrix(&settings.matrix, homeserver, clock)?));
    }
    if let Some(listen) = settings.webhook.listen {
        all.push(Arc::new(webhook(&settings.webhook, listen, clock)?));
    }
    Ok(all)
}

fn irc(chosen: &Irc, server: &str, clock: &Arc<dyn Clock>) -> anyhow::Result<IrcGateway> {
    const LOOK: &str =
        "the IRC gateway cannot be used: look at the table [irc] of the settings (see docs/irc.md)";
    let password = secret(&chosen.password, &chosen.password_file, "irc.password_file")?;
    let login = secret(
        &chosen.sasl_password,
        &chosen.sasl_password_file,
        "irc.sasl_password_file",
    )?;
    let login = match (&chosen.sasl_user, login) {
        (Some(user), Some(password)) => Some((user.clone(), password)),
        (None, None) => None,
        _ => {
            return Err(BadInput(format!(
                "{LOOK}. `irc.sasl_user` and `irc.sasl_password` go together: set both or none"
            ))
            .into());
        }
    };
    let config = IrcConfig::new(IrcSettings {
        server: server.to_owned(),
        tls: chosen.tls,
        authorities: chosen.ca_file.clone(),
        nick: chosen.nick.clone(),
        channels: listed(chosen.channels.as_deref().unwrap_or_default()),
        space: chosen.space.clone(),
        platform: chosen.platform.clone(),
        bots: chosen.bots.clone().unwrap_or_default(),
        admins: listed(chosen.admins.as_deref().unwrap_or_default()),
        password,
        login,
    });
    let config = config.map_err(|error| BadInput(format!("{LOOK}. {error}")))?;
    let gateway = IrcGateway::new(config, Arc::clone(clock));
    Ok(gateway.map_err(|error| BadInput(format!("{LOOK}. {error}")))?)
}

fn matrix(
    chosen: &Matrix,
    homeserver: &str,
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<MatrixGateway> {
    const LOOK: &str = "the Matrix gateway cannot be used: look at the table [matrix] of the settings \
                        (see docs/matrix.md)";
    let token = secret(
        &chosen.access_token,
        &chosen.access_token_file,
        "matrix.access_token_file",
    )?;
    let config = MatrixConfig::new(MatrixSettings {
        homeserver: homeserver.to_owned(),
        token: token.unwrap_or_default(),
        rooms: listed(chosen.rooms.as_deref().unwrap_or_default()),
        invited_by: listed(chosen.invited_by.as_deref().unwrap_or_default()),
        space: chosen.space.clone(),
        platform: chosen.platform.clone(),
        bots: chosen.bots.clone().unwrap_or_default(),
        admins: listed(chosen.admins.as_deref().unwrap_or_default()),
        history: chosen.history,
    });
    let config = config.map_err(|error| BadInput(format!("{LOOK}. {error}")))?;
    let gateway = MatrixGateway::new(config, Arc::clone(clock));
    Ok(gateway.map_err(|error| BadInput(format!("{LOOK}. {error}")))?)
}

fn webhook(
    chosen: &Webhook,
    listen: SocketAddr,
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<WebhookGateway> {
    const LOOK: &str =
        "the webhook gateway cannot be used: look at the table [webhook] of the settings";
    let missing = |key: &str| {
        BadInput(format!(
            "`webhook.listen` is set, so the webhook gateway is to run, and {key} is missing: set it, \
             or leave `webhook.listen` out (see docs/webhook.md)"
        ))
    };
    let url = chosen
        .deliver_url
        .as_deref()
        .ok_or_else(|| missing("`webhook.deliver_url`"))?;
    let secret = secret(&chosen.secret, &chosen.secret_file, "webhook.secret_file")?
        .ok_or_else(|| missing("`webhook.secret` or `webhook.secret_file`"))?;
    let format: WebhookFormat = chosen.format.name().parse().context(LOOK)?;
    let config = WebhookConfig::new(listen, url, &secret, chosen.platforms(), format);
    let config = config.map_err(|error| BadInput(format!("{LOOK}. {error}")))?;
    WebhookGateway::new(config, Arc::clone(clock)).context(LOOK)
}

/// A gateway that hands what it sends to its inbox.
pub(crate) fn posting(node: &Node, gateway: &Arc<dyn Gateway>) -> Posting {
    let names = node.settings.responder.names();
    Posting {
        inbox: Arc::new(NodeInbox::of(node, gateway.name())),
        gateway: Arc::clone(gateway),
        clock: Arc::clone(&node.clock),
        name: names
            .into_iter()
            .next()
            .unwrap_or_else(|| "threadlore".to_owned()),
    }
}
