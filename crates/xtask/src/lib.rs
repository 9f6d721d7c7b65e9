//! What chores share with the benchmarks: labelled chat, how well links agree
//! with labels, and the training of the scorer of links.

pub mod threads;
