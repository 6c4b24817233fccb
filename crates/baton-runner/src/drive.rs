//! `baton run`: takes tasks through their workflow with programs. What an agent says is a claim; what decides was measured.
//!
//! One thread owns the desk and appends. Agents and checks run in threads of their own, touch no log, and send what came
//! of them. What to do next is always read off the log, so a run that was cut short is gone on with by starting it again.
//!
//! Reading order: this file, [`crew`], `step`, `by_hand`, `budget`, `prompt`, `turn`, `over`, `last_word`, `outcome`, `provider`,
//! `cost`, `check`, `integrate`, `together`, `session`, [`progress`], [`summary`].

mod alone;
mod brought_together;
mod budget;
mod by_hand;
mod check;
mod cost;
pub mod crew;
mod fewer_tests;
mod integrate;
mod last_word;
mod lost;
mod outcome;
mod over;
mod plan;
pub mod progress;
mod prompt;
mod provider;
mod put_back;
mod session;
mod step;
pub mod summary;
mod together;
mod turn;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use baton_engine::state::Turn;
use baton_engine::word::{AgentName, CheckpointName, TaskId, TreeHash, TurnId, WorkflowName};
use baton_handoff::project::Project;
use baton_store::log::Log;

use crate::agent::Sign;
use crate::desk::merge::Together;
use crate::desk::receipt::Ran;
use crate::desk::refused::Taken;
use crate::desk::stuck::Stuck;
use crate::desk::{Desk, DeskError};
use crate::scratch::Scratch;
use crate::supervise::Stopper;
use crate::supervise::stop::Stop;
use crate::workspace::TARGET_DEFAULT;
pub(crate) use alone::{alone, is_going_on};
pub use prompt::{HandIn, IN_FILE, IN_LAST_MESSAGE, TASK_FILE, WITH_TOOL, handoff_form, plan_form};

use budget::RunBudget;
use check::Checked;
use crew::Crew;
use progress::{Progress, What};
use provider::Providers;
use summary::{Standing, Summary};
use together::Joint;
use turn::TurnDone;

/// Most tasks that are worked on side by side.
pub const JOBS_MAX: usize = 32;
/// How often it is looked whether somebody else appended something: an answer, a cancellation.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long tasks may be passed over because others moved: one may wait for another, or for what that one had set aside.
const WHOLE_EVERY: Duration = Duration::from_secs(1);
/// How often the files are written that people read.
const FILES_EVERY: Duration = Duration::from_secs(1);
/// More new events than this are not looked at one by one: all tasks are.
const NEW_EVENTS_MAX: usize = 1000;
/// What comes within this time after the files of a task were measured is the same moment, unless something of ours was
/// started there since. Whoever else writes there is seen by the next measure.
const SAME_MOMENT: Duration = Duration::from_secs(3);
/// What a run is asked to do.
#[derive(Debug)]
pub struct Request {
    /// All tasks that have not ended, when empty.
    pub tasks: Vec<TaskId>,
    pub crew: Crew,
    pub jobs: usize,
    /// Every task gets one turn at most.
    pub is_once: bool,
    /// The words and rules of the project, by which handoffs are read.
    pub project: Project,
    pub stop: Stop,
    /// The hashes of the settings of agents that a person trusts here.
    pub settings: Vec<String>,
    /// Milliseconds since 1970.
    pub clock: fn() -> i64,
}

/// A run, while it goes on.
struct Drive<'a> {
    desk: Desk,
    request: Request,
    tell: &'a mut dyn FnMut(Progress),
    post: Sender<Letter>,
    tasks: BTreeSet<TaskId>,
    /// What runs for which task.
    active: BTreeMap<TaskId, Active>,
    providers: Providers,
    /// Tasks that nothing more is done for in this run.
    set_aside: BTreeSet<TaskId>,
    /// What keeps tasks from going on that only a person can change.
    stuck: BTreeMap<TaskId, Stuck>,
    /// How many turns were begun for a task.
    begun: BTreeMap<TaskId, usize>,
    /// Tasks of which it was told that they have ended.
    ended: BTreeSet<TaskId>,
    asked: BTreeSet<(TaskId, String)>,
    budget: RunBudget,
    /// What the files of a task looked like when something that worked on them had just ended.
    measured: BTreeMap<TaskId, Measured>,
    /// What the files looked like before a turn.
    snapshots: BTreeMap<(TaskId, TurnId), TreeHash>,
    /// How checks went on the files of a task before anybody worked on it.
    before: BTreeMap<TaskId, BTreeMap<CheckpointName, Ran>>,
    /// Accepted work that passed with what would be there, and waits to be merged.
    together: BTreeMap<TaskId, Together>,
    /// How many tests checks ran, by the files they ran on: what one task leaves is what the next begins with.
    tests_counted: BTreeMap<(TreeHash, CheckpointName), u64>,
    /// Tasks that had ended when they were looked at; an end is for ever.
    over: BTreeSet<TaskId>,
    /// Tasks for which there was no room when something could have been started.
    waiting: BTreeSet<TaskId>,
    /// Tasks whose thread has come to its end.
    woken: BTreeSet<TaskId>,
    /// When the files that people read were last brought up to date, and up to which event.
    brought: Option<(Instant, u64)>,
    is_told_of_files: bool,
    /// Something came to the target branch.
    has_merged: bool,
    begun_at: Instant,
}

