//! An agent that does what a script says: `scripted-agent SCRIPT`. See `baton_testkit::script`.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    baton_testkit::script::main()
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    ExitCode::FAILURE
}
