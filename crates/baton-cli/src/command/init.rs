//! `baton init`: set a project up for the agents in it.

use std::path::{Path, PathBuf};

use baton_runner::ecosystem::Proposal;
use baton_runner::hook;
use baton_runner::init::guidance::CHECK_TO_ADD;
use baton_runner::init::{self, InitError, Plan, StepKind, Undone};
use serde_json::{Value, json};

use super::Done;
use super::desk::json as print_json;
use crate::exit;
use crate::failure::Failure;
use crate::output::{self, printable};

/// Set this project up for the agents in it
///
/// Looks which agents are installed or were used here, shows a plan, and writes what makes them call Baton: hooks, the entry
/// for the MCP server, a skill, a short block in AGENTS.md or CLAUDE.md, and the checks that the project seems to have, with
/// the exact command of each. Where there is no agent, it writes the checks alone. What is in those files stays as it is,
/// comments and all. Running it twice is the same as once. `--undo` brings back the bytes that were there before.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Set up this agent, found or not: claude, codex, gemini, opencode; can be given several times
    #[arg(long = "agent", value_name = "NAME")]
    agents: Vec<String>,
    /// Show the plan, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Take everything back
    #[arg(long, conflicts_with_all = ["agents", "dry_run"])]
    undo: bool,
    /// One JSON document
    #[arg(long)]
    json: bool,
    /// The folder with the log, instead of the one in the state folder of the user
    #[arg(long, value_name = "FOLDER")]
    store: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Done {
    let here = std::env::current_dir().map_err(|error| Failure::io(Path::new("."), "entered", &error))?;
    let root =
        hook::project_of(&here).map_err(|trouble| Failure::usage(&trouble.words, "go to the project"))?;
    if args.undo {
        return undo(args, &root);
    }
    let plan = init::plan(&root, chosen(args, &root)?);
    if plan.agents.is_empty() && plan.checks.is_empty() {
        let message =
            "no agent was found, neither installed nor in this project, and there are no checks to write";
        let missing = if plan.lacks_checks { format!("\n{}", no_check()) } else { String::new() };
        return Err(Failure::usage(message, &format!("{}{missing}", name_an_agent())));
    }
    if !args.dry_run {
        plan.apply(args.store.as_deref()).map_err(|error| failed(&error))?;
    }
    if args.json {
        return print_json(&described(&plan, args.dry_run));
    }
    Ok(output::print(told(&plan, args.dry_run).as_bytes()))
}

fn chosen(args: &Args, root: &Path) -> Result<Vec<(&'static str, String)>, Failure> {
    let mut agents = Vec::new();
    for name in &args.agents {
        let Some(setup) = init::setup::Setup::named(name) else {
            let message = format!("there is no agent `{}` that can be set up", printable(name));
            return Err(Failure::usage(&message, &format!("there are {}", names())));
        };
        agents.push((setup.agent, "you named it".to_owned()));
    }
    if agents.is_empty() {
        agents = init::agents(root);
    }
    Ok(agents)
}

fn names() -> String {
    init::setup::ALL.iter().map(|setup| setup.agent).collect::<Vec<_>>().join(", ")
}

fn name_an_agent() -> String {
    format!("name one: `baton init --agent NAME`; there are {}", names())
}

/// What to do where no check was found.
fn no_check() -> String {
    let [table, run] = CHECK_TO_ADD;
    format!(
        "no check was found, and no run can pass before one is named; for `--workflow single` add to baton.toml:\n  {table}\n  \
         {run}\nand type `baton trust`"
    )
}

fn failed(error: &InitError) -> Failure {
    let next = match error {
        InitError::Io(..) => {
            "see that you may write there; what was written is taken back by `baton init --undo`"
        }
        InitError::Record(..) => "it says what an earlier `baton init` wrote; mend or remove it by hand",
        InitError::NoPlace => "set one of them, or name a folder with `--store`",
    };
    Failure::refused(exit::Code::Io, &error.to_string(), next)
}

fn word(kind: &StepKind) -> &'static str {
    match kind {
        StepKind::New => "new",
        StepKind::Add => "add",
        StepKind::There => "there",
        StepKind::Left(_) => "left",
    }
}

fn told(plan: &Plan, is_dry: bool) -> String {
    let mut lines: Vec<String> = plan.agents.iter().map(|(agent, why)| format!("{agent:<9} {why}")).collect();
    if plan.agents.is_empty() {
        lines.push(format!("no agent was found, so only checks are set up; {}", name_an_agent()));
    }
    lines.push(String::new());
    for step in &plan.steps {
        let why = match &step.kind {
            StepKind::Left(why) => format!("; left alone: {why}"),
            StepKind::New | StepKind::Add | StepKind::There => String::new(),
        };
        lines.push(format!("{:<6} {}  {}{why}", word(&step.kind), step.path, step.what));
    }
    lines.extend(plan.checks.iter().map(|check| {
        let names = check.subject.checkpoints().join(", ");
        format!("check  `{}`  for {names}, as `{}` speaks for it", check.run.join(" "), check.from)
    }));
    if plan.lacks_checks {
        lines.extend([String::new(), no_check()]);
    }
    lines.push(String::new());
    lines.push(match (is_dry, plan.is_done()) {
        (true, _) => "nothing was written".to_owned(),
        (false, true) => "nothing was left to do; next: `baton doctor`".to_owned(),
        (false, false) => "written; `baton init --undo` takes it back; next: `baton doctor`".to_owned(),
    });
    printable(&format!("{}\n", lines.join("\n")))
}

fn described(plan: &Plan, is_dry: bool) -> Value {
    let agents: Vec<Value> =
        plan.agents.iter().map(|(agent, why)| json!({ "agent": agent, "because": why })).collect();
    let files: Vec<Value> = plan
        .steps
        .iter()
        .map(|step| {
            let why = if let StepKind::Left(why) = &step.kind { Some(why) } else { None };
            json!({ "path": step.path, "step": word(&step.kind), "what": step.what, "left_because": why })
        })
        .collect();
    let checks: Vec<Value> = plan
        .checks
        .iter()
        .map(|check| {
            let Proposal { subject, run, junit, from } = check;
            json!({ "checkpoints": subject.checkpoints(), "run": run, "junit": junit, "from": from })
        })
        .collect();
    json!({ "version": 1, "root": plan.root, "dry_run": is_dry, "agents": agents, "files": files, "checks": checks })
}

fn undo(args: &Args, root: &Path) -> Done {
    let done = init::undo(root, args.store.as_deref()).map_err(|error| failed(&error))?;
    let words = |undone: &Undone| match undone {
        Undone::Restored => "restored",
        Undone::Removed => "removed",
        Undone::TakenOut => "taken out",
        Undone::Left => "left",
        Undone::Gone => "gone",
    };
    if args.json {
        let files: Vec<Value> =
            done.iter().map(|(path, undone)| json!({ "path": path, "undone": words(undone) })).collect();
        return print_json(&json!({ "version": 1, "files": files }));
    }
    if done.is_empty() {
        output::talk("`baton init` has written nothing here\n");
        return Ok(exit::Code::Fine);
    }
    let mut text: String =
        done.iter().map(|(path, undone)| format!("{:<9} {path}\n", words(undone))).collect();
    if done.iter().any(|(_, undone)| *undone == Undone::Left) {
        text.push_str("what is left was changed since: take out by hand what names `baton`\n");
    }
    Ok(output::print(printable(&text).as_bytes()))
}
