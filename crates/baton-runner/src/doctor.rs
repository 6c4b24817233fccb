//! Says for each agent what works, what does not, and what to do; also what only a person can do.

mod hooks_off;
mod log_place;

use std::env;
use std::path::Path;
use std::time::Duration;

use crate::agent;
use crate::desk::place;
use crate::file::read_plain;
use crate::git::Repository;
use crate::init::guidance::CHECK_TO_ADD;
use crate::init::setup::{self, Setup};
use crate::init::{self, StepKind};
use crate::search_path;
use crate::service::Service;
use crate::supervise::{self, How};

/// How long a program may take to say its version.
const VERSION_TIMEOUT: Duration = Duration::from_secs(20);
/// Longest version that is shown, in characters.
const VERSION_CHARS_MAX: usize = 60;
/// Largest configuration of an agent that is read.
const CONFIG_BYTES_MAX: u64 = 4 * 1024 * 1024;

/// How one thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Works,
    /// It does not work.
    Missing,
    /// A person has to do something that Baton must not do for them.
    Person,
    /// Not needed here.
    Unused,
}

impl State {
    pub fn word(self) -> &'static str {
        match self {
            Self::Works => "works",
            Self::Missing => "missing",
            Self::Person => "person",
            Self::Unused => "unused",
        }
    }
}

/// One thing that was looked at.
#[derive(Clone, Debug)]
pub struct Finding {
    /// `project`, or the agent.
    pub subject: &'static str,
    pub thing: &'static str,
    pub state: State,
    pub words: String,
    /// What to do, where something is to be done.
    pub next: Option<String>,
}

impl Finding {
    fn new(subject: &'static str, thing: &'static str, state: State, words: impl Into<String>) -> Self {
        Self { subject, thing, state, words: words.into(), next: None }
    }

    fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }
}

pub use hooks_off::hooks_off;

/// Looks at a project and at all agents.
pub fn examine(root: &Path, store: Option<&Path>) -> Vec<Finding> {
    let mut findings = project(root, store);
    let mut agents: Vec<_> = setup::ALL.iter().map(|setup| (setup, of_agent(root, setup))).collect();
    let is_set_up = |found: &Finding| matches!(found.thing, "hooks" | "mcp") && found.state == State::Works;
    // Who set one agent up does not miss the others, though they are installed.
    if agents.iter().any(|(_, found)| found.iter().any(is_set_up)) {
        for (setup, found) in &mut agents {
            if !found.iter().any(is_set_up) && setup.trace(root).is_none() {
                let missing = found.iter_mut().filter(|found| found.state == State::Missing);
                missing.for_each(|found| found.state = State::Unused);
            }
        }
    }
    findings.extend(agents.into_iter().flat_map(|(_, found)| found));
    findings
}

fn project(root: &Path, store: Option<&Path>) -> Vec<Finding> {
    let subject = "project";
    let mut findings = vec![on_path()];
    findings.push(match place::folder(root, store).ok() {
        None => Finding::new(subject, "log", State::Missing, "there is no place for a log")
            .next("set HOME or XDG_STATE_HOME"),
        Some(folder) if folder.join(crate::desk::LOG_FILE).is_file() => {
            Finding::new(subject, "log", State::Works, format!("it lies in {}", folder.display()))
        }
        Some(folder) => Finding::new(
            subject,
            "log",
            State::Unused,
            format!("nothing was handed over yet; it will lie in {}", folder.display()),
        ),
    });
    findings.extend(log_place::of_store(root, store));
    findings.push(repository(root));
    findings.push(match Service::open(root, None) {
        Err(error) => {
            Finding::new(subject, "checks", State::Missing, format!("baton.toml: {}", error.message))
                .next("mend it: until then no hook can judge anything")
        }
        Ok(service) if service.checks.is_empty() => Finding::new(
            subject,
            "checks",
            State::Person,
            "the project names none, so handoffs are held against files only, and no run can pass",
        )
        .next(format!(
            "add `{}` and `{}` to baton.toml, then type `baton trust`",
            CHECK_TO_ADD[0], CHECK_TO_ADD[1]
        )),
        Ok(service) => match service.trusted_checks() {
            Ok(checks) => {
                let verb = if checks.len() == 1 { "is" } else { "are" };
                Finding::new(subject, "checks", State::Works, format!("{} {verb} trusted", checks.len()))
            }
            Err(_) => Finding::new(
                subject,
                "checks",
                State::Person,
                "nobody trusts baton.toml as it is, so nothing is run",
            )
            .next("read the commands and type `baton trust`"),
        },
    });
    findings
}

/// Runs work on commits, and hand their work over as commits.
fn repository(root: &Path) -> Finding {
    let finding = |state, words: String| Finding::new("project", "git", state, words);
    let begin = "`git init`, then `git add` your files and `git commit` them";
    match Repository::open(root) {
        Err(error) => finding(State::Missing, error.message).next(error.hint),
        Ok(None) => finding(
            State::Person,
            "there is no git repository here, so `baton run` has nothing to begin with".to_owned(),
        )
        .next(begin),
        Ok(Some(repository)) if repository.head().is_none() => finding(
            State::Person,
            "nothing is committed yet, so `baton run` has nothing to begin with".to_owned(),
        )
        .next("`git add` your files and `git commit` them"),
        Ok(Some(repository)) => {
            finding(State::Works, format!("{} is a repository", repository.root().display()))
        }
    }
}

