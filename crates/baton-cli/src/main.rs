//! The `baton` binary: parses what you ask, asks the service once, renders the answer.

mod cli;
mod command;
mod exit;
mod failure;
mod format;
mod mcp;
mod output;
mod snippet;

use std::process::ExitCode;

use clap::FromArgMatches;

fn main() -> ExitCode {
    outlive_file_limit();
    if command::keeper::is_meant() {
        return command::keeper::run().into();
    }
    baton_runner::supervise::this_program_keeps();
    let whole =
        || cli::command().try_get_matches().and_then(|matches| cli::Arguments::from_arg_matches(&matches));
    let arguments = match cli::hook().map_or_else(whole, Ok) {
        Ok(arguments) => arguments,
        Err(error) => {
            let shown = show(&error);
            let usage = match (error.use_stderr(), command::hook::is_meant()) {
                (true, true) => exit::Code::Findings,
                (true, false) => exit::Code::Usage,
                (false, _) => exit::Code::Fine,
            };
            return if shown.is_ok() { usage.into() } else { exit::Code::Io.into() };
        }
    };
    match command::run(arguments) {
        Ok(code) => code.into(),
        Err(failure) => failure.report().into(),
    }
}

/// A file that may not grow any further shall be an error that can be told, not the end of the process.
#[cfg(unix)]
fn outlive_file_limit() {
    let signal = signal_hook::consts::SIGXFSZ;
    let _ = signal_hook::flag::register(signal, std::sync::Arc::default());
}

#[cfg(not(unix))]
fn outlive_file_limit() {}

/// Shows what clap says; it repeats arguments, which may hold anything.
fn show(error: &clap::Error) -> std::io::Result<()> {
    if !error.use_stderr() {
        return error.print();
    }
    let text = error.render().to_string();
    output::talk(&output::printable(&text));
    Ok(())
}
