//! The binary `threadlore`; everything is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    threadlore_app::main()
}
