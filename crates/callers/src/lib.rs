//! What answers the slow calls of roles by an engine behind a port. A role whose calls need more
//! than a port has its [`Caller`](threadlore_runtime::Caller) where that is: in `node`.

mod embed;
mod extract;

pub use embed::EmbedCaller;
pub use extract::ExtractCaller;
