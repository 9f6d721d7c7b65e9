//! Threadlore xtask.
