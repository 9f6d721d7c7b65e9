//! What people and programs are shown of a space: the command line prints it, with `--json` as it is,
//! and pages show it to who looks after a space, and let them change it.
//!
//! | module | holds |
//! |---|---|
//! | [`asking`] | a question and what memory says to it |
//! | [`questions`] | what people asked, why it was answered so, what a program asks for somebody, and ratings |
//! | [`cases`] | cases, with their conversation and history |
//! | [`memories`] | what was told, and exchanges |
//! | [`dead_letters`] | dead letters, and what became of another try |
//! | [`replays`] | the builds of the tables, and replays that make others |
//! | `people` | what there is of a person, and forgetting them |
//! | `channels` | how channels are set up |
//! | `jobs` | work that goes on behind an answer |
//! | [`graph`] | what people ask about, who answered it and how well |
//! | [`report`] | a week, beside the one before |
//! | `published` | what anybody may read, with people under other names (`pseudonyms`) |
//! | `pages` | the same, and more, as pages |
//! | `http` | the same, and more, for programs |
//! | `site` | what can be changed in a space, by pages and programs |
//! | [`server`](WebServer) | serves it at an address |
//! | [`access`](LINK_LASTS) | who may see the pages: links for one sign-in, and sessions |
//! | [`accounts`] | people with an account, and what each may |
//! | [`words`] | what the command line and the pages say alike |
//! | `wording` | the words of the pages in each language |

mod access;
pub mod accounts;
pub mod asking;
pub mod cases;
mod channels;
pub mod dead_letters;
pub mod graph;
mod http;
mod imports;
mod jobs;
pub mod memories;
mod messages;
mod pages;
mod people;
mod provider;
mod pseudonyms;
mod published;
pub mod questions;
mod readers;
mod refused;
pub mod replays;
pub mod report;
mod server;
pub mod settings;
mod site;
pub mod tokens;
pub mod tools;
mod wording;
pub mod words;

pub use access::{Grant, LINK_LASTS};
pub use http::openapi;
pub use server::{WebServer, account_link, sign_in_link, token};
