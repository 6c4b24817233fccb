//! What comes back from a thread becomes a record: a handoff, a report, a receipt, or how a turn ended without any.

use std::time::{Duration, Instant};

use baton_engine::fact::{CheckResult, ConfinedBy, Danger, Ending, Reason};
use baton_engine::feedback::{PERSON_SAYS, SEEN};
use baton_engine::state::{Task, Turn};
use baton_engine::verdict::Verdict;
use baton_engine::word::{TaskId, TreeHash, TurnId};
use baton_engine::workflow::Role;
use serde_json::{Value, json};

use super::check::Checked;
use super::cost;
use super::lost::Lost;
use super::progress::{Progress, What};
use super::session::{Cost, Sessions};
use super::step::Recorded;
use super::turn::TurnDone;
use super::{Drive, Letter};
use crate::agent::Sign;
use crate::desk::DeskError;
use crate::desk::handover::{Brought, Trees};
use crate::desk::program::{NotTaken, Over, Told, Words};
use crate::desk::receipt::{Ran, Seen, were_seen};
use crate::desk::why::unsupported;
use crate::workspace::{FileChange, TaskWorkspace};
use baton_evidence::tool_output;

/// Longest last line of a program that is told.
pub(super) const LAST_LINE_CHARS_MAX: usize = 200;