/// Which tasks have to be looked at.
enum Due {
    All,
    /// Those in whose streams something is new.
    Streams(BTreeSet<String>),
}

impl Due {
    fn has(&self, id: &TaskId) -> bool {
        match self {
            Self::All => true,
            Self::Streams(streams) => streams.contains(id.as_str()),
        }
    }
}

/// What the files of a task looked like at a moment.
#[derive(Debug)]
struct Measured {
    at: Instant,
    tree: TreeHash,
}

/// A thread that works for a task.
#[derive(Debug)]
struct Active {
    /// The turn that is being taken; nothing while checks run.
    turn: Option<Turn>,
    stopper: Option<Stopper>,
    is_stopping: bool,
    /// It checks what the target branch would become.
    joins: bool,
    /// Files that are needed until it is over.
    scratch: Option<Scratch>,
    refused: Taken,
}

/// What comes from a thread.
#[derive(Debug)]
enum Letter {
    Started(TaskId, Stopper),
    Sign(TaskId, Sign),
    /// What a turn has cost so far.
    Spent(TaskId, u64),
    Turn(TaskId, Box<TurnDone>),
    Checked(TaskId, Checked),
    Joined(TaskId, Box<Joint>),
    /// The thread itself failed.
    Lost(TaskId),
}

/// Takes tasks through their workflow until all have ended or wait for a person.
pub fn run(desk: Desk, request: Request, tell: &mut dyn FnMut(Progress)) -> Result<Summary, DeskError> {
    let _alone = alone(&desk)?;
    budget::can_enforce(desk.run_rules().demand)?;
    #[cfg(target_os = "linux")]
    crate::supervise::orphan::end_orphans();
    let _rest = crate::supervise::resting::rest();
    let (post, letters) = channel();
    let mut drive = Drive {
        desk,
        request,
        tell,
        post,
        tasks: BTreeSet::new(),
        active: BTreeMap::new(),
        providers: Providers::default(),
        set_aside: BTreeSet::new(),
        stuck: BTreeMap::new(),
        begun: BTreeMap::new(),
        ended: BTreeSet::new(),
        asked: BTreeSet::new(),
        budget: RunBudget::default(),
        measured: BTreeMap::new(),
        snapshots: BTreeMap::new(),
        before: BTreeMap::new(),
        together: BTreeMap::new(),
        tests_counted: BTreeMap::new(),
        over: BTreeSet::new(),
        waiting: BTreeSet::new(),
        woken: BTreeSet::new(),
        brought: None,
        is_told_of_files: false,
        has_merged: false,
        begun_at: Instant::now(),
    };
    drive.desk.share_memory(drive.request.jobs.clamp(1, JOBS_MAX));
    drive.desk.let_files_wait();
    drive.look_at_clock();
    drive.desk.guide()?;
    drive.gather_tasks()?;
    drive.tell_of_empty_seats()?;
    drive.end_lost_turns()?;
    drive.open_budget()?;
    let went = drive.go(&letters);
    let brought = drive.bring_files(Duration::ZERO);
    went.and(brought).and_then(|()| drive.summary())
}