/// Agents call `baton` by its name.
fn on_path() -> Finding {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).map(|folder| folder.join("baton")).find(|program| program.is_file());
    match found {
        Some(program) => Finding::new("project", "program", State::Works, program.display().to_string()),
        None => Finding::new(
            "project",
            "program",
            State::Missing,
            "`baton` is in no folder of PATH, so hooks cannot call it",
        )
        .next("put it there, for instance by `cargo install --path crates/baton-cli`"),
    }
}

fn of_agent(root: &Path, setup: &'static Setup) -> Vec<Finding> {
    let subject = setup.agent;
    let program = agent::Driver::named(subject).and_then(|driver| agent::find(driver, None, root));
    let Some(program) = program else {
        let hint = agent::Driver::named(subject).map_or("", |driver| driver.hint);
        return vec![Finding::new(subject, "program", State::Unused, "it is not installed").next(hint)];
    };
    let mut findings = vec![Finding::new(
        subject,
        "program",
        State::Works,
        format!("{} {}", program.display(), version(&program, root).unwrap_or_default()).trim().to_owned(),
    )];
    let plan = init::plan(root, vec![(subject, String::new())]);
    let own = plan.steps.iter().filter(|step| {
        step.what.contains("hooks") || step.what.contains("plugin") || step.what.contains("MCP")
    });
    for step in own {
        let thing = if step.what.starts_with("MCP") { "mcp" } else { "hooks" };
        findings.push(match &step.kind {
            StepKind::There => {
                Finding::new(subject, thing, State::Works, format!("{} names Baton", step.path))
            }
            StepKind::New | StepKind::Add => {
                Finding::new(subject, thing, State::Missing, format!("{} does not name Baton", step.path))
                    .next(format!("`baton init --agent {subject}`"))
            }
            StepKind::Left(why) => {
                Finding::new(subject, thing, State::Missing, format!("{}: {why}", step.path))
                    .next("mend the file, then run `baton init` again")
            }
        });
    }
    let are_there = findings.iter().any(|found| found.thing == "hooks" && found.state == State::Works);
    findings.extend(hooks_off::disabled(root, subject));
    findings.extend(trust(subject, root).filter(|_| are_there));
    findings.extend(log_place::of_server(root, subject));
    findings
}

/// Returns what only a person can do for an agent, or that it is done.
fn trust(subject: &'static str, root: &Path) -> Option<Finding> {
    let person =
        |words: &str, next: &str| Some(Finding::new(subject, "trust", State::Person, words).next(next));
    match subject {
        "claude" => person(
            "Claude Code asks once whether you trust the folder, for its hooks, and once whether its MCP server may be used",
            "choose yes when it asks, for no is selected; `/mcp` and `/hooks` show how it stands",
        ),
        "codex" if hooks_off::codex_trusts(root) => {
            Some(Finding::new(subject, "trust", State::Works, "the hooks were reviewed as they are"))
        }
        "codex" => person(hooks_off::NOT_REVIEWED, hooks_off::REVIEW),
        "gemini" => person(
            "Gemini CLI runs nothing of a folder that you do not trust",
            "trust the folder when it asks, or set GEMINI_CLI_TRUST_WORKSPACE=true",
        ),
        "opencode" => person(
            "`opencode run` ends before work can be sent back; in its window and in `opencode serve` it works",
            "use those where handoffs matter, or judge afterwards with `baton status`",
        ),
        _ => None,
    }
}

fn text(path: &Path) -> Option<String> {
    String::from_utf8(read_plain(&path.canonicalize().ok()?, CONFIG_BYTES_MAX).ok()?).ok()
}

/// Two numbers with a dot between them, and perhaps more.
fn is_version(word: &str) -> bool {
    let mut parts = word.trim_start_matches('v').splitn(3, '.');
    let is_number =
        |part: Option<&str>| part.is_some_and(|part| part.starts_with(|one: char| one.is_ascii_digit()));
    is_number(parts.next()) && is_number(parts.next())
}

/// Asks a program for its version; it says many things before that.
fn version(program: &Path, project: &Path) -> Option<String> {
    let folder = tempfile::tempdir().ok()?;
    let command = [program.to_string_lossy().into_owned(), "--version".to_owned()];
    let run = supervise::run(&command, folder.path(), VERSION_TIMEOUT, |order| {
        order.untrusted = search_path::folders_of(project);
    });
    let output = String::from_utf8_lossy(&run.output.bytes).into_owned();
    let line = output.lines().find(|line| line.split_whitespace().any(is_version))?.trim();
    (run.how == How::Code(0)).then(|| line.chars().take(VERSION_CHARS_MAX).collect())
}
