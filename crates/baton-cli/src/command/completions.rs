//! `baton completions`: completions for a shell.

use clap::CommandFactory;
use clap_complete::Shell;

use super::Done;
use crate::cli::Arguments;
use crate::output;

/// Print completions for your shell
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The shell to complete for
    shell: Shell,
}

pub(crate) fn run(args: &Args) -> Done {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "baton", &mut script);
    Ok(output::print(&script))
}
