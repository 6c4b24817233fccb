//! What the desk records of programs that take turns. The drive does the work; here is who may say what of it.

use std::path::{Path, PathBuf};

use baton_engine::command::Act;
use baton_engine::envelope::{Actor, ActorKind};
use baton_engine::fact::{
    Account, AgentProgram, BlockReason, Ending, LeaseToken, Performer, TokenUsage, Understanding,
};
use baton_engine::feedback::DETAIL_CHARS_MAX;
use baton_engine::pending::{Effect, pending};
use baton_engine::rejection::Refusal;
use baton_engine::state::{Task, Turn};
use baton_engine::word::{AgentName, ClarificationId, SessionId, TaskId, TreeHash, TurnId};
use baton_engine::workflow::Role;
use serde_json::json;

use super::context::Given;
use super::failure::Failure;
use super::handover::{Brought, Trees};
use super::paper::{Paper, sources_of_turn};
use super::{As, Desk, DeskError, printed};
use crate::config::{Check, RunRules};
use crate::supervise::{Output, memory};
use crate::workspace::{Beginning, TARGET_DEFAULT, TaskWorkspace, Workspaces};

/// Most missing files that are named when a program cannot begin.
const MISSING_NAMED_MAX: usize = 5;
/// Longest name of a model that is kept.
const MODEL_CHARS_MAX: usize = 120;

/// What kept the work of a program from being handed over, though it brought some.
#[derive(Debug)]
pub(crate) enum NotTaken {
    /// The engine wants something else first, in these words.
    Refused(String),
    Failed(DeskError),
}

/// How a turn ended without a handoff.
#[derive(Clone, Debug)]
pub(crate) struct Over<'t> {
    pub(crate) ending: Ending,
    /// All that was set aside, where nobody knows.
    pub(crate) spent_tokens: Option<u64>,
    /// How its program ended, as a code.
    pub(crate) how: Option<String>,
    pub(crate) told: Told<'t>,
}

impl Over<'_> {
    /// A turn of which nothing is left to show.
    pub(crate) fn of(ending: Ending, spent_tokens: Option<u64>) -> Self {
        Self { ending, spent_tokens, how: None, told: Told::default() }
    }
}

/// What a program was given to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Words<'w> {
    pub(crate) text: &'w str,
    /// In a new session, because it did not know the old one any more.
    pub(crate) is_anew: bool,
}

impl Words<'_> {
    /// Returns the name under which the words are kept: those that ask for the plan, those after it, and those of a new
    /// session each have their own.
    fn name(self, task: &Task, turn: &Turn) -> String {
        let step = if task.owes_plan() { "-plan" } else { "" };
        let anew = if self.is_anew { "-anew" } else { "" };
        let replaces = task.run.plan.as_ref().is_some_and(|taken| taken.turn == turn.id && taken.replaces);
        let replanned = if replaces { "-replanned" } else { "" };
        format!("prompt{step}{anew}{replanned}-{}", turn.id)
    }
}

impl From<DeskError> for NotTaken {
    fn from(error: DeskError) -> Self {
        match error {
            DeskError::Refused(rejection) => Self::Refused(rejection.to_string()),
            DeskError::Document { what, .. } => Self::Refused(what),
            error => Self::Failed(error),
        }
    }
}

/// What the drive has to show of a turn that is over.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told<'t> {
    pub(crate) model: Option<&'t str>,
    pub(crate) output: Option<&'t Output>,
    pub(crate) cost_microdollars: Option<u64>,
    pub(crate) usage: Option<TokenUsage>,
}

impl Told<'_> {
    /// Returns what is recorded of it, with what the program printed.
    pub(super) fn account(self, turn: &TurnId) -> Result<(Option<Account>, Option<Paper>), DeskError> {
        let printed = match self.output {
            Some(output) => printed::paper(&format!("output-{turn}"), output)?,
            None => None,
        };
        let account = Account {
            model: self.model.map(|model| model.chars().take(MODEL_CHARS_MAX).collect()),
            output: printed.as_ref().map(|paper| paper.document.clone()),
            cost_microdollars: self.cost_microdollars,
            usage: self.usage,
        };
        Ok((Some(account).filter(|account| *account != Account::default()), printed))
    }
}

