//! Slow and outside calls that fail, of the real loops on ports in memory.

mod shared;
mod vectors;
mod windows;
