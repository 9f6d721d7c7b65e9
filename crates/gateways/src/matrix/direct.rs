//! Conversations with one person: the account itself remembers which rooms are those (`m.direct`).

use ruma::api::client::config::{get_global_account_data, set_global_account_data};
use ruma::events::GlobalAccountDataEventType;
use ruma::events::direct::DirectEventContent;
use ruma::{OwnedRoomId, RoomId, UserId};
use serde::Deserialize;
use threadlore_ports::PortError;

use super::client::Failure;
use super::{CALL, MatrixGateway};

/// Rooms with one person, by that person.
#[derive(Default, Deserialize)]
#[serde(transparent)]
pub(super) struct Direct(DirectEventContent);

impl Direct {
    pub(super) fn has(&self, room: &RoomId) -> bool {
        self.0.values().flatten().any(|direct| direct == room)
    }
}

impl MatrixGateway {
    /// Which rooms are conversations with one person.
    pub(super) async fn direct(&self, own: &UserId) -> Result<Direct, PortError> {
        let kind = GlobalAccountDataEventType::Direct;
        let asked = get_global_account_data::v3::Request::new(own.to_owned(), kind);
        match self.client.call(asked, CALL).await {
            Ok(answer) => {
                Ok(serde_json::from_str(answer.account_data.json().get()).unwrap_or_default())
            }
            // Nothing is remembered yet.
            Err(Failure::Refused(_)) => Ok(Direct::default()),
            Err(other) => Err(other.receiving()),
        }
    }

    /// Remembers that a room is a conversation with one person, as clients of people do.
    pub(super) async fn remember_direct(
        &self,
        (own, direct): (&UserId, &mut Direct),
        room: &OwnedRoomId,
        person: &UserId,
    ) -> Result<(), PortError> {
        let of_person = direct.0.entry(person.into()).or_default();
        of_person.push(room.clone());
        match set_global_account_data::v3::Request::new(own.to_owned(), &direct.0) {
            Ok(request) => match self.client.call(request, CALL).await {
                Ok(_) => Ok(()),
                Err(Failure::Refused(said)) => {
                    tracing::warn!(%room, said, "that a room is a direct conversation cannot be kept");
                    Ok(())
                }
                Err(other) => Err(other.receiving()),
            },
            Err(error) => {
                tracing::warn!(%room, %error, "that a room is a direct conversation cannot be written");
                Ok(())
            }
        }
    }
}
