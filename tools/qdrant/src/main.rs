//! The double of a Qdrant server as a process of its own, for tests of others: it says its
//! URL and ends with its standard input.

#![expect(dead_code, reason = "the tests of this crate use the rest")]

use std::io::Read as _;

#[path = "../tests/cluster/double.rs"]
mod double;
#[path = "../tests/cluster/engine.rs"]
mod engine;
#[path = "../tests/cluster/words.rs"]
mod words;

fn main() {
    let double = double::Double::start();
    #[expect(clippy::print_stdout, reason = "what it is started for")]
    {
        println!("{}", double.url());
    }
    std::io::stdin().read_to_end(&mut Vec::new()).ok();
}
