//! Threadlore schema.
