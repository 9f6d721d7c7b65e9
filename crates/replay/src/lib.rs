//! Threadlore replay.