impl Drive<'_> {
    pub(super) fn open(&mut self, letter: Letter) -> Result<(), DeskError> {
        match letter {
            Letter::Started(id, stopper) => {
                if let Some(active) = self.active.get_mut(&id) {
                    active.stopper = Some(stopper);
                    if active.is_stopping {
                        active.stop();
                    }
                }
                Ok(())
            }
            Letter::Sign(id, sign) => {
                let words = match sign {
                    Sign::Session(_) => return Ok(()),
                    Sign::Says(words) | Sign::Does(words) | Sign::Refused(words) => words,
                };
                self.say(Progress::new(&id, What::Doing, words));
                Ok(())
            }
            Letter::Spent(id, tokens) => {
                let data = json!({ "spent_tokens": tokens });
                self.say(Progress::new(&id, What::Counted, format!("{tokens} tokens so far")).with(data));
                Ok(())
            }
            Letter::Turn(id, done) => {
                self.woken.insert(id.clone());
                let turn = self.end_active(&id)?;
                let noted = match turn {
                    Some(turn) if done.has_lost_session => self.begin_anew(&id, &turn, &done),
                    Some(turn) => self.turn_done(&id, &turn, &done),
                    None => Ok(()),
                };
                noted.or_else(|error| self.set_aside(&id, error))
            }
            Letter::Checked(id, checked) => {
                self.woken.insert(id.clone());
                self.active.remove(&id);
                self.checked(&id, checked).or_else(|error| self.set_aside(&id, error))
            }
            Letter::Joined(id, joint) => {
                self.woken.insert(id.clone());
                self.active.remove(&id);
                self.joined(&id, *joint).or_else(|error| self.set_aside(&id, error))
            }
            Letter::Lost(id) => {
                self.woken.insert(id.clone());
                let turn = self.end_active(&id)?;
                self.say(Progress::new(&id, What::Trouble, "the thread that worked for it failed"));
                self.set_aside.insert(id.clone());
                let words = "the thread that worked for it failed";
                let over = Over::of(Ending::Crash, None);
                turn.map_or(Ok(()), |turn| self.end_turn(&id, &turn, over, words))
            }
        }
    }

    /// The same turn in a new session, with everything said again: that an agent has forgotten is no failure of its work.
    fn begin_anew(&mut self, id: &TaskId, turn: &Turn, done: &TurnDone) -> Result<(), DeskError> {
        let is_live = self.desk.task(id)?.turn.is_some_and(|live| live.id == turn.id);
        let Some(hand) = self.request.crew.hand(&turn.agent).cloned().filter(|_| is_live) else {
            return self.turn_done(id, turn, done);
        };
        self.note(id, turn, done, None);
        Sessions::open(self.desk.folder(), id).forget(&turn.session);
        let words = format!("@{} does not know its session any more; {} begins anew", turn.agent, turn.id);
        self.say(Progress::new(id, What::Waits, words));
        self.start(id, turn, (&hand, Recorded::Anew))
    }

    fn turn_done(&mut self, id: &TaskId, turn: &Turn, done: &TurnDone) -> Result<(), DeskError> {
        let document = done.document();
        let cost = self.note(id, turn, done, document.as_ref().err());
        let spent = cost.tokens;
        let told = told(done, cost);
        self.tell_of_cost(id, turn, (spent, done.over))?;
        if self.desk.task(id)?.turn.is_none_or(|live| live.id != turn.id) {
            // The agent handed over by itself, or somebody ended the turn; what it says now comes late.
            let tokens = self.charged(id, turn, spent)?;
            self.desk.spend(id, &turn.id, tokens, told)?;
            return self.tell_of_work(id, turn, done, cost);
        }
        if let Some(told) = &done.told_anew {
            self.desk.record_prompt(id, turn, Words { text: told, is_anew: true })?;
        }
        let early = self.put_back(id, turn)?;
        let brought = document.map_err(Lost::by).and_then(|bytes| {
            Brought::read(&bytes, &self.request.project).map_err(|error| Lost::unread(&error))
        });
        let mut brought = match brought {
            Ok(brought) if brought.asked.is_some() => return self.asks(id, turn, done, (brought, cost)),
            Ok(brought) => brought.heard(&done.commands),
            Err(lost) => return self.without_handoff(id, turn, done, (lost, cost)),
        };
        if self.desk.is_delegation(id, turn, &brought)? {
            return self.delegates(id, turn, done, (&brought, cost));
        }
        if self.is_plan_due(id, turn, &brought)? {
            return self.planned(id, turn, done, (&brought, &early, cost));
        }
        let mut trees = self.trees(id, turn, done);
        if trees.is_err() {
            brought.blame(self.put_aside(id, turn));
            trees = self.trees(id, turn, done);
        }
        let trees = match trees {
            Ok(Some(trees)) => trees,
            Ok(None) => return self.without_handoff(id, turn, done, (Lost::by(Ending::Crash), cost)),
            // What cannot be measured cannot be handed over.
            Err(error) => {
                self.without_handoff(id, turn, done, (Lost::by(Ending::Crash), cost))?;
                return Err(error);
            }
        };
        if turn.role != Role::Verifier {
            brought.blame(self.misnamed(id));
        }
        match self.desk.submit_for(id, turn, brought, trees) {
            Ok(()) => {}
            Err(NotTaken::Failed(error)) => return Err(error),
            Err(NotTaken::Refused(why)) => {
                return self.without_handoff(id, turn, done, (Lost::refused(why), cost));
            }
        }
        let tokens = self.charged(id, turn, spent)?;
        self.desk.spend(id, &turn.id, tokens, told)?;
        self.tell_of_work(id, turn, done, cost)
    }

    /// A question in place of a handoff: the turn is over, and the task waits for the answer.
    fn asks(
        &mut self,
        id: &TaskId,
        turn: &Turn,
        done: &TurnDone,
        (brought, spent): (Brought, Cost),
    ) -> Result<(), DeskError> {
        let spent_tokens = Some(self.charged(id, turn, spent.tokens)?);
        let over = Over {
            ending: Ending::Asked,
            spent_tokens,
            how: Some(done.ended.how.code()),
            told: told(done, spent),
        };
        self.desk.ask_for(id, turn, brought, over)?;
        let words = format!("@{} asks a person ({})", turn.agent, took(done, spent));
        let data =
            json!({ "turn": turn.id.as_str(), "ending": Ending::Asked.name(), "spent_tokens": spent_tokens });
        self.say(Progress::new(id, What::TurnEnded, words).with(data));
        Ok(())
    }

    /// A package that gives part of the work to another agent: the turn is over, and the task waits for the result.
    fn delegates(
        &mut self,
        id: &TaskId,
        turn: &Turn,
        done: &TurnDone,
        (brought, spent): (&Brought, Cost),
    ) -> Result<(), DeskError> {
        let spent_tokens = Some(self.charged(id, turn, spent.tokens)?);
        let (ending, how) = (Ending::Delegated, Some(done.ended.how.code()));
        let over = Over { ending, spent_tokens, how, told: told(done, spent) };
        let child = match self.desk.delegate_for(id, turn, brought, over) {
            Ok(child) => child,
            Err(error) => match NotTaken::from(error) {
                NotTaken::Failed(error) => return Err(error),
                NotTaken::Refused(why) => {
                    return self.without_handoff(id, turn, done, (Lost::refused(why), spent));
                }
            },
        };
        let child = child.map(|child| child.to_string()).unwrap_or_default();
        let words = format!("@{} delegates {child} ({})", turn.agent, took(done, spent));
        let data = json!({
            "turn": turn.id.as_str(),
            "ending": ending.name(),
            "child": child,
            "spent_tokens": spent_tokens,
        });
        self.say(Progress::new(id, What::TurnEnded, words).with(data));
        Ok(())
    }

    fn tell_of_work(
        &mut self,
        id: &TaskId,
        turn: &Turn,
        done: &TurnDone,
        cost: Cost,
    ) -> Result<(), DeskError> {
        let task = self.desk.task(id)?;
        let (what, said) = match (turn.role, &task.run.report) {
            (Role::Verifier, Some(report)) => {
                let passed = report.criteria.iter().filter(|said| said.verdict == Verdict::Pass).count();
                (What::Reported, format!("reports {passed} of {} criteria as met", report.criteria.len()))
            }
            (Role::Verifier, None) => {
                let why = task.lost_verification().and_then(|lost| lost.why.as_deref()).unwrap_or_default();
                (What::Reported, format!("brought a report that counts for nothing: {why}"))
            }
            (Role::Builder | Role::Repair | Role::Specialist, _) => {
                let outcome = task.run.submission.as_ref().map_or("nothing", |work| work.outcome.name());
                (What::HandedOver, format!("hands over and claims {outcome}"))
            }
        };
        let words = format!("@{} {said} ({})", turn.agent, took(done, cost));
        let data = json!({
            "turn": turn.id.as_str(),
            "spent_tokens": cost.tokens,
            "usage": cost.usage.map(cost::shown),
            "duration_ms": millis(done.ended.duration),
            "confinement": done.label().word(),
        });
        self.say(Progress::new(id, what, words).with(data));
        Ok(())
    }

    /// Measures what a turn left. Nothing when the copy of a verifier can no longer be measured.
    fn trees(&mut self, id: &TaskId, turn: &Turn, done: &TurnDone) -> Result<Option<Trees>, DeskError> {
        if turn.role == Role::Verifier {
            let confined_by = Some(done.label().confined_by());
            return Ok(done.trees.clone().map(|trees| Trees { confined_by, ..trees }));
        }
        let at = Instant::now();
        let after = self.desk.keep(id)?;
        self.note_measured(id, at, &after);
        Ok(Some(Trees::around(after.clone(), after)))
    }

    fn checked(&mut self, id: &TaskId, checked: Checked) -> Result<(), DeskError> {
        let Checked { ran, tree, seen, before } = checked;
        if self.were_ended(id, &ran) {
            return Ok(());
        }
        self.before.entry(id.clone()).or_default().extend(before);
        were_seen(id, &ran)?;
        self.count_tests(&tree, &ran);
        let (mut words, checks) = shown(&ran);
        let Seen { violations, mut findings, danger, .. } = seen.clone();
        let asserted = self.desk.asserted(id, &ran)?;
        match self.desk.record_receipt(id, ran, (tree.clone(), tree), seen) {
            // The task went another way meanwhile: what is owed now is looked up again.
            Ok(()) | Err(DeskError::Refused(_)) => {}
            Err(error) => return Err(error),
        }
        let task = self.desk.task(id)?;
        findings.extend(task.run.receipt.iter().flat_map(unsupported));
        words.extend(violations.iter().chain(&findings).cloned());
        if !asserted.is_empty() {
            words.push(format!("asserted by the agent alone: {}", asserted.join(", ")));
        }
        let shown = if words.is_empty() { "nothing to check".to_owned() } else { words.join(", ") };
        let data = json!({
            "checks": checks,
            "violations": violations,
            "findings": findings,
            "asserted": asserted,
            "danger": danger.map(Danger::name),
        });
        self.say(Progress::new(id, What::Checked, shown).with(data));
        Ok(())
    }

    /// Tells of checks that somebody ended.
    pub(super) fn were_ended(&mut self, id: &TaskId, ran: &[Ran]) -> bool {
        let were_ended = ran.iter().any(|ran| ran.was_stopped);
        if were_ended {
            let words = "its checks were ended, so they settle nothing; the next run runs them again";
            self.say(Progress::new(id, What::Stopped, words));
        }
        were_ended
    }

    /// Returns what the stage at hand has changed so far.
    pub(super) fn changes(
        &self,
        task: &Task,
        own: &TaskWorkspace,
        to: &TreeHash,
    ) -> Result<Vec<FileChange>, DeskError> {
        let stage = task.stage().map(|stage| &stage.name);
        let first = task
            .history
            .iter()
            .find(|attempt| Some(&attempt.stage) == stage && attempt.role != Role::Verifier);
        let from = match (self.renewed(&task.id)?, first) {
            (Some(renewed), _) => Some(renewed),
            (None, Some(first)) => self.tree_before(&task.id, &first.turn)?,
            (None, None) => None,
        };
        from.map_or(Ok(Vec::new()), |from| Ok(own.changes(&from, to)?))
    }

    /// Returns what the files looked like before a turn, which an earlier run may have begun.
    pub(super) fn tree_before(&self, id: &TaskId, turn: &TurnId) -> Result<Option<TreeHash>, DeskError> {
        if let Some(tree) = self.snapshots.get(&(id.clone(), turn.clone())) {
            return Ok(Some(tree.clone()));
        }
        let name = format!("before-{turn}");
        let saved = self.desk.saved(id)?.into_iter().find(|saved| saved.name == name);
        Ok(saved.map(|saved| saved.tree))
    }
}

