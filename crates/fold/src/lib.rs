//! Rows for readers: how events change them, and their digests.

mod case;
mod channels;
mod digest;
mod messages;
mod point;
mod projection;
#[cfg(test)]
mod testing;
mod text;
mod vectors;

pub use case::{Folded, fold_case, text_brought};
pub use channels::{ChannelRow, fold_channel};
pub use digest::{
    ConfirmationRow, Difference, Digest, EvidenceRow, TableRow, Value, by_key, confirmation_rows,
    differences, evidence_rows, merge, part_name, signal_name, tables,
};
pub use messages::{MessageRow, ReactionRow, fold_message, fold_reaction};
pub use point::{add_vector, point_of};
pub use projection::{Change, Row, RowKey, Rows, refusal, touched};
pub use text::clean_emoji;
pub use vectors::{VectorRow, fold_vector};
