//! Threadlore fold.
