//! Cases: lists of them, one with everything that is known, and what made it solved.
//!
//! | file | holds |
//! |---|---|
//! | `list`, `show`, `why` | what is said of cases |
//! | `history` | the events of a case, folded again |
//! | `line` | the messages that a case comes from |

mod history;
mod line;
mod list;
mod show;
mod why;

pub(crate) use history::actor;
pub use history::{Step, meaning};
pub use line::{Line, Reaction};
pub(crate) use line::{lines, part_shown};
pub(crate) use list::near;
pub use list::{CaseList, Item, list, search};
pub use show::{CaseDetail, show};
pub use why::{CaseSignal, SignalLine, Why, why};
