//! Threadlore models.