/// Returns what checks settled, in words and for machines.
pub(super) fn shown(ran: &[Ran]) -> (Vec<String>, Vec<Value>) {
    let words = ran.iter().map(|ran| format!("{} {}", ran.result.checkpoint, found(&ran.result)));
    let data = ran.iter().map(|ran| {
        json!({
            "checkpoint": ran.result.checkpoint.as_str(),
            "verdict": ran.result.verdict.name(),
            "settled_by": ran.result.settled_by(),
            "detail": ran.result.detail,
            "confinement": ran.confined_by.map(ConfinedBy::name),
        })
    });
    (words.collect(), data.collect())
}

/// Returns the verdict of a check with the one reason that is known: what its tool counted, or what it said last.
fn found(result: &CheckResult) -> String {
    let verdict = result.verdict.name();
    let mut lines = result.detail.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = lines.next().unwrap_or_default();
    let why = match result.verdict {
        Verdict::Pass => return verdict.to_owned(),
        Verdict::Inconclusive => first.to_owned(),
        Verdict::Fail => {
            let readings = tool_output::read(&result.detail);
            let counted = readings.iter().rev().find_map(|reading| {
                let counts = reading.counts.filter(|counts| counts.failed > 0)?;
                let count = counts.passed.saturating_add(counts.failed);
                Some(format!("{} of {count} failed: {}", counts.failed, reading.place.text))
            });
            counted.unwrap_or_else(|| lines.next_back().unwrap_or(first).to_owned())
        }
    };
    format!("{verdict}: {}", why.chars().take(LAST_LINE_CHARS_MAX).collect::<String>())
}

