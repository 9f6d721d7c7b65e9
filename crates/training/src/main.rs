//! `threadlore-train --data DIR --date DAY`: learns the weights of links from labelled chat and
//! writes them to the file that `threadlore-language` is built with. It takes minutes: run it
//! as `cargo run --release --bin threadlore-train -- …`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use threadlore_training::train;

/// The weights that `threadlore-language` is built with.
const WEIGHTS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../language/src/threads/weights.txt"
);

/// Learns the weights of links from labelled chat.
#[derive(Debug, Parser)]
#[command(name = "threadlore-train")]
struct Args {
    /// The folder with the data sets; logs and labels are read from DIR/irc/train
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Today, as it is to be noted in the file: 2026-11-23
    #[arg(long, value_name = "DAY")]
    date: String,
    /// The file to write instead of the one that `threadlore-language` is built with
    #[arg(long, value_name = "FILE", default_value = WEIGHTS)]
    to: PathBuf,
}

fn main() -> ExitCode {
    let args = Args::parse();
    match train::command(&args.data, &args.date, &args.to) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("threadlore-train: {error:#}");
            ExitCode::FAILURE
        }
    }
}
