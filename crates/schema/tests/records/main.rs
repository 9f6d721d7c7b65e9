//! Events as records: round trips, hostile bytes, kept bytes of every version.

mod codec;
mod fixtures;
mod foreign;
mod samples;
mod support;
