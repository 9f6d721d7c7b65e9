//! Threadlore testkit.