/// Returns the first thing that feedback says was seen, where nothing else has told it and it is not that of an older attempt.
pub(super) fn seen(reason: Reason, feedback: &str) -> Option<String> {
    let is_told = matches!(reason, Reason::ChecksFailed | Reason::TurnLost | Reason::ProviderFault);
    if is_told
        || matches!(reason, Reason::ClarificationAnswered | Reason::DelegationReturned | Reason::TurnStopped)
    {
        return None;
    }
    let told = |line| str::strip_prefix(line, SEEN).or_else(|| line.strip_prefix(PERSON_SAYS));
    let line = feedback.lines().find_map(told)?;
    Some(line.chars().take(LAST_LINE_CHARS_MAX).collect())
}

/// Returns what is recorded of a turn that is over.
pub(super) fn told(done: &TurnDone, cost: Cost) -> Told<'_> {
    Told {
        model: done.close.model.as_deref(),
        output: Some(&done.ended.output),
        cost_microdollars: cost.microdollars,
        usage: cost.usage.map(Into::into),
    }
}

/// Returns what a turn took of time and tokens.
pub(super) fn took(done: &TurnDone, cost: Cost) -> String {
    let seconds = done.ended.duration.as_secs_f64();
    match cost.tokens {
        Some(tokens) => format!("{seconds:.1} s, {tokens} tokens"),
        None => format!("{seconds:.1} s"),
    }
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
