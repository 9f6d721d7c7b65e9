//! Threadlore log-local.
