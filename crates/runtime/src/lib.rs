//! Threadlore runtime.
