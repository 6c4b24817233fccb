//! Who takes the turns: a program for every agent that a workflow names, or a person.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use baton_engine::fact::AgentProgram;
use baton_engine::word::AgentName;
use baton_engine::workflow::{Review, Stage, Workflow};

use crate::agent::{self, Counting, Driver};
use crate::config::Agent;
use crate::config::agents::EVERYBODY;
use crate::supervise::environment::can_be_run;

/// The driver of turns that a person takes.
pub(crate) const HUMAN: &str = "human";

/// The agents of a run.
#[derive(Clone, Debug)]
pub struct Crew {
    hands: Vec<Hand>,
}

/// An agent with its program.
#[derive(Clone, Debug)]
pub(super) struct Hand {
    pub(super) agent: Agent,
    /// Nothing where a person takes the turns.
    pub(super) program: Option<PathBuf>,
}

impl Hand {
    /// Returns what is recorded of the program when it is started.
    pub(super) fn described(&self) -> AgentProgram {
        let driver = self.agent.driver;
        AgentProgram {
            driver: driver.name.to_owned(),
            model: self.agent.settings.model.clone(),
            counts_tokens: driver.counting != Counting::Nothing,
        }
    }
}

/// Why nobody can take turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAgent {
    /// What `baton.toml` or the command line names is not installed.
    Missing { agent: String, program: String, hint: &'static str },
    /// This driver runs a program that somebody has to name, and nobody did.
    Unnamed(&'static str),
    /// What is named is there, and cannot be run.
    NotExecutable { agent: String, program: String },
    /// Nothing is named, and nothing was found; what was looked for.
    NothingInstalled(Vec<(&'static str, &'static str)>),
}

impl fmt::Display for NoAgent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { agent, program, .. } => {
                write!(out, "the program of the agent `{agent}` was not found: {program}")
            }
            Self::Unnamed(driver) => write!(out, "`{driver}` runs a program that has to be named"),
            Self::NotExecutable { agent, program } => {
                write!(out, "the program of the agent `{agent}` is not marked as a program: {program}")
            }
            Self::NothingInstalled(looked_for) => {
                let names: Vec<&str> = looked_for.iter().map(|(name, _)| *name).collect();
                write!(out, "no agent is installed; looked for {} in the PATH", names.join(", "))
            }
        }
    }
}

impl NoAgent {
    /// Says what to do next.
    pub fn next(&self) -> String {
        let name = "name a program of your own under `[agents.default]` in `baton.toml`: \
                    driver = \"command\", program = \"…\"";
        let own = format!("or {name}");
        match self {
            Self::Missing { hint, .. } => format!("{hint}, {own}"),
            Self::Unnamed(_) => name.to_owned(),
            Self::NotExecutable { program, .. } => format!("`chmod +x {program}`, {own}"),
            Self::NothingInstalled(looked_for) => {
                let hints: Vec<&str> = looked_for.iter().map(|(_, hint)| *hint).collect();
                format!("one of these:\n  {}\n  {own}", hints.join("\n  "))
            }
        }
    }
}

impl Crew {
    /// Finds the programs. What the command line names is for all who have no table of their own, in place of
    /// `[agents.default]`; where neither is, the first agent that is installed takes the turns of all others.
    pub fn gather(
        agents: Vec<Agent>,
        named: Option<&'static Driver>,
        project: &Path,
    ) -> Result<Self, NoAgent> {
        let mut agents = agents;
        if let Some(driver) = named {
            agents.retain(|agent| agent.name != EVERYBODY);
            agents.push(Agent::of(driver));
        }
        if agents.iter().all(|agent| agent.name != EVERYBODY) {
            let (found, missing) = agent::installed(project);
            match found.into_iter().next() {
                Some(first) => agents.push(Agent::of(first.driver)),
                None if agents.is_empty() => {
                    let looked_for = missing.iter().map(|missing| (missing.driver.name, missing.driver.hint));
                    return Err(NoAgent::NothingInstalled(looked_for.collect()));
                }
                // Others have tables of their own; the run tells whom nobody stands in for.
                None => {}
            }
        }
        let hands = agents.into_iter().map(|agent| hand(agent, project)).collect::<Result<_, _>>()?;
        Ok(Self { hands })
    }

