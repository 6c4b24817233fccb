//! The workshop: what is needed to build, check and measure Baton.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this program talks to whoever runs it")]

mod bench;
mod corpus;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask test            set up what the tests need and run them all
cargo xtask corpus FOLDER   measure how Baton reads a folder of real documents; with an id, show one of them
cargo xtask bench check     measure `baton check` beside its peers";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["corpus", folder] => corpus::run(folder.as_ref()),
        ["corpus", folder, id] => corpus::show(folder.as_ref(), id),
        ["bench", ..] => bench::run(&arguments[1..]),
        _ => Err(format!("this is what can be done:\n{USAGE}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
