//! The end of imported history: a record of its own, so that the last messages are examined then,
//! and not after a time that depends on the machine.

use threadlore_model::{Event, PlatformEvent, PlatformHistoryEnded, Timestamp, Topic};
use threadlore_ports::{EventLog, NewRecord, PortError};

use crate::summary::Summary;
use crate::target::{Target, platform_event};

/// Appends to `chat.inbox` that the channel's history ends with the imported messages. The same
/// files give the same id, so when an import runs again `intake` drops the repeat. Files without
/// any event have no end.
///
/// # Errors
/// Those of the log.
pub async fn end_history(
    log: &dyn EventLog,
    target: &Target,
    imported: &Summary,
) -> Result<(), PortError> {
    let Some(ended_at) = imported.last else {
        return Ok(());
    };
    let event = ended(target, imported.lines, ended_at);
    let topic = Topic::ChatInbox;
    log.publish(vec![NewRecord { topic, event }]).await
}

/// That the history of a channel ends at a moment, after so many lines.
pub(crate) fn ended(target: &Target, lines: u64, ended_at: Timestamp) -> Event {
    let Target { space, channel, .. } = target;
    let history_id = format!("{}-{lines}", ended_at.as_millis());
    let body = PlatformHistoryEnded {
        channel: channel.clone(),
        history_id: history_id.clone(),
        ended_at,
    };
    let what = PlatformEvent::HistoryEnded(&history_id);
    platform_event((space, channel), what, body, ended_at)
}
