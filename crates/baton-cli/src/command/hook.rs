//! `baton hook`: what agents' programs call.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use baton_runner::hook::{self, Dialect, PAYLOAD_BYTES_MAX, Surroundings};

use super::Done;
use super::audit::now;
use crate::exit;
use crate::failure::Failure;
use crate::output;

/// The name of the variable by which a person puts an agent on a task.
const TASK: &str = "BATON_TASK";

/// Answer an agent's program, at the start and at the end of its turns
///
/// Agents call this themselves once `baton init` has set them up: it reads one JSON from standard input and answers in that
/// agent's own form. At the end of a turn in which files changed, the handoff in the last message is judged, and a bad one
/// goes back to the agent, three times at most; then it waits in `baton inbox`. At the start of a session the agent gets
/// what others handed over. An agent that is started with BATON_TASK=ID takes the turn on that task.
///
/// What Baton cannot judge is never accepted: it waits in `baton inbox` at once, and the agent and you hear why. A payload
/// that Baton cannot read ends with 1, which stops no agent.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Which agent calls: claude, codex, gemini or opencode
    #[arg(value_parser = dialect)]
    agent: &'static Dialect,
    /// The folder with the log, instead of the one in the state folder of the user
    #[arg(long, value_name = "FOLDER")]
    store: Option<PathBuf>,
}

fn dialect(name: &str) -> Result<&'static Dialect, String> {
    let names: Vec<&str> = hook::ALL.iter().map(|dialect| dialect.name).collect();
    Dialect::named(name).ok_or_else(|| format!("there are {}", names.join(", ")))
}

/// Says whether this process was started as a hook. Then 2 is no exit code for a mistake: agents take it for a command.
pub(crate) fn is_meant() -> bool {
    std::env::args_os().nth(1).is_some_and(|first| first == "hook")
}

pub(crate) fn run(args: &Args) -> Done {
    let mut payload = Vec::new();
    let input = std::io::stdin().lock().take(PAYLOAD_BYTES_MAX as u64 + 1).read_to_end(&mut payload);
    if let Err(error) = input {
        output::talk(&format!("baton: standard input cannot be read: {error}\n"));
        return Ok(exit::Code::Findings);
    }
    let folder = std::env::current_dir().map_err(|error| Failure::io(Path::new("."), "entered", &error))?;
    let task = std::env::var(TASK).ok().filter(|task| !task.is_empty());
    let around = Surroundings { folder, store: args.store.clone(), task, now: now().saturating_mul(1000) };
    let reply = hook::answer(args.agent, &payload, &around);
    output::talk(&output::printable(&reply.stderr));
    let mut out = output::json_data();
    let written = out.write_all(reply.stdout.as_bytes()).and_then(|()| out.flush());
    if let Err(code) = output::written(written) {
        return Ok(code);
    }
    // The numbers are those of the agents' programs: 0 lets go, 2 sends back, anything else stops nothing.
    Ok(match reply.code {
        0 => exit::Code::Fine,
        2 => exit::Code::Usage,
        _ => exit::Code::Findings,
    })
}
