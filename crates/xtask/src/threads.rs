//! Training and measuring of the scorer of links (`decide::threads`).

pub mod boost;
pub mod clusters;
mod examples;
pub mod labels;
pub mod measure;
mod softmax;
pub mod train;