impl Desk {
    /// A desk that stays open is told what time it is.
    pub(crate) fn set_time(&mut self, now: i64) {
        self.now = now;
    }

    /// The folder with the log, and with all else that belongs to the project and lies outside of it.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn checks(&self) -> &[Check] {
        &self.checks
    }

    pub(crate) fn run_rules(&self) -> &RunRules {
        &self.run
    }

    /// Shares the memory of the machine among so many that work at once, where `baton.toml` does not say what each may take.
    pub(crate) fn share_memory(&mut self, jobs: usize) {
        self.run.memory_bytes_max = self.run.memory_bytes_max.or_else(|| memory::share(jobs));
    }

    /// Returns the workspace that a task has for itself: there is one once programs work on it.
    pub(crate) fn own_workspace(&self, id: &TaskId) -> Result<Option<TaskWorkspace>, DeskError> {
        match self.is_for_programs(id) {
            true => Ok(Some(self.workspaces()?.prepare(id)?)),
            false => Ok(None),
        }
    }

    /// Returns the workspaces of the project. They are opened once.
    pub(crate) fn workspaces(&self) -> Result<&Workspaces, DeskError> {
        if let Some(opened) = self.workspaces.get() {
            return Ok(opened);
        }
        let opened = Workspaces::open(&self.workspace.root, &self.folder, TARGET_DEFAULT)?;
        Ok(self.workspaces.get_or_init(|| opened))
    }

    /// Returns the other repositories in the project whose files agents and checks do not find: no workspace has them, and
    /// `[run] borrow` does not name them.
    pub fn submodules_not_there(&self) -> Result<Vec<String>, DeskError> {
        let mut places = self.workspaces()?.submodules()?;
        let borrowed = &self.run.furniture.borrowed;
        places.retain(|place| !borrowed.iter().any(|own| Path::new(place).starts_with(own)));
        Ok(places)
    }

    /// Returns what the next workspace begins with.
    pub fn beginning(&self) -> Result<Beginning, DeskError> {
        Ok(self.workspaces()?.beginning()?)
    }

    /// Returns where the work of a task lies: in its own workspace, or in the checkout.
    pub fn work_root(&self, id: &TaskId) -> Result<PathBuf, DeskError> {
        let own = self.own_workspace(id)?;
        Ok(own.map_or_else(|| self.workspace.root.clone(), |own| own.root().to_owned()))
    }

    /// Says what the work of a task looks like.
    pub(crate) fn measure(&self, id: &TaskId) -> Result<TreeHash, DeskError> {
        match self.own_workspace(id)? {
            Some(own) => Ok(own.measure()?),
            None => Ok(self.workspace.measure()?),
        }
    }

    /// Saves the work of a task, and returns what it looks like.
    pub(crate) fn keep(&self, id: &TaskId) -> Result<TreeHash, DeskError> {
        match self.own_workspace(id)? {
            Some(own) => Ok(own.keep()?),
            None => self.keep_workspace(),
        }
    }

    /// Puts the project's guidance in force, without which nobody gets a turn.
    pub(crate) fn guide(&mut self) -> Result<(), DeskError> {
        self.adopt_covenant().map(|_| ())
    }

    /// Does what the desk does by itself, and returns the task with what is owed then.
    pub(crate) fn owed(&mut self, id: &TaskId) -> Result<Option<(Task, Vec<Effect>)>, DeskError> {
        self.settle_task(id)?;
        let state = self.state(id.as_str())?;
        let Some(task) = state.task.clone() else { return Ok(None) };
        let context = self.context(Some(&task), None)?;
        Ok(Some((task, pending(&state, &context, self.now))))
    }

    /// Gives a turn to a program.
    pub(crate) fn give_turn(
        &mut self,
        task: &Task,
        (role, agent): (Role, AgentName),
        (session, given): (SessionId, Given),
    ) -> Result<(), DeskError> {
        self.start_turn(task, (role, agent), (session, Performer::Program), given)
    }

    pub(crate) fn record_snapshot(
        &mut self,
        id: &TaskId,
        turn: TurnId,
        tree: TreeHash,
    ) -> Result<(), DeskError> {
        let act = Act::RecordSnapshot { turn, reference: format!("snapshot {tree}"), tree };
        self.act(id.as_str(), &self.actor(As::Host), &act, &[]).map(|_| ())
    }

    /// Claims the one launch that a turn has. Whoever is refused starts nothing.
    pub(crate) fn claim_launch(
        &mut self,
        id: &TaskId,
        turn: &Turn,
        program: Option<AgentProgram>,
    ) -> Result<(), DeskError> {
        let act = Act::Launch { lease: lease_of(turn), program };
        self.act(id.as_str(), &self.actor(As::Host), &act, &[]).map(|_| ())
    }

    /// Notes on behalf of a program that it was given the handoff that opened its stage. What that handoff names and is not
    /// there cannot be given: then a person is asked, and the answer is no.
    pub(crate) fn acknowledge_for(&mut self, id: &TaskId, turn: &Turn) -> Result<bool, DeskError> {
        let task = self.task(id)?;
        let Some(handoff) = task.run.inbound.clone().filter(|_| task.owes_acknowledgment()) else {
            return Ok(true);
        };
        let missing = self.missing_files(id, &handoff)?;
        if !missing.is_empty() {
            let named = missing.iter().take(MISSING_NAMED_MAX).cloned().collect::<Vec<_>>().join(", ");
            let words = format!("{} names files that are not there: {named}", handoff.id);
            self.escalate_for(id, turn, &words)?;
            return Ok(false);
        }
        let paper = Paper::artifact(
            "acknowledgment",
            &format!("acknowledgment-{}", turn.id),
            (id, turn.role.name(), self.now),
            &[handoff.id.to_string()],
            json!({ "received": true, "handoff": handoff.id.as_str(), "understood": Understanding::Understood.name(), "blockers": [] }),
        )?;
        let act = Act::Acknowledge {
            lease: lease_of(turn),
            document: paper.document.clone(),
            handoff,
            understanding: Understanding::Understood,
            blockers: Vec::new(),
            missing,
        };
        self.act(id.as_str(), &agent(turn), &act, &[&paper.bytes])?;
        Ok(true)
    }

    pub(crate) fn escalate_for(&mut self, id: &TaskId, turn: &Turn, details: &str) -> Result<(), DeskError> {
        self.escalate_charged(id, turn, details, 0)
    }

    /// Hands a task to a person in the turn of a program that has cost this much by then.
    pub(crate) fn escalate_charged(
        &mut self,
        id: &TaskId,
        turn: &Turn,
        details: &str,
        spent_tokens: u64,
    ) -> Result<(), DeskError> {
        let reason = BlockReason::NeedsHumanInput;
        let paper = Paper::artifact(
            "escalation-request",
            &format!("escalation-{}", turn.id),
            (id, "host", self.now),
            &sources_of_turn(&self.task(id)?, turn),
            json!({ "reason": reason.name(), "details": details }),
        )?;
        let (lease, document) = (Some(lease_of(turn)), paper.document.clone());
        let act = Act::Escalate { lease, reason, details: details.to_owned(), document };
        self.act(id.as_str(), &agent(turn), &act, &[&paper.bytes])?;
        self.spend(id, &turn.id, spent_tokens, Told::default())
    }

    /// Takes what a program brought at the end of its turn.
    pub(crate) fn submit_for(
        &mut self,
        id: &TaskId,
        turn: &Turn,
        brought: Brought,
        trees: Trees,
    ) -> Result<(), NotTaken> {
        Ok(self.hand_over(id, &agent(turn), brought, trees)?)
    }

    /// Says that a turn is over and brought nothing, and keeps the handoff that the host made in its place.
    pub(crate) fn end_turn(
        &mut self,
        id: &TaskId,
        turn: &Turn,
        over: Over<'_>,
        failure: &Failure<'_>,
    ) -> Result<(), DeskError> {
        let paper = Paper::of(&format!("failure-{}", turn.id), failure.document().into_bytes())?;
        let why = Some(failure.why.chars().take(DETAIL_CHARS_MAX).collect());
        let document = Some(paper.document.clone());
        let Over { ending, spent_tokens, how, told } = over;
        let (account, printed) = told.account(&turn.id)?;
        let act = Act::EndTurn { lease: lease_of(turn), ending, spent_tokens, document, how, account, why };
        let papers: Vec<&[u8]> =
            std::iter::once(&paper).chain(&printed).map(|paper| paper.bytes.as_slice()).collect();
        self.act(id.as_str(), &self.actor(As::Host), &act, &papers).map(|_| ())
    }

    /// Takes the question that a program left at the end of its turn. The turn is over: whoever takes the next one is given
    /// the answer.
    pub(crate) fn ask_for(
        &mut self,
        id: &TaskId,
        turn: &Turn,
        brought: Brought,
        over: Over<'_>,
    ) -> Result<(), DeskError> {
        let Over { ending, spent_tokens, how, told } = over;
        let number = self.task(id)?.clarifications.len() + 1;
        let (paper, asked) = brought.into_question(&format!("q{number}"))?;
        let act = Act::Ask {
            lease: lease_of(turn),
            clarification: ClarificationId::new(paper.document.id.as_str())?,
            document: paper.document.clone(),
            question: asked.question,
            options: asked.options,
        };
        self.act(id.as_str(), &agent(turn), &act, &[&paper.bytes])?;
        if self.task(id)?.turn.is_none_or(|live| live.id != turn.id) {
            // It asked too often, so its turn was ended and the task lies with a person.
            return self.spend(id, &turn.id, spent_tokens.unwrap_or(0), told);
        }
        let (account, printed) = told.account(&turn.id)?;
        let (document, why) = (None, None);
        let act = Act::EndTurn { lease: lease_of(turn), ending, spent_tokens, document, how, account, why };
        let papers: Vec<&[u8]> = printed.iter().map(|paper| paper.bytes.as_slice()).collect();
        self.act(id.as_str(), &self.actor(As::Host), &act, &papers)?;
        self.settle(id)
    }

    /// Keeps the exact words that a program was given.
    pub(crate) fn record_prompt(
        &mut self,
        id: &TaskId,
        turn: &Turn,
        words: Words<'_>,
    ) -> Result<(), DeskError> {
        let name = words.name(&self.task(id)?, turn);
        let paper = Paper::of(&name, words.text.as_bytes().to_vec())?;
        let act = Act::RecordPrompt { lease: lease_of(turn), document: paper.document.clone() };
        self.act(id.as_str(), &self.actor(As::Host), &act, &[&paper.bytes]).map(|_| ())
    }

    /// Settles what a turn has cost.
    pub(crate) fn spend(
        &mut self,
        id: &TaskId,
        turn: &TurnId,
        tokens: u64,
        told: Told<'_>,
    ) -> Result<(), DeskError> {
        let (account, printed) = told.account(turn)?;
        let act = Act::Spend { turn: turn.clone(), tokens, account };
        let papers: Vec<&[u8]> = printed.iter().map(|paper| paper.bytes.as_slice()).collect();
        match self.act(id.as_str(), &self.actor(As::Host), &act, &papers) {
            Ok(_) => Ok(()),
            Err(DeskError::Refused(rejection)) if rejection.refusal == Refusal::NothingReserved => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(crate) fn expire(&mut self, id: &TaskId) -> Result<(), DeskError> {
        self.act(id.as_str(), &self.actor(As::Orchestrator), &Act::Expire {}, &[]).map(|_| ())
    }
}

pub(crate) fn lease_of(turn: &Turn) -> LeaseToken {
    LeaseToken { turn: turn.id.clone(), epoch: turn.epoch }
}

/// Whoever takes the turn. A guest is known by its session.
pub(super) fn agent(turn: &Turn) -> Actor {
    let name = match turn.performer {
        Performer::Guest => turn.session.as_str(),
        Performer::Program | Performer::Person => turn.agent.as_str(),
    };
    Actor::new(ActorKind::Agent, name).with_turn(turn.id.as_str())
}
