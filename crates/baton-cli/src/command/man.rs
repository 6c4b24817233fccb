//! `baton man`: the manual page.

use clap::CommandFactory;

use super::Done;
use crate::cli::Arguments;
use crate::failure::Failure;
use crate::output;

/// Print the manual page of baton or of one of its commands
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The command; baton itself when not given
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

pub(crate) fn run(args: &Args) -> Done {
    let mut tree = Arguments::command();
    tree.build();
    let command = match &args.command {
        None => tree,
        Some(name) => tree.find_subcommand(name).cloned().ok_or_else(|| {
            Failure::usage(
                &format!("there is no command `{}`", output::printable(name)),
                "`baton --help` lists the commands",
            )
        })?,
    };
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(command).render(&mut page);
    Ok(output::written(rendered).err().unwrap_or_else(|| output::print(&page)))
}
