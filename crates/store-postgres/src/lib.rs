//! The store, the builds of projections and the reader of cases, on PostgreSQL.
//!
//! - One transaction per batch: it begins by writing the shard's row where the
//!   epoch is ours, so a zombie waits for the new owner and then changes nothing.
//! - Projections live in one schema per build (`cases_g2`), made from the files
//!   in `sql/`. Statements name the schema by text replacement, and by nothing
//!   else: a schema's name is a projection's name and a number, so it holds only
//!   `a-z`, `0-9` and `_`. Every value is a bound parameter.
//! - Readers act as the role `lore_reader` within one space: row security holds
//!   even where a query forgets its filter.
//!
//! Rows are folded, digested and compared by `threadlore-fold`; here they are
//! only written and read back.

mod accounts;
mod activity;
mod analysts;
mod arrays;
mod asked;
mod begin;
mod binary;
mod builds;
mod commit;
mod cursors;
mod differences;
mod erasure;
mod error;
mod fold;
mod generations;
mod index_source;
mod keystore;
mod listing;
mod memories;
mod messages;
mod migrate;
mod outbox;
mod packed;
mod parts;
mod people;
mod published;
mod reader;
mod remains;
mod replays;
mod restores;
mod retention;
mod rollups;
mod rows;
mod runs;
mod search;
mod spaces;
mod store;
mod together;
mod tokens;
mod turns;
mod types;
mod vectors;
mod views;
mod write;

pub use accounts::{AccountRecord, AccountsOf, GivenRights};
pub use activity::{Activity, TopCase};
pub use analysts::{Analyst, AnalystChange};
pub use asked::AskedTurn;
pub use builds::AdvisoryLock;
pub use keystore::PostgresKeystore;
pub use listing::{CaseFilter, CaseLine, CaseReaction};
pub use memories::{ListedExchange, ListedMemory, MemoryFilter};
pub use messages::{ChannelMessage, MessagesEnd};
pub use people::{MessagePlace, PersonSummary};
pub use published::{PublishedCase, PublishedFilter};
pub use replays::{Listed, Replay};
pub use restores::{Restoring, Stand};
pub use retention::OldMessages;
pub use spaces::{COUNTED, ChannelSummary, Writer};
pub use store::PostgresStore;
pub use tokens::TokenRecord;
pub use turns::{KeptMessage, ListedDelivery, ListedTurn, TurnFilter, TurnName};
pub use views::{ViewColumn, ViewKind, ViewSink};
