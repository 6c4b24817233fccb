//! What is owed for a task is done, one effect after the other, until nothing more can be done now.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use baton_engine::fact::{Disposition, Ending, Performer, SessionMode};
use baton_engine::pending::Effect;
use baton_engine::state::{Task, Turn};
use baton_engine::word::{AgentName, TaskId, TreeHash, TurnId};
use baton_engine::workflow::{GateWeight, Role};
use serde_json::json;

use super::crew::Hand;
use super::over::Allowed;
use super::progress::{Progress, What, one_line};
use super::prompt::{self, Brief};
use super::session::{Sessions, session_of};
use super::turn::{self, DeskPlace, Sound, TurnDone, TurnOrder};
use super::{Active, Drive, Letter, outcome};
use crate::agent::Access;
use crate::agent_settings::AgentSettings;
use crate::desk::context::Given;
use crate::desk::handover::Trees;
use crate::desk::look::asserted_not_shown;
use crate::desk::program::{Over, Told, Words};
use crate::desk::refused::Taken;
use crate::desk::stuck::Stuck;
use crate::desk::why::of_waiting;
use crate::desk::{DeskError, tell};
use crate::sandbox::Demand;
use crate::scratch::Scratch;
use crate::workspace::{Rule, Workspace};

/// Most effects of one task that are done before others are looked at.
const STEPS_MAX: usize = 64;
/// Most that is told of settings that nobody trusts.
const SETTINGS_TOLD_MAX: usize = 5;
/// A turn that began late has this much time at least.
const DEADLINE_MIN: Duration = Duration::from_secs(1);

/// Whether a turn is told for the first time what it is told.
#[derive(Clone, Copy, Debug)]
pub(super) enum Recorded {
    First,
    Anew,
    /// After its plan was taken.
    Planned,
}

