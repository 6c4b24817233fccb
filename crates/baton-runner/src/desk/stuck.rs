//! What keeps a task from going on though the record asks nobody: only a person can change it.

use std::path::Path;

use baton_engine::fact::Performer;
use baton_engine::policy::{NotYet, consider};
use baton_engine::state::{Merge, Task, Turn};
use baton_engine::word::{AgentName, TaskId};
use baton_engine::workflow::Role;

use super::turn::deed;
use super::{Desk, DeskError, PROJECT_STREAM};
use crate::agent;
use crate::config::Agent;
use crate::config::agents::EVERYBODY;
use crate::drive::{self, crew::HUMAN};
use crate::workspace::task::FOLDER;
use crate::workspace::{TaskWorkspace, is_being_renewed};

/// Something that a person has to see to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// What is in the way.
    pub what: String,
    /// What they do about it.
    pub next: String,
}

impl Stuck {
    pub(crate) fn new(what: impl Into<String>, next: impl Into<String>) -> Self {
        Self { what: what.into(), next: next.into() }
    }

    /// What stops a task in a run, by the error that did.
    pub(crate) fn by(error: &DeskError, id: &TaskId) -> Self {
        match error {
            DeskError::Document { what, next } => Self::new(what, next),
            DeskError::Git(error) => Self::new(&error.message, &error.hint),
            DeskError::Io(..) => {
                Self::new(error.to_string(), "see that the place is there, is yours and has room")
            }
            DeskError::Refused(rejection) => Self::new(rejection.to_string(), rejection.refusal.next()),
            DeskError::Store(_) | DeskError::Word(_) | DeskError::Recorded(_) | DeskError::Busy => {
                Self::new(error.to_string(), format!("`baton why {id}`"))
            }
        }
    }

    /// Returns it as the last two lines of an explanation.
    pub(crate) fn lines(&self) -> Vec<String> {
        vec![self.what.clone(), format!("next: {}", self.next)]
    }
}

/// What lets a paused project go on.
pub const UNPAUSE: &str = "`baton pause` without a reason lets it go on";

impl Desk {
    /// Returns why the project is paused, if it is.
    pub fn paused(&self) -> Result<Option<String>, DeskError> {
        Ok(self.state(PROJECT_STREAM)?.project.paused.clone())
    }

    /// Says that a pause is in the way of what is missing, if it is: meanwhile no turn is given, and none is launched.
    pub(super) fn held_up(&self, task: &Task, missing: &NotYet) -> Result<Option<Stuck>, DeskError> {
        let is_not_launched = |turn: &Turn| !turn.launched && turn.performer == Performer::Program;
        let waits_for_turn = match missing {
            NotYet::Work | NotYet::Verification => true,
            NotYet::Turn => task.turn.as_ref().is_some_and(is_not_launched),
            NotYet::Ended
            | NotYet::Dependencies(_)
            | NotYet::LiesWithHost
            | NotYet::LiesWithPerson
            | NotYet::Checks
            | NotYet::Gate(_)
            | NotYet::GateAnswer(_)
            | NotYet::Clarification(_)
            | NotYet::Delegation
            | NotYet::Usage(_) => false,
        };
        let reason = self.paused()?.filter(|_| waits_for_turn);
        Ok(reason.map(|reason| Stuck::new(format!("the project is paused: {reason}"), UNPAUSE)))
    }

    /// Says whether a run works on the project now. Without one, no program takes a turn, whatever the record says.
    pub fn has_run(&self) -> bool {
        drive::is_going_on(self)
    }

    /// Says whether programs work on a task, in a workspace of its own.
    pub(crate) fn is_for_programs(&self, id: &TaskId) -> bool {
        self.folder.join(FOLDER).join(id.as_str()).is_dir() || self.has_to_be_renewed(id)
    }

    /// Says whether the workspace of a task is being made anew, or was to be when a run was ended.
    pub(super) fn has_to_be_renewed(&self, id: &TaskId) -> bool {
        is_being_renewed(&self.folder.join(FOLDER), id)
    }

