//! The binary `threadlore`; all code is in the library of this crate.

use std::process::ExitCode;

/// Texts are allocated in one thread and freed in another, beside an index that stays: what is free
/// goes back to the system.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    threadlore_app::main()
}
