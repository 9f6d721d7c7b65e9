//! The binary `threadlore`; all code is in the library of this crate.

use std::process::ExitCode;

fn main() -> ExitCode {
    threadlore_app::main()
}