    /// Returns who takes the turns of an agent.
    pub(super) fn hand(&self, name: &AgentName) -> Option<&Hand> {
        let called = |wanted: &str| self.hands.iter().find(|hand| hand.agent.name == wanted);
        called(name.as_str()).or_else(|| called(EVERYBODY))
    }
}

fn hand(agent: Agent, project: &Path) -> Result<Hand, NoAgent> {
    if agent.driver.programs.is_empty() && agent.program.is_none() {
        return match agent.driver.name {
            HUMAN => Ok(Hand { agent, program: None }),
            driver => Err(NoAgent::Unnamed(driver)),
        };
    }
    match agent::find(agent.driver, agent.program.as_deref(), project) {
        Some(program) => Ok(Hand { agent, program: Some(program) }),
        None => Err(missing(&agent)),
    }
}

fn missing(agent: &Agent) -> NoAgent {
    let program = agent.program.clone().unwrap_or_else(|| agent.driver.programs.join(" or "));
    if Path::new(&program).is_absolute() && Path::new(&program).is_file() && !can_be_run(Path::new(&program))
    {
        return NoAgent::NotExecutable { agent: agent.name.clone(), program };
    }
    NoAgent::Missing { agent: agent.name.clone(), program, hint: agent.driver.hint }
}

/// Returns everybody who may get a turn in a workflow, each once.
pub(super) fn agents_of(workflow: &Workflow) -> BTreeSet<&AgentName> {
    fn of_stage(stage: &Stage) -> Vec<&AgentName> {
        let verifier = match &stage.review {
            Review::Independent(verifier) => Some(verifier),
            Review::None => None,
        };
        std::iter::once(&stage.agent).chain(verifier).chain(&stage.on_failure.route_to).collect()
    }
    workflow.stages.iter().flat_map(of_stage).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_own_table_counts_before_what_holds_for_everybody() {
        let named = |name: &str, program: &str| Agent {
            name: name.to_owned(),
            program: Some(program.to_owned()),
            ..Agent::of(Driver::named("command").expect("a driver"))
        };
        let agents = vec![named(EVERYBODY, "/bin/cat"), named("builder", "/bin/sh")];
        let crew = Crew::gather(agents, None, Path::new("/nowhere")).expect("both are there");
        let program = |name: &str| {
            let name = AgentName::new(name).expect("a name");
            crew.hand(&name).and_then(|hand| hand.program.clone()).expect("a program")
        };
        assert_eq!(program("builder"), Path::new("/bin/sh"));
        assert_eq!(program("verifier"), Path::new("/bin/cat"));
    }

    #[test]
    fn where_nothing_is_installed_each_way_out_has_a_line() {
        let looked_for = agent::ALL.iter().map(|driver| (driver.name, driver.hint)).collect();
        let next = NoAgent::NothingInstalled(looked_for).next();
        assert_eq!(next.lines().count(), agent::ALL.len() + 2, "{next}");
        assert!(next.lines().all(|line| line.chars().count() <= 120), "{next}");
    }

    #[test]
    fn what_is_not_there_is_named_with_a_way_out() {
        let gone = Agent {
            program: Some("no-such-program-anywhere".to_owned()),
            ..Agent::of(Driver::named("command").expect("a driver"))
        };
        let error = Crew::gather(vec![gone], None, Path::new("/nowhere")).expect_err("it is not there");
        assert!(error.to_string().contains("no-such-program-anywhere"), "{error}");
        assert!(error.next().contains("[agents.default]"), "{}", error.next());
    }
}
