//! The index on a cluster keeps the promises of the port: against a double that speaks
//! Qdrant's protocol with Qdrant's own engine behind it, with faults, and against a
//! real server when `QDRANT_URL` is set.

mod double;
mod dump;
mod engine;
mod faults;
mod optimising;
mod real;
mod shared;
mod sizes;
mod suite;
mod support;
mod wire;
mod words;
