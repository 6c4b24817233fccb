//! `baton trust`: let the commands of a configuration be run.

use std::io::{self, IsTerminal};
use std::path::Path;

use baton_runner::Service;
use baton_runner::trust::Trust;

use super::Done;
use super::desk::only_people;
use crate::exit;
use crate::failure::Failure;
use crate::output::{self, printable};

/// Trust the commands of `baton.toml`, exactly as it is now
///
/// Nothing that comes with a repository is run before a person has trusted it. This shows the commands that the nearest
/// `baton.toml` names and remembers the file's content, outside of the repository. When one byte of it changes, you are
/// asked again. The commands run the repository's own code: trust a repository as you would trust a program.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Do not ask; for machines that a person has set up
    #[arg(long)]
    yes: bool,
    /// Take the trust back
    #[arg(long, conflicts_with = "yes")]
    revoke: bool,
}

pub(crate) fn run(service: &Service, args: &Args) -> Done {
    let Some(config) = &service.config else {
        return Err(Failure::usage(
            "there is no `baton.toml` here or above, so there is nothing to trust",
            "go to the repository, or name the file with `--config`",
        ));
    };
    let shown = printable(&config.display().to_string());
    let failed = |error: io::Error| Failure::io(Path::new("the list of what is trusted"), "used", &error);
    let mut trust = Trust::open().map_err(failed)?;
    only_people(service, "trust", trust.file())?;
    if args.revoke {
        let was_known = trust.remove(config).map_err(failed)?;
        let word = if was_known { "is no longer trusted" } else { "was not trusted" };
        output::talk(&format!("{shown} {word}\n"));
        return Ok(exit::Code::Fine);
    }
    if service.checks.is_empty() && service.agents.is_empty() {
        let hint = "add `[checks.tests_passing]` with `run = [\"cargo\", \"test\"]` first";
        return Err(Failure::usage(&format!("{shown} names no commands"), hint));
    }
    output::talk(&format!("{shown} names these commands:\n"));
    for check in &service.checks {
        let arguments: Vec<String> =
            check.run.iter().map(|argument| printable(&format!("{argument:?}"))).collect();
        output::talk(&format!("  {}: {}\n", printable(&check.checkpoint), arguments.join(" ")));
    }
    for agent in &service.agents {
        let program = agent.program.as_deref().unwrap_or(agent.driver.name);
        let arguments = agent.settings.arguments.iter().map(String::as_str);
        let arguments: Vec<String> =
            std::iter::once(program).chain(arguments).map(|part| printable(&format!("{part:?}"))).collect();
        output::talk(&format!("  agent {}: {}\n", printable(&agent.name), arguments.join(" ")));
        if !agent.pass_environment.is_empty() {
            output::talk(&format!("    and it sees {}\n", printable(&agent.pass_environment.join(", "))));
        }
    }
    if !args.yes && !asked()? {
        output::talk("nothing was changed\n");
        return Ok(exit::Code::Untrusted);
    }
    trust.add(config).map_err(failed)?;
    output::talk("trusted as it is now; `baton trust --revoke` takes it back\n");
    Ok(exit::Code::Fine)
}

fn asked() -> Result<bool, Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(
            "nobody is here to answer: standard input is not a terminal",
            "run it in a terminal; `--yes` is for machines that a person has set up",
        ));
    }
    output::talk("May they be run, with your rights? Type `yes`: ");
    let mut answer = String::new();
    io::stdin()
        .read_line(&mut answer)
        .map_err(|error| Failure::io(Path::new("standard input"), "read", &error))?;
    Ok(answer.trim() == "yes")
}
