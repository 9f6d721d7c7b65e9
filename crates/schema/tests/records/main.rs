//! Events as records: round trips, hostile bytes, kept bytes of every version.

mod codec;
mod fixtures;
mod samples;
mod support;
