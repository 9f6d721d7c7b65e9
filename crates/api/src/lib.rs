//! What people and programs are shown of a space: the command line prints it, with `--json` as it is,
//! and pages show it to who looks after a space, and let them change it.
//!
//! | module | holds |
//! |---|---|
//! | [`asking`] | a question and what memory says to it |
//! | [`questions`] | what people asked, and why it was answered so |
//! | [`cases`] | cases, with their conversation and history |
//! | [`memories`] | what was told, and exchanges |
//! | [`report`] | a week, beside the one before |
//! | [`pages`](Pages) | the same, and more, as pages of a web server |
//! | [`access`](LINK_LASTS) | who may see the pages: links for one sign-in, and sessions |
//! | [`words`] | what the command line and the pages say alike |
//! | `events` | events about something, read from the log |

mod access;
pub mod asking;
pub mod cases;
mod events;
pub mod memories;
mod pages;
pub mod questions;
pub mod report;
pub mod words;

pub use access::LINK_LASTS;
pub use pages::{Pages, sign_in_link};