impl Drive<'_> {
    /// Every time is that of this moment: a run may take hours.
    fn look_at_clock(&mut self) {
        self.desk.set_time((self.request.clock)());
    }

    /// Brings the tasks of this run up to date: those that were named, or all that have not ended when it began, and what
    /// was added since.
    fn gather_tasks(&mut self) -> Result<(), DeskError> {
        if !self.request.tasks.is_empty() {
            for id in self.request.tasks.clone() {
                // An end that was there before is no news.
                if self.desk.task(&id)?.end.is_some() && !self.tasks.contains(&id) {
                    self.ended.insert(id.clone());
                }
                self.tasks.insert(id);
            }
            return Ok(());
        }
        for line in self.desk.board()? {
            let id = TaskId::new(line.task.as_str())?;
            if self.tasks.contains(&id) || self.over.contains(&id) {
                continue;
            }
            match self.desk.task(&id)?.end {
                None => self.tasks.insert(id),
                Some(_) => self.over.insert(id),
            };
        }
        Ok(())
    }

    /// Says at once whose turns nobody will take: otherwise a task would end in the middle without a word.
    fn tell_of_empty_seats(&mut self) -> Result<(), DeskError> {
        let mut told = BTreeSet::new();
        for id in &self.tasks.clone() {
            let task = self.desk.task(id)?;
            for agent in crew::agents_of(&task.workflow) {
                let seat = (task.workflow.name.clone(), agent.clone());
                if task.end.is_none() && self.request.crew.hand(agent).is_none() && told.insert(seat) {
                    let words = empty_seat(agent, &task.workflow.name);
                    self.asked.insert((id.clone(), words.clone()));
                    self.say(Progress::new(id, What::Trouble, words));
                }
            }
        }
        Ok(())
    }

    fn go(&mut self, letters: &Receiver<Letter>) -> Result<(), DeskError> {
        let mut seen = None;
        let mut passed_over: Option<Instant> = None;
        let mut is_last = false;
        loop {
            self.look_at_clock();
            let head = self.desk.log().head()?.sequence;
            let is_late = passed_over.is_some_and(|since| since.elapsed() >= WHOLE_EVERY);
            let due = match seen {
                Some(seen) if !self.has_rested() && !is_late && !is_last => self.changed_since(seen, head)?,
                Some(_) | None => Due::All,
            };
            let mut moved = seen != Some(head);
            seen = Some(head);
            moved |= self.advance_all(&due)?;
            passed_over = match due {
                Due::All => None,
                Due::Streams(_) => passed_over.or_else(|| moved.then(Instant::now)),
            };
            self.stop_if_urgent();
            if self.is_over(moved) {
                if matches!(due, Due::All) {
                    return Ok(());
                }
                is_last = true;
                continue;
            }
            is_last = false;
            self.bring_files(FILES_EVERY)?;
            self.take_refusals()?;
            match letters.recv_timeout(LOOK_EVERY) {
                Ok(letter) => {
                    self.look_at_clock();
                    self.open(letter)?;
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
    }

    /// Records what was refused to the agents that work now, also where their sandbox keeps the log from them.
    fn take_refusals(&mut self) -> Result<(), DeskError> {
        for (id, active) in &mut self.active {
            if let (Some(turn), Some(scratch)) = (&active.turn, &active.scratch) {
                let folder = turn::refused(scratch.path());
                self.desk.take_refusals(&folder, (id, turn), (&mut active.refused, false))?;
            }
        }
        Ok(())
    }

    /// Takes off the list what worked for a task, with what was refused to it; returns its turn.
    fn end_active(&mut self, id: &TaskId) -> Result<Option<Turn>, DeskError> {
        let Some(mut active) = self.active.remove(id) else { return Ok(None) };
        if let (Some(turn), Some(scratch)) = (&active.turn, &active.scratch) {
            let folder = turn::refused(scratch.path());
            self.desk.take_refusals(&folder, (id, turn), (&mut active.refused, true))?;
        }
        Ok(active.turn)
    }

    /// Brings the files that people read up to date, unless that was done within this time. What cannot be written stops
    /// nothing: the record has it.
    fn bring_files(&mut self, every: Duration) -> Result<(), DeskError> {
        let head = self.desk.log().head()?.sequence;
        if self.brought.is_some_and(|(at, upto)| upto == head || at.elapsed() < every) {
            return Ok(());
        }
        self.brought = Some((Instant::now(), head));
        if let Err(error) = self.desk.bring_files()
            && !self.is_told_of_files
            && let Some(task) = self.tasks.first().cloned()
        {
            self.is_told_of_files = true;
            self.say(Progress::new(&task, What::Trouble, error.to_string()));
        }
        Ok(())
    }

    /// Does all that can be done now for the tasks that are due, for those whose thread has ended, and for those that wait for
    /// room where there is some. Says whether anything was done.
    fn advance_all(&mut self, due: &Due) -> Result<bool, DeskError> {
        if matches!(due, Due::All) {
            self.gather_tasks()?;
        }
        let mut moved = false;
        for id in &self.tasks.clone() {
            let is_woken = self.woken.remove(id);
            if due.has(id) || is_woken || self.has_free_hands() && self.waiting.contains(id) {
                moved |= self.advance(id)?;
            }
        }
        Ok(moved)
    }

    /// Says which tasks have to be looked at because of what is new in the log.
    fn changed_since(&self, seen: u64, head: u64) -> Result<Due, DeskError> {
        if seen == head {
            return Ok(Due::Streams(BTreeSet::new()));
        }
        let events = self.desk.log().read_all(seen, NEW_EVENTS_MAX)?;
        let is_whole = events.last().is_some_and(|last| last.sequence >= head);
        let streams: BTreeSet<String> = events.into_iter().map(|event| event.stream).collect();
        // What is said of the whole project, and a task that is new, concern all.
        let is_known =
            |stream: &String| TaskId::new(stream.as_str()).is_ok_and(|id| self.tasks.contains(&id));
        match is_whole && streams.iter().all(is_known) {
            true => Ok(Due::Streams(streams)),
            false => Ok(Due::All),
        }
    }

    fn has_free_hands(&self) -> bool {
        self.active.len() < self.request.jobs.clamp(1, JOBS_MAX)
    }

    /// Nothing runs, nothing rests, and looking at everything again changed nothing.
    fn is_over(&self, moved: bool) -> bool {
        let rests = !self.providers.has_resting() || self.request.stop.is_asked();
        self.active.is_empty() && rests && !moved
    }

    /// Somebody asked twice: what runs is ended.
    fn stop_if_urgent(&mut self) {
        if self.request.stop.is_urgent() {
            for active in self.active.values_mut() {
                active.stop();
            }
        }
    }

    /// Notes what the files of a task look like now that nothing works on them.
    fn note_measured(&mut self, id: &TaskId, at: Instant, tree: &TreeHash) {
        self.measured.insert(id.clone(), Measured { at, tree: tree.clone() });
    }

    /// Saves the files of a task, unless that was done this very moment; returns what they look like.
    fn keep(&self, id: &TaskId) -> Result<TreeHash, DeskError> {
        let own = self.desk.workspaces()?.prepare(id)?;
        match self.seen_now(id) {
            Some(tree) if own.is_kept(tree)? => Ok(tree.clone()),
            Some(_) | None => Ok(own.keep()?),
        }
    }

    /// Returns what the files of a task look like, if they were looked at this very moment.
    fn seen_now(&self, id: &TaskId) -> Option<&TreeHash> {
        let seen = self.measured.get(id).filter(|measured| measured.at.elapsed() < SAME_MOMENT);
        seen.map(|measured| &measured.tree)
    }

    fn summary(&self) -> Result<Summary, DeskError> {
        let mut standings = Vec::new();
        for id in &self.tasks {
            let before = self.budget.spent_before.get(id).copied().unwrap_or_default();
            let standing = Standing::of(&self.desk, (self.desk.task(id)?, before), self.stuck.get(id))?;
            standings.push(standing);
        }
        Ok(Summary {
            tasks: standings,
            was_stopped: self.request.stop.is_asked(),
            exhausted: self.budget.exhausted,
            is_paused: self.desk.paused()?.is_some(),
            branch: self.has_merged.then_some(TARGET_DEFAULT),
            duration: self.begun_at.elapsed(),
        })
    }

    fn say(&mut self, progress: Progress) {
        let is_open = progress.stage.is_none() && progress.what.is_of_stage();
        let task = is_open.then(|| self.desk.task(&progress.task).ok()).flatten();
        (self.tell)(match task {
            Some(task) => progress.at(&task),
            None => progress,
        });
    }
}

/// Says whom nobody stands in for, and what to do about it.
fn empty_seat(agent: &AgentName, workflow: &WorkflowName) -> String {
    format!(
        "nobody takes the turns of @{agent} in the workflow `{workflow}`; add `[agents.{agent}]` or `[agents.default]` to \
         `baton.toml`, or run with `--agent`"
    )
}

impl Active {
    fn stop(&mut self) {
        self.is_stopping = true;
        if let Some(stopper) = &self.stopper {
            stopper.stop();
        }
    }
}
