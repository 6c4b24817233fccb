//! The workshop: what is needed to build, check and measure Baton.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this program talks to whoever runs it")]

mod bench;
mod corpus;
mod docs;
mod fuzz;
mod sim;
mod test;
mod tidy;
mod tokens;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask test            set up what the tests need and run them; `--all` takes no samples, which takes hours
cargo xtask tidy            check the house rules alone
cargo xtask corpus FOLDER   measure how Baton reads a folder of real documents; with an id, show one of them
cargo xtask bench check     measure `baton check` beside its peers; `--quick` for fewer documents
cargo xtask bench audit     measure `baton audit` of 1,000 and of 20,000 handoffs
cargo xtask bench store     measure the log beside its floors; `--quick` for fewer events
cargo xtask bench context   measure what the next agent is sent, beside LangGraph and the OpenAI Agents SDK
cargo xtask bench hook      measure one call of `baton hook` from a cold start, beside an empty program
cargo xtask bench run       measure what `baton run` itself costs for a turn, in a project of 5,000 files
cargo xtask fuzz [COUNT]    damage documents of every dialect and read them, COUNT times in all
cargo xtask sim [SEEDS]     run the engine in a simulated world; `--seed N` shows one run, `--mutants` plants bugs
cargo xtask durability      kill, fail and cut the power of `baton` in the middle of its work; `all` for every point
cargo xtask tokens          hold the token counter against the reference; `--write` makes its tables anew
cargo xtask docs            write the reference pages that are made from the program";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["test"] => test::run(test::Extent::Samples),
        ["test", "--all"] => test::run(test::Extent::All),
        ["tidy"] => tidy::run(),
        ["durability"] => test::durability("1"),
        ["durability", "all"] => test::durability("all"),
        ["docs"] => docs::run(docs::Mode::Write),
        ["tokens"] => tokens::check(),
        ["tokens", "--write"] => tokens::write(),
        ["fuzz"] => fuzz::run(fuzz::EXECUTIONS),
        ["fuzz", executions] => {
            executions.parse().map_err(|_| format!("`{executions}` is not a number")).and_then(fuzz::run)
        }
        ["sim", ..] => sim::run(&words[1..]),
        ["corpus", folder] => corpus::run(folder.as_ref(), corpus::Goals::Full),
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
