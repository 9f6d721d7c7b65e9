//! Which processes work on which partitions of a group.

use async_trait::async_trait;
use futures::channel::oneshot;
use threadlore_model::Partition;

use crate::PortError;

/// What changed about the partitions of a member.
#[derive(Debug)]
pub enum Change {
    /// These are the member's from now on.
    Assigned(Vec<Partition>),
    /// These are to be given up: the receiver finishes the batch in hand and drops
    /// what it got; until then, and for a bounded time, no other member gets them.
    Revoked(Vec<Partition>, Released),
}

/// Dropped when partitions are given up.
#[derive(Debug)]
pub struct Released {
    _told: Option<oneshot::Sender<()>>,
}

impl Released {
    /// A pair: what is dropped, and what then ends.
    pub fn pair() -> (Self, oneshot::Receiver<()>) {
        let (told, heard) = oneshot::channel();
        let released = Self { _told: Some(told) };
        (released, heard)
    }
}

/// One process's part of a group; it leaves the group when this is dropped.
///
/// Guarantees that an implementation gives: every partition of the topic is some
/// member's, sooner or later, for as long as there is one. It does *not* promise that
/// it is one member's only: a member that was cut off may still work on what is
/// another's. The epoch of the [`Store`](crate::Store) is what refuses it.
#[async_trait]
pub trait Membership: Send {
    /// Returns with the next change; for as long as nothing changes, it waits.
    ///
    /// # Errors
    /// `Broken` when this process cannot be a member, and why.
    async fn change(&mut self) -> Result<Change, PortError>;
}

/// A group of one member, which has everything for ever.
pub(crate) struct Alone(Option<Vec<Partition>>);

impl Alone {
    pub(crate) fn with(partitions: u32) -> Self {
        let count = i32::try_from(partitions).unwrap_or(i32::MAX);
        Self(Some((0..count).map(Partition).collect()))
    }
}

#[async_trait]
impl Membership for Alone {
    async fn change(&mut self) -> Result<Change, PortError> {
        match self.0.take() {
            Some(all) => Ok(Change::Assigned(all)),
            None => std::future::pending().await,
        }
    }
}