    /// Returns what keeps a task from going on, where only a person can change that and nothing asks them.
    pub fn stuck(&self, task: &Task) -> Result<Option<Stuck>, DeskError> {
        if task.end.is_some() {
            return Ok(None);
        }
        if let Merge::Owed(..) = task.merge {
            return Ok(self.merge_obstacle(&task.id));
        }
        if let Some(turn) = &task.turn {
            let is_programs = turn.launched && turn.performer == Performer::Program;
            return Ok((is_programs && !self.has_run()).then(cut_short));
        }
        if !matches!(consider(task, self.now), Err(NotYet::Work | NotYet::Verification)) {
            return Ok(None);
        }
        if self.paused()?.is_some() {
            return Ok(None);
        }
        // Nobody has a turn now, or the engine says to whom the next one goes.
        let due = self.due(task).ok();
        let own = self.own_workspace(&task.id)?;
        let place = own.as_ref().map(TaskWorkspace::root);
        let Some((role, agent)) = due else { return Ok(None) };
        let is_begun = self.is_for_programs(&task.id) && role != Role::Verifier;
        let is_persons = own.as_ref().and_then(TaskWorkspace::turn_of) == Some(&agent);
        Ok(self
            .without_program(task, (role, &agent), place)
            .or_else(|| is_persons.then(|| self.persons_turn(task, (role, &agent), place)))
            .or_else(|| self.not_named(task).filter(|_| is_begun)))
    }

    /// Says that the next turn of a task goes to somebody for whom there is no program. Where `baton.toml` names no agent at all,
    /// people carry the task by hand, or a run finds an agent.
    fn without_program(
        &self,
        task: &Task,
        (role, agent): (Role, &AgentName),
        place: Option<&Path>,
    ) -> Option<Stuck> {
        match self.named(agent) {
            Some(known) if known.driver.name == HUMAN => Some(self.persons_turn(task, (role, agent), place)),
            Some(_) => None,
            None if self.agents.is_empty() || !agent::installed(self.root()).0.is_empty() => None,
            None => Some(nobodys_turn(&task.id, agent)),
        }
    }

    /// Returns whom `baton.toml` names for the turns of an agent.
    fn named(&self, agent: &AgentName) -> Option<&Agent> {
        let called = |name: &str| self.agents.iter().find(|known| known.name == name);
        called(agent.as_str()).or_else(|| called(EVERYBODY))
    }

    /// A turn that a person takes: what they do in it, and where, if the task has a workspace of its own.
    pub(crate) fn persons_turn(
        &self,
        task: &Task,
        (role, agent): (Role, &AgentName),
        work: Option<&Path>,
    ) -> Stuck {
        let id = &task.id;
        let deed = deed(role);
        let deed = match work {
            Some(work) if role == Role::Verifier => format!("{deed} what lies in {}", work.display()),
            Some(work) => format!("{deed} in {}", work.display()),
            None => deed.to_owned(),
        };
        let ack = match task.will_owe_acknowledgment(role, agent) {
            true => format!("`baton ack {id}`, "),
            false => String::new(),
        };
        // Where only a run was told that a person does it, the next one has to be told, too.
        let run = match self.named(agent) {
            Some(known) if known.driver.name == HUMAN => "baton run",
            Some(_) | None => "baton run --agent human",
        };
        let call = work.map(|_| format!(", in {}", self.root().display())).unwrap_or_default();
        let next =
            format!("`baton receive {id}`, {ack}{deed}, then `baton submit {id} FILE` and `{run}`{call}");
        Stuck::new(format!("the next turn is that of @{agent}, who is a person"), next)
    }

    /// Returns what is in the way of bringing accepted work of programs to its branch.
    fn merge_obstacle(&self, id: &TaskId) -> Option<Stuck> {
        if !self.is_for_programs(id) {
            return None;
        }
        let obstacle = self.workspaces().and_then(|workspaces| Ok(workspaces.may_integrate()?)).err()?;
        let Stuck { what, next } = Stuck::by(&obstacle, id);
        Some(Stuck::new(what, format!("{next}; then `baton run`")))
    }
}

fn cut_short() -> Stuck {
    Stuck::new("its turn was cut short: no run goes on", "`baton run`")
}

/// A turn that nobody takes.
pub(crate) fn nobodys_turn(id: &TaskId, agent: &AgentName) -> Stuck {
    let what = format!("the next turn is that of @{agent}, for whom `baton.toml` names no program");
    let next = format!(
        "name one under `[agents.{agent}]` or `[agents.default]`, then `baton trust` and `baton run`; or take the turn \
         yourself: `baton receive {id}`"
    );
    Stuck::new(what, next)
}
