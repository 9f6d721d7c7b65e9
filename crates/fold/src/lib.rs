//! Rows for readers: how events change them, and their digests.

mod beside;
mod case;
mod channels;
mod deliveries;
mod digest;
mod memories;
mod messages;
mod outcomes;
mod point;
mod projection;
mod runs;
mod table;
#[cfg(test)]
mod testing;
mod text;
mod turns;
mod value;
mod vectors;

pub use beside::{Beside, Outline, Standing, beside, standing};
pub use case::{ConfirmationRow, EvidenceRow, Folded, fold_case, text_brought};
pub use channels::{ChannelRow, fold_channel};
pub use deliveries::{DeliveryRow, fold_delivery};
pub use digest::{Difference, Digest, by_key, differences, merge};
pub use memories::{MemoryRow, fold_memory};
pub use messages::{MessageRow, ReactionRow, fold_message, fold_reaction};
pub use outcomes::{OutcomeRow, fold_outcome};
pub use point::{add_vector, point_of};
pub use projection::{
    Change, ChildRow, Key, ProjectedRow, Row, RowKey, RowTables, Rows, layout, refusal, rows_of,
    tables, touched,
};
pub use runs::{Runs, fold_runs};
pub use table::{Column, Table, TableRow};
pub use text::clean_emoji;
pub use turns::{Citation, CitationRow, Rated, RatingRow, TurnRow, fold_turn};
pub use value::{ColumnType, Kind, Value};
pub use vectors::{VectorRow, fold_vector};
