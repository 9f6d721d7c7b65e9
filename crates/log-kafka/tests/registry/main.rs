//! The client of a schema registry: against a double that fails on demand, and against a
//! real one.

mod faults;
mod framing;
mod interop;
mod real;
mod support;
