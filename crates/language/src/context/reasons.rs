//! Why a likely line is chosen.

use super::Reason;
use super::chances::Chances;
use super::room::Room;

/// The strongest reason for a line apart from its chance; `None` if the only reason is nearness
/// across a long silence.
pub(super) fn reason(room: &Room<'_>, chances: &Chances, at: usize) -> Option<Reason> {
    let own = room.line(at).person == room.line(room.count()).person;
    if chances.named[at] {
        Some(Reason::Mention)
    } else if chances.thread[at] {
        Some(Reason::Thread)
    } else if own {
        Some(Reason::Own)
    } else {
        room.stretch[at].then_some(Reason::Near)
    }
}
