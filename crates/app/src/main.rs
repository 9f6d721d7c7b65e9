//! The binary `threadlore`; all code is in the library of this crate.

use std::process::ExitCode;

/// Texts are allocated in one thread and freed in another, between an index that is kept: this allocator
/// gives back to the system what was freed.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    threadlore_app::main()
}
