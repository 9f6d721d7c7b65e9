//! Events as bytes: Avro values and CloudEvents headers on one side, the types
//! of `threadlore-model` on the other; and the topics they travel on.
//!
//! A record's value is an Avro single-object encoding: `C3 01`, the CRC-64-AVRO fingerprint of the
//! writer's schema (little endian), the datum. The envelope is in the headers. Readers know every
//! version that was ever written (those before the newest are in `schemas/history/`) and resolve it
//! to the newest (`schemas/`).
//! With a schema registry, the same datum follows the registry's id of the schema; such an id is
//! resolved to a [`WriterSchema`].
//!
//! Bytes are hostile until decoded: no input makes [`Codec::decode`] panic or allocate more than a
//! small multiple of its own size, and no error contains text of the record.
//!
//! | module | holds |
//! |---|---|
//! | `archive` | records in a file, as `threadlore export` writes them |
//! | `catalogue` | the embedded schemas, by type and by fingerprint |
//! | `datum` | the bounded decoder of Avro data, to values |
//! | `direct` | the same, to the types of events |
//! | `fingerprint` | [`Fingerprint`]: the hash that identifies a schema |
//! | `foreign` | [`WriterSchema`]: schemas of a registry |
//! | `headers` | the envelope as CloudEvents headers |
//! | `codec` | [`Codec`]: events to bytes and back |
//! | `check` | [`check`]: whether every version can read every other |
//! | `topics` | [`Topics`]: `topics.yaml`, validated |
//! | [`render`] | both as manifests, access rules, AsyncAPI, a page |

mod archive;
mod catalogue;
mod check;
mod codec;
mod datum;
mod direct;
mod error;
mod fingerprint;
mod foreign;
mod headers;
pub mod render;
mod topics;

pub use archive::{ArchiveError, ArchiveReader, ArchiveWriter, Archived};
pub use catalogue::Written;
pub use check::{Problem, Report, check};
pub use codec::{Codec, Encoded, check_place};
pub use error::SchemaError;
pub use fingerprint::Fingerprint;
pub use foreign::WriterSchema;
pub use headers::{PRODUCER, move_cause, move_producer};
pub use topics::{TopicSpec, Topics};
