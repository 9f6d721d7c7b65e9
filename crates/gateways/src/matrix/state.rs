//! What the state of a room says.

use ruma::api::client::state::get_state_event_for_key;
use ruma::events::StateEventType;
use ruma::events::room::create::RoomCreateEventContent;
use ruma::events::room::join_rules::RoomJoinRulesEventContent;
use ruma::events::room::power_levels::RoomPowerLevelsEventContent;
use ruma::{OwnedUserId, RoomId};
use serde::Deserialize;
use threadlore_ports::PortError;

use super::client::Failure;
use super::{CALL, MatrixGateway};

impl MatrixGateway {
    /// What a room's state says of this kind; `None` where it says nothing, or nothing to us.
    pub(super) async fn state<S: State>(
        &self,
        room: &RoomId,
        of: StateEventType,
    ) -> Result<Option<S>, PortError> {
        let mut request =
            get_state_event_for_key::v3::Request::new(room.to_owned(), of, String::new());
        request.format = S::format();
        match self.client.call(request, CALL).await {
            Ok(answer) => Ok(serde_json::from_str(answer.event_or_content.get()).ok()),
            // There is none, or it is not for us to see.
            Err(Failure::Refused(_)) => Ok(None),
            Err(other) => Err(other.receiving()),
        }
    }
}

/// A kind of state, and how it is asked for.
pub(super) trait State: for<'de> Deserialize<'de> {
    fn format() -> get_state_event_for_key::v3::StateEventFormat {
        get_state_event_for_key::v3::StateEventFormat::Content
    }
}

impl State for RoomPowerLevelsEventContent {}

impl State for RoomJoinRulesEventContent {}

/// Whatever it says.
#[derive(Deserialize)]
pub(super) struct Anything {}

impl State for Anything {}

/// Who made a room.
#[derive(Deserialize)]
pub(super) struct Created {
    pub(super) sender: OwnedUserId,
    pub(super) content: RoomCreateEventContent,
}

impl State for Created {
    fn format() -> get_state_event_for_key::v3::StateEventFormat {
        get_state_event_for_key::v3::StateEventFormat::Event
    }
}
