//! `baton trust`: let the commands of a configuration be run.

use std::io::{self, IsTerminal};
use std::path::Path;

use baton_runner::Service;
use baton_runner::agent_settings::{AgentSettings, SettingsFile};
use baton_runner::trust::Trust;

use super::Done;
use super::desk::only_people;
use crate::exit;
use crate::failure::Failure;
use crate::output::{self, printable};

/// What is in the name of settings that nobody commits.
const OF_ONE_PERSON: &str = ".local.";
/// What makes settings of agents count.
const COMMIT_FIRST: &str = "commit them, and type `baton trust` then";

/// Trust the commands of `baton.toml` and the settings of agents, exactly as they are now
///
/// Nothing that comes with a repository is run before a person has trusted it. This shows the commands that the nearest
/// `baton.toml` names with what they may write and see, and every file that agents obey by themselves, as it is committed:
/// hooks, servers and helpers under `.claude`, `.codex`, `.gemini`, `.opencode`, `.mcp.json` and `opencode.json`. It
/// remembers their content, outside of the repository. When one byte of it changes, you are asked again. The commands run
/// the repository's own code: trust a repository as you would trust a program.
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
    let failed = |error: io::Error| Failure::io(Path::new("the list of what is trusted"), "used", &error);
    let mut trust = Trust::open().map_err(failed)?;
    only_people(service, "trust", trust.file())?;
    let root = super::desk::root(service)?;
    let settings = service.agent_settings(&root).map_err(super::audit::failure)?;
    let settings: Vec<AgentSettings> = settings.into_iter().filter(|found| !found.is_empty()).collect();
    let uncommitted = not_committed(&root, &settings);
    if service.config.is_none() && settings.is_empty() && !args.revoke {
        if let Some(names) = uncommitted {
            return Err(Failure::usage(&format!("there is nothing to trust yet: {names}"), COMMIT_FIRST));
        }
        return Err(Failure::usage(
            "there is no `baton.toml` here or above, and no settings of agents, so there is nothing to trust",
            "go to the repository, or name the file with `--config`",
        ));
    }
    let config = service.config.as_deref().map(|config| (config, printable(&config.display().to_string())));
    if args.revoke {
        let mut was_known = !trust.settings(&root).map_err(failed)?.is_empty();
        trust.add_settings(&root, &[]).map_err(failed)?;
        if let Some((config, _)) = &config {
            was_known |= trust.remove(config).map_err(failed)?;
        }
        let word = if was_known { "is no longer trusted" } else { "was not trusted" };
        let shown = config.map_or_else(|| printable(&root.display().to_string()), |(_, shown)| shown);
        output::talk(&format!("{shown} {word}\n"));
        return Ok(exit::Code::Fine);
    }
    let has_commands =
        !service.checks.is_empty() || !service.agents.is_empty() || !service.answers_from.is_empty();
    match &config {
        Some((_, shown)) if has_commands => show_commands(service, shown),
        Some((_, shown)) if settings.is_empty() => {
            if let Some(names) = uncommitted {
                return Err(Failure::usage(&format!("{shown} names no commands, and {names}"), COMMIT_FIRST));
            }
            let hint = "add `[checks.tests_passing]` with `run = [\"cargo\", \"test\"]` first";
            return Err(Failure::usage(&format!("{shown} names no commands"), hint));
        }
        Some(_) | None => {}
    }
    let hashes = show_settings(&settings)?;
    if !args.yes && !asked()? {
        output::talk("nothing was changed\n");
        return Ok(exit::Code::Untrusted);
    }
    if let Some((config, _)) = &config {
        trust.add(config).map_err(failed)?;
    }
    trust.add_settings(&root, &hashes).map_err(failed)?;
    output::talk("trusted as it is now; `baton trust --revoke` takes it back\n");
    if let Some(names) = uncommitted {
        output::talk(&format!("note: {names}; {COMMIT_FIRST}\n"));
    }
    Ok(exit::Code::Fine)
}

/// Names the settings of agents that lie in the folder and are in no commit as they are.
fn not_committed(root: &Path, committed: &[AgentSettings]) -> Option<String> {
    let here = AgentSettings::of_folder(root).ok()?;
    let is_committed = |file: &SettingsFile| committed.iter().any(|settings| settings.files.contains(file));
    let files = here.files.into_iter();
    let files = files.filter(|file| !is_committed(file) && !file.path.contains(OF_ONE_PERSON)).collect();
    let names = printable(&AgentSettings { files }.names());
    (!names.is_empty())
        .then(|| format!("settings of agents count as they are committed, and these are not: {names}"))
}

fn show_commands(service: &Service, config: &str) {
    output::talk(&format!("{config} names these commands:\n"));
    for check in &service.checks {
        output::talk(&format!("  {}: {}\n", printable(&check.checkpoint), words(&check.run)));
        may_write(&check.writable);
        if !check.is_confined {
            output::talk("    and nothing confines it\n");
        }
        if let Some(danger) = check.guards {
            let danger = danger.name();
            output::talk(&format!("    and work that fails it is rolled back, for {danger}\n"));
        }
    }
    for agent in &service.agents {
        let program = agent.program.as_deref().unwrap_or(agent.driver.name).to_owned();
        let run: Vec<String> =
            std::iter::once(program).chain(agent.settings.arguments.iter().cloned()).collect();
        output::talk(&format!("  agent {}: {}\n", printable(&agent.name), words(&run)));
        if !agent.pass_environment.is_empty() {
            output::talk(&format!("    and it sees {}\n", printable(&agent.pass_environment.join(", "))));
        }
        may_write(&agent.writable);
        if let Some(file) = &agent.settings.handoff_file {
            let file = printable(&format!("{:?}", file.display().to_string()));
            output::talk(&format!("    and it hands over in {file}\n"));
        }
    }
    for client in &service.answers_from {
        let client = printable(&format!("{client:?}"));
        output::talk(&format!("  and what is filled in at forms of {client} counts as a person's word\n"));
    }
}

fn may_write(writable: &[String]) {
    if !writable.is_empty() {
        output::talk(&format!("    and it may write {}\n", words(writable)));
    }
}

fn words(run: &[String]) -> String {
    run.iter().map(|word| printable(&format!("{word:?}"))).collect::<Vec<_>>().join(" ")
}

/// Shows what agents would obey, and returns by which hashes it is known. What cannot be shown is refused.
fn show_settings(settings: &[AgentSettings]) -> Result<Vec<String>, Failure> {
    let mut hashes = Vec::new();
    for found in settings {
        output::talk("agents that work here obey these files by themselves:\n");
        for file in &found.files {
            for told in file.told() {
                output::talk(&format!("  {} {}\n", printable(&file.path), printable(&told)));
            }
        }
        let Some(hash) = found.hash() else {
            return Err(Failure::usage(
                "some of it cannot be trusted, whatever it is",
                "make the files that are named so plain and small ones, and commit that",
            ));
        };
        hashes.push(hash);
    }
    Ok(hashes)
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
