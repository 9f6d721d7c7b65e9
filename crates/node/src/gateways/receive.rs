//! Receiving, for as long as the process runs.

use std::sync::Arc;
use std::time::Duration;

use threadlore_ports::{Clock, Gateway, Inbox, Observer, PortError};
use threadlore_stream::keep_working;
use tokio_util::sync::CancellationToken;

/// Pause before a platform is tried again that does not let the bot in.
const REFUSED: Duration = Duration::from_secs(60);

/// Receives until it is asked to stop. A platform that does not answer, or does not let the bot in,
/// is tried again, for the other roles of the process can work.
///
/// # Errors
/// What is no passing fault.
pub(crate) async fn receive(
    gateway: Arc<dyn Gateway>,
    inbox: Arc<dyn Inbox>,
    clock: Arc<dyn Clock>,
    observer: Arc<dyn Observer>,
    stop: CancellationToken,
) -> Result<(), PortError> {
    let name = format!("gateway/{}", gateway.name());
    let work = || async {
        let received = async {
            let Err(error) = gateway.receive(inbox.as_ref()).await;
            Err(refused_is_waited_for(error, &name, clock.as_ref()).await)
        };
        Ok(async {
            tokio::select! {
                () = stop.cancelled() => Ok(()),
                ended = received => ended,
            }
        })
    };
    keep_working(&name, clock.as_ref(), observer.as_ref(), &stop, work).await
}

/// After a refusal, the same call would be refused again at once.
async fn refused_is_waited_for(error: PortError, name: &str, clock: &dyn Clock) -> PortError {
    let PortError::Refused { doing, .. } = &error else {
        return error;
    };
    tracing::error!(
        %error,
        "{name} is not let in; it tries again every {} s",
        REFUSED.as_secs()
    );
    let doing = *doing;
    clock.sleep(REFUSED).await;
    PortError::Busy {
        doing,
        reason: "the platform did not let the bot in",
        source: None,
    }
}
