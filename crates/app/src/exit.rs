//! Exit codes, documented in `docs/commands.md`, and the errors that lead to them: those of the
//! node, and those of commands.

use std::path::PathBuf;

use threadlore_embed_local::Error as ModelError;
use threadlore_gateways::ImportError;
use threadlore_node::ImportedAlready;
use threadlore_ports::{Class, PortError};

pub(crate) use threadlore_node::{BadInput, Busy, InUse, OtherVersion};

/// The owner of the data directory ended before the command that it ran for us.
#[derive(Debug, thiserror::Error)]
#[error(
    "the process that owns the data directory ended before the command was done: what was done is \
     safe, and the same command goes on from there"
)]
pub(crate) struct OwnerEnded;

/// The disk of the data directory is full; the source is the error that followed.
#[derive(Debug, thiserror::Error)]
#[error(
    "the disk of the data directory {} is full: free some space, then run the same command again, \
     and it goes on from there", .0.display()
)]
pub(crate) struct Full(pub(crate) PathBuf);

/// SIGINT or SIGTERM arrived before the command was done.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: what was done is safe, and the same command goes on from there")]
pub(crate) struct Interrupted;

/// SIGINT or SIGTERM arrived before a copy was done.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: the copy is of no use; start again with an empty target")]
pub(crate) struct CutOff;

/// Two builds of a projection differ.
pub(crate) const DIFFERENT: u8 = 5;
/// The exit code for a command line that is not understood; clap uses the same.
pub(crate) const MISUNDERSTOOD: u8 = 2;
pub(crate) const FAILED: u8 = 1;
pub(crate) const BAD_INPUT: u8 = 3;
const IN_USE: u8 = 4;
pub(crate) const NOT_AVAILABLE: u8 = 6;
const INTERRUPTED: u8 = 130;

/// The error as one sentence with its causes, without repetitions.
pub(crate) fn sentence(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    format!("threadlore: {text}")
}

/// The exit code that it leads to.
pub(crate) fn code(error: &anyhow::Error) -> u8 {
    // As a context, it is not a separate error of the chain.
    if error.downcast_ref::<BadInput>().is_some() {
        return BAD_INPUT;
    }
    if error.downcast_ref::<Full>().is_some() {
        return FAILED;
    }
    for cause in error.chain() {
        if cause.is::<InUse>() {
            return IN_USE;
        }
        if cause.is::<Interrupted>() || cause.is::<CutOff>() {
            return INTERRUPTED;
        }
        let is_for_later = cause.is::<OwnerEnded>() || cause.is::<Busy>();
        if is_for_later || cause.is::<OtherVersion>() || cause.is::<ImportedAlready>() {
            return NOT_AVAILABLE;
        }
        if let Some(threadlore_pg_local::Error::InUse { .. }) = cause.downcast_ref() {
            return IN_USE;
        }
        match cause.downcast_ref() {
            // Not the file is at fault; why it stopped is further down the chain.
            Some(ImportError::Append { .. } | ImportError::Checkpoint { .. }) | None => {}
            Some(_) => return BAD_INPUT,
        }
        if cause.is::<threadlore_settings::Error>() {
            return BAD_INPUT;
        }
        match cause.downcast_ref() {
            Some(ModelError::Fetch { .. } | ModelError::Pip { .. }) => return NOT_AVAILABLE,
            Some(
                ModelError::Name(_)
                | ModelError::Unknown(_)
                | ModelError::NotThere(_)
                | ModelError::Read { .. }
                | ModelError::Broken { .. }
                | ModelError::OtherPackage { .. },
            ) => return BAD_INPUT,
            _ => {}
        }
        if let Some(threadlore_pg_local::Error::NoBinaries { .. }) = cause.downcast_ref() {
            return NOT_AVAILABLE;
        }
        if let Some(port) = cause.downcast_ref::<PortError>()
            && port.class() == Class::Retry
        {
            return NOT_AVAILABLE;
        }
    }
    FAILED
}
