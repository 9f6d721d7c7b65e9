//! The binary `threadlore`; all code is in the library of this crate.

use std::process::ExitCode;

/// Many small texts are allocated in one thread and freed in another, which mimalloc does fast.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    threadlore_app::main()
}
