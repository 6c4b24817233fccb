//! `baton.toml`: the project's own words, and which rules count.

pub mod agents;
mod amount;
mod context;
mod files;
mod run;
mod workflows;

use std::io;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use baton_engine::fact::Danger;
use baton_engine::word::CheckpointName;
use baton_engine::workflow::{SESSION, Workflow};
use baton_handoff::diagnostic::Severity;
use baton_handoff::project::{Project, Stage};
use baton_handoff::report::Weight;
use baton_handoff::rule::Code;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

use crate::file::read_plain;
use crate::walk::Exclude;

pub use agents::Agent;
pub use context::Budgets;
pub use files::Files;
pub use run::RunRules;

/// The name of the configuration file.
pub const FILE_NAME: &str = "baton.toml";
/// How many folders above the start are searched for a configuration.
const PARENTS_MAX: usize = 64;
/// Largest configuration file in bytes.
pub(crate) const CONFIG_BYTES_MAX: u64 = 256 * 1024;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Config {
    exclude: Vec<Spanned<String>>,
    vocabulary: Words,
    stages: BTreeMap<String, StageTable>,
    rules: BTreeMap<String, String>,
    check: CheckTable,
    checks: BTreeMap<String, ChecksTable>,
    workflows: BTreeMap<Spanned<String>, workflows::WorkflowTable>,
    files: files::Table,
    context: context::Table,
    agents: BTreeMap<String, agents::Table>,
    run: run::Table,
    mcp: McpTable,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct McpTable {
    answers_from: Vec<String>,
}

/// How one checkpoint is settled.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ChecksTable {
    run: Spanned<Vec<String>>,
    timeout_seconds: Option<Spanned<u64>>,
    #[serde(default)]
    writable: Vec<String>,
    confined: Option<bool>,
    junit: Option<Spanned<String>>,
    guards: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Words {
    phases: Vec<String>,
    roles: Vec<String>,
    severities: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StageTable {
    checkpoints: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct CheckTable {
    as_written: bool,
}

/// What a configuration says.
#[derive(Debug, Default)]
pub struct Settings {
    pub project: Project,
    /// Which files are passed over in folders.
    pub exclude: Exclude,
    pub checks: Vec<Check>,
    /// The project's own workflows.
    pub workflows: Vec<Workflow>,
    pub files: Files,
    /// How much whoever takes a turn is told.
    pub budgets: Budgets,
    /// The programs that take turns.
    pub agents: Vec<Agent>,
    pub run: RunRules,
    /// The MCP clients whose forms a person fills in.
    pub answers_from: Vec<String>,
}

/// The command that settles a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    pub checkpoint: String,
    /// The program and its arguments; no shell comes in between.
    pub run: Vec<String>,
    pub timeout: Duration,
    /// Folders and files outside of its folder that it may write; `~/` is the home of the user.
    pub writable: Vec<String>,
    pub is_confined: bool,
    /// The JUnit file that it writes, from its folder.
    pub junit: Option<PathBuf>,
    /// What it means when the work fails it: work of this sort is taken back, and not sent back to be mended.
    pub guards: Option<Danger>,
}

/// How long a check may take when the configuration does not say.
const CHECK_TIMEOUT: Duration = Duration::from_secs(600);
/// The longest time that a configuration can give to a check.
const CHECK_TIMEOUT_MAX: Duration = Duration::from_secs(24 * 3600);

/// Why a configuration cannot be used.
#[derive(Debug)]
pub struct ConfigError {
    pub path: PathBuf,
    pub message: String,
    pub help: Option<String>,
    /// The text and the place in it, where the file could be read.
    pub source: Option<(String, Range<usize>)>,
}

/// Finds the configuration that holds for `start`: the nearest `baton.toml` at or above it.
pub fn find(start: &Path) -> Option<PathBuf> {
    start.ancestors().take(PARENTS_MAX).map(|folder| folder.join(FILE_NAME)).find(|path| path.exists())
}

/// Reads a configuration file.
pub fn load(path: &Path) -> Result<Settings, ConfigError> {
    let unreadable = |error: io::Error| ConfigError {
        path: path.to_owned(),
        message: format!("the configuration cannot be read: {error}"),
        help: None,
        source: None,
    };
    let folder = path.canonicalize().map_err(unreadable)?;
    let bytes = read_plain(&folder, CONFIG_BYTES_MAX).map_err(unreadable)?;
    let text =
        String::from_utf8(bytes).map_err(|_| unreadable(io::Error::other("it is no text in UTF-8")))?;
    parse(&text, folder.parent().unwrap_or(&folder)).map_err(|problem| ConfigError {
        path: path.to_owned(),
        message: problem.message,
        help: problem.help,
        source: Some((text.clone(), problem.span)),
    })
}

struct Problem {
    message: String,
    help: Option<String>,
    span: Range<usize>,
}

fn parse(text: &str, folder: &Path) -> Result<Settings, Problem> {
    let config: Config = toml::from_str(text).map_err(|error| Problem {
        message: error.message().to_owned(),
        help: Some("`baton explain baton.toml` lists every key".to_owned()),
        span: error.span().unwrap_or(0..0),
    })?;
    let mut project = Project::default();
    for (name, table) in config.stages {
        let stage = Stage { name, checkpoints: table.checkpoints };
        match project.stages.iter_mut().find(|known| known.name == stage.name) {
            Some(known) => *known = stage,
            None => project.stages.push(stage),
        }
    }
    project.phases.extend(config.vocabulary.phases);
    project.roles.extend(config.vocabulary.roles);
    project.severities.extend(config.vocabulary.severities);
    project.weights.as_written = config.check.as_written;
    for (name, weight) in config.rules {
        let place = place_of(text, &name);
        let code = rule_named(&name).ok_or_else(|| Problem {
            message: format!("there is no rule `{name}`"),
            help: Some("`baton explain --list` shows all rules".to_owned()),
            span: place.clone(),
        })?;
        let weight = weight_named(&weight).ok_or_else(|| Problem {
            message: format!("`{weight}` is not a severity"),
            help: Some("write \"off\", \"note\", \"warning\" or \"error\"".to_owned()),
            span: place.clone(),
        })?;
        project.weights.rules.insert(code, weight);
    }
    let globs = config.exclude.iter().map(|glob| (glob.get_ref().as_str(), glob.span()));
    let exclude = Exclude::new(folder, globs).map_err(|(message, span)| Problem {
        message,
        help: Some(
            "write it as in `.gitignore`, from the folder of this file: \"docs/examples/**\"".to_owned(),
        ),
        span,
    })?;
    let checks = config.checks.into_iter().map(check).collect::<Result<Vec<_>, _>>()?;
    let mut workflows = workflows::read(config.workflows)?;
    know_stages(&mut project, &workflows);
    workflows.extend(of_session(&checks, &workflows));
    let agents = agents::read(config.agents)?;
    let (files, budgets, run) = (config.files.read()?, config.context.read()?, config.run.read()?);
    let answers_from = config.mcp.answers_from;
    Ok(Settings { project, exclude, checks, workflows, files, budgets, agents, run, answers_from })
}

/// Returns the workflow of sessions, unless the project has its own: a session runs all checks.
fn of_session(checks: &[Check], workflows: &[Workflow]) -> Option<Workflow> {
    let is_own = workflows.iter().any(|workflow| workflow.name.as_str() == SESSION);
    let names = checks.iter().filter_map(|check| CheckpointName::new(check.checkpoint.as_str()).ok());
    (!is_own && !checks.is_empty()).then(|| Workflow::of_session(names.collect()))
}

/// A document may name a stage of the project's own workflows, and must show its checkpoints.
fn know_stages(project: &mut Project, workflows: &[Workflow]) {
    for stage in workflows.iter().flat_map(|workflow| &workflow.stages) {
        if project.stages.iter().all(|known| known.name != stage.name.as_str()) {
            let checkpoints =
                stage.checkpoints.iter().map(|checkpoint| checkpoint.name.to_string()).collect();
            project.stages.push(Stage { name: stage.name.to_string(), checkpoints });
        }
    }
}

fn check((checkpoint, table): (String, ChecksTable)) -> Result<Check, Problem> {
    let problem = |message: &str, help: &str, span: Range<usize>| Problem {
        message: message.to_owned(),
        help: Some(help.to_owned()),
        span,
    };
    let span = table.run.span();
    let run = table.run.into_inner();
    if run.first().is_none_or(|program| program.trim().is_empty()) {
        return Err(problem("there is no program to run", "write `run = [\"cargo\", \"test\"]`", span));
    }
    let timeout = match table.timeout_seconds {
        None => CHECK_TIMEOUT,
        Some(seconds) => {
            let timeout = Duration::from_secs(*seconds.get_ref());
            if timeout.is_zero() || timeout > CHECK_TIMEOUT_MAX {
                let help = "write a number of seconds from 1 to 86400";
                return Err(problem("a check cannot have this much time", help, seconds.span()));
            }
            timeout
        }
    };
    let junit = match table.junit {
        None => None,
        Some(path) if is_inside(path.get_ref()) => Some(PathBuf::from(path.get_ref())),
        Some(path) => {
            let help = "write a path from the folder in which the check is run: \"target/junit.xml\"";
            return Err(problem("this is no path inside of the work", help, path.span()));
        }
    };
    let guards = match table.guards {
        None => None,
        Some(name) => match Danger::ALL.iter().find(|danger| danger.name() == name.get_ref()) {
            Some(danger) => Some(*danger),
            None => {
                let help =
                    "write \"regression\" or \"safety\", or leave it out: then work that fails is sent back";
                return Err(problem("nothing of this name can be guarded", help, name.span()));
            }
        },
    };
    let is_confined = table.confined.unwrap_or(true);
    Ok(Check { checkpoint, run, timeout, writable: table.writable, is_confined, junit, guards })
}

/// Says whether a path leads from a folder to something in it.
fn is_inside(path: &str) -> bool {
    let mut parts = Path::new(path).components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// Finds a rule by its code or its name.
pub fn rule_named(name: &str) -> Option<Code> {
    let by_name = || baton_handoff::rule::ALL.iter().find(|rule| rule.name == name).map(|rule| rule.code);
    Code::parse(name).or_else(by_name)
}

fn weight_named(word: &str) -> Option<Weight> {
    match word {
        "off" => Some(Weight::Off),
        "note" => Some(Weight::Severity(Severity::Note)),
        "warning" => Some(Weight::Severity(Severity::Warning)),
        "error" => Some(Weight::Severity(Severity::Error)),
        _ => None,
    }
}

fn place_of(text: &str, key: &str) -> Range<usize> {
    let start = text.find(key).unwrap_or(0);
    start..start + key.len().min(text.len() - start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton_engine::workflow::Role;

    fn read(text: &str) -> Result<Settings, Problem> {
        parse(text, Path::new("project"))
    }

    #[test]
    fn stages_words_and_rules_are_read() {
        let project = read(
            "[stages.release]\ncheckpoints = [\"tagged\"]\n[vocabulary]\nroles = [\"scribe\"]\n[rules]\nBT106 = \"off\"\n",
        );
        let project = project.unwrap_or_else(|problem| panic!("{}", problem.message)).project;
        assert_eq!(project.checkpoints("release").expect("known"), ["tagged"]);
        assert!(project.roles.contains(&"scribe".to_owned()));
        assert_eq!(project.weights.rules.values().copied().collect::<Vec<_>>(), [Weight::Off]);
    }

    #[test]
    fn a_run_can_demand_confinement_and_have_a_budget() {
        use crate::sandbox::Demand;
        let rules = |text: &str| read(text).ok().map(|settings| settings.run);
        assert_eq!(rules(""), Some(RunRules::default()));
        let demanding = RunRules { demand: Demand::Enforced, budget_tokens: Some(9), ..RunRules::default() };
        assert_eq!(rules("[run]\nconfinement = \"enforced\"\nbudget_tokens = 9\n"), Some(demanding));
        assert!(rules("[run]\nconfinement = \"a little\"\n").is_none());
        let bounded = RunRules {
            budget_microdollars: Some(12_500_000),
            budget_time: Some(Duration::from_secs(90)),
            ..RunRules::default()
        };
        assert_eq!(rules("[run]\nbudget_dollars = 12.5\nbudget_minutes = 1.5\n"), Some(bounded));
        assert!(rules("[run]\nbudget_minutes = 0\n").is_none());
        let memory = RunRules { memory_bytes_max: Some(512 * 1024 * 1024), ..RunRules::default() };
        assert_eq!(rules("[run]\nmemory_mib = 512\n"), Some(memory));
        assert!(rules("[run]\nmemory_mib = 0\n").is_none());
    }

    #[test]
    fn what_is_kept_and_borrowed_lies_in_the_project() {
        let settings = read("[run]\nkeep = [\"target/\"]\nborrow = [\"web/node_modules\"]\n").ok().unwrap();
        let furniture = settings.run.furniture;
        assert_eq!(
            (furniture.kept, furniture.borrowed),
            (vec!["target".to_owned()], vec!["web/node_modules".to_owned()])
        );
        for bad in ["/etc", "../other", "a/../../b", "", ".git/hooks", "a//b", "./a"] {
            let text = format!("[run]\nkeep = [\"{bad}\"]\n");
            let problem = read(&text).expect_err("it is no path in the project");
            assert_eq!(&text[problem.span], format!("\"{bad}\""));
        }
    }

    #[test]
    fn a_check_can_guard_what_must_not_break() {
        let guards = |more: &str| {
            let text = format!("[checks.validation]\nrun = [\"make\"]\n{more}");
            read(&text).map(|settings| settings.checks[0].guards)
        };
        assert_eq!(guards("").ok(), Some(None));
        assert_eq!(guards("guards = \"regression\"").ok(), Some(Some(Danger::Regression)));
        assert_eq!(guards("guards = \"safety\"").ok(), Some(Some(Danger::Safety)));
        assert!(guards("guards = \"everything\"").is_err());
    }

    #[test]
    fn a_junit_file_lies_in_the_work() {
        let junit = |path: &str| {
            let text = format!("[checks.validation]\nrun = [\"make\"]\njunit = \"{path}\"\n");
            read(&text).map(|settings| settings.checks[0].junit.clone())
        };
        assert_eq!(junit("out/junit.xml").ok().flatten(), Some(PathBuf::from("out/junit.xml")));
        for outside in ["", "../junit.xml", "/tmp/junit.xml", "a/../../b.xml"] {
            assert!(junit(outside).is_err(), "{outside}");
        }
    }

    #[test]
    fn a_key_that_does_not_exist_is_an_error_with_its_place() {
        let text = "[check]\nas_writen = true\n";
        let problem = read(text).expect_err("the key is misspelt");
        assert!(problem.message.contains("as_writen"), "{}", problem.message);
        assert_eq!(&text[problem.span], "as_writen");
    }

    #[test]
    fn a_rule_that_does_not_exist_is_an_error() {
        assert!(read("[rules]\nBT999 = \"off\"\n").is_err());
        assert!(read("[rules]\nBT106 = \"quiet\"\n").is_err());
    }

    #[test]
    fn a_role_is_told_as_much_as_the_project_says() {
        let read = |text: &str| read(text).map(|settings| settings.budgets);
        let usual = Budgets::default();
        let budgets = read("[context]\nbuilder_tokens = 3000\n")
            .unwrap_or_else(|problem| panic!("{}", problem.message));
        assert_eq!(budgets.tokens(Role::Builder), 3_000);
        assert_eq!(budgets.tokens(Role::Verifier), usual.tokens(Role::Verifier));
        for few in ["0", "199", "100001", "-1", "\"many\""] {
            assert!(read(&format!("[context]\nverifier_tokens = {few}\n")).is_err(), "{few}");
        }
        assert!(read("[context]\nhuman_tokens = 300\n").is_err());
    }

    #[test]
    fn a_glob_that_cannot_be_read_is_an_error_with_its_place() {
        for glob in ["notes/[a", "notes/[z-a]", "notes/{a", "", "../other/**"] {
            let text = format!("exclude = [\"docs/**\", \"{glob}\"]\n");
            let problem = read(&text).expect_err("the glob is no good");
            assert_eq!(text[problem.span], format!("\"{glob}\""), "{}", problem.message);
            assert!(problem.help.is_some());
        }
        assert!(read("exclude = [\"docs/examples/**\", \"*.tmp.md\", \"!docs/examples/real.md\"]\n").is_ok());
    }
}
