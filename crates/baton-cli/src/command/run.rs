//! `baton run`: agents do the work, Baton decides.

mod shown;

use baton_runner::Service;
use baton_runner::agent::Driver;
use baton_runner::desk::{Desk, Id};
use baton_runner::drive::crew::Crew;
use baton_runner::drive::summary::Summary;
use baton_runner::drive::{self, Request};
use baton_runner::supervise::stop::{Asked, Stop};

use super::Done;
use super::desk::{Who, failure, task_id, told, warning};
use crate::exit;
use crate::failure::Failure;
use crate::output;
use shown::{Screen, Shown};

/// Most files and folders that are named in one line.
const NAMED_MAX: usize = 8;

/// Take tasks through their workflow with agents
///
/// Every task that has not ended is worked on by the agents that `baton.toml` names, or by the one that is installed, each in
/// a workspace of its own outside of your checkout. What an agent says is a claim: Baton runs the checks itself, lets a
/// verifier judge where the workflow wants one, and decides. Accepted work goes to the branch `baton/accepted`. It ends when
/// every task has ended or waits for a person. A run that was cut short is gone on with by running it again. The first
/// interruption lets agents and checks finish what they do, the second ends them, and after the third Baton leaves at once,
/// by that signal (130 in a shell). Checks that were ended are run again by the next run.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Only these tasks; all that have not ended when not given
    #[arg(value_name = "TASK", value_parser = task_id)]
    tasks: Vec<Id>,
    /// How many tasks are worked on side by side
    #[arg(long, value_name = "N", default_value_t = 2)]
    jobs: usize,
    /// The agent for everybody who has no table of their own in `baton.toml`, in place of `[agents.default]`: claude,
    /// codex, gemini, opencode, acp, human
    #[arg(long, value_name = "DRIVER", value_parser = driver)]
    agent: Option<&'static Driver>,
    /// Give every task one turn at most
    #[arg(long)]
    once: bool,
    /// One JSON object a line, for every event and for the summary
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    who: Who,
}

/// Returns the tasks that a run is about and that have not ended.
fn open_tasks(desk: &Desk, args: &Args) -> Result<Vec<Id>, Failure> {
    let open = desk.board().map_err(failure)?.into_iter().filter(|line| !line.has_ended);
    let open = open.filter_map(|line| Id::new(line.task.as_str()).ok());
    Ok(open.filter(|id| args.tasks.is_empty() || args.tasks.contains(id)).collect())
}

pub(super) fn driver(name: &str) -> Result<&'static Driver, String> {
    Driver::named(name).ok_or_else(|| {
        let known: Vec<_> = baton_runner::agent::ALL.iter().map(|driver| driver.name).collect();
        format!("there are {}", known.join(", "))
    })
}

pub(crate) fn run(service: &Service, args: &Args) -> Done {
    if args.jobs == 0 || args.jobs > drive::JOBS_MAX {
        let hint = format!("write a number from 1 to {}", drive::JOBS_MAX);
        return Err(Failure::usage("there cannot be this many jobs", &hint));
    }
    let mut desk = args.who.desk(service)?;
    desk.only_people("run").map_err(failure)?;
    args.tasks.iter().try_for_each(|id| desk.task(id).map(|_| ())).map_err(failure)?;
    let open = open_tasks(&desk, args)?;
    let agents = service.trusted_agents().map_err(super::audit::failure)?;
    if !service.checks.is_empty() {
        service.trusted_checks().map_err(super::audit::failure)?;
    }
    let settings = service.trusted_settings(desk.root()).map_err(super::audit::failure)?;
    let crew = match Crew::gather(agents, args.agent, desk.root()) {
        Ok(crew) => crew,
        // Whoever has no task yet is not asked for an agent.
        Err(_) if !args.json && open.is_empty() => return Ok(told(shown::NOTHING_TO_DO)),
        Err(error) => {
            return Err(Failure::refused(exit::Code::Usage, &error.to_string(), &error.next()));
        }
    };
    warning::of_unsettled(service, &desk, &open);
    note_submodules(&desk, &open);
    note_beginning(&desk, &open);
    let mut shown = Shown::new(args.json);
    let request = Request {
        tasks: args.tasks.clone(),
        crew,
        jobs: args.jobs,
        is_once: args.once,
        project: service.project.clone(),
        stop: stop(&shown.screen),
        settings,
        clock: now_ms,
    };
    let summary = drive::run(desk, request, &mut |progress| shown.tell(&progress)).map_err(failure)?;
    shown.end(&summary);
    Ok(code(&summary))
}

/// Says beforehand which files agents and checks will look for in vain. Where there is no repository to ask, each task is told so.
fn note_submodules(desk: &Desk, open: &[Id]) {
    let places = match open.is_empty() {
        true => Vec::new(),
        false => desk.submodules_not_there().unwrap_or_default(),
    };
    if places.is_empty() {
        return;
    }
    let named = some_of(&places);
    output::talk(&format!(
        "note: submodules are not in the workspaces and rooms: {named}; checks that need one name it in `[run] borrow`\n"
    ));
}

/// Says beforehand which commit new work begins with where that is not the one that is checked out, and what no agent sees.
fn note_beginning(desk: &Desk, open: &[Id]) {
    let Some(Ok(beginning)) = (!open.is_empty()).then(|| desk.beginning()) else { return };
    if let Some(elsewhere) = &beginning.elsewhere {
        let (branch, commit) = (&elsewhere.branch, beginning.commit.short());
        let without = match elsewhere.is_without_head {
            true => {
                format!(", without what you have committed since; `git merge {branch}` brings both together")
            }
            false => String::new(),
        };
        output::talk(&format!(
            "note: new work begins with {branch} at {commit}, not with your HEAD{without}\n"
        ));
    }
    if !beginning.uncommitted.is_empty() {
        let named = some_of(&beginning.uncommitted);
        output::talk(&format!("note: agents do not see what you have not committed: {named}\n"));
    }
}

/// Names the first of many.
fn some_of(places: &[String]) -> String {
    let more = if places.len() > NAMED_MAX { ", …" } else { "" };
    let named = places.iter().take(NAMED_MAX).map(|place| output::one_line(place));
    format!("{}{more}", named.collect::<Vec<_>>().join(", "))
}

/// A run is fine when everything is done; a person or another run has to do the rest.
fn code(summary: &Summary) -> exit::Code {
    match summary.is_done() {
        true => exit::Code::Fine,
        false => exit::Code::Unfinished,
    }
}

/// Whoever interrupts is answered at once, whatever Baton is busy with.
#[cfg(unix)]
fn stop(screen: &Screen) -> Stop {
    let answering = screen.clone();
    let answer = move |asked: Asked| {
        if asked.is_interruption {
            answering.take_back_echo();
        }
        match asked.times {
            1 => answering.line("stopping: agents and checks finish what they do; once more ends them"),
            2 => answering
                .line("ending agents and checks; what agents wrote is kept; once more leaves at once"),
            _ => {
                answering.close();
                output::talk(
                    "left at once: agents and checks end with Baton, what agents wrote is kept; `baton run` goes on\n",
                );
            }
        }
    };
    Stop::listen(answer).unwrap_or_else(|error| {
        output::talk(&format!("note: an interruption ends Baton at once: {error}\n"));
        Stop::default()
    })
}

#[cfg(not(unix))]
fn stop(_: &Screen) -> Stop {
    Stop::default()
}

fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or(0)
}
