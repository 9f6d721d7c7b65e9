//! Threadlore app.