impl Drive<'_> {
    /// Does all that can be done for a task now, and says whether anything was. What stops one task stops no other.
    pub(super) fn advance(&mut self, id: &TaskId) -> Result<bool, DeskError> {
        let mut moved = false;
        self.waiting.remove(id);
        for _ in 0..STEPS_MAX {
            if self.set_aside.contains(id) {
                break;
            }
            match self.step(id) {
                Ok(true) => moved = true,
                Ok(false) => break,
                // Somebody else was faster; what is owed now is looked up again.
                Err(DeskError::Refused(_)) if !moved => break,
                Err(DeskError::Refused(_)) => {}
                Err(error) => {
                    self.set_aside(id, error)?;
                    break;
                }
            }
        }
        Ok(moved)
    }

    /// Nothing more is done for a task in this run: what stops it stops no other. Where the log itself fails, all stops.
    pub(super) fn set_aside(&mut self, id: &TaskId, error: DeskError) -> Result<(), DeskError> {
        match error {
            DeskError::Store(_) | DeskError::Busy => Err(error),
            error => {
                let stuck = Stuck::by(&error, id);
                self.set_aside.insert(id.clone());
                self.say(Progress::new(id, What::Trouble, format!("{}; {}", stuck.what, stuck.next)));
                self.stuck.insert(id.clone(), stuck);
                Ok(())
            }
        }
    }

    fn step(&mut self, id: &TaskId) -> Result<bool, DeskError> {
        let Some((task, owed)) = self.desk.owed(id)? else { return Ok(false) };
        if task.end.is_some() {
            return Ok(self.finish(&task));
        }
        if let Some(active) = self.active.get_mut(id) {
            if owed.iter().any(|effect| matches!(effect, Effect::StopAgent { .. })) && !active.is_stopping {
                active.stop();
            }
            return Ok(false);
        }
        for effect in owed {
            if self.perform(&task, effect)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Does one thing that is owed; says no when it cannot be done now, or is not ours to do.
    fn perform(&mut self, task: &Task, effect: Effect) -> Result<bool, DeskError> {
        let id = &task.id;
        if self.is_left_to_hand(task, &effect)? {
            return Ok(false);
        }
        let program = task.turn.as_ref().filter(|turn| turn.performer == Performer::Program).cloned();
        match (effect, program) {
            (Effect::GiveTurn { role, agent, session }, _) => self.give_turn(task, (role, agent), session),
            (Effect::TakeSnapshot { turn }, Some(_)) => self.take_snapshot(id, turn),
            (Effect::StartAgent { .. }, Some(turn)) => self.start_agent(id, &turn),
            (Effect::StopAgent { .. }, Some(turn)) => {
                let over = Over::of(Ending::Stopped, Some(0));
                self.end_turn(id, &turn, over, "it was cancelled before it began")?;
                Ok(true)
            }
            (Effect::Expire { .. }, Some(_)) => self.desk.expire(id).map(|()| true),
            (Effect::RunChecks { .. }, _) => self.start_checks(task),
            (Effect::SettleCost { turn }, _) => self.settle_cost(task, &turn),
            (Effect::Decide(_), _) => self.decide(task),
            (Effect::Merge { tree }, _) => self.merge(task, &tree),
            (Effect::RollBack, _) => self.roll_back(task),
            (Effect::AskPerson { for_what }, _) => {
                let asks = task.asks().map(one_line);
                self.ask(id, &for_what, asks.as_deref());
                Ok(false)
            }
            // The desk does these itself, or a person does.
            (
                Effect::TakeSnapshot { .. }
                | Effect::StartAgent { .. }
                | Effect::StopAgent { .. }
                | Effect::Expire { .. },
                None,
            )
            | (
                Effect::AskGate { .. }
                | Effect::AddChild { .. }
                | Effect::ReturnChild { .. }
                | Effect::Release { .. }
                | Effect::Notify { .. }
                | Effect::RecordDependency { .. },
                _,
            ) => Ok(false),
        }
    }

    /// Tells once that a person is needed.
    pub(super) fn ask(&mut self, id: &TaskId, for_what: &str, asks: Option<&str>) {
        if self.asked.insert((id.clone(), for_what.to_owned())) {
            let more = asks.map(|asks| format!(": {asks}")).unwrap_or_default();
            let words = format!("waits for a person: {for_what}{more}");
            let findings = self.desk.task(id).map(|task| of_waiting(&task)).unwrap_or_default();
            self.say(
                Progress::new(id, What::Asks, words).with(json!({ "asks": asks, "findings": findings })),
            );
        }
    }

    /// Tells once what the gates of a stage inform of.
    fn inform(&mut self, task: &Task) {
        for (name, gate) in task.gates.iter().filter(|(_, gate)| gate.weight == GateWeight::Informing) {
            let words = tell::informs(name, &gate.items);
            if self.asked.insert((task.id.clone(), words.clone())) {
                let data = json!({ "gate": name.as_str(), "items": gate.items });
                self.say(Progress::new(&task.id, What::Informs, one_line(&words)).with(data));
            }
        }
    }

    /// Says whether another thread may be started. Where it may not, the task is looked at again when one has ended.
    pub(super) fn has_room(&mut self, id: &TaskId) -> bool {
        if !self.has_free_hands() {
            self.waiting.insert(id.clone());
            return false;
        }
        !self.request.stop.is_asked()
    }

    fn give_turn(
        &mut self,
        task: &Task,
        (role, agent): (Role, AgentName),
        session: SessionMode,
    ) -> Result<bool, DeskError> {
        // Before it is known who takes it: a person may, and finds the same files.
        self.finish_renewal(task)?;
        self.bring_results(task)?;
        let hand = self.request.crew.hand(&agent);
        let driver = hand.map_or("", |hand| hand.agent.driver.name);
        let is_resting = hand.is_some_and(|hand| self.providers.is_resting(hand));
        if let Some(stuck) = self.not_given(task, (role, &agent))? {
            self.ask(&task.id, &stuck.what, None);
            self.stuck.insert(task.id.clone(), stuck);
            return Ok(false);
        }
        let begun = self.begun.get(&task.id).copied().unwrap_or(0);
        if !self.has_room(&task.id) || is_resting || self.request.is_once && begun > 0 {
            return Ok(false);
        }
        if !self.affords_turn(task, role)? {
            return Ok(false);
        }
        // Nobody gets a turn where there is nothing to work in, or where what is there cannot be saved.
        let workspaces = self.desk.workspaces()?;
        if task.turns_count == 0 {
            workspaces.make_anew(&task.id)?;
        }
        workspaces.leave_turn(&task.id, None)?;
        let at = Instant::now();
        let tree = self.keep(&task.id)?;
        self.note_measured(&task.id, at, &tree);
        let session = session_of(task, &agent, (role, session))?;
        let known = Sessions::open(self.desk.folder(), &task.id).resumable(&session, driver);
        let given = match known.is_some() && task.run.feedback.is_some() && role != Role::Verifier {
            true => Given::News,
            false => Given::Whole,
        };
        self.desk.give_turn(task, (role, agent), (session, given))?;
        self.stuck.remove(&task.id);
        *self.begun.entry(task.id.clone()).or_default() += 1;
        Ok(true)
    }

    fn take_snapshot(&mut self, id: &TaskId, turn: TurnId) -> Result<bool, DeskError> {
        let tree = self.keep(id)?;
        self.desk.record_snapshot(id, turn.clone(), tree.clone())?;
        self.snapshots.insert((id.clone(), turn), tree);
        Ok(true)
    }

    /// Claims the launch, and only then starts the process.
    fn start_agent(&mut self, id: &TaskId, turn: &Turn) -> Result<bool, DeskError> {
        if !self.has_room(id) {
            return Ok(false);
        }
        let Some(hand) = self.request.crew.hand(&turn.agent).cloned() else { return Ok(false) };
        if self.providers.is_resting(&hand) {
            return Ok(false);
        }
        self.desk.claim_launch(id, turn, Some(hand.described()))?;
        if !self.desk.acknowledge_for(id, turn)? {
            return Ok(true);
        }
        self.start(id, turn, (&hand, Recorded::First))?;
        Ok(true)
    }

    /// Starts the process of a turn whose launch is claimed, and keeps what it is told.
    pub(super) fn start(
        &mut self,
        id: &TaskId,
        turn: &Turn,
        (hand, recorded): (&Hand, Recorded),
    ) -> Result<(), DeskError> {
        let scratch = Scratch::new().map_err(|error| DeskError::Io(self.desk.folder().to_owned(), error))?;
        let order = self.order(id, turn, hand, scratch.path())?;
        if let Some(words) = self.untrusted(id, &order.order.folder)? {
            let spent = Sessions::open(self.desk.folder(), id).of_plan(&turn.id).tokens.unwrap_or(0);
            return self.desk.escalate_charged(id, turn, &words, spent);
        }
        let is_anew = matches!(recorded, Recorded::Anew);
        self.desk.record_prompt(id, turn, Words { text: &order.order.prompt, is_anew })?;
        let driver = hand.agent.driver.name;
        let task = self.desk.task(id)?;
        // A turn that was lost to others, or brought nothing new, has used up no attempt.
        let is_again = matches!(task.history.as_slice(), [.., last, this]
            if (last.role, &last.stage, last.attempt) == (this.role, &this.stage, this.attempt));
        let words = format!(
            "{} @{} ({}, {driver}), attempt {}{}",
            turn.id,
            turn.agent,
            turn.role.name(),
            turn.attempt,
            if is_again { " again" } else { "" }
        );
        let data = json!({
            "turn": turn.id.as_str(),
            "agent": turn.agent.as_str(),
            "role": turn.role.name(),
            "driver": driver,
            "attempt": turn.attempt.0,
            "task_spent_tokens": task.budget.spent_tokens,
        });
        if let Recorded::First = recorded {
            self.say(Progress::new(id, What::TurnStarted, words).with(data));
        }
        self.begin(id, (Some(turn.clone()), Some(scratch)), move |id, post| {
            let tell = |sound: Sound| {
                let letter = match sound {
                    Sound::Started(stopper) => Letter::Started(id.clone(), stopper),
                    Sound::Sign(sign) => Letter::Sign(id.clone(), sign),
                    Sound::Spent(tokens) => Letter::Spent(id.clone(), tokens),
                };
                let _ = post.send(letter);
            };
            Letter::Turn(id.clone(), Box::new(take(&order, &tell)))
        });
        Ok(())
    }

    /// Says what an agent would obey where it is to be started, though nobody trusts it: somebody may have written it there
    /// since.
    fn untrusted(&self, id: &TaskId, folder: &Path) -> Result<Option<String>, DeskError> {
        let work = self.desk.work_root(id)?;
        let found = AgentSettings::of_folder(folder);
        let found = found.map_err(|error| DeskError::Io(folder.to_owned(), error))?;
        Ok((!found.is_trusted(&self.request.settings)).then(|| {
            let told = found.files.iter().flat_map(|file| {
                file.told().into_iter().map(|told| format!("{} {told}", file.path))
            });
            let told: Vec<String> = told.take(SETTINGS_TOLD_MAX).collect();
            format!(
                "the next agent would obey what nobody trusts: {}; take it out of {}, or take the work back; what you want of \
                 it, commit yourself and run `baton trust`",
                told.join("; "),
                work.display()
            )
        }))
    }

    /// Returns everything that a turn needs. A verifier gets a copy and may change nothing.
    fn order(&self, id: &TaskId, turn: &Turn, hand: &Hand, scratch: &Path) -> Result<Ordered, DeskError> {
        let own = self.desk.workspaces()?.prepare(id)?;
        let received = self.desk.received(id)?;
        let sessions = Sessions::open(self.desk.folder(), id);
        let session = sessions.resumable(&turn.session, hand.agent.driver.name);
        let (mut folder, mut copy) = (own.root().to_owned(), None);
        if turn.role == Role::Verifier {
            let tree = received.task.tree.clone().ok_or(baton_engine::rejection::Refusal::NotNow)?;
            let copies = self.desk.folder().join("copies");
            std::fs::create_dir_all(&copies).map_err(|error| DeskError::Io(copies.clone(), error))?;
            let made = Scratch::within(&copies).map_err(|error| DeskError::Io(copies.clone(), error))?;
            own.clean_copy(&tree, made.path())?;
            folder = made.path().to_owned();
            copy = Some((made, tree));
        }
        // A plan comes before the first write.
        let plans = received.task.owes_plan();
        let access = if copy.is_some() || plans { Access::ReadOnly } else { Access::Write };
        let is_resumed = session.is_some();
        let diff_file =
            copy.as_ref().and_then(|_| prompt::diff_file(&self.desk, &received.task, scratch).transpose());
        let diff_file = diff_file.transpose()?;
        let brief = Brief { received: &received, is_resumed, diff_file: diff_file.as_deref() };
        let whole = Brief { is_resumed: false, ..brief };
        let left = u64::try_from(turn.expires_at.saturating_sub((self.request.clock)())).unwrap_or(0);
        let (left, cut) = (Duration::from_millis(left), self.left_of_run());
        let deadline = cut.map_or(left, |cut| cut.min(left)).max(DEADLINE_MIN);
        let scratch = scratch.to_owned();
        let (prompt, whole_prompt) = (prompt::brief(&brief), prompt::brief(&whole));
        let desk = DeskPlace {
            pass: self.desk.pass(id, turn),
            project: self.desk.root().to_owned(),
            store: self.desk.folder().to_owned(),
            repository: self.desk.workspaces()?.repository().to_owned(),
        };
        let hand = hand.clone();
        let demand = if plans { Demand::WhereAvailable } else { self.desk.run_rules().demand };
        let reserved_tokens = received.task.budget.reserved_for(turn.id.as_str());
        let reserved_tokens = reserved_tokens.saturating_sub(sessions.of_plan(&turn.id).tokens.unwrap_or(0));
        let limits = received.task.limits_for(turn.role).unwrap_or_default();
        let memory = self.desk.run_rules().memory_bytes_max;
        let allowed = Allowed::new(reserved_tokens, &limits).with_memory(memory).within_run(left, cut);
        let order = TurnOrder {
            hand,
            prompt,
            whole_prompt,
            session,
            folder,
            access,
            plans,
            demand,
            deadline,
            allowed,
            scratch,
            desk,
        };
        Ok(Ordered { order, copy })
    }

    /// A turn whose cost nobody knows has cost all that was set aside for it, unless its program never counts.
    pub(super) fn settle_cost(&mut self, task: &Task, turn: &TurnId) -> Result<bool, DeskError> {
        let known = Sessions::open(self.desk.folder(), &task.id).spent(turn);
        let tokens = known.tokens.unwrap_or_else(|| task.unknown_cost(turn));
        let told = Told { cost_microdollars: known.microdollars, ..Told::default() };
        self.desk.spend(&task.id, turn, tokens, told)?;
        Ok(true)
    }

    fn decide(&mut self, task: &Task) -> Result<bool, DeskError> {
        self.inform(task);
        let seen = self.seen_now(&task.id).cloned();
        let decided = self.desk.decide_on(&task.id, seen)?;
        let mut words = format!("{}: {}", decided.disposition.name(), decided.reason.name());
        let not_shown = match decided.disposition {
            Disposition::Accept => None,
            Disposition::Rework | Disposition::Escalate | Disposition::Rollback => {
                asserted_not_shown(task, (self.request.clock)())
            }
        };
        let seen = || decided.feedback.as_deref().and_then(|text| outcome::seen(decided.reason, text));
        words.extend(not_shown.clone().or_else(seen).map(|seen| format!(": {seen}")));
        let data = json!({
            "disposition": decided.disposition.name(),
            "reason": decided.reason.name(),
            "feedback": decided.feedback,
            "not_shown": not_shown,
        });
        self.say(Progress::new(&task.id, What::Decided, words).at(task).with(data));
        if decided.reason == baton_engine::fact::Reason::ProviderFault {
            self.rest(task);
        }
        Ok(true)
    }

    /// Starts a thread for a task. Whatever becomes of it, a letter comes.
    pub(super) fn begin(
        &mut self,
        id: &TaskId,
        (turn, scratch): (Option<Turn>, Option<Scratch>),
        work: impl FnOnce(&TaskId, &std::sync::mpsc::Sender<Letter>) -> Letter + Send + 'static,
    ) {
        let (post, own) = (self.post.clone(), id.clone());
        // Checks have a room of their own, so that the files stay as they were measured.
        if turn.is_some() {
            self.measured.remove(id);
        }
        self.active.insert(
            id.clone(),
            Active {
                turn,
                stopper: None,
                is_stopping: false,
                joins: false,
                scratch,
                refused: Taken::default(),
            },
        );
        let started = thread::Builder::new().spawn({
            let (post, own) = (post.clone(), own.clone());
            move || {
                let letter = catch_unwind(AssertUnwindSafe(|| work(&own, &post)));
                let _ = post.send(letter.unwrap_or(Letter::Lost(own)));
            }
        });
        if started.is_err() {
            let _ = post.send(Letter::Lost(own));
        }
    }
}

/// A turn that was ordered, and the copy that a verifier reads.
#[derive(Debug)]
struct Ordered {
    order: TurnOrder,
    copy: Option<(Scratch, TreeHash)>,
}

fn take(ordered: &Ordered, tell: &dyn Fn(Sound)) -> TurnDone {
    let Some((folder, tree)) = &ordered.copy else { return turn::take(&ordered.order, tell) };
    let copy = Workspace::new(folder.path().to_owned(), Vec::new(), Rule::Everything);
    let (before, seen) = (copy.measure().ok(), copy.seen().ok());
    let done = turn::take(&ordered.order, tell);
    let (after, seen_after) = (copy.measure().ok(), copy.seen().ok());
    // Where nothing kept it from writing, the times of the files tell that it wrote, whatever it put back.
    let put_back = seen.is_none() || seen != seen_after;
    match (before, after) {
        // The copy is that tree, file by file, so what is unchanged in every file is still that tree.
        (Some(before), Some(after)) if before == after => {
            done.with_trees(Trees { put_back, ..Trees::around(tree.clone(), tree.clone()) })
        }
        (_, Some(after)) => done.with_trees(Trees::around(tree.clone(), after)),
        (_, None) => done,
    }
}
