//! Who takes the turns: a program for every agent that a workflow names, or a person.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use baton_engine::fact::AgentProgram;
use baton_engine::word::AgentName;
use baton_engine::workflow::{Review, Stage, Workflow};

use crate::agent::{self, Driver, NotTaken};
use crate::config::Agent;
use crate::config::agents::EVERYBODY;

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
            counts_tokens: driver.counts_tokens,
        }
    }
}

/// Why nobody can take turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAgent {
    /// The program that `baton.toml` names is not taken.
    NotTaken { agent: String, program: String, why: NotTaken },
    /// None of the usual programs of the driver that `baton.toml` or the command line names is installed.
    NotInstalled { agent: String, programs: String, hint: &'static str },
    /// This driver runs a program that somebody has to name, and nobody did.
    Unnamed(&'static str),
    /// Nothing is named, and nothing was found; what was looked for.
    NothingInstalled(Vec<(&'static str, &'static str)>),
}

impl fmt::Display for NoAgent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotTaken { agent, program, why } => {
                let why = match why {
                    NotTaken::Absent => "was not found",
                    NotTaken::Relative => "is named by a relative path, and those never count",
                    NotTaken::InCheckout => "lies in the checkout, from which no agent is started",
                    NotTaken::NotExecutable => "is not marked as a program",
                };
                write!(out, "the program of the agent `{agent}` {why}: {program}")
            }
            Self::NotInstalled { agent, programs, .. } => {
                write!(out, "the program of the agent `{agent}` was not found: {programs}")
            }
            Self::Unnamed(driver) => write!(out, "`{driver}` runs a program that has to be named"),
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
        let own = |table: &str| {
            format!(
                "name a program of your own under `[agents.{table}]` in `baton.toml`: driver = \"command\", program = \"…\""
            )
        };
        match self {
            Self::NotTaken { agent, program, why } => {
                let absolute = "write its absolute path";
                let named = format!("under `[agents.{agent}]` in `baton.toml`");
                match why {
                    NotTaken::Absent => format!("install it, or {absolute} as `program` {named}"),
                    NotTaken::Relative => format!("{absolute} as `program` {named}"),
                    NotTaken::InCheckout => {
                        format!(
                            "put it in a folder outside of the project, and {absolute} as `program` {named}"
                        )
                    }
                    NotTaken::NotExecutable => {
                        format!("`chmod +x {program}`, or name another one as `program` {named}")
                    }
                }
            }
            Self::NotInstalled { agent, hint, .. } => format!("{hint}, or {}", own(agent)),
            Self::Unnamed(_) => own(EVERYBODY),
            Self::NothingInstalled(looked_for) => {
                let hints: Vec<&str> = looked_for.iter().map(|(_, hint)| *hint).collect();
                format!("one of these:\n  {}\n  or {}", hints.join("\n  "), own(EVERYBODY))
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
        None => Err(missing(agent)),
    }
}

fn missing(agent: Agent) -> NoAgent {
    let Agent { name, driver, program, .. } = agent;
    match program {
        Some(program) => {
            let why = agent::not_taken(&program);
            NoAgent::NotTaken { agent: name, program, why }
        }
        None => {
            let programs = driver.programs.join(" or ");
            NoAgent::NotInstalled { agent: name, programs, hint: driver.hint }
        }
    }
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
    fn what_is_not_taken_is_named_with_the_table_at_fault_and_a_way_out() {
        let refused = |program: Option<&str>, project: &str| {
            let agent = Agent {
                name: "builder".to_owned(),
                program: program.map(str::to_owned),
                ..Agent::of(Driver::named("gemini").expect("a driver"))
            };
            let error = hand(agent, Path::new(project)).expect_err("it is not taken");
            assert!(error.next().contains("`[agents.builder]`"), "{}", error.next());
            format!("{error}; {}", error.next())
        };
        let gone = refused(Some("no-such-program-anywhere"), "/nowhere");
        assert!(gone.contains("was not found: no-such-program-anywhere"), "{gone}");
        let relative = refused(Some("./agent.sh"), "/nowhere");
        assert!(relative.contains("relative path, and those never count: ./agent.sh"), "{relative}");
        assert!(relative.contains("write its absolute path"), "{relative}");
        let inside = refused(Some("/bin/sh"), "/");
        assert!(inside.contains("lies in the checkout") && inside.contains("outside"), "{inside}");
        let plain = refused(Some("/etc/passwd"), "/nowhere");
        assert!(plain.contains("not marked as a program") && plain.contains("chmod +x"), "{plain}");
        assert!(refused(None, "/").contains("was not found: gemini"));
    }
}
