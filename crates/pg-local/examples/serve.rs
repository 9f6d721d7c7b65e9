//! Starts the private PostgreSQL of a directory and holds it until its input
//! ends: `cargo run -p threadlore-pg-local --example serve -- DIR [durable]`.
//! Prints `<process id of the server> <url>`; errors go to stderr, exit code 1.
//! The tests run it as the process that is killed.

use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;

use threadlore_pg_local::{Binaries, Error, Mode, Search, Server};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(dir) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: serve DIR [durable]");
        return ExitCode::FAILURE;
    };
    let mode = match arguments.next().as_deref() {
        Some("durable") => Mode::Durable,
        _ => Mode::Test,
    };
    match serve(&dir, mode) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(dir: &std::path::Path, mode: Mode) -> Result<(), Error> {
    let binaries = Binaries::find(&Search::default())?;
    let server = Server::start(&binaries, dir, mode)?;
    let pid = server.pid().unwrap_or_default();
    println!("{pid} {}", server.url("postgres"));
    // Whether it ends by its end or by an error, the input is over.
    std::io::stdin().read_to_end(&mut Vec::new()).ok();
    server.stop()
}
