//! The scorer of links between lines (`threadlore_language::threads`): how it is learned from
//! labelled chat, and how well links agree with labels. Nothing of it is in the product, which
//! is built with the weights that the command `threadlore-train` wrote.

pub mod boost;
pub mod clusters;
mod examples;
pub mod labels;
pub mod measure;
mod softmax;
pub mod train;
