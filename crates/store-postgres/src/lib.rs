//! Threadlore store-postgres.
