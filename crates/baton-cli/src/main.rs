//! The `baton` binary: parses what you ask, asks the service once, renders the answer.

mod cli;
mod command;
mod exit;
mod failure;
mod format;
mod output;
mod snippet;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = match cli::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let shown = show(&error);
            let usage = if error.use_stderr() { exit::Code::Usage } else { exit::Code::Fine };
            return if shown.is_ok() { usage.into() } else { exit::Code::Io.into() };
        }
    };
    match command::run(arguments) {
        Ok(code) => code.into(),
        Err(failure) => failure.report().into(),
    }
}

/// Shows what clap says; it repeats arguments, which may hold anything.
fn show(error: &clap::Error) -> std::io::Result<()> {
    if !error.use_stderr() {
        return error.print();
    }
    let text = error.render().to_string();
    output::talk(&output::printable(&text));
    Ok(())
}
